/* SPDX-License-Identifier: MIT */
/* Each walks a table of its own, about as large as a second-level cache, and computes on it. */
#include "busy.h"

#include <signal.h>

enum { TABLE_WORDS = 32768 }; /* 256 KiB */
enum { STACK_BYTES = 512 * 1024 };

static void *be_busy(void *argument)
{
	struct busy *busy = argument;
	uint64_t table[TABLE_WORDS];
	uint64_t state = 1;

	place_prioritise(0);
	place_cpus_set(busy->cpus);
	for (uint32_t i = 0; i < TABLE_WORDS; i++)
		table[i] = i;
	while (!atomic_load_explicit(&busy->is_stopping, memory_order_relaxed)) {
		for (uint32_t i = 0; i < TABLE_WORDS; i += 8) {
			state = state * 6364136223846793005U + table[i];
			table[i] = state;
		}
		__asm__ volatile("" ::"r"(table) : "memory");
	}
	return NULL;
}

int busy_start(struct busy *busy, uint32_t count, const struct place_cpus *cpus,
	       struct refusal *why)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int err = 0;

	busy->cpus = cpus;
	busy->count = 0;
	atomic_store(&busy->is_stopping, false);
	/* A locked process has its stacks in memory, all of them. */
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (!err && busy->count < count) {
		err = pthread_create(&busy->threads[busy->count], &attr, be_busy, busy);
		busy->count += !err;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (!err)
		return 0;
	busy_stop(busy);
	return refuse(why, "busy", err);
}

void busy_stop(struct busy *busy)
{
	atomic_store(&busy->is_stopping, true);
	for (uint32_t i = 0; i < busy->count; i++)
		pthread_join(busy->threads[i], NULL);
	busy->count = 0;
}
