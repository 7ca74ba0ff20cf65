/* SPDX-License-Identifier: MIT */
/* Moving messages outside the bracket: filling the receiver's queue, and emptying it. */
#ifndef PROBE_TRAFFIC_H
#define PROBE_TRAFFIC_H

#include <stdint.h>

#include "socket.h"

struct traffic {
	const struct sock_pair *pair;
	const void *payload; /* `size` bytes */
	uint32_t size;       /* bytes of a message */
	void *scratch;       /* where drained bytes go */
	size_t scratch_size;
};

/*
 * Queue `messages` messages at the receiver and wait until they are there. Return the bytes
 * queued, which are fewer where the sockets hold no more; -ETIMEDOUT when a stream does not
 * deliver, or another -errno.
 */
int64_t traffic_fill(const struct traffic *traffic, uint32_t messages);

/*
 * Take what is queued, `bytes` of it. Return the bytes taken: fewer where datagrams were lost;
 * -ETIMEDOUT when a stream does not deliver, or another -errno.
 */
int64_t traffic_drain(const struct traffic *traffic, int64_t bytes);

/*
 * Find by trial how many messages, `wanted` at most, the pair holds. Return that, or -errno.
 */
int64_t traffic_measure_depth(const struct traffic *traffic, uint32_t wanted);

#endif
