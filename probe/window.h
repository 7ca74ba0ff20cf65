/* SPDX-License-Identifier: MIT */
/*
 * Marks in the instruction stream for a counting emulator, and the clock read it listens to.
 *
 * On a CPU they do nothing: a mark is a NOP whose unused displacement carries the mark, and the
 * read is RDTSC or RDTSCP behind a segment override, which neither instruction looks at. The
 * emulator's plugin (tally/) opens a window at the first marked read after WINDOW_ARM, closes it
 * and opens the next at every further one, and does so only between WINDOW_BEGIN and WINDOW_END.
 * Marked reads belong to the measured loop alone: any other thread reads its clock unmarked. There
 * is one, window_read_<name>, for each of CLOCK_FORMS; where there is no such emulator it has no
 * mark.
 */
#ifndef PROBE_WINDOW_H
#define PROBE_WINDOW_H

#include <stdint.h>

#include "clock_read.h"

#if defined(__x86_64__)

/* nopl 0x736d00nn(%rax,%rax,1) */
#define WINDOW_MARK(nn)                                                                            \
	__asm__ volatile(".byte 0x0f,0x1f,0x84,0x00," #nn ",0x00,0x6d,0x73" ::: "memory")

/* The measured part of a segment begins: every warm-up call is behind. */
static ALWAYS_INLINE void window_begin(void)
{
	WINDOW_MARK(0x01);
}

/* The measured part of a segment has ended. */
static ALWAYS_INLINE void window_end(void)
{
	WINDOW_MARK(0x02);
}

/* A chain of marked reads begins: the next one opens a window and closes none. */
static ALWAYS_INLINE void window_arm(void)
{
	WINDOW_MARK(0x03);
}

static ALWAYS_INLINE uint64_t window_read_lfence_rdtsc(void)
{
	uint32_t low, high;

	/* cs rdtsc */
	__asm__ volatile("lfence\n\t.byte 0x2e,0x0f,0x31\n\tlfence"
			 : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

static ALWAYS_INLINE uint64_t window_read_rdtscp(void)
{
	uint32_t low, high;

	/* cs rdtscp */
	__asm__ volatile(".byte 0x2e,0x0f,0x01,0xf9\n\tlfence"
			 : "=a"(low), "=d"(high)::"rcx", "memory");
	return (uint64_t)high << 32 | low;
}

#else

static ALWAYS_INLINE void window_begin(void)
{
}

static ALWAYS_INLINE void window_end(void)
{
}

static ALWAYS_INLINE void window_arm(void)
{
}

static ALWAYS_INLINE uint64_t window_read_cntvct(void)
{
	return clock_read_cntvct();
}

#endif

static ALWAYS_INLINE uint64_t window_read_cycles(void)
{
	return clock_read_cycles();
}

static ALWAYS_INLINE uint64_t window_read_gettime(void)
{
	return clock_read_gettime();
}

#endif
