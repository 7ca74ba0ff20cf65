/* SPDX-License-Identifier: MIT */
/* sockmeter-probe: a plan on standard input, records on standard output; see docs/wire.md. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "init.h"
#include "join.h"
#include "memory.h"
#include "plan.h"
#include "wire.h"

enum { EXIT_RAN = 0, EXIT_FAILED = 1, EXIT_BAD_PLAN = 2 };

#if defined(__x86_64__)
static const char arch[] = "x86_64";
#elif defined(__aarch64__)
static const char arch[] = "aarch64";
#endif

static struct bench bench;
static struct plan plan;
static struct json json;
static struct obstacles obstacles;
static struct values values;

/* Leave with one error record and the same words for a person. */
static int die(int status, uint32_t line, const char *text)
{
	fprintf(stderr, "sockmeter-probe: %s\n", text);
	wire_error(&json, line, text);
	return status;
}

static int die_writing(int err)
{
	fprintf(stderr, "sockmeter-probe: cannot write the records: %s\n", strerror(-err));
	return EXIT_FAILED;
}

/* A clock asked for by name is never replaced by another. */
static int die_without_clock(const struct obstacle *obstacle)
{
	char text[192];

	snprintf(text, sizeof(text), "clock %s cannot be had: %s", obstacle->what, obstacle->text);
	return die(EXIT_FAILED, plan.clock_line, text);
}

/* Read all of standard input and understand it. */
static int read_plan(struct plan_error *error)
{
	static char text[PLAN_BYTES_MAX + 1];
	size_t length = 0;
	ssize_t got;

	do {
		got = read(STDIN_FILENO, text + length, sizeof(text) - length);
		if (got > 0)
			length += (size_t)got;
	} while (length < sizeof(text) && (got > 0 || (got < 0 && errno == EINTR)));
	error->line = 0;
	if (got < 0) {
		snprintf(error->text, sizeof(error->text), "it cannot be read: %s",
			 strerror(errno));
		return -EIO;
	}
	if (length == sizeof(text)) {
		snprintf(error->text, sizeof(error->text), "it is longer than %d bytes",
			 PLAN_BYTES_MAX);
		return -E2BIG;
	}
	return plan_read(&plan, text, length, error);
}

/* The clock is measured where the first segment will run; if that place is refused, here. */
static void enter_first_place(void)
{
	struct refusal why;
	const struct spec *first = plan.segments;

	if (plan.segment_count)
		place_enter(&bench.place, first->cpu, first->priority, &why);
}

static int set_up(void)
{
	struct machine machine = { .clock = &bench.clock, .obstacles = &obstacles };

	machine.memory_locked = memory_lock(&obstacles);
	memory_touch(&bench, sizeof(bench));
	if (plan.segment_count && plan.segments[0].raw)
		memory_touch(&values, sizeof(values));
	memset(bench.tx_payload, 'x', sizeof(bench.tx_payload));
	bench.cap = plan.cap;
	place_init(&bench.place, &obstacles);
	enter_first_place();
	if (clock_choose(plan.clock, &bench.clock, &obstacles) < 0)
		return die_without_clock(&obstacles.list[obstacles.count - 1]);
	machine.resident_is_known = memory_resident(&machine.resident_bytes, &obstacles);
	const int err = wire_machine(&json, &machine);

	return err ? die_writing(err) : EXIT_RAN;
}

/* Measure one segment. Return 0 or -errno with `why`. */
static int run_segment(const struct spec *spec, struct refusal *why)
{
	int err = place_enter(&bench.place, spec->cpu, spec->priority, why);

	measures_init(&bench.segment.measures);
	bench.segment.tally.values = spec->raw ? &values : NULL;
	bench.segment.id = spec->id;
	bench.segment.fifo_priority = bench.place.priority;
	if (!err)
		err = spec->scenario->run(&bench, spec, why);
	place_rest(&bench.place, true);
	return err;
}

static int run_plan(void)
{
	uint64_t refused = 0;

	for (size_t i = 0; i < plan.segment_count; i++) {
		const struct spec *spec = &plan.segments[i];
		struct refusal why;
		const bool ran = run_segment(spec, &why) == 0;
		const int err = ran ? wire_segment(&json, &bench.segment)
				    : wire_refused(&json, spec->id, &why);

		if (err)
			return die_writing(err);
		refused += !ran;
	}
	const int err = wire_end(&json, plan.segment_count - refused, refused);

	return err ? die_writing(err) : EXIT_RAN;
}

/* The kernel names the first process of an initramfs so; in a container, process 1 is no init. */
static bool is_guests_init(const char *name)
{
	return getpid() == 1 && strcmp(name, "/init") == 0;
}

int main(int argc, char **argv)
{
	struct plan_error error;

	if (argc > 0 && is_guests_init(argv[0])) {
		if (init_main() < 0)
			return EXIT_FAILED;
		argc = 1; /* what follows are words of the kernel's command line */
	}
	signal(SIGPIPE, SIG_IGN); /* a reader that went away is a failed write */
	prctl(PR_SET_PDEATHSIG,
	      SIGKILL); /* nobody is left to read what a FIFO thread would spin for */
	json.stream = stdout;
	if (isatty(STDIN_FILENO))
		fputs("sockmeter-probe reads a plan on standard input: see docs/wire.md\n", stderr);
	const int err = wire_version(&json, SOCKMETER_VERSION, arch);

	if (err)
		return die_writing(err);
	if (join_namespaces(argc, argv, error.text, sizeof(error.text)) < 0)
		return die(EXIT_FAILED, 0, error.text);
	if (read_plan(&error) < 0)
		return die(EXIT_BAD_PLAN, error.line, error.text);
	const int status = set_up();

	return status ? status : run_plan();
}
