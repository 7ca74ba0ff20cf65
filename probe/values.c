/* SPDX-License-Identifier: MIT */
#include "values.h"

#include <stdbool.h>

static bool goes_on(const struct values *values, uint64_t delta)
{
	return values->count && values->streaks[values->count - 1].value == delta;
}

void values_add(struct values *values, const uint64_t *deltas, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (goes_on(values, deltas[i]))
			values->streaks[values->count - 1].calls++;
		else if (values->count < VALUES_MAX)
			values->streaks[values->count++] = (struct streak){ deltas[i], 1 };
	}
}
