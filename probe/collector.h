/* SPDX-License-Identifier: MIT */
/*
 * Reads zerocopy notifications from a socket's error queue, in one of several ways, or takes them
 * from a ring's completions, and times it.
 */
#ifndef PROBE_COLLECTOR_H
#define PROBE_COLLECTOR_H

#include "burst.h"
#include "clock.h"
#include "measures.h"
#include "notices.h"

enum { COLLECTOR_STAMPS = 16384, COLLECTOR_BATCH = 32, COLLECTOR_CONTROL = 128 };

struct collector {
	int fd;
	struct call_ctx *ctx; /* of the sends */
	enum notify how;
	clock_read_fn read_clock;
	struct notices notices;
	uint64_t foreign;         /* entries of the error queue that are no notification */
	uint64_t carried;         /* notifications that came with the calls, and took no reading */
	uint64_t optmem_refused;  /* sends, for want of option memory for a notification */
	uint64_t memlock_refused; /* and of memory that may be locked */
	/* Clock units, of one system call each; and from the end of a send to that of its reading,
	 * which is the end of a call where a call through a ring took it along. */
	struct hist *reading, *empty, *polling, *delay;
	struct hist *range;                /* sends of a notification */
	uint64_t stamps[COLLECTOR_STAMPS]; /* clock at the end of a send, by its number */
	struct mmsghdr msgs[COLLECTOR_BATCH];
	_Alignas(struct cmsghdr) char controls[COLLECTOR_BATCH][COLLECTOR_CONTROL];
};

/* Begin with a call whose every send is zerocopy; histograms are added to `measures`. */
void collector_open(struct collector *collector, struct call_ctx *ctx, enum notify how,
		    const struct clock *clock, struct measures *measures);

/* Forget what was timed and counted, not what is outstanding. */
void collector_restart(struct collector *collector);

/* Book a call that sent `moved` bytes before anything is timed. */
void collector_note_call(struct collector *collector, int32_t moved);

/* Book a burst that ended just now: what it sent, when, and why it could not. */
void collector_note_burst(struct collector *collector, const struct burst_log *log, uint32_t calls);

/* Whether a send of `size` bytes failed with `err` because of RLIMIT_MEMLOCK: ENOBUFS, ENOMEM
 * through a ring. */
bool collector_lacks_memlock(const struct collector *collector, int err, uint32_t size);

/* Read what is there, as the plan says; where sends were refused for want of room, wait for some.
 */
void collector_look(struct collector *collector, bool was_refused);

/* Read until nothing is outstanding or nothing has come for two seconds; untimed. */
void collector_settle(struct collector *collector);

/* Add the counters of docs/wire.md. */
void collector_report(const struct collector *collector, struct measures *measures);

#endif
