/* SPDX-License-Identifier: MIT */
/*
 * Fixed records, rendered, equal tests/golden/wire.jsonl byte for byte. Usage: test_wire GOLDEN;
 * with SOCKMETER_REWRITE_GOLDEN=1 in the environment the file is written instead of compared.
 */
#include "wire.h"

#include <errno.h>
#include <stddef.h>

#include "check.h"

static void record_one(struct hist *hist, uint64_t delta)
{
	hist_record(hist, &delta, 1);
}

static struct segment observed, unobserved;

/* Every field has a value of its own, so that none can be mistaken for another. */
static void make_observed_segment(void)
{
	struct tally *tally = &observed.tally;

	observed.id = 0;
	observed.depth = 64;
	observed.fifo_priority = 1;
	observed.usage = (struct usage){
		.elapsed_ns = 5100200,
		.thread_cpu_ns = 5000100,
		.steal_ns = 10000000,
		.steal_is_known = true,
		.voluntary_switches = 2,
		.involuntary_switches = 3,
		.cpu_start = 1,
		.cpu_end = 1,
	};
	tally_init(tally, 5000);
	record_one(&tally->hist, 100);
	record_one(&tally->hist, 600);
	record_one(&tally->hist, 603);
	record_one(&tally->hist, 9000);
	record_one(&tally->hist, 1ULL << 32);
	record_one(&tally->hist, (uint64_t)-4);
	tally->calls = 6;
	tally->datagrams = 4;
	tally->bytes = 250;
	tally->short_calls = 1;
	tally->failed[EAGAIN] = 2;
	tally->loop = 4294977640;
}

static void make_unobserved_segment(void)
{
	struct tally *tally = &unobserved.tally;

	unobserved.id = 1;
	unobserved.depth = 32;
	unobserved.usage = (struct usage){
		.elapsed_ns = 800, .thread_cpu_ns = 700, .cpu_start = 0, .cpu_end = 1
	};
	tally_init(tally, 5000);
	tally->calls = 8;
	tally->datagrams = 64;
	tally->bytes = 89600;
	tally->loop = 5600;
	measures_init(&unobserved.measures);
	measures_count(&unobserved.measures, "eagain", 17);
	measures_count(&unobserved.measures, "late_ns", 18446744073709551615U);
	struct hist *hist = measures_hist(&unobserved.measures, "burst", "ticks");

	record_one(hist, 7);
	record_one(hist, 300);
	measures_hist(&unobserved.measures, "silent", "ns");
}

static void render(FILE *stream)
{
	struct json json = { .stream = stream };
	const struct clock clock = {
		.name = "tsc",
		.unit = "ticks",
		.bracket = "rdtscp;lfence",
		.bracket_cost = 50,
		.quantum = 2,
		.hz = 2299998240.2,
	};
	struct obstacles obstacles = { 0 };
	const struct machine machine = {
		.clock = &clock,
		.memory_locked = false,
		.resident_is_known = true,
		.resident_bytes = 5140480,
		.obstacles = &obstacles,
	};
	const struct refusal why = { .step = "socket", .err = EAFNOSUPPORT };

	obstacle_add(&obstacles, "lock_memory", ENOMEM, NULL);
	obstacle_add(&obstacles, "fifo_priority", EPERM, NULL);
	make_observed_segment();
	make_unobserved_segment();
	CHECK_EQUAL(0, wire_version(&json, "0.1.0", "x86_64"));
	CHECK_EQUAL(0, wire_machine(&json, &machine));
	CHECK_EQUAL(0, wire_segment(&json, &observed));
	CHECK_EQUAL(0, wire_segment(&json, &unobserved));
	CHECK_EQUAL(0, wire_refused(&json, 2, &why));
	CHECK_EQUAL(0, wire_end(&json, 2, 1));
}

static void rendered_records_equal_the_golden_file(const char *path)
{
	static char golden[16384];
	char *rendered = NULL;
	size_t rendered_size = 0;
	FILE *memory = open_memstream(&rendered, &rendered_size);
	FILE *file = fopen(path, "re");

	CHECK(memory && file);
	golden[fread(golden, 1, sizeof(golden) - 1, file)] = '\0';
	fclose(file);
	render(memory);
	fclose(memory);
	CHECK_TEXT(golden, rendered);
	free(rendered);
}

static void rewrite(const char *path)
{
	FILE *file = fopen(path, "we");

	CHECK(file);
	render(file);
	CHECK_EQUAL(0, fclose(file));
}

/* A person's bytes come back as valid JSON: quotes, control characters, and what is not ASCII. */
static void an_error_text_is_escaped(void)
{
	char *rendered = NULL;
	size_t rendered_size = 0;
	FILE *memory = open_memstream(&rendered, &rendered_size);
	struct json json = { .stream = memory };

	CHECK_EQUAL(0, wire_error(&json, 3, "\"a\\b\"\t\xff\x7f"));
	fclose(memory);
	CHECK_TEXT("{\"record\":\"error\",\"line\":3,"
		   "\"text\":\"\\\"a\\\\b\\\"\\u0009\\u00ff\\u007f\"}\n",
		   rendered);
	free(rendered);
}

static void a_full_disk_is_an_error(void)
{
	struct json json = { .stream = fopen("/dev/full", "we") };

	CHECK(json.stream);
	CHECK_EQUAL(-ENOSPC, wire_end(&json, 1, 0));
	fclose(json.stream);
}

int main(int argc, char **argv)
{
	const char *switch_word = getenv("SOCKMETER_REWRITE_GOLDEN");

	CHECK_EQUAL(2, argc);
	if (switch_word && !strcmp(switch_word, "1"))
		rewrite(argv[1]);
	rendered_records_equal_the_golden_file(argv[1]);
	an_error_text_is_escaped();
	a_full_disk_is_an_error();
	return 0;
}
