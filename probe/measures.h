/* SPDX-License-Identifier: MIT */
/*
 * What a scenario found besides the cost of its call: named counters and histograms, filled
 * outside the bracket. docs/wire.md names every one of each scenario.
 */
#ifndef PROBE_MEASURES_H
#define PROBE_MEASURES_H

#include <stddef.h>
#include <stdint.h>

#include "hist.h"

enum { MEASURES_COUNTERS_MAX = 48, MEASURES_HISTS_MAX = 8 };

struct measures {
	size_t counter_count;
	size_t hist_count;
	struct {
		const char *name; /* with its unit, where it is no plain number: late_ns */
		uint64_t value;
	} counters[MEASURES_COUNTERS_MAX];
	struct {
		const char *name;
		const char *unit;
		struct hist hist;
	} hists[MEASURES_HISTS_MAX];
};

void measures_init(struct measures *measures);

/* Add a counter; the order of addition is that of the record. */
void measures_count(struct measures *measures, const char *name, uint64_t value);

/* Add an empty histogram of `unit` and return it. */
struct hist *measures_hist(struct measures *measures, const char *name, const char *unit);

#endif
