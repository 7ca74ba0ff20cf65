/* SPDX-License-Identifier: MIT */
/* Choosing a clock: prove it, time its own read, find its step and its rate. */
#include "clock.h"

#include <errno.h>
#include <stdlib.h>

#include "counter.h"
#include "sys.h"

enum { READS = 4000 };

static const struct {
	const char *name;
	const char *unit;
	const char *bracket;
} forms[FORM_COUNT] = {
	[FORM_LFENCE_RDTSC] = { "tsc", "ticks", "lfence;rdtsc;lfence" },
	[FORM_RDTSCP] = { "tsc", "ticks", "rdtscp;lfence" },
	[FORM_CNTVCT] = { "cntvct", "ticks", "isb;mrs cntvct_el0;isb" },
#if defined(__x86_64__)
	[FORM_CYCLES] = { "cycles", "cycles", "lfence;rdpmc (perf user page);lfence" },
	[FORM_GETTIME] = { "clock_gettime", "ns",
			   "lfence;clock_gettime(CLOCK_MONOTONIC_RAW);lfence" },
#else
	[FORM_CYCLES] = { "cycles", "cycles", "isb;read (perf user page);isb" },
	[FORM_GETTIME] = { "clock_gettime", "ns", "isb;clock_gettime(CLOCK_MONOTONIC_RAW);isb" },
#endif
};

static uint64_t deltas[READS];

/* What stands between two reads of a chain. */
enum between {
	NOTHING, /* the cost of the read itself */
	CALL,    /* a short system call: what the read costs where it will be used */
	PAUSE, /* of varied length, so that the differences share no factor but the clock's step */
};

/* The measured loop's own form. */
static ALWAYS_INLINE void chain_reads(uint64_t (*read)(void), enum between between)
{
	uint64_t last = read();

	for (uint32_t i = 0; i < READS; i++) {
		if (between == CALL)
			sys3(SYS_getppid, 0, 0, 0);
		if (between == PAUSE)
			for (volatile uint32_t pause = i % 61; pause; pause--)
				;
		const uint64_t now = read();

		deltas[i] = now - last;
		last = now;
	}
}

static ALWAYS_INLINE void chain(uint64_t (*read)(void), enum between between)
{
	switch (between) {
	case NOTHING:
		return chain_reads(read, NOTHING);
	case CALL:
		return chain_reads(read, CALL);
	case PAUSE:
		return chain_reads(read, PAUSE);
	}
}

static void chain_form(enum clock_form form, enum between between)
{
#define CASE(form, clock)                                                                          \
	case form:                                                                                 \
		return chain(clock_read_##clock, between);
	switch (form) {
		CLOCK_FORMS(CASE)
	default: /* of another processor */
		return;
	}
}

static int compare_deltas(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static uint64_t median_of_chain(enum clock_form form, enum between between)
{
	chain_form(form, between); /* warms the code and the array */
	chain_form(form, between);
	qsort(deltas, READS, sizeof(deltas[0]), compare_deltas);
	return deltas[READS / 2];
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint64_t measure_quantum(enum clock_form form)
{
	uint64_t quantum = 0;

	chain_form(form, PAUSE);
	for (uint32_t i = 0; i < READS; i++)
		quantum = greatest_common_divisor(quantum, deltas[i]);
	return quantum;
}

struct instant clock_read_both(enum clock_form form, uint64_t (*read_ns)(void), int tries)
{
	const clock_read_fn read = clock_reader(form);
	struct instant best = { .width = UINT64_MAX };

	for (int i = 0; i < tries; i++) {
		const uint64_t before = read();
		const uint64_t ns = read_ns();
		const uint64_t width = read() - before;

		if (width < best.width)
			best = (struct instant){ before + width / 2, ns, width };
	}
	return best;
}

/* 5 ms apart: good to about ten parts in a million. */
static double measure_hz(enum clock_form form)
{
	const struct instant start = clock_read_both(form, clock_raw_ns, 50);

	while (clock_raw_ns() - start.ns < 5000000)
		;
	const struct instant stop = clock_read_both(form, clock_raw_ns, 50);

	return (double)(stop.count - start.count) * 1e9 / (double)(stop.ns - start.ns);
}

static void describe(struct clock *clock, enum clock_form form)
{
	*clock = (struct clock){
		.form = form,
		.name = forms[form].name,
		.unit = forms[form].unit,
		.bracket = forms[form].bracket,
		.bracket_cost = median_of_chain(form, NOTHING),
		.quantum = measure_quantum(form),
		.hz = form == FORM_CYCLES ? 0 : measure_hz(form),
	};
}

/* Judged around a call, since how much of a fence hides behind the call's return differs between
 * the reads. The call is the same for all; they alternate, and each is judged by its best turn. */
static enum clock_form cheapest_counter_form(void)
{
	const size_t count = counter_form_count();
	enum clock_form cheapest = counter_forms[0];
	uint64_t least = UINT64_MAX;

	for (int turn = 0; turn < 3; turn++) {
		for (size_t i = 0; i < count; i++) {
			const uint64_t cost = median_of_chain(counter_forms[i], CALL);

			if (cost < least) {
				least = cost;
				cheapest = counter_forms[i];
			}
		}
	}
	return cheapest;
}

/* What perf_event_open(2)'s errno means for this event; NULL: no more than its own words. */
static const char *why_no_cycles(int err)
{
	switch (err) {
	case ENOENT:
		return "no counter of core cycles is here; a guest often has none";
	case EACCES:
	case EPERM:
		return "counting in the kernel needs kernel.perf_event_paranoid <= 1 or "
		       "CAP_PERFMON";
	case ENOTSUP:
		return "the counter of core cycles cannot be read from user space";
	default:
		return NULL;
	}
}

static int choose_cycles(struct clock *clock, struct obstacles *obstacles)
{
	const int err = perf_cycles_open();

	if (err) {
		obstacle_add(obstacles, "cycles", -err, why_no_cycles(-err));
		return err;
	}
	describe(clock, FORM_CYCLES);
	return 0;
}

int clock_choose(enum clock_wish wish, struct clock *clock, struct obstacles *obstacles)
{
	if (wish == CLOCK_CYCLES)
		return choose_cycles(clock, obstacles);
	if (wish != CLOCK_GETTIME && counter_is_usable(obstacles)) {
		describe(clock, cheapest_counter_form());
		return 0;
	}
	if (wish == CLOCK_TSC)
		return -ENOTSUP;
	describe(clock, FORM_GETTIME);
	return 0;
}

clock_read_fn clock_reader(enum clock_form form)
{
#define ROW(form, clock) [form] = clock_read_##clock,
	static const clock_read_fn readers[FORM_COUNT] = { CLOCK_FORMS(ROW) };

	return readers[form];
}

int clock_check(const struct clock *clock, struct refusal *why)
{
	struct perf_reading reading;

	if (clock->form != FORM_CYCLES)
		return 0;
	const int err = perf_cycles_reading(&reading);

	if (err)
		return refuse(why, "clock", -err);
	return perf_reading_is_multiplexed(&reading) ? refuse(why, "clock", EBUSY) : 0;
}
