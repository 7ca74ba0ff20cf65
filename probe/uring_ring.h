/* SPDX-License-Identifier: MIT */
/*
 * What every file of the ring's calls shares: the ring, and the way from a submission to its
 * completion, in line. Only they include it.
 */
#ifndef PROBE_URING_RING_H
#define PROBE_URING_RING_H

#include <errno.h>
#include <liburing.h>

#include "clock_read.h"
#include "compiler.h"
#include "provided.h"
#include "uring.h"

/* Newer than the header of some releases of the library; linux/io_uring.h, since 6.2. */
#ifndef IORING_SEND_ZC_REPORT_USAGE
#define IORING_SEND_ZC_REPORT_USAGE (1U << 3)
#endif
#ifndef IORING_NOTIF_USAGE_ZC_COPIED
#define IORING_NOTIF_USAGE_ZC_COPIED (1U << 31)
#endif

enum { SPINS_PER_LOOK = 1 << 20 };
static const uint64_t completion_limit_ns = 2000000000;

struct uring_counts {
	uint64_t enters, rearmed;
	/* Zerocopy sends: submitted, promised a notification, given one, and of them copied. */
	uint64_t zc_sent, zc_expected, zc_notified, zc_copied;
};

struct uring {
	struct io_uring ring;
	struct uring_counts counts, counts_at_reset;

	/* What is received on or sent from. */
	int fd;             /* or its number among the registered files */
	const int *fds;     /* the same of every channel, where a call has many */
	int *numbers;       /* theirs, where they are registered */
	unsigned sqe_flags; /* IOSQE_FIXED_FILE where it is registered */

	/* How completions are waited for, and what did not come as it should. */
	bool is_polled; /* a kernel thread submits: completions are waited for by looking */
	uint64_t spinning_since_ns;
	uint32_t given_up; /* operations whose calls ended without them: they are nobody's */
	struct uring_failures failures; /* since the owner last asked */

	struct {
		unsigned flags;           /* in ioprio */
		uint64_t told;            /* of the expected, those that the owner has heard of */
		struct uring_notice *log; /* since the owner last asked; the oldest are lost */
		uint32_t mask, logged;
	} zerocopy;

	struct provided provided; /* for a multishot receive, or a bundle */
	struct {
		bool is_armed;
		struct msghdr shape; /* of a recvmsg: how much room for name and control */
	} multishot;
	struct {
		uint32_t next_given; /* buffer */
		uint32_t in_group;   /* given and not used */
	} bundle;

	struct {
		uint32_t awaited; /* completions; more than 0 where it was interrupted */
		int flags;
		struct msghdr sent; /* where messages are exchanged */
	} exchange;
};

static ALWAYS_INLINE struct io_uring_sqe *next_sqe(struct uring *uring)
{
	struct io_uring_sqe *sqe;

	/* The queue holds a batch, but a kernel thread may not have taken the last one yet. */
	while (!(sqe = io_uring_get_sqe(&uring->ring)))
		io_uring_sqring_wait(&uring->ring);
	return sqe;
}

static ALWAYS_INLINE void finish_sqe(struct io_uring_sqe *sqe, struct uring *uring)
{
	sqe->flags |= (__u8)uring->sqe_flags;
	sqe->user_data = 0;
}

/* A zerocopy send is known by its number: both of its completions carry it. */
static ALWAYS_INLINE void finish_zc_sqe(struct io_uring_sqe *sqe, struct uring *uring)
{
	sqe->flags |= (__u8)uring->sqe_flags;
	sqe->user_data = uring->counts.zc_sent++;
}

/* Asked after every so many spins, so that no clock is read while a completion is near. */
static inline bool is_overdue(struct uring *uring, uint32_t look)
{
	if (look == 1)
		uring->spinning_since_ns = clock_raw_ns();
	return clock_raw_ns() - uring->spinning_since_ns > completion_limit_ns;
}

/* Submit what is queued and wait until `count` completions are there. Return 0 or -errno. */
static ALWAYS_INLINE int submit_and_wait(struct uring *uring, uint32_t count)
{
	if (!uring->is_polled) {
		uring->counts.enters++;
		const int err = io_uring_submit_and_wait(&uring->ring, count);

		return err < 0 ? err : 0;
	}
	const int err = io_uring_submit(&uring->ring);

	if (err < 0)
		return err;
	for (uint32_t spins = 1; io_uring_cq_ready(&uring->ring) < count; spins++) {
		if (spins % SPINS_PER_LOOK == 0 && is_overdue(uring, spins / SPINS_PER_LOOK))
			return -ETIMEDOUT;
	}
	return 0;
}

/* What completions came to. */
struct harvest {
	uint32_t requests; /* completed, failed ones included */
	uint32_t messages;
	uint32_t bytes;
	int32_t err; /* -errno of the first that failed */
};

static ALWAYS_INLINE void take_notification(struct uring *uring, const struct io_uring_cqe *cqe)
{
	const bool was_copied = (uint32_t)cqe->res & IORING_NOTIF_USAGE_ZC_COPIED;

	uring->zerocopy.log[uring->zerocopy.logged++ & uring->zerocopy.mask] =
		(struct uring_notice){
			.number = (uint32_t)cqe->user_data,
			.submitted = (uint32_t)uring->counts.zc_sent,
			.was_copied = was_copied,
		};
	uring->counts.zc_notified++;
	uring->counts.zc_copied += was_copied;
}

/* The batch goes on: its call returns what the others moved. */
static inline void note_failures(struct uring *uring, uint32_t operations, int err)
{
	if (!uring->failures.first)
		uring->failures.first = err;
	if (err == -ENOMEM)
		uring->failures.for_memory += operations;
}

/* Take every completion that is there. */
static ALWAYS_INLINE void reap(struct uring *uring, struct harvest *harvest)
{
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0;

	io_uring_for_each_cqe(&uring->ring, head, cqe)
	{
		seen++;
		if (cqe->flags & IORING_CQE_F_NOTIF) {
			take_notification(uring, cqe);
			continue;
		}
		uring->counts.zc_expected += !!(cqe->flags & IORING_CQE_F_MORE);
		if (uring->given_up) {
			uring->given_up--;
			continue;
		}
		harvest->requests++;
		if (cqe->res < 0) {
			harvest->err = harvest->err ? harvest->err : cqe->res;
			note_failures(uring, 1, cqe->res);
			continue;
		}
		harvest->messages++;
		harvest->bytes += (uint32_t)cqe->res;
	}
	io_uring_cq_advance(&uring->ring, seen);
}

static ALWAYS_INLINE int32_t result_of(struct call_ctx *ctx, const struct harvest *harvest)
{
	ctx->messages += harvest->messages;
	return harvest->messages ? (int32_t)harvest->bytes : harvest->err;
}

/* Submit the batch that was queued and take all its completions; notifications come as they may:
 * a send is not waited for twice. */
static ALWAYS_INLINE int32_t complete_batch(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct harvest harvest = { 0 };
	int err = submit_and_wait(uring, ctx->batch);

	for (;;) {
		if (err && err != -EINTR) {
			uring->given_up += ctx->batch - harvest.requests;
			note_failures(uring, ctx->batch - harvest.requests, err);
			return err;
		}
		reap(uring, &harvest);
		if (harvest.requests >= ctx->batch)
			return result_of(ctx, &harvest);
		err = submit_and_wait(uring, 1);
	}
}

/* Provide what a multishot receive, or a bundle, goes into or comes from. Return 0, or -errno with
 * `why`. */
int uring_provide_shots(struct call_ctx *ctx, struct refusal *why);
int uring_provide_bundles(struct call_ctx *ctx, struct refusal *why);

#endif
