/* SPDX-License-Identifier: MIT */
/* Buffers that an io_uring takes from as messages come, and that are given back one by one. */
#ifndef PROBE_PROVIDED_H
#define PROBE_PROVIDED_H

#include <liburing.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "obstacle.h"

enum { PROVIDED_GROUP = 0, PROVIDED_MAX = 32768 };

struct provided {
	struct io_uring_buf_ring *ring;
	char *payloads;
	uint32_t count; /* a power of two */
	uint32_t bytes; /* of each */
	int given;      /* back, and not yet told to the kernel */
};

/* Sizes of rings: the power of two that is not below `least`, or `most`. */
static inline uint32_t power_of_two_from(uint64_t least, uint32_t most)
{
	uint32_t power = 1;

	while (power < least && power < most)
		power *= 2;
	return power;
}

/* Map and register `count` buffers, none of them given yet. Return 0, or -errno with `why`. */
int provided_open(struct provided *provided, struct io_uring *ring, uint32_t count, uint32_t bytes,
		  struct refusal *why);

/* Unmap them; the ring is gone by then. Idempotent. */
void provided_close(struct provided *provided);

static ALWAYS_INLINE char *provided_buffer(const struct provided *provided, uint32_t id)
{
	return provided->payloads + (size_t)id * provided->bytes;
}

/* Give one back; the kernel has it after provided_tell(). */
static ALWAYS_INLINE void provided_give(struct provided *provided, uint32_t id)
{
	io_uring_buf_ring_add(provided->ring, provided_buffer(provided, id), provided->bytes,
			      (unsigned short)id, io_uring_buf_ring_mask(provided->count),
			      provided->given++);
}

static ALWAYS_INLINE void provided_tell(struct provided *provided)
{
	io_uring_buf_ring_advance(provided->ring, provided->given);
	provided->given = 0;
}

#endif
