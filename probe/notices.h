/* SPDX-License-Identifier: MIT */
/*
 * The book of zerocopy notifications: which sends the kernel has given back, and what can be said
 * of how many of them it copied.
 *
 * Each successful send of at least one byte takes the next number of its socket, 32 bits that wrap;
 * a notification gives back an inclusive range of them (Documentation/networking/msg_zerocopy.rst).
 * Adjacent ranges are joined while they wait to be read, and the mark "copied" of a joined range is
 * that of its first part alone: the kernel does not compare it (net/core/skbuff.c,
 * skb_zerocopy_notify_extend). So of a marked range of n at least one was copied, and of an
 * unmarked one at most n - 1. A range of one is exact.
 */
#ifndef PROBE_NOTICES_H
#define PROBE_NOTICES_H

#include <stdbool.h>
#include <stdint.h>

struct notices {
	uint32_t next;         /* number of the next send */
	uint32_t expected;     /* with which a range in order begins */
	uint64_t sent;         /* sends that are to come back */
	uint64_t returned;     /* sends given back */
	uint64_t ranges;       /* notifications read */
	uint64_t marked;       /* of them, as copied */
	uint64_t joined;       /* of them, of more than one send */
	uint64_t out_of_order; /* of them, not beginning where the last ended: legal */
	uint64_t impossible;   /* of them, of more sends than were outstanding: a fault */
	uint64_t copied_least; /* bounds of the sends that were copied after all */
	uint64_t copied_most;
};

void notices_init(struct notices *notices);

/* `numbers` more have been taken; of them, `sends` are to come back. */
void notices_send(struct notices *notices, uint32_t numbers, uint64_t sends);

/* The range [lo, hi] came back; return how many sends it holds. */
uint32_t notices_return(struct notices *notices, uint32_t lo, uint32_t hi, bool copied);

static inline uint64_t notices_outstanding(const struct notices *notices)
{
	return notices->sent - notices->returned;
}

#endif
