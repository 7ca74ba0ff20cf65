/* SPDX-License-Identifier: MIT */
/* The sends of bulk and zerocopy as operations: each takes the next buffer of the payload ring. */
#include "uring_ring.h"

int32_t uring_out_send(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		io_uring_prep_send(sqe, uring->fd, ring_next(&ctx->ring), ctx->size, ctx->flags);
		finish_sqe(sqe, uring);
	}
	return complete_batch(ctx);
}

int32_t uring_out_sendmsg(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		ctx->batch_iovs[i].iov_base = ring_next(&ctx->ring);
		io_uring_prep_sendmsg(sqe, uring->fd, &ctx->batch_msgs[i].msg_hdr,
				      (unsigned)ctx->flags);
		finish_sqe(sqe, uring);
	}
	return complete_batch(ctx);
}

int32_t uring_out_send_zc(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	const unsigned fixed = uring->has_fixed_buffer ? IORING_RECVSEND_FIXED_BUF : 0;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		io_uring_prep_send_zc(sqe, uring->fd, ring_next(&ctx->ring), ctx->size, ctx->flags,
				      IORING_SEND_ZC_REPORT_USAGE | fixed);
		sqe->buf_index = 0;
		finish_zc_sqe(sqe, uring);
	}
	return complete_batch(ctx);
}

int32_t uring_out_sendmsg_zc(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		ctx->batch_iovs[i].iov_base = ring_next(&ctx->ring);
		io_uring_prep_sendmsg_zc(sqe, uring->fd, &ctx->batch_msgs[i].msg_hdr,
					 (unsigned)ctx->flags);
		sqe->ioprio |= IORING_SEND_ZC_REPORT_USAGE;
		finish_zc_sqe(sqe, uring);
	}
	return complete_batch(ctx);
}

uint32_t uring_noticed(struct call_ctx *ctx, const struct uring_notice **notices)
{
	struct uring *uring = ctx->uring;
	const uint32_t room = uring->notice_mask + 1;
	const uint32_t noticed = uring->noticed < room ? uring->noticed : room;

	*notices = uring->notices;
	uring->noticed = 0;
	return noticed;
}

uint64_t uring_promised(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	const uint64_t promised = uring->counts.zc_expected - uring->zc_told;

	uring->zc_told = uring->counts.zc_expected;
	return promised;
}

int uring_look(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct harvest harvest = { 0 };
	const int err = uring->is_polled ? 0 : io_uring_get_events(&uring->ring);

	reap(uring, &harvest);
	return err < 0 ? err : 0;
}
