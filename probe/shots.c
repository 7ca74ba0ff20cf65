/* SPDX-License-Identifier: MIT */
/* The ring defers its work to io_uring_enter, so that a sleeping reader is not woken for it. */
#include "shots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "provided.h"
#include "uring.h"

enum { COMPLETIONS_MAX = 65536, QUEUE_MAX = 4096 };

struct shots {
	struct io_uring ring;
	const int *fds;
	struct provided provided;
	uint64_t rearmed;
};

/* Queue a multishot receive; where the queue is full, submit it first. Return 0 or -errno. */
static int arm(struct shots *shots, uint32_t channel)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&shots->ring);

	if (!sqe) {
		provided_tell(&shots->provided);
		const int err = io_uring_submit(&shots->ring);

		if (err < 0)
			return err;
		sqe = io_uring_get_sqe(&shots->ring);
	}
	io_uring_prep_recv_multishot(sqe, shots->fds[channel], NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = PROVIDED_GROUP;
	sqe->user_data = channel;
	return 0;
}

int32_t shots_take(struct shots *shots, struct stamp *stamps, uint32_t room, uint32_t *bytes)
{
	struct provided *provided = &shots->provided;
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
		/* What cannot be armed again stays where it is, message and all, for the next call.
		 */
		if (!(cqe->flags & IORING_CQE_F_MORE)) {
			const int refused = arm(shots, (uint32_t)cqe->user_data);

			if (refused) {
				failed = refused;
				break;
			}
			shots->rearmed++;
		}
		seen++;
		if (!(cqe->flags & IORING_CQE_F_BUFFER)) {
			/* Out of buffers: they are given back below. */
			if (cqe->res != -ENOBUFS)
				failed = cqe->res;
			continue;
		}
		const uint32_t id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;

		memcpy(&stamps[taken++], provided_buffer(provided, id), sizeof(*stamps));
		*bytes += (uint32_t)cqe->res;
		provided_give(provided, id);
	}
	provided_tell(provided);
	io_uring_cq_advance(&shots->ring, seen);
	if (taken)
		return (int32_t)taken;
	return failed ? failed : -EAGAIN;
}

uint64_t shots_rearmed(const struct shots *shots)
{
	return shots->rearmed;
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

	return err ? uring_refuse_ring(err, "this kernel has no such ring (6.1)", why) : 0;
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
	const uint32_t channels = (uint32_t)spec->channels;
	const uint32_t count = power_of_two_from(2 * (uint64_t)channels, PROVIDED_MAX);

	*made = NULL;
	if (spec->ring != RING_DEFER_TASKRUN)
		return refuse_saying(why, "ring", EINVAL,
				     "a multishot receive would wake the reader for each message: "
				     "it needs defer-taskrun");
	struct shots *shots = calloc(1, sizeof(*shots));

	if (!shots)
		return refuse(why, "io_uring", ENOMEM);
	shots->fds = fds;
	int err = open_ring(shots, channels, why);

	if (err) {
		free(shots);
		return err;
	}
	err = provided_open(&shots->provided, &shots->ring, count, (uint32_t)spec->size, why);
	for (uint32_t id = 0; !err && id < count; id++)
		provided_give(&shots->provided, id);
	if (!err) {
		provided_tell(&shots->provided);
		err = arm_all(shots, channels, why);
	}
	if (err)
		shots_close(shots);
	else
		*made = shots;
	return err;
}

void shots_close(struct shots *shots)
{
	io_uring_queue_exit(&shots->ring);
	provided_close(&shots->provided);
	free(shots);
}
