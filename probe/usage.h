/* SPDX-License-Identifier: MIT */
/* What this thread used between two moments: time, CPU time, switches, and steal of its CPU. */
#ifndef PROBE_USAGE_H
#define PROBE_USAGE_H

#include <stdbool.h>
#include <stdint.h>

struct usage {
	uint64_t elapsed_ns;    /* CLOCK_MONOTONIC_RAW */
	uint64_t thread_cpu_ns; /* CLOCK_THREAD_CPUTIME_ID */
	uint64_t steal_ns;      /* in steps of a jiffy of /proc/stat */
	bool steal_is_known;
	uint64_t voluntary_switches;
	uint64_t involuntary_switches;
	int cpu_start;
	int cpu_end;
};

/* Begin; `cpu` is the one whose steal counts, negative for none. */
void usage_start(struct usage *usage, int cpu);

/* Turn what usage_start() noted into differences. */
void usage_stop(struct usage *usage, int cpu);

/*
 * Find the steal of `cpu` in the text of /proc/stat, in ns. Return false if it is not there.
 * The eighth figure of a "cpuN" line is the steal, in 1/USER_HZ s: proc(5).
 */
bool usage_parse_steal(const char *stat, int cpu, long ticks_per_second, uint64_t *steal_ns);

#endif
