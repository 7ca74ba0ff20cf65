/* SPDX-License-Identifier: MIT */
/* One receive on each of many sockets, all in one io_uring_enter. */
#include "uring_ring.h"

/* What the call before brought is nothing that this one did. */
static int32_t give_up(struct call_ctx *ctx, uint32_t left, int32_t err)
{
	ctx->uring->given_up += left;
	for (uint32_t i = 0; i < ctx->each_count; i++)
		ctx->each[i].moved = err;
	return err;
}

/* Wait for all of them. Return the bytes that they brought, or the first error if none did. */
static ALWAYS_INLINE int32_t complete_each(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct io_uring_cqe *cqe;
	unsigned head;
	int32_t bytes = 0, failed = 0;
	uint32_t done = 0, brought = 0;

	for (uint32_t left = ctx->each_count; left; left = ctx->each_count - done) {
		const int err = submit_and_wait(uring, done ? 1 : left);
		unsigned seen = 0;

		if (err && err != -EINTR)
			return give_up(ctx, left, err);
		io_uring_for_each_cqe(&uring->ring, head, cqe)
		{
			seen++;
			if (uring->given_up) {
				uring->given_up--;
				continue;
			}
			done++;
			ctx->each[cqe->user_data].moved = cqe->res;
			brought += cqe->res >= 0;
			bytes += cqe->res >= 0 ? cqe->res : 0;
			failed = cqe->res < 0 && !failed ? cqe->res : failed;
		}
		io_uring_cq_advance(&uring->ring, seen);
	}
	ctx->messages += brought;
	return brought ? bytes : failed;
}

int32_t uring_recv_each(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->each_count; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		io_uring_prep_recv(sqe, uring->fds[ctx->each[i].channel],
				   ctx->batch_msgs[i].msg_hdr.msg_iov->iov_base, ctx->size,
				   MSG_DONTWAIT);
		finish_sqe(sqe, uring);
		sqe->user_data = i;
	}
	return complete_each(ctx);
}

int32_t uring_recvmsg_each(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->each_count; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);
		struct msghdr *msg = &ctx->batch_msgs[i].msg_hdr;

		msg->msg_namelen = ctx->addr_room;
		msg->msg_controllen = ctx->control_room;
		io_uring_prep_recvmsg(sqe, uring->fds[ctx->each[i].channel], msg, MSG_DONTWAIT);
		finish_sqe(sqe, uring);
		sqe->user_data = i;
	}
	return complete_each(ctx);
}
