/* SPDX-License-Identifier: MIT */
/* Every difference that was measured, in order: for a clock whose every value can be proved. */
#ifndef PROBE_VALUES_H
#define PROBE_VALUES_H

#include <stddef.h>
#include <stdint.h>

/* Also the most calls of a segment that keeps them. */
enum { VALUES_MAX = 65536 };

struct values {
	uint32_t count;
	struct streak {
		uint64_t value; /* clock units */
		uint64_t calls; /* in a row */
	} streaks[VALUES_MAX];
};

/* Append `count` differences; the plan allows no segment more than VALUES_MAX calls. */
void values_add(struct values *values, const uint64_t *deltas, size_t count);

#endif
