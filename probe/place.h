/* SPDX-License-Identifier: MIT */
/* Where and how this thread runs: its CPU, its priority, and the rests a FIFO thread must take. */
#ifndef PROBE_PLACE_H
#define PROBE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "obstacle.h"

enum { PLACE_CPUS = 8192, PLACE_ANY_CPU = -1, PLACE_AUTO_PRIORITY = -1 };

/* Where a second thread runs, as a plan says it; or the number of a CPU. */
enum { PLACE_SAME_CPU = -2, PLACE_OTHER_CPU = -3 };

struct place_cpus {
	unsigned long bits[PLACE_CPUS / (8 * sizeof(unsigned long))];
};

/* The CPUs this thread may run on now; empty if the kernel would not say. */
struct place_cpus place_cpus_now(void);
void place_cpus_set(const struct place_cpus *cpus);
bool place_cpus_has(const struct place_cpus *cpus, int cpu);

/*
 * Say on which CPU a second thread runs: `wish` itself, `cpu` for PLACE_SAME_CPU, or for
 * PLACE_OTHER_CPU the last of `allowed` that is not `cpu`. Return -ENODEV where there is none.
 */
int place_second_cpu(const struct place_cpus *allowed, int cpu, int wish);

/* The last of `allowed` that is neither; below 0 stands for none. -ENODEV where none is left. */
int place_cpu_besides(const struct place_cpus *allowed, int first, int second);

/* Write the CPUs as ranges, `0-3,8`, as many as fit. */
void place_cpus_write(const struct place_cpus *cpus, char *text, size_t text_size);

/* Run on `cpu` alone. Return 0 or -errno. */
int place_pin(int cpu);

/* The CPU this thread is on. */
int place_cpu(void);

/* SCHED_FIFO at `priority`, or SCHED_OTHER for 0. Return 0 or -errno. */
int place_prioritise(int priority);

/* What this process started with and may do. */
struct place {
	struct place_cpus at_start;
	int auto_priority;  /* 1 where SCHED_FIFO is allowed, else 0 */
	bool is_throttled;  /* real-time threads must leave some of each second to others */
	int priority;       /* now */
	uint64_t rested_ns; /* CLOCK_MONOTONIC_RAW at the end of the last rest */
};

/* Find out what is allowed; a refused SCHED_FIFO is added to `obstacles`. */
void place_init(struct place *place, struct obstacles *obstacles);

/* Refuse a CPU that could not be moved to; after place_init() it is said which ones there are. */
int place_refuse_cpu(const char *step, int err, struct refusal *why);

/*
 * Move to `cpu` (PLACE_ANY_CPU: wherever the process was allowed at start) with `priority`
 * (PLACE_AUTO_PRIORITY: SCHED_FIFO where allowed). Return 0 or -errno with `why`.
 */
int place_enter(struct place *place, int cpu, int priority, struct refusal *why);

/*
 * Sleep a ninth of the time since the last rest, if half a second has passed since or `at_once`,
 * so that the throttle of real-time threads (which may have 95 % of each second by default,
 * /proc/sys/kernel/sched_rt_runtime_us) never bites. Return the ns slept; 0 under SCHED_OTHER.
 */
uint64_t place_rest(struct place *place, bool at_once);

#endif
