/* SPDX-License-Identifier: MIT */
/* Threads that only use the CPU and its caches, as the rest of a service does. */
#ifndef PROBE_BUSY_H
#define PROBE_BUSY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "obstacle.h"
#include "place.h"

enum { BUSY_THREADS_MAX = 64 };

struct busy {
	const struct place_cpus *cpus; /* where they may run */
	atomic_bool is_stopping;
	uint32_t count;
	pthread_t threads[BUSY_THREADS_MAX];
};

/* Start `count` threads under SCHED_OTHER on any of `cpus`. Return 0 or -errno with `why`. */
int busy_start(struct busy *busy, uint32_t count, const struct place_cpus *cpus,
	       struct refusal *why);
void busy_stop(struct busy *busy);

#endif
