/* SPDX-License-Identifier: MIT */
/*
 * The clocks a call can be timed with, and one fenced read of each.
 *
 * A read is correctly fenced when earlier work has finished before the counter is read and later
 * work has not begun: LFENCE waits for every earlier instruction and holds back every later one
 * (Intel SDM vol. 2, LFENCE and RDTSC), RDTSCP waits for earlier ones only, ISB does both on Arm.
 */
#ifndef PROBE_CLOCK_READ_H
#define PROBE_CLOCK_READ_H

#include <stdint.h>
#include <time.h>

#include "compiler.h"
#include "perf.h"

/* One instruction sequence each. */
enum clock_form {
	FORM_LFENCE_RDTSC,
	FORM_RDTSCP,
	FORM_CNTVCT,
	FORM_CYCLES,
	FORM_GETTIME,
	FORM_COUNT,
};

/*
 * DO(form, name) for each form that there is on this processor, whose read is clock_read_<name>.
 * What is timed is compiled once a form, with the read inside it; tables of such functions are made
 * of this.
 */
#if defined(__x86_64__)
#define CLOCK_COUNTERS(DO) DO(FORM_LFENCE_RDTSC, lfence_rdtsc) DO(FORM_RDTSCP, rdtscp)
#elif defined(__aarch64__)
#define CLOCK_COUNTERS(DO) DO(FORM_CNTVCT, cntvct)
#endif
#define CLOCK_TIMES(DO) CLOCK_COUNTERS(DO) DO(FORM_GETTIME, gettime)
#define CLOCK_FORMS(DO) CLOCK_TIMES(DO) DO(FORM_CYCLES, cycles)

/* CLOCK_MONOTONIC_RAW in ns: for elapsed time and limits, never inside a bracket but its own. */
static inline uint64_t clock_raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

#if defined(__x86_64__)

static ALWAYS_INLINE void clock_fence(void)
{
	__asm__ volatile("lfence" ::: "memory");
}

static ALWAYS_INLINE uint64_t clock_read_lfence_rdtsc(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

static ALWAYS_INLINE uint64_t clock_read_rdtscp(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high)::"rcx", "memory");
	return (uint64_t)high << 32 | low;
}

#elif defined(__aarch64__)

static ALWAYS_INLINE void clock_fence(void)
{
	__asm__ volatile("isb" ::: "memory");
}

static ALWAYS_INLINE uint64_t clock_read_cntvct(void)
{
	uint64_t count;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(count)::"memory");
	return count;
}

#endif

static ALWAYS_INLINE uint64_t clock_read_cycles(void)
{
	clock_fence();
	const uint64_t cycles = perf_cycles_read();

	clock_fence();
	return cycles;
}

static ALWAYS_INLINE uint64_t clock_read_gettime(void)
{
	clock_fence();
	const uint64_t now_ns = clock_raw_ns();

	clock_fence();
	return now_ns;
}

#endif
