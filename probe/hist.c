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

void hist_record(struct hist *hist, uint64_t delta)
{
	if (delta > INT64_MAX) {
		hist->clock_back++;
		return;
	}
	hist->count++;
	hist->sum += delta;
	if (delta < hist->min)
		hist->min = delta;
	if (delta > hist->max)
		hist->max = delta;
	if (hist->cap && delta > hist->cap) {
		hist->over_cap_count++;
		hist->over_cap_sum += delta;
	}
	if (delta > UINT32_MAX)
		hist->beyond_range++;
	else
		hist->buckets[hist_bucket_of((uint32_t)delta)]++;
}
