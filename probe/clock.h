/* SPDX-License-Identifier: MIT */
/* Which clock is used: it is proved, and its own cost, step and rate are measured. */
#ifndef PROBE_CLOCK_H
#define PROBE_CLOCK_H

#include <stdint.h>

#include "clock_read.h"
#include "obstacle.h"

/* What a plan may ask for. */
enum clock_wish { CLOCK_AUTO, CLOCK_TSC, CLOCK_CYCLES, CLOCK_GETTIME };

struct clock {
	enum clock_form form;
	const char *name;
	const char *unit;
	const char *bracket;   /* instruction sequence of one read */
	uint64_t bracket_cost; /* unit; median of chained reads with nothing between */
	uint64_t quantum;      /* unit; the step in which the clock moves */
	double hz; /* 1/s against CLOCK_MONOTONIC_RAW; 0 for cycles, whose rate varies */
};

/*
 * Choose the clock and measure its cost, step and rate on the CPU this thread runs on. Takes about
 * 10 ms. What was tried in vain is added to `obstacles`. Return -errno when the clock asked for by
 * name cannot be had; its obstacle says why.
 */
int clock_choose(enum clock_wish wish, struct clock *clock, struct obstacles *obstacles);

/* One fenced read of that form, as a function: for what is timed outside the measured loop. */
typedef uint64_t (*clock_read_fn)(void);
clock_read_fn clock_reader(enum clock_form form);

/* A moment by two clocks. */
struct instant {
	uint64_t count; /* clock units */
	uint64_t ns;
	uint64_t width; /* clock units between the two reads around the one of `ns` */
};

/* The tightest of `tries` brackets around one read of another clock: not one that was interrupted,
 * unless all were. */
struct instant clock_read_both(enum clock_form form, uint64_t (*read_ns)(void), int tries);

/*
 * Say whether what was read since can be believed: cycles of a counter that was shared with
 * another event are a guess. Return 0 or -errno with `why`.
 */
int clock_check(const struct clock *clock, struct refusal *why);

#endif
