/* SPDX-License-Identifier: MIT */
/*
 * Bundles: one operation on a stream takes or sends many provided buffers, in their order.
 *
 * IORING_RECVSEND_BUNDLE, Linux 6.10. A completion has the bytes, and the first of the buffers that
 * were used, in the order in which they were given, the last maybe in part. An operation goes on
 * while there are buffers, whatever length it was given, so a send is given a batch of them before
 * each call; a receive ends with what was queued.
 */
#include <string.h>

#include "uring_ring.h"

#ifndef IORING_RECVSEND_BUNDLE
#define IORING_RECVSEND_BUNDLE (1U << 4)
#endif
#ifndef IORING_FEAT_RECVSEND_BUNDLE
#define IORING_FEAT_RECVSEND_BUNDLE (1U << 14)
#endif

/* Submit the operation and add up its completions. Return the bytes, or -errno where there are
 * none. */
static ALWAYS_INLINE int32_t complete_bundle(struct uring *uring, struct io_uring_sqe *sqe)
{
	struct io_uring_cqe *cqe;
	int32_t bytes = 0;
	bool has_more = true;

	sqe->ioprio |= IORING_RECVSEND_BUNDLE;
	finish_sqe(sqe, uring);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = PROVIDED_GROUP;
	while (has_more) {
		int err = submit_and_wait(uring, 1);

		if (!err)
			err = io_uring_peek_cqe(&uring->ring, &cqe);
		if (err || cqe->res < 0)
			bytes = bytes ? bytes : err ? err : cqe->res;
		else
			bytes += cqe->res;
		if (err)
			return bytes;
		has_more = cqe->flags & IORING_CQE_F_MORE;
		io_uring_cqe_seen(&uring->ring, cqe);
	}
	return bytes;
}

/* The buffers that hold so many bytes; numbers go round, for they are given in their order. */
static ALWAYS_INLINE uint32_t use_buffers(struct call_ctx *ctx, int32_t bytes)
{
	const uint32_t used = bytes > 0 ? ((uint32_t)bytes + ctx->size - 1) / ctx->size : 0;

	ctx->uring->bundle.in_group -= used;
	ctx->messages += used;
	return used;
}

static ALWAYS_INLINE void give_buffers(struct uring *uring, uint32_t count)
{
	struct provided *provided = &uring->provided;

	for (uint32_t i = 0; i < count; i++)
		provided_give(provided, uring->bundle.next_given++ & (provided->count - 1));
	provided_tell(provided);
	uring->bundle.in_group += count;
}

int32_t uring_recv_bundle(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct io_uring_sqe *sqe = next_sqe(uring);

	io_uring_prep_recv(sqe, uring->fd, NULL, 0, MSG_DONTWAIT);
	const int32_t bytes = complete_bundle(uring, sqe);

	give_buffers(uring, use_buffers(ctx, bytes));
	return bytes;
}

/* What a short send left in the group is sent first. */
int32_t uring_send_bundle(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct io_uring_sqe *sqe = next_sqe(uring);

	give_buffers(uring, ctx->batch - uring->bundle.in_group);
	io_uring_prep_send(sqe, uring->fd, NULL, 0, ctx->flags);
	const int32_t bytes = complete_bundle(uring, sqe);

	use_buffers(ctx, bytes);
	return bytes;
}

/* All are given to a receive, twice the batch so that it never lacks any; to a send, a batch a
 * call. */
int uring_provide_bundles(struct call_ctx *ctx, struct refusal *why)
{
	struct uring *uring = ctx->uring;
	const uint32_t least = ctx->ring.count > 2 * ctx->batch ? ctx->ring.count : 2 * ctx->batch;
	const uint32_t count = power_of_two_from(least, PROVIDED_MAX);

	if (!(uring->ring.features & IORING_FEAT_RECVSEND_BUNDLE))
		return refuse_saying(why, "io_uring", EOPNOTSUPP,
				     "this kernel has no bundles (6.10)");
	const int err = provided_open(&uring->provided, &uring->ring, count, ctx->size, why);

	if (err)
		return err;
	memset(uring->provided.payloads, 'x', (size_t)count * ctx->size);
	if (ctx->call->direction == RECEIVES)
		give_buffers(uring, count);
	return 0;
}
