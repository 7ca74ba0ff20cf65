/* SPDX-License-Identifier: MIT */
/* A fixed list; a scenario that names more than it holds is a mistake in the program. */
#include "measures.h"

#include <stdlib.h>

void measures_init(struct measures *measures)
{
	measures->counter_count = 0;
	measures->hist_count = 0;
}

void measures_count(struct measures *measures, const char *name, uint64_t value)
{
	if (measures->counter_count == MEASURES_COUNTERS_MAX)
		abort();
	measures->counters[measures->counter_count].name = name;
	measures->counters[measures->counter_count].value = value;
	measures->counter_count++;
}

struct hist *measures_hist(struct measures *measures, const char *name, const char *unit)
{
	if (measures->hist_count == MEASURES_HISTS_MAX)
		abort();
	const size_t i = measures->hist_count++;

	measures->hists[i].name = name;
	measures->hists[i].unit = unit;
	hist_init(&measures->hists[i].hist, 0);
	return &measures->hists[i].hist;
}
