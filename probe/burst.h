/* SPDX-License-Identifier: MIT */
/*
 * The measured loop. One fenced clock read a call: the end of one bracket is the start of the
 * next, so the loop's own few instructions are inside, and the call `null` measures them. Nothing
 * else happens in the loop; what it logged is counted after it.
 */
#ifndef PROBE_BURST_H
#define PROBE_BURST_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "clock.h"
#include "hist.h"
#include "values.h"

enum { BURST_CALLS_MAX = 65536, BURST_ERRNO_MAX = 4096 };

/* Log of one burst; small bursts stay in the first few cache lines of it. */
struct burst_log {
	uint64_t deltas[BURST_CALLS_MAX]; /* clock units */
	int32_t moved[BURST_CALLS_MAX];   /* bytes, or -errno */
};

/* What the bursts of a segment came to. */
struct tally {
	uint64_t calls;
	uint64_t datagrams;
	uint64_t bytes;
	uint64_t short_calls;
	uint64_t loop; /* clock units from a burst's first read to its last, summed */
	uint32_t failed[BURST_ERRNO_MAX]; /* by errno */
	struct hist hist;
	struct values *values; /* NULL: not kept */
};

/* Make `calls` calls and return the clock units from before the first to after the last. */
typedef uint64_t (*burst_fn)(struct burst_log *log, call_op op, struct call_ctx *ctx,
			     uint32_t calls);

/* The loop for this clock; unobserved, it reads the clock at its two ends only. */
burst_fn burst_loop(enum clock_form form, bool observed);

/* Forget everything but where values are kept. */
void tally_init(struct tally *tally, uint64_t cap);

/* Count the `calls` of a burst; `messages` is what ctx->messages grew by. */
void tally_burst(struct tally *tally, const struct burst_log *log, const struct call_ctx *ctx,
		 uint32_t calls, uint64_t messages, bool observed);

#endif
