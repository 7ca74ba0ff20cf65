/* SPDX-License-Identifier: MIT */
/* Each send takes the next buffer of the ring: one buffer is the hot case, many are the cold one.
 */
#include "outbound_calls.h"

#include <linux/udp.h>
#include <netinet/in.h>
#include <string.h>

#include "compiler.h"
#include "sys.h"
#include "uring.h"

/* All but the last of `cork` sends say that more follows. */
static ALWAYS_INLINE int next_flags(struct call_ctx *ctx)
{
	ctx->corked = ctx->corked + 1 == ctx->cork ? 0 : ctx->corked + 1;
	return ctx->flags | (ctx->corked ? MSG_MORE : 0);
}

static ALWAYS_INLINE int32_t send_with(struct call_ctx *ctx, int flags)
{
	return (int32_t)sys6(SYS_sendto, ctx->fd, (long)ring_next(&ctx->ring), ctx->size, flags, 0,
			     0);
}

static ALWAYS_INLINE int32_t sendmsg_with(struct call_ctx *ctx, int flags)
{
	ctx->iov.iov_base = ring_next(&ctx->ring);
	return (int32_t)sys3(SYS_sendmsg, ctx->fd, (long)&ctx->msg, flags);
}

int32_t outbound_send(struct call_ctx *ctx)
{
	return send_with(ctx, ctx->flags);
}

int32_t outbound_send_corked(struct call_ctx *ctx)
{
	return send_with(ctx, next_flags(ctx));
}

int32_t outbound_sendmsg(struct call_ctx *ctx)
{
	return sendmsg_with(ctx, ctx->flags);
}

int32_t outbound_sendmsg_corked(struct call_ctx *ctx)
{
	return sendmsg_with(ctx, next_flags(ctx));
}

int32_t outbound_sendmmsg(struct call_ctx *ctx)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < ctx->batch; i++)
		ctx->batch_iovs[i].iov_base = ring_next(&ctx->ring);
	const long sent =
		sys6(SYS_sendmmsg, ctx->fd, (long)ctx->batch_msgs, ctx->batch, ctx->flags, 0, 0);

	if (sent < 0)
		return (int32_t)sent;
	for (long i = 0; i < sent; i++)
		bytes += ctx->batch_msgs[i].msg_len;
	ctx->messages += (uint64_t)sent;
	return (int32_t)bytes;
}

/* NULL: the empty bracket. */
static call_op op_of(const struct spec *spec)
{
	if (spec->zerocopy == NOTIFY_CQE)
		return spec->call->zerocopy->op;
	return spec->cork > 1 ? spec->call->corked : spec->call->outbound;
}

static bool is_flagged_zerocopy(const struct spec *spec)
{
	return spec->zerocopy != NOTIFY_COPY && spec->zerocopy != NOTIFY_CQE;
}

/* An operation that finds no room is completed later, whole where a stream could part it, as a
 * blocking send is. */
static int flags_of(const struct spec *spec)
{
	const bool is_parted = spec->call->is_ring && family_is_stream(spec->family);

	return MSG_NOSIGNAL | (is_flagged_zerocopy(spec) ? MSG_ZEROCOPY : 0) |
	       (is_parted ? MSG_WAITALL : 0);
}

/* The control message takes exactly a u16: udp_cmsg_send(), net/ipv4/udp.c. */
static size_t put_segment_size(char *control, int32_t size)
{
	const uint16_t segment = (uint16_t)size;
	struct cmsghdr *cmsg = (struct cmsghdr *)control;

	cmsg->cmsg_level = IPPROTO_UDP;
	cmsg->cmsg_type = UDP_SEGMENT;
	cmsg->cmsg_len = CMSG_LEN(sizeof(segment));
	memcpy(CMSG_DATA(cmsg), &segment, sizeof(segment));
	return CMSG_SPACE(sizeof(segment));
}

static void prepare_batch(struct call_ctx *ctx)
{
	for (uint32_t i = 0; i < ctx->batch; i++) {
		ctx->batch_iovs[i].iov_len = ctx->size;
		ctx->batch_msgs[i].msg_hdr = ctx->msg;
		ctx->batch_msgs[i].msg_hdr.msg_iov = &ctx->batch_iovs[i];
	}
}

void outbound_prepare(struct call_ctx *ctx, const struct spec *spec)
{
	const call_op op = op_of(spec);

	if (!op)
		return;
	ctx->op = op;
	ctx->cork = (uint32_t)spec->cork;
	ctx->flags = flags_of(spec);
	ctx->iov.iov_len = ctx->size;
	ctx->msg = (struct msghdr){ .msg_iov = &ctx->iov, .msg_iovlen = 1 };
	/* With one segment there is nothing to cut. */
	if (spec->segments > 1 && spec->call->cut == CUT_BY_MESSAGE) {
		ctx->msg.msg_control = ctx->batch_controls[0];
		ctx->msg.msg_controllen = put_segment_size(ctx->batch_controls[0], spec->size);
	}
	prepare_batch(ctx);
}
