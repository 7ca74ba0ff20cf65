/* SPDX-License-Identifier: MIT */
/* Both ends of a conversation: each submits its send and its receive together. */
#include "uring_ring.h"

/* Wait for what an exchange still awaits. Return 0, -EINTR to be called again, or -errno. */
static ALWAYS_INLINE int await_exchange(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct harvest harvest = { 0 };

	while (uring->exchange.awaited) {
		const int err = submit_and_wait(uring, uring->exchange.awaited);

		if (err)
			return err;
		harvest = (struct harvest){ 0 };
		reap(uring, &harvest);
		uring->exchange.awaited -= harvest.requests;
		if (harvest.err)
			return harvest.err;
		if (harvest.bytes != harvest.messages * ctx->size)
			return -EPIPE;
	}
	return 0;
}

static ALWAYS_INLINE void queue_send(struct call_ctx *ctx, bool is_message)
{
	struct uring *uring = ctx->uring;
	struct io_uring_sqe *sqe = next_sqe(uring);
	const int flags = MSG_NOSIGNAL | uring->exchange.flags;

	if (is_message)
		io_uring_prep_sendmsg(sqe, uring->fd, &uring->exchange.sent, (unsigned)flags);
	else
		io_uring_prep_send(sqe, uring->fd, ctx->buffer, ctx->size, flags);
	finish_sqe(sqe, uring);
	uring->exchange.awaited++;
}

static ALWAYS_INLINE void queue_receive(struct call_ctx *ctx, bool is_message)
{
	struct uring *uring = ctx->uring;
	struct io_uring_sqe *sqe = next_sqe(uring);

	if (is_message) {
		ctx->msg.msg_namelen = ctx->addr_room;
		io_uring_prep_recvmsg(sqe, uring->fd, &ctx->msg, (unsigned)uring->exchange.flags);
	} else {
		io_uring_prep_recv(sqe, uring->fd, ctx->buffer, ctx->size, uring->exchange.flags);
	}
	finish_sqe(sqe, uring);
	uring->exchange.awaited++;
}

static ALWAYS_INLINE int32_t exchange(struct call_ctx *ctx, bool is_message)
{
	/* Interrupted, it is called again and goes on waiting. */
	if (!ctx->uring->exchange.awaited) {
		queue_send(ctx, is_message);
		queue_receive(ctx, is_message);
	}
	const int err = await_exchange(ctx);

	return err ? err : (int32_t)ctx->size;
}

int32_t uring_exchange(struct call_ctx *ctx)
{
	return exchange(ctx, false);
}

int32_t uring_exchange_messages(struct call_ctx *ctx)
{
	return exchange(ctx, true);
}

int uring_answer(struct call_ctx *ctx, uint32_t count)
{
	const bool is_message = ctx->call->is_message;
	int err;

	queue_receive(ctx, is_message);
	err = await_exchange(ctx);
	for (uint32_t i = 1; !err && i <= count; i++) {
		queue_send(ctx, is_message);
		if (i < count)
			queue_receive(ctx, is_message);
		err = await_exchange(ctx);
	}
	return err;
}
