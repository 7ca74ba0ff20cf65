/* SPDX-License-Identifier: MIT */
/* A batch of one operation each: recv, recvmsg, send, sendmsg, and the zerocopy sends. */
#include "uring_ring.h"

/* The sockets do not block, but the ring would wait for them all the same: MSG_DONTWAIT. */
int32_t uring_recv(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		io_uring_prep_recv(sqe, uring->fd, ctx->buffer, ctx->size, MSG_DONTWAIT);
		finish_sqe(sqe, uring);
	}
	return complete_batch(ctx);
}

int32_t uring_recvmsg(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);
		struct msghdr *msg = &ctx->batch_msgs[i].msg_hdr;

		msg->msg_namelen = ctx->addr_room;
		msg->msg_controllen = ctx->control_room;
		io_uring_prep_recvmsg(sqe, uring->fd, msg, MSG_DONTWAIT);
		finish_sqe(sqe, uring);
	}
	return complete_batch(ctx);
}

int32_t uring_send(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		io_uring_prep_send(sqe, uring->fd, ctx->buffer, ctx->size, MSG_DONTWAIT);
		finish_sqe(sqe, uring);
	}
	return complete_batch(ctx);
}

int32_t uring_sendmsg(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		io_uring_prep_sendmsg(sqe, uring->fd, &ctx->batch_msgs[i].msg_hdr, MSG_DONTWAIT);
		finish_sqe(sqe, uring);
	}
	return complete_batch(ctx);
}

int32_t uring_send_zc(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	const unsigned fixed = uring->has_fixed_buffer ? IORING_RECVSEND_FIXED_BUF : 0;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		io_uring_prep_send_zc(sqe, uring->fd, ctx->buffer, ctx->size, MSG_DONTWAIT,
				      IORING_SEND_ZC_REPORT_USAGE | fixed);
		sqe->buf_index = 0;
		finish_zc_sqe(sqe, uring);
	}
	return complete_batch(ctx);
}

int32_t uring_sendmsg_zc(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		io_uring_prep_sendmsg_zc(sqe, uring->fd, &ctx->batch_msgs[i].msg_hdr, MSG_DONTWAIT);
		sqe->ioprio |= IORING_SEND_ZC_REPORT_USAGE;
		finish_zc_sqe(sqe, uring);
	}
	return complete_batch(ctx);
}
