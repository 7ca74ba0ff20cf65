/* SPDX-License-Identifier: MIT */
/* What the probe finds out about its machine holds together; texts of /proc are read right. */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "clock.h"
#include "memory.h"
#include "place.h"
#include "usage.h"

static void make_clock(enum clock_wish wish, struct clock *clock)
{
	struct obstacles obstacles = { 0 };

	CHECK_EQUAL(0, clock_choose(wish, clock, &obstacles));
}

/* CLOCK_MONOTONIC_RAW against itself. */
static void clock_gettime_runs_at_a_gigahertz(void)
{
	struct clock clock;

	make_clock(CLOCK_GETTIME, &clock);
	CHECK_TEXT("clock_gettime", clock.name);
	CHECK_TEXT("ns", clock.unit);
	CHECK(clock.hz > 0.9999e9 && clock.hz < 1.0001e9);
}

/* The cost may be 0: a read may be shorter than the step. */
static void the_chosen_clock_has_a_step_and_a_rate(void)
{
	struct clock clock;

	make_clock(CLOCK_AUTO, &clock);
	CHECK(clock.quantum > 0);
	CHECK_EQUAL(0, clock.bracket_cost % clock.quantum);
	CHECK(clock.hz > 1e6);
}

/* Asked for by name, a clock is had or refused with its reason: never another one. */
static void cycles_are_had_or_refused(void)
{
	struct obstacles obstacles = { 0 };
	struct clock clock;
	const int err = clock_choose(CLOCK_CYCLES, &clock, &obstacles);

	if (err == 0) {
		CHECK_TEXT("cycles", clock.unit);
		CHECK_EQUAL(0, obstacles.count);
		return;
	}
	CHECK_EQUAL(1, obstacles.count);
	CHECK_TEXT("cycles", obstacles.list[0].what);
	CHECK_EQUAL(-err, obstacles.list[0].err);
}

static const char stat[] = "cpu  9 9 9 9 9 9 9 9 9 9\n"
			   "cpu1 1 2 3 4 5 6 7 80 0 0\n"
			   "cpu10 1 2 3 4 5 6 7 90 0 0\n"
			   "intr 5\n";

static void steal_is_the_eighth_figure_of_the_cpus_line(void)
{
	uint64_t steal_ns = 0;

	CHECK(usage_parse_steal(stat, 1, 100, &steal_ns));
	CHECK_EQUAL(800000000, steal_ns);
	CHECK(usage_parse_steal(stat, 10, 100, &steal_ns));
	CHECK_EQUAL(900000000, steal_ns);
}

static void steal_of_a_cpu_not_listed_is_unknown(void)
{
	uint64_t steal_ns;

	CHECK(!usage_parse_steal(stat, 0, 100, &steal_ns));
	CHECK(!usage_parse_steal("\ncpu0 1 2 3\n", 0, 100, &steal_ns));
	CHECK(!usage_parse_steal("", 0, 100, &steal_ns));
}

static void usage_is_the_difference_of_two_moments(void)
{
	struct usage usage;
	const uint64_t start_ns = clock_raw_ns();

	usage_start(&usage, -1);
	while (clock_raw_ns() - start_ns < 2000000)
		;
	usage_stop(&usage, -1);
	CHECK(usage.elapsed_ns > 1000000 && usage.elapsed_ns < 10000000000);
	/* The two clocks are read a moment apart and run at slightly different rates. */
	CHECK(usage.thread_cpu_ns <= usage.elapsed_ns + usage.elapsed_ns / 20);
	CHECK(!usage.steal_is_known);
	CHECK(usage.cpu_start >= 0 && usage.cpu_end >= 0);
}

static void a_cpu_that_is_not_there_is_refused(void)
{
	struct obstacles obstacles = { 0 };
	struct place place;
	struct refusal why;

	place_init(&place, &obstacles);
	CHECK_EQUAL(-EINVAL, place_enter(&place, PLACE_CPUS - 1, 0, &why));
	CHECK_TEXT("pin", why.step);
	CHECK(why.text && strstr(why.text, "no such CPU for this process: it may run on "));
}

static void cpus_are_written_as_ranges(void)
{
	struct place_cpus cpus = { 0 };
	char text[16];

	place_cpus_write(&cpus, text, sizeof(text));
	CHECK_TEXT("", text);
	cpus.bits[0] = 0x10f; /* 0 to 3, and 8 */
	cpus.bits[1] = 1;
	place_cpus_write(&cpus, text, sizeof(text));
	CHECK_TEXT("0-3,8,64", text);
	/* What does not fit is left out, whole. */
	place_cpus_write(&cpus, text, 7);
	CHECK_TEXT("0-3,8", text);
}

/* After a pinned segment, one that is not runs wherever the process was allowed at start. */
static void not_pinned_is_what_it_was_at_start(void)
{
	struct obstacles obstacles = { 0 };
	const struct place_cpus before = place_cpus_now();
	struct place place;
	struct refusal why;
	int allowed = 0;

	while (!place_cpus_has(&before, allowed))
		allowed++;
	place_init(&place, &obstacles);
	CHECK_EQUAL(0, place_enter(&place, allowed, 0, &why));
	CHECK_EQUAL(allowed, place_cpu());
	CHECK_EQUAL(0, place_enter(&place, PLACE_ANY_CPU, 0, &why));
	const struct place_cpus after = place_cpus_now();

	CHECK(memcmp(&before, &after, sizeof(before)) == 0);
}

static void an_ordinary_thread_needs_no_rest(void)
{
	struct place place = { .is_throttled = true, .priority = 0 };

	CHECK_EQUAL(0, place_rest(&place, true));
}

/* A ninth of the work: 90 % of the time is used, 95 % is allowed. */
static void a_fifo_thread_rests_a_ninth_of_its_work(void)
{
	struct place place = { .is_throttled = true, .priority = 1 };
	const uint64_t worked_ns = 90000000;

	place.rested_ns = clock_raw_ns() - worked_ns;
	CHECK_EQUAL(0, place_rest(&place, false));
	CHECK(place_rest(&place, true) >= worked_ns / 9);
	CHECK(place_rest(&place, true) < worked_ns / 9);
}

static void resident_memory_is_known_here(void)
{
	struct obstacles obstacles = { 0 };
	uint64_t bytes = 0;

	CHECK(memory_resident(&bytes, &obstacles));
	CHECK(bytes > 4096);
	CHECK_EQUAL(0, obstacles.count);
}

static void a_second_thread_has_the_cpu_it_asks_for_or_the_last_other_one(void)
{
	const struct place_cpus three = { .bits = { 0x29 } }; /* 0, 3, 5 */
	const struct place_cpus one = { .bits = { 0x8 } };

	CHECK_EQUAL(5, place_second_cpu(&three, 5, PLACE_SAME_CPU));
	CHECK_EQUAL(7, place_second_cpu(&three, 5, 7));
	CHECK_EQUAL(3, place_second_cpu(&three, 5, PLACE_OTHER_CPU));
	CHECK_EQUAL(5, place_second_cpu(&three, 0, PLACE_OTHER_CPU));
	CHECK_EQUAL(-ENODEV, place_second_cpu(&one, 3, PLACE_OTHER_CPU));
	CHECK_EQUAL(PLACE_ANY_CPU, place_second_cpu(&three, PLACE_ANY_CPU, PLACE_SAME_CPU));
}

static void a_third_thread_has_the_last_cpu_that_is_left(void)
{
	const struct place_cpus three = { .bits = { 0x29 } }; /* 0, 3, 5 */
	const struct place_cpus two = { .bits = { 0x9 } };

	CHECK_EQUAL(3, place_cpu_besides(&three, 0, 5));
	CHECK_EQUAL(0, place_cpu_besides(&three, 5, 3));
	CHECK_EQUAL(5, place_cpu_besides(&three, PLACE_ANY_CPU, 3));
	CHECK_EQUAL(-ENODEV, place_cpu_besides(&two, 0, 3));
}

int main(void)
{
	clock_gettime_runs_at_a_gigahertz();
	the_chosen_clock_has_a_step_and_a_rate();
	cycles_are_had_or_refused();
	steal_is_the_eighth_figure_of_the_cpus_line();
	steal_of_a_cpu_not_listed_is_unknown();
	usage_is_the_difference_of_two_moments();
	a_cpu_that_is_not_there_is_refused();
	cpus_are_written_as_ranges();
	not_pinned_is_what_it_was_at_start();
	an_ordinary_thread_needs_no_rest();
	a_fifo_thread_rests_a_ninth_of_its_work();
	resident_memory_is_known_here();
	a_second_thread_has_the_cpu_it_asks_for_or_the_last_other_one();
	a_third_thread_has_the_last_cpu_that_is_left();
	return 0;
}
