/* SPDX-License-Identifier: MIT */
/* recv(3) and send(3) have no system call of their own on these architectures: the library calls
 * recvfrom and sendto without an address, and so do they here. */
#include "calls.h"

#include <string.h>
#include <sys/uio.h>

#include "compiler.h"
#include "outbound_calls.h"
#include "sys.h"
#include "uring.h"

static void prepare_nothing(struct call_ctx *ctx)
{
	(void)ctx;
}

static void prepare_vector(struct call_ctx *ctx)
{
	ctx->iov = (struct iovec){ .iov_base = ctx->buffer, .iov_len = ctx->size };
}

static void prepare_message(struct call_ctx *ctx)
{
	prepare_vector(ctx);
	ctx->msg = (struct msghdr){
		.msg_name = ctx->addr,
		.msg_namelen = ctx->addr_room,
		.msg_iov = &ctx->iov,
		.msg_iovlen = 1,
		.msg_control = ctx->control_room ? ctx->batch_controls[0] : NULL,
		.msg_controllen = ctx->control_room,
	};
}

/* Every message has its own address and control space, as a real user's would, and shares the
 * payload buffer and its vector. */
void call_prepare_batch(struct call_ctx *ctx)
{
	prepare_message(ctx);
	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct msghdr *msg = &ctx->batch_msgs[i].msg_hdr;

		*msg = ctx->msg;
		if (ctx->addr && ctx->call->direction == RECEIVES)
			msg->msg_name = &ctx->batch_addrs[i];
		if (ctx->control_room)
			msg->msg_control = ctx->batch_controls[i];
	}
}

/* The sends of a ring go out of a ring of payload: here, of one hot buffer. */
static void prepare_ring_send(struct call_ctx *ctx)
{
	call_prepare_batch(ctx);
	ctx->ring = (struct ring){ .start = ctx->buffer, .stride = ctx->size, .count = 1 };
	ctx->flags = MSG_DONTWAIT;
	for (uint32_t i = 0; i < ctx->batch; i++) {
		ctx->batch_iovs[i] = ctx->iov;
		ctx->batch_msgs[i].msg_hdr.msg_iov = &ctx->batch_iovs[i];
	}
}

static int32_t op_null(struct call_ctx *ctx)
{
	(void)ctx;
	return 0;
}

static int32_t op_recv(struct call_ctx *ctx)
{
	return (int32_t)sys6(SYS_recvfrom, ctx->fd, (long)ctx->buffer, ctx->size, 0, 0, 0);
}

static int32_t op_recvfrom(struct call_ctx *ctx)
{
	ctx->addr_len = ctx->addr_room;
	return (int32_t)sys6(SYS_recvfrom, ctx->fd, (long)ctx->buffer, ctx->size, 0,
			     (long)ctx->addr, (long)ctx->addr_len_ptr);
}

static int32_t op_recvmsg(struct call_ctx *ctx)
{
	ctx->msg.msg_namelen = ctx->addr_room;
	ctx->msg.msg_controllen = ctx->control_room;
	return (int32_t)sys3(SYS_recvmsg, ctx->fd, (long)&ctx->msg, 0);
}

static ALWAYS_INLINE int32_t sum_batch(struct call_ctx *ctx, long moved)
{
	uint32_t bytes = 0;

	if (moved < 0)
		return (int32_t)moved;
	for (long i = 0; i < moved; i++)
		bytes += ctx->batch_msgs[i].msg_len;
	ctx->messages += (uint64_t)moved;
	return (int32_t)bytes;
}

static int32_t op_recvmmsg(struct call_ctx *ctx)
{
	for (uint32_t i = 0; i < ctx->batch; i++) {
		ctx->batch_msgs[i].msg_hdr.msg_namelen = ctx->addr_room;
		ctx->batch_msgs[i].msg_hdr.msg_controllen = ctx->control_room;
	}
	return sum_batch(ctx,
			 sys6(SYS_recvmmsg, ctx->fd, (long)ctx->batch_msgs, ctx->batch, 0, 0, 0));
}

static int32_t op_read(struct call_ctx *ctx)
{
	return (int32_t)sys3(SYS_read, ctx->fd, (long)ctx->buffer, ctx->size);
}

static int32_t op_readv(struct call_ctx *ctx)
{
	return (int32_t)sys3(SYS_readv, ctx->fd, (long)&ctx->iov, 1);
}

static int32_t op_send(struct call_ctx *ctx)
{
	return (int32_t)sys6(SYS_sendto, ctx->fd, (long)ctx->buffer, ctx->size, 0, 0, 0);
}

static int32_t op_sendto(struct call_ctx *ctx)
{
	return (int32_t)sys6(SYS_sendto, ctx->fd, (long)ctx->buffer, ctx->size, 0, (long)ctx->addr,
			     ctx->addr_room);
}

static int32_t op_sendmsg(struct call_ctx *ctx)
{
	return (int32_t)sys3(SYS_sendmsg, ctx->fd, (long)&ctx->msg, 0);
}

static int32_t op_sendmmsg(struct call_ctx *ctx)
{
	return sum_batch(ctx,
			 sys6(SYS_sendmmsg, ctx->fd, (long)ctx->batch_msgs, ctx->batch, 0, 0, 0));
}

static int32_t op_write(struct call_ctx *ctx)
{
	return (int32_t)sys3(SYS_write, ctx->fd, (long)ctx->buffer, ctx->size);
}

static int32_t op_writev(struct call_ctx *ctx)
{
	return (int32_t)sys3(SYS_writev, ctx->fd, (long)&ctx->iov, 1);
}

#define RING_RECEIVE(called, function, ...)                                                        \
	{ .name = called,                                                                          \
	  .direction = RECEIVES,                                                                   \
	  .is_ring = true,                                                                         \
	  .takes_batch = true,                                                                     \
	  .prepare = call_prepare_batch,                                                           \
	  .op = function,                                                                          \
	  ##__VA_ARGS__ }

#define RING_SEND(called, function, ...)                                                           \
	{ .name = called,                                                                          \
	  .direction = SENDS,                                                                      \
	  .is_ring = true,                                                                         \
	  .takes_batch = true,                                                                     \
	  .prepare = prepare_ring_send,                                                            \
	  .op = function,                                                                          \
	  ##__VA_ARGS__ }

/* The rows that others point to. */
enum { NOTHING, SEND, SENDTO, SENDMSG, WRITE, WRITEV, RING_SEND_ZC, RING_SENDMSG_ZC };

static const struct call calls[] = {
	[NOTHING] = { .name = "null",
		      .direction = MOVES_NOTHING,
		      .takes_destination = true,
		      .prepare = prepare_nothing,
		      .op = op_null,
		      .answer = &calls[NOTHING] },
	[SEND] = { .name = "send",
		   .direction = SENDS,
		   .prepare = prepare_nothing,
		   .op = op_send,
		   .outbound = outbound_send,
		   .corked = outbound_send_corked },
	[SENDTO] = { .name = "sendto",
		     .direction = SENDS,
		     .takes_destination = true,
		     .prepare = prepare_nothing,
		     .op = op_sendto },
	[SENDMSG] = { .name = "sendmsg",
		      .direction = SENDS,
		      .takes_destination = true,
		      .prepare = prepare_message,
		      .op = op_sendmsg,
		      .outbound = outbound_sendmsg,
		      .corked = outbound_sendmsg_corked },
	[WRITE] = { .name = "write",
		    .direction = SENDS,
		    .prepare = prepare_nothing,
		    .op = op_write },
	[WRITEV] = { .name = "writev",
		     .direction = SENDS,
		     .prepare = prepare_vector,
		     .op = op_writev },
	[RING_SEND_ZC] = RING_SEND("uring-send-zc", uring_send_zc, .is_zerocopy = true,
				   .takes_registered = true),
	[RING_SENDMSG_ZC] = RING_SEND("uring-sendmsg-zc", uring_sendmsg_zc, .is_zerocopy = true,
				      .is_message = true, .takes_destination = true),

	{ .name = "sendmmsg",
	  .direction = SENDS,
	  .takes_batch = true,
	  .takes_destination = true,
	  .prepare = call_prepare_batch,
	  .op = op_sendmmsg,
	  .outbound = outbound_sendmmsg },
	{ .name = "send-gso",
	  .direction = SENDS,
	  .cut = CUT_BY_SOCKET,
	  .prepare = prepare_nothing,
	  .op = op_send,
	  .outbound = outbound_send },
	{ .name = "sendmsg-gso",
	  .direction = SENDS,
	  .cut = CUT_BY_MESSAGE,
	  .prepare = prepare_message,
	  .op = op_sendmsg,
	  .outbound = outbound_sendmsg },
	{ .name = "sendmmsg-gso",
	  .direction = SENDS,
	  .takes_batch = true,
	  .cut = CUT_BY_MESSAGE,
	  .prepare = call_prepare_batch,
	  .op = op_sendmmsg,
	  .outbound = outbound_sendmmsg },
	RING_SEND("uring-send", uring_send, .outbound = uring_send,
		  .zerocopy = &calls[RING_SEND_ZC]),
	RING_SEND("uring-sendmsg", uring_sendmsg, .is_message = true, .takes_destination = true,
		  .outbound = uring_sendmsg, .zerocopy = &calls[RING_SENDMSG_ZC]),
	RING_SEND("uring-send-gso", uring_send, .cut = CUT_BY_SOCKET, .outbound = uring_send,
		  .zerocopy = &calls[RING_SEND_ZC]),
	RING_SEND("uring-sendmsg-gso", uring_sendmsg, .cut = CUT_BY_MESSAGE, .is_message = true,
		  .outbound = uring_sendmsg, .zerocopy = &calls[RING_SENDMSG_ZC]),
	RING_SEND("uring-send-bundle", uring_send_bundle, .is_bundle = true,
		  .outbound = uring_send_bundle),

	{ .name = "recv",
	  .direction = RECEIVES,
	  .prepare = prepare_nothing,
	  .op = op_recv,
	  .answer = &calls[SEND] },
	{ .name = "recvfrom",
	  .direction = RECEIVES,
	  .takes_name = true,
	  .prepare = prepare_nothing,
	  .op = op_recvfrom,
	  .answer = &calls[SENDTO] },
	{ .name = "recvmsg",
	  .direction = RECEIVES,
	  .takes_name = true,
	  .takes_control = true,
	  .prepare = prepare_message,
	  .op = op_recvmsg,
	  .answer = &calls[SENDMSG] },
	{ .name = "recvmmsg",
	  .direction = RECEIVES,
	  .takes_batch = true,
	  .takes_name = true,
	  .takes_control = true,
	  .prepare = call_prepare_batch,
	  .op = op_recvmmsg },
	{ .name = "read",
	  .direction = RECEIVES,
	  .prepare = prepare_nothing,
	  .op = op_read,
	  .answer = &calls[WRITE] },
	{ .name = "readv",
	  .direction = RECEIVES,
	  .prepare = prepare_vector,
	  .op = op_readv,
	  .answer = &calls[WRITEV] },
	RING_RECEIVE("uring-recv", uring_recv, .answer = &calls[NOTHING],
		     .exchange = uring_exchange, .each = uring_recv_each),
	RING_RECEIVE("uring-recvmsg", uring_recvmsg, .is_message = true, .takes_name = true,
		     .takes_control = true, .answer = &calls[NOTHING],
		     .exchange = uring_exchange_messages, .each = uring_recvmsg_each),
	RING_RECEIVE("uring-recv-multishot", uring_recv_multishot, .is_multishot = true),
	RING_RECEIVE("uring-recvmsg-multishot", uring_recvmsg_multishot, .is_multishot = true,
		     .is_message = true, .takes_name = true, .takes_control = true),
	RING_RECEIVE("uring-recv-bundle", uring_recv_bundle, .is_bundle = true),
};

const struct call *call_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

static void prepare_receiver(struct call_ctx *ctx, const struct spec *spec,
			     const struct sock_pair *pair)
{
	ctx->fd = pair->rx;
	if (spec->name) {
		ctx->addr = &ctx->peer;
		ctx->addr_room = sizeof(ctx->peer);
		ctx->addr_len_ptr = &ctx->addr_len;
	}
	if (spec->control != CONTROL_NONE)
		ctx->control_room = CALL_CONTROL_BYTES;
}

static void prepare_sender(struct call_ctx *ctx, const struct sock_pair *pair)
{
	ctx->fd = pair->tx;
	if (!pair->tx_connected) {
		ctx->peer = pair->rx_addr;
		ctx->addr = &ctx->peer;
		ctx->addr_room = pair->rx_addr_len;
	}
}

void call_prepare(struct call_ctx *ctx, const struct spec *spec, const struct sock_pair *pair,
		  void *buffer)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->call = spec->call;
	ctx->op = spec->call->op;
	ctx->segments = spec->call->cut ? (uint32_t)spec->segments : 1;
	ctx->size = (uint32_t)spec->size * ctx->segments;
	ctx->batch = (uint32_t)spec->batch;
	ctx->work = (uint32_t)spec->work;
	ctx->buffer = buffer;
	if (spec->call->direction == SENDS)
		prepare_sender(ctx, pair);
	else
		prepare_receiver(ctx, spec, pair);
	spec->call->prepare(ctx);
}

/* Each step needs the one before it, so a step costs the latency of one multiplication. */
static int32_t op_with_work(struct call_ctx *ctx)
{
	const int32_t moved = ctx->op(ctx);
	uint64_t state = ctx->work_state;

	for (uint32_t i = ctx->work; i; i--) {
		state = state * 6364136223846793005U; /* Knuth's MMIX multiplier */
		__asm__ volatile("" : "+r"(state));
	}
	ctx->work_state = state;
	return moved;
}

call_op call_timed_op(const struct call_ctx *ctx)
{
	return ctx->work ? op_with_work : ctx->op;
}

uint32_t call_expected_bytes(const struct call_ctx *ctx)
{
	return ctx->call->direction == MOVES_NOTHING ? 0 : ctx->size * ctx->batch;
}
