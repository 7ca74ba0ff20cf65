/* SPDX-License-Identifier: MIT */
/* Touched when they are mapped: no buffer is faulted in while a receive is timed. */
#include "provided.h"

#include <errno.h>
#include <sys/mman.h>

static void *map(size_t bytes)
{
	void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return start == MAP_FAILED ? NULL : start;
}

static size_t ring_bytes(const struct provided *provided)
{
	return provided->count * sizeof(struct io_uring_buf);
}

static size_t payload_bytes(const struct provided *provided)
{
	return (size_t)provided->count * provided->bytes;
}

int provided_open(struct provided *provided, struct io_uring *ring, uint32_t count, uint32_t bytes,
		  struct refusal *why)
{
	*provided = (struct provided){ .count = count, .bytes = bytes };
	provided->ring = map(ring_bytes(provided));
	provided->payloads = map(payload_bytes(provided));
	if (!provided->ring || !provided->payloads)
		return refuse(why, "buffers", ENOMEM);
	struct io_uring_buf_reg registration = {
		.ring_addr = (uintptr_t)provided->ring,
		.ring_entries = count,
		.bgid = PROVIDED_GROUP,
	};
	const int err = io_uring_register_buf_ring(ring, &registration, 0);

	if (err == -EINVAL)
		return refuse_saying(why, "buffers", EINVAL,
				     "this kernel has no provided buffer rings (5.19)");
	if (err)
		return refuse(why, "buffers", -err);
	io_uring_buf_ring_init(provided->ring);
	return 0;
}

void provided_close(struct provided *provided)
{
	if (provided->ring)
		munmap(provided->ring, ring_bytes(provided));
	if (provided->payloads)
		munmap(provided->payloads, payload_bytes(provided));
	*provided = (struct provided){ 0 };
}
