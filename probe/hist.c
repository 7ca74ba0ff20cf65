/* SPDX-License-Identifier: MIT */
/* Recording; runs after a burst, never inside a bracket. */
#include "hist.h"

#include <string.h>

void hist_init(struct hist *hist, uint64_t cap)
{
	memset(hist, 0, sizeof(*hist));
	hist->cap = cap;
	hist->min = UINT64_MAX;
}

/* Rare values, apart from the common path. */
static void record_over_cap(struct hist *hist, uint64_t delta)
{
	hist->over_cap_count++;
	hist->over_cap_sum += delta;
}

/* Sums are kept in registers: through memory a value would wait for the store of the one before. */
void hist_record(struct hist *hist, const uint64_t *deltas, size_t count)
{
	const uint64_t cap = hist->cap ? hist->cap : UINT64_MAX;
	uint64_t sum = 0, back = 0, min = hist->min, max = hist->max;

	for (size_t i = 0; i < count; i++) {
		const uint64_t delta = deltas[i];

		if (delta > INT64_MAX) {
			back++;
			continue;
		}
		sum += delta;
		min = delta < min ? delta : min;
		max = delta > max ? delta : max;
		if (delta > cap)
			record_over_cap(hist, delta);
		if (delta > UINT32_MAX)
			hist->beyond_range++;
		else
			hist->buckets[hist_bucket_of((uint32_t)delta)]++;
	}
	hist->count += count - back;
	hist->clock_back += back;
	hist->sum += sum;
	hist->min = min;
	hist->max = max;
}
