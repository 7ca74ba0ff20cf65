/* SPDX-License-Identifier: MIT */
/*
 * io_uring as a call: one op submits `batch` operations and takes their completions, in one
 * io_uring_enter where the ring allows it.
 *
 * A multishot receive works inside whatever system call of its thread comes next, unless the ring
 * defers that to io_uring_enter: it is measured on such rings only.
 */
#ifndef PROBE_URING_H
#define PROBE_URING_H

#include "calls.h"
#include "measures.h"
#include "place.h"

/* Rows of the table of calls. A send takes the next buffer of ctx->ring, with ctx->flags. */
int32_t uring_recv(struct call_ctx *ctx);
int32_t uring_recvmsg(struct call_ctx *ctx);
int32_t uring_recv_multishot(struct call_ctx *ctx);
int32_t uring_recvmsg_multishot(struct call_ctx *ctx);
int32_t uring_send(struct call_ctx *ctx);
int32_t uring_sendmsg(struct call_ctx *ctx);
int32_t uring_send_zc(struct call_ctx *ctx);
int32_t uring_sendmsg_zc(struct call_ctx *ctx);
int32_t uring_recv_bundle(struct call_ctx *ctx);
int32_t uring_send_bundle(struct call_ctx *ctx);

/* One operation on each of ctx->each, into the buffers of the batch: what each moved is there then.
 */
int32_t uring_recv_each(struct call_ctx *ctx);
int32_t uring_recvmsg_each(struct call_ctx *ctx);

/* One end of a conversation: send a message and receive the answer, in one io_uring_enter. */
int32_t uring_exchange(struct call_ctx *ctx);
int32_t uring_exchange_messages(struct call_ctx *ctx); /* by sendmsg and recvmsg */

/* The other: receive `count` messages and answer each, taking the next with the answer. Return 0
 * or -errno. */
int uring_answer(struct call_ctx *ctx, uint32_t count);

/* Set up the ring that the call of `spec` wants, after call_prepare(). Return 0, or -errno with
 * `why`; nothing is left open then. */
int uring_open(struct call_ctx *ctx, const struct spec *spec, const struct place_cpus *allowed,
	       struct refusal *why);

/* Refuse a ring that could not be set up; `lacking` is what EINVAL means, or NULL. */
int uring_refuse_ring(int err, const char *lacking, struct refusal *why);

/* Take what zerocopy notifications are still to come, at most two seconds, and close the ring. */
void uring_close(struct call_ctx *ctx);

/* A zerocopy send that the kernel is done with. */
struct uring_notice {
	uint32_t number;    /* of the send, in the order of submission; it wraps */
	uint32_t submitted; /* sends submitted when this was taken */
	bool was_copied;
};

/* Notifications taken since the last asking, valid until the next call through the ring. */
uint32_t uring_noticed(struct call_ctx *ctx, const struct uring_notice **notices);

/* Zerocopy sends completed since the last asking that will have a notification. */
uint64_t uring_promised(struct call_ctx *ctx);

/* Operations that failed, also in a batch of which others did not. */
struct uring_failures {
	int first;           /* -errno; 0: none failed */
	uint32_t for_memory; /* operations that failed with ENOMEM */
};

/* Those since the last asking; of a call through no ring, none. */
struct uring_failures uring_failed(struct call_ctx *ctx);

/* What the ring itself holds of memory that a kernel may count against RLIMIT_MEMLOCK. */
uint64_t uring_locked_bytes(const struct call_ctx *ctx);

/* Enter the kernel, without waiting, and take what notifications there are. Return 0 or -errno. */
int uring_look(struct call_ctx *ctx);

/* Wait until every send that was promised a notification has it, at most two seconds. */
void uring_await(struct call_ctx *ctx);

/* Forget what was counted so far. */
void uring_reset(struct call_ctx *ctx);

/* Wait for the notifications of what was sent, then add the counters of the calls since. */
void uring_count(struct call_ctx *ctx, struct measures *measures);

#endif
