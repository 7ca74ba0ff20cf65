/* SPDX-License-Identifier: MIT */
/* The ring defers its work to io_uring_enter, so that a sleeping reader is not woken for it. */
#include "shots.h"

#include <errno.h>

#ifdef HAVE_LIBURING

#include <liburing.h>
#include <string.h>
#include <sys/mman.h>

enum { BUFFER_GROUP = 0, BUFFERS_MAX = 32768, COMPLETIONS_MAX = 65536, QUEUE_MAX = 4096 };

struct shots {
	struct io_uring ring;
	const int *fds;
	size_t mapped; /* of all this */
	size_t buffers_mapped;
	uint32_t buffer_bytes;
	uint32_t buffer_count;
	uint64_t rearmed;
	struct io_uring_buf_ring *buffers;
	char *payloads;
};

static uint32_t power_of_two_from(uint64_t least, uint32_t most)
{
	uint32_t power = 1;

	while (power < least && power < most)
		power *= 2;
	return power;
}

static int arm(struct shots *shots, uint32_t channel)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&shots->ring);

	if (!sqe) {
		const int err = io_uring_submit(&shots->ring);

		if (err < 0)
			return err;
		sqe = io_uring_get_sqe(&shots->ring);
	}
	io_uring_prep_recv_multishot(sqe, shots->fds[channel], NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = BUFFER_GROUP;
	sqe->user_data = channel;
	return 0;
}

int32_t shots_take(struct shots *shots, struct stamp *stamps, uint32_t room, uint32_t *bytes)
{
	const int mask = io_uring_buf_ring_mask(shots->buffer_count);
	const int err = io_uring_submit_and_get_events(&shots->ring);
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0;
	uint32_t taken = 0;
	int failed = 0;

	*bytes = 0;
	if (err < 0)
		return err;
	io_uring_for_each_cqe(&shots->ring, head, cqe)
	{
		if (taken == room)
			break;
		seen++;
		if (!(cqe->flags & IORING_CQE_F_MORE)) {
			shots->rearmed++;
			failed = arm(shots, (uint32_t)cqe->user_data);
			if (failed)
				break;
		}
		if (!(cqe->flags & IORING_CQE_F_BUFFER)) {
			/* Out of buffers: they are given back below. */
			failed = cqe->res == -ENOBUFS ? 0 : cqe->res;
			continue;
		}
		const uint32_t id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
		char *buffer = shots->payloads + (size_t)id * shots->buffer_bytes;

		memcpy(&stamps[taken], buffer, sizeof(*stamps));
		*bytes += (uint32_t)cqe->res;
		io_uring_buf_ring_add(shots->buffers, buffer, shots->buffer_bytes,
				      (unsigned short)id, mask, (int)taken++);
	}
	io_uring_buf_ring_advance(shots->buffers, (int)taken);
	io_uring_cq_advance(&shots->ring, seen);
	if (taken)
		return (int32_t)taken;
	return failed ? failed : -EAGAIN;
}

uint64_t shots_rearmed(const struct shots *shots)
{
	return shots->rearmed;
}

static int provide_buffers(struct shots *shots, struct refusal *why)
{
	struct io_uring_buf_reg registration = {
		.ring_addr = (uintptr_t)shots->buffers,
		.ring_entries = shots->buffer_count,
		.bgid = BUFFER_GROUP,
	};
	const int err = io_uring_register_buf_ring(&shots->ring, &registration, 0);

	if (err)
		return refuse_saying(why, "buffers", -err,
				     "this kernel has no provided buffer rings (5.19)");
	io_uring_buf_ring_init(shots->buffers);
	for (uint32_t i = 0; i < shots->buffer_count; i++)
		io_uring_buf_ring_add(shots->buffers,
				      shots->payloads + (size_t)i * shots->buffer_bytes,
				      shots->buffer_bytes, (unsigned short)i,
				      io_uring_buf_ring_mask(shots->buffer_count), (int)i);
	io_uring_buf_ring_advance(shots->buffers, (int)shots->buffer_count);
	return 0;
}

static int open_ring(struct shots *shots, uint32_t channels, struct refusal *why)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			 IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
		.cq_entries = power_of_two_from(4 * (uint64_t)channels + 64, COMPLETIONS_MAX),
	};
	const int err = io_uring_queue_init_params(power_of_two_from(channels, QUEUE_MAX),
						   &shots->ring, &params);

	if (err == -EPERM || err == -ENOSYS)
		return refuse_saying(
			why, "io_uring", -err,
			"not allowed here: sysctl kernel.io_uring_disabled, or seccomp");
	return err ? refuse(why, "io_uring", -err) : 0;
}

static int arm_all(struct shots *shots, uint32_t channels, struct refusal *why)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < channels; i++)
		err = arm(shots, i);
	if (!err)
		err = io_uring_submit(&shots->ring);
	return err < 0 ? refuse(why, "io_uring_enter", -err) : 0;
}

int shots_open(struct shots **made, const struct spec *spec, const int *fds, struct refusal *why)
{
	const uint32_t channels = (uint32_t)spec->channels, size = (uint32_t)spec->size;
	const uint32_t count = power_of_two_from(2 * (uint64_t)channels, BUFFERS_MAX);
	const size_t mapped = sizeof(struct shots) + (size_t)count * size;
	const size_t buffers_mapped = count * sizeof(struct io_uring_buf);
	const int protection = PROT_READ | PROT_WRITE;
	const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;

	*made = NULL;
	if (spec->ring != RING_DEFER_TASKRUN)
		return refuse_saying(why, "ring", EINVAL,
				     "a multishot receive would wake the reader for each message: "
				     "it needs defer-taskrun");
	struct shots *shots = mmap(NULL, mapped, protection, kind, -1, 0);

	if (shots == MAP_FAILED)
		return refuse(why, "mmap", errno);
	*shots = (struct shots){ .fds = fds,
				 .mapped = mapped,
				 .buffers_mapped = buffers_mapped,
				 .buffer_bytes = size,
				 .buffer_count = count,
				 .payloads = (char *)(shots + 1) };
	shots->buffers = mmap(NULL, buffers_mapped, protection, kind, -1, 0);
	int err = shots->buffers == MAP_FAILED ? refuse(why, "mmap", errno)
					       : open_ring(shots, channels, why);

	if (err) {
		if (shots->buffers != MAP_FAILED)
			munmap(shots->buffers, buffers_mapped);
		munmap(shots, mapped);
		return err;
	}
	err = provide_buffers(shots, why);
	if (!err)
		err = arm_all(shots, channels, why);
	if (err)
		shots_close(shots);
	else
		*made = shots;
	return err;
}

void shots_close(struct shots *shots)
{
	io_uring_queue_exit(&shots->ring);
	munmap(shots->buffers, shots->buffers_mapped);
	munmap(shots, shots->mapped);
}

#else

int shots_open(struct shots **made, const struct spec *spec, const int *fds, struct refusal *why)
{
	(void)spec;
	(void)fds;
	*made = NULL;
	return refuse_saying(why, "io_uring", ENOSYS, "this probe was built without liburing");
}

void shots_close(struct shots *shots)
{
	(void)shots;
}

int32_t shots_take(struct shots *shots, struct stamp *stamps, uint32_t room, uint32_t *bytes)
{
	(void)shots;
	(void)stamps;
	(void)room;
	*bytes = 0;
	return -ENOSYS;
}

uint64_t shots_rearmed(const struct shots *shots)
{
	(void)shots;
	return 0;
}

#endif
