/* SPDX-License-Identifier: MIT */
/*
 * A batch of one operation each: recv, recvmsg, send, sendmsg, and the zerocopy sends. Each send
 * takes the next buffer of the payload ring, with the flags of the call.
 */
#include "uring_ring.h"

/* Submit a batch of what `prepare` makes of a submission, and take the completions. */
static ALWAYS_INLINE int32_t
submit_batch(struct call_ctx *ctx,
	     void (*prepare)(struct call_ctx *ctx, struct io_uring_sqe *sqe, uint32_t at),
	     void (*finish)(struct io_uring_sqe *sqe, struct uring *uring))
{
	for (uint32_t at = 0; at < ctx->batch; at++) {
		struct io_uring_sqe *sqe = next_sqe(ctx->uring);

		prepare(ctx, sqe, at);
		finish(sqe, ctx->uring);
	}
	return complete_batch(ctx);
}

/* The sockets do not block, but the ring would wait for them all the same: MSG_DONTWAIT. */
static ALWAYS_INLINE void prepare_recv(struct call_ctx *ctx, struct io_uring_sqe *sqe, uint32_t at)
{
	(void)at;
	io_uring_prep_recv(sqe, ctx->uring->fd, ctx->buffer, ctx->size, MSG_DONTWAIT);
}

static ALWAYS_INLINE void prepare_recvmsg(struct call_ctx *ctx, struct io_uring_sqe *sqe,
					  uint32_t at)
{
	struct msghdr *msg = &ctx->batch_msgs[at].msg_hdr;

	msg->msg_namelen = ctx->addr_room;
	msg->msg_controllen = ctx->control_room;
	io_uring_prep_recvmsg(sqe, ctx->uring->fd, msg, MSG_DONTWAIT);
}

static ALWAYS_INLINE void prepare_send(struct call_ctx *ctx, struct io_uring_sqe *sqe, uint32_t at)
{
	(void)at;
	io_uring_prep_send(sqe, ctx->uring->fd, ring_next(&ctx->ring), ctx->size, ctx->flags);
}

static ALWAYS_INLINE void prepare_sendmsg(struct call_ctx *ctx, struct io_uring_sqe *sqe,
					  uint32_t at)
{
	ctx->batch_iovs[at].iov_base = ring_next(&ctx->ring);
	io_uring_prep_sendmsg(sqe, ctx->uring->fd, &ctx->batch_msgs[at].msg_hdr,
			      (unsigned)ctx->flags);
}

static ALWAYS_INLINE void prepare_send_zc(struct call_ctx *ctx, struct io_uring_sqe *sqe,
					  uint32_t at)
{
	(void)at;
	io_uring_prep_send_zc(sqe, ctx->uring->fd, ring_next(&ctx->ring), ctx->size, ctx->flags,
			      ctx->uring->zerocopy.flags);
	sqe->buf_index = 0;
}

static ALWAYS_INLINE void prepare_sendmsg_zc(struct call_ctx *ctx, struct io_uring_sqe *sqe,
					     uint32_t at)
{
	prepare_sendmsg(ctx, sqe, at);
	sqe->opcode = IORING_OP_SENDMSG_ZC;
	sqe->ioprio |= (__u16)ctx->uring->zerocopy.flags;
}

int32_t uring_recv(struct call_ctx *ctx)
{
	return submit_batch(ctx, prepare_recv, finish_sqe);
}

int32_t uring_recvmsg(struct call_ctx *ctx)
{
	return submit_batch(ctx, prepare_recvmsg, finish_sqe);
}

int32_t uring_send(struct call_ctx *ctx)
{
	return submit_batch(ctx, prepare_send, finish_sqe);
}

int32_t uring_sendmsg(struct call_ctx *ctx)
{
	return submit_batch(ctx, prepare_sendmsg, finish_sqe);
}

int32_t uring_send_zc(struct call_ctx *ctx)
{
	return submit_batch(ctx, prepare_send_zc, finish_zc_sqe);
}

int32_t uring_sendmsg_zc(struct call_ctx *ctx)
{
	return submit_batch(ctx, prepare_sendmsg_zc, finish_zc_sqe);
}
