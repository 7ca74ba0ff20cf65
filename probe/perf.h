/* SPDX-License-Identifier: MIT */
/*
 * Core cycles from a hardware counter, read in user space through the perf event's mapped page.
 *
 * Protocol: the comment on `lock` in struct perf_event_mmap_page, include/uapi/linux/perf_event.h.
 */
#ifndef PROBE_PERF_H
#define PROBE_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

typedef uint64_t (*pmc_read_fn)(uint32_t counter);

/*
 * Read the event's count from its page into `count`; a change of the page while it is read makes
 * it read again. Return false when the event is not on a counter now (index 0), or may not be read
 * from user space: then only read(2) knows the count.
 */
static ALWAYS_INLINE bool perf_page_read(const volatile struct perf_event_mmap_page *page,
					 pmc_read_fn read_pmc, uint64_t *count)
{
	uint32_t sequence;
	bool on_counter;

	do {
		sequence = page->lock;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		const uint32_t index = page->index;
		const uint32_t unused_bits = 64U - page->pmc_width;

		on_counter = index != 0 && page->cap_user_rdpmc;
		*count = (uint64_t)page->offset;
		if (on_counter) {
			/* The counter is pmc_width bits wide and signed. */
			const uint64_t raw = read_pmc(index - 1) << unused_bits;

			*count += (uint64_t)((int64_t)raw >> unused_bits);
		}
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (page->lock != sequence);
	return on_counter;
}

/* The one event of this thread; `page` is NULL until it is open. */
struct perf_counter {
	const volatile struct perf_event_mmap_page *page;
	int fd;
};
extern struct perf_counter perf_cycles;

/* Open the cycles event of the calling thread, kernel included. Return 0 or -errno. */
int perf_cycles_open(void);

/* What read(2) says of the event: PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING.
 */
struct perf_reading {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/* Read the event, since it was opened. Return 0 or -errno; -EBUSY when it lost its counter. */
int perf_cycles_reading(struct perf_reading *reading);

/* The counter was shared with another event at some time, so what it counted is a sample. */
static inline bool perf_reading_is_multiplexed(const struct perf_reading *reading)
{
	return reading->enabled_ns != reading->running_ns;
}

/* The slow way, for when the event is on no counter; UINT64_MAX if even that fails. */
uint64_t perf_cycles_read_slowly(void);

#if defined(__x86_64__)
static ALWAYS_INLINE uint64_t perf_rdpmc(uint32_t counter)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter) : "memory");
	return (uint64_t)high << 32 | low;
}
#else
static ALWAYS_INLINE uint64_t perf_rdpmc(uint32_t counter)
{
	(void)counter; /* perf_cycles_open() refuses here, so nothing is read */
	return 0;
}
#endif

static ALWAYS_INLINE uint64_t perf_cycles_read(void)
{
	uint64_t cycles;

	if (__builtin_expect(perf_page_read(perf_cycles.page, perf_rdpmc, &cycles), 1))
		return cycles;
	return perf_cycles_read_slowly();
}

#endif
