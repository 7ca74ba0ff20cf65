/* SPDX-License-Identifier: MIT */
/*
 * A log-linear histogram: 128 buckets an octave up to 2^32, none open, in fixed storage; and the
 * exact count, sum, minimum and maximum beside it.
 */
#ifndef PROBE_HIST_H
#define PROBE_HIST_H

#include <stddef.h>
#include <stdint.h>

enum { HIST_SUBBUCKETS = 128, HIST_BUCKETS = 3328 };

struct hist {
	uint64_t cap; /* values above it are also counted and summed apart; 0: none is */
	uint64_t count;
	uint64_t sum;
	uint64_t min; /* UINT64_MAX while count is 0 */
	uint64_t max;
	uint64_t over_cap_count;
	uint64_t over_cap_sum;
	uint64_t beyond_range; /* 2^32 or more: counted and summed, in no bucket */
	uint64_t clock_back;   /* negative: counted here only */
	uint32_t buckets[HIST_BUCKETS];
};

void hist_init(struct hist *hist, uint64_t cap);

/*
 * Record differences of two clock reads; one whose end was read before its start wraps to more
 * than 2^63 and is a clock_back.
 */
void hist_record(struct hist *hist, const uint64_t *deltas, size_t count);

/* Return the bucket of `value`, which is below 2^32. */
static inline uint32_t hist_bucket_of(uint32_t value)
{
	if (value < 2 * HIST_SUBBUCKETS)
		return value;
	/* The leading bit and the seven below it choose the bucket; the rest is its width. */
	const uint32_t exponent = 24U - (uint32_t)__builtin_clz(value);

	return exponent * HIST_SUBBUCKETS + (value >> exponent);
}

#endif
