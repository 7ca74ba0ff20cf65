/* SPDX-License-Identifier: MIT */
/*
 * An open loop: every message has a time at which it is meant to be sent, fixed beforehand. A
 * sender that is late sends at once and changes no later time, and latency counts from the time
 * that was meant, so that a stall delays every message that it should delay.
 */
#ifndef PROBE_PACE_H
#define PROBE_PACE_H

#include <stdint.h>
#include <sys/socket.h>

#include "hist.h"
#include "peer.h"

enum { PACE_CHANNELS_MAX = 16384, PACE_STAMP_BYTES = 16 };

/* What each message begins with. */
struct stamp {
	uint64_t due_ns; /* CLOCK_MONOTONIC */
	uint32_t channel;
	uint32_t magic;
};

static const uint32_t stamp_magic = 0x736d6368;

/* The times: message k of channel c is due at start + phase + offset[c] + k * interval. */
struct pace {
	uint64_t start_ns; /* CLOCK_MONOTONIC, of a whole tick */
	uint64_t phase_ns; /* drawn anew for each segment: below an interval */
	uint64_t interval_ns;
	uint64_t measured_ns; /* messages due before it warm up */
	uint64_t end_ns;      /* none is due at it or later */
	uint32_t channels;
	uint32_t offset_ns[PACE_CHANNELS_MAX]; /* ascending: a slot each, and a place in it */
	uint32_t channel[PACE_CHANNELS_MAX];   /* whose the slot is: a random order */
};

/* Draw phase, places and order from `seed`. */
void pace_draw(struct pace *pace, uint64_t seed);

/* CLOCK_MONOTONIC in ns: the clock that clock_nanosleep(2) takes. */
uint64_t pace_now_ns(void);

/* Sleep until `when_ns`; a signal does not shorten it. */
void pace_sleep_until(uint64_t when_ns);

/* Who sends to a schedule, as a peer that is asked once. */
struct pacer {
	const struct pace *pace;
	int fd;
	uint32_t size;
	char *message;                        /* `size` bytes */
	const struct sockaddr_storage *addrs; /* of the channels */
	socklen_t addr_len;
	uint64_t sent;    /* of the measured messages */
	uint64_t failed;  /* of them, refused by the socket */
	struct hist late; /* ns from the time meant to the send, of the measured messages */
};

/* peer_serve_fn over a struct pacer. */
int pacer_serve(void *pacer, struct peer_link *link, uint32_t count);

#endif
