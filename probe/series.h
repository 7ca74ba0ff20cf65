/* SPDX-License-Identifier: MIT */
/* Bursts of one call on one pair of sockets, one after the other: what recv and send share. */
#ifndef PROBE_SERIES_H
#define PROBE_SERIES_H

#include "scenario.h"
#include "traffic.h"

struct series {
	struct bench *bench;
	const struct spec *spec;
	struct sock_pair pair;
	struct traffic traffic;
	bool fills; /* messages are queued before each burst; else the burst sends them */
};

/* Open the pair, find the depth, try the call once. Return 0, or -errno with `why`. */
int series_open(struct series *series, const struct sock_wish *wish, struct refusal *why);
void series_close(struct series *series);

/* Warm up, then measure into bench->segment. Return 0, or -errno with `why`. */
int series_measure(struct series *series, struct refusal *why);

/* Room to ask of the queues for `spec`: payload, and what the kernel adds to each message. */
uint64_t series_queued_bytes(const struct spec *spec);

#endif
