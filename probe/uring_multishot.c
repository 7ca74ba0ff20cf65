/* SPDX-License-Identifier: MIT */
/* Receives into provided buffers: a multishot one completes as often as messages come. */
#include "uring_ring.h"

enum { IDLE_POLLS_MAX = 64 };

/* Payload of a completion's buffer: what a multishot recvmsg prefixes is no payload. */
static ALWAYS_INLINE uint32_t payload_bytes(struct uring *uring, const struct io_uring_cqe *cqe,
					    char *buffer, bool is_message)
{
	if (!is_message)
		return (uint32_t)cqe->res;
	struct io_uring_recvmsg_out *out =
		io_uring_recvmsg_validate(buffer, cqe->res, &uring->multishot.shape);

	return out ? io_uring_recvmsg_payload_length(out, cqe->res, &uring->multishot.shape) : 0;
}

/* Take completions of a multishot receive and give their buffers back, at most `most` of them. */
static ALWAYS_INLINE void reap_shots(struct uring *uring, struct harvest *harvest, uint32_t most,
				     bool is_message)
{
	struct provided *provided = &uring->provided;
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0;

	io_uring_for_each_cqe(&uring->ring, head, cqe)
	{
		if (harvest->requests == most)
			break;
		seen++;
		/* The last of its kind, or of its buffers: it must be armed anew. */
		uring->multishot.is_armed =
			uring->multishot.is_armed && cqe->flags & IORING_CQE_F_MORE;
		if (!(cqe->flags & IORING_CQE_F_BUFFER)) {
			harvest->err = cqe->res < 0 ? cqe->res : -EPIPE;
			continue;
		}
		const uint32_t id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;

		harvest->requests++;
		harvest->messages++;
		harvest->bytes +=
			payload_bytes(uring, cqe, provided_buffer(provided, id), is_message);
		provided_give(provided, id);
	}
	provided_tell(provided);
	io_uring_cq_advance(&uring->ring, seen);
}

static ALWAYS_INLINE void arm(struct uring *uring, bool is_message)
{
	struct io_uring_sqe *sqe = next_sqe(uring);

	if (is_message)
		io_uring_prep_recvmsg_multishot(sqe, uring->fd, &uring->multishot.shape, 0);
	else
		io_uring_prep_recv_multishot(sqe, uring->fd, NULL, 0, 0);
	finish_sqe(sqe, uring);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = PROVIDED_GROUP;
	uring->multishot.is_armed = true;
	uring->counts.rearmed++;
}

/* Take a batch of messages. What has come is there, so nothing is waited for: when entering the
 * kernel again and again brings none, there are none. */
static ALWAYS_INLINE int32_t receive_shots(struct call_ctx *ctx, bool is_message)
{
	struct uring *uring = ctx->uring;
	struct harvest harvest = { 0 };

	for (int polls = 0; polls < IDLE_POLLS_MAX; polls++) {
		if (!uring->multishot.is_armed)
			arm(uring, is_message);
		uring->counts.enters++;
		const int err = io_uring_submit_and_get_events(&uring->ring);

		if (err < 0)
			return err;
		const uint32_t before = harvest.requests;

		reap_shots(uring, &harvest, ctx->batch, is_message);
		if (harvest.requests == ctx->batch)
			return result_of(ctx, &harvest);
		if (harvest.requests != before)
			polls = -1;
	}
	harvest.err = harvest.err ? harvest.err : -EAGAIN;
	return result_of(ctx, &harvest);
}

int32_t uring_recv_multishot(struct call_ctx *ctx)
{
	return receive_shots(ctx, false);
}

int32_t uring_recvmsg_multishot(struct call_ctx *ctx)
{
	return receive_shots(ctx, true);
}

/* Twice the batch, so that those given back late are not missed. */
int uring_provide_shots(struct call_ctx *ctx, struct refusal *why)
{
	struct uring *uring = ctx->uring;
	const uint32_t count = power_of_two_from(2 * ctx->batch, PROVIDED_MAX);
	uint32_t bytes = ctx->size;

	uring->multishot.shape = (struct msghdr){ .msg_namelen = ctx->addr_room,
						  .msg_controllen = ctx->control_room };
	if (ctx->call->is_message)
		bytes += (uint32_t)sizeof(struct io_uring_recvmsg_out) + ctx->addr_room +
			 (uint32_t)ctx->control_room;
	const int err = provided_open(&uring->provided, &uring->ring, count, bytes, why);

	if (err)
		return err;
	for (uint32_t id = 0; id < count; id++)
		provided_give(&uring->provided, id);
	provided_tell(&uring->provided);
	return 0;
}
