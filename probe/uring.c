/* SPDX-License-Identifier: MIT */
/* Sets a ring up for a call, and takes it down. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"
#include "place.h"
#include "uring_ring.h"

enum { COMPLETIONS_MAX = 65536, NOTICES_MAX = 131072, PAGE = 4096 };
static const uint64_t notification_limit_ns = 2000000000;

/* A kernel that made the ring knows of nobody who may not register with it. */
static int refuse_registration(const char *step, int err, struct refusal *why)
{
	if (err == -EPERM)
		return refuse_saying(why, step, EPERM,
				     "not allowed here: seccomp denies io_uring_register");
	return refuse(why, step, -err);
}

/* All of the payload's buffers are one to the ring. */
static int register_payload(struct uring *uring, const struct ring *payload, struct refusal *why)
{
	const struct iovec all = { payload->start, payload->stride * payload->count };
	const int err = io_uring_register_buffers(&uring->ring, &all, 1);

	uring->zerocopy.flags |= IORING_RECVSEND_FIXED_BUF;
	if (err == -ENOMEM)
		return refuse_saying(why, "register_buffers", ENOMEM,
				     "the payload is more than RLIMIT_MEMLOCK allows");
	return err ? refuse_registration("register_buffers", err, why) : 0;
}

/* A registered file goes by its number, which is that of its channel. */
static int register_channels(struct uring *uring, const struct call_ctx *ctx, uint32_t channels)
{
	uring->numbers = calloc(channels, sizeof(*uring->numbers));
	if (!uring->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < channels; i++)
		uring->numbers[i] = (int)i;
	uring->fds = uring->numbers;
	return io_uring_register_files(&uring->ring, ctx->fds, channels);
}

static int register_what_is_asked(struct uring *uring, const struct call_ctx *ctx,
				  const struct spec *spec, struct refusal *why)
{
	uring->fd = ctx->fd;
	uring->fds = ctx->fds;
	if (spec->registered == REGISTERED_NONE)
		return 0;
	const int err = ctx->fds ? register_channels(uring, ctx, (uint32_t)spec->channels)
				 : io_uring_register_files(&uring->ring, &ctx->fd, 1);

	if (err)
		return refuse_registration("register_files", err, why);
	uring->fd = 0;
	uring->sqe_flags = IOSQE_FIXED_FILE;
	return spec->registered == REGISTERED_BUFFERS ? register_payload(uring, &ctx->ring, why)
						      : 0;
}

/* What newer operations need of the kernel. */
static const struct need {
	call_op op;
	uint8_t opcode;
	const char *lacking;
} needs[] = {
	{ uring_send_zc, IORING_OP_SEND_ZC, "this kernel has no IORING_OP_SEND_ZC (6.0)" },
	{ uring_sendmsg_zc, IORING_OP_SENDMSG_ZC, "this kernel has no IORING_OP_SENDMSG_ZC (6.1)" },
};

static const struct need *need_of(call_op op)
{
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].op == op)
			return &needs[i];
	return NULL;
}

static int check_opcode(struct uring *uring, call_op op, struct refusal *why)
{
	struct {
		struct io_uring_probe head;
		struct io_uring_probe_op ops[IORING_OP_LAST];
	} probe = { 0 };
	const struct need *need = need_of(op);

	if (!need)
		return 0;
	const int err = io_uring_register_probe(&uring->ring, &probe.head, IORING_OP_LAST);

	if (err)
		return refuse_registration("io_uring_probe", err, why);
	return io_uring_opcode_supported(&probe.head, need->opcode)
		       ? 0
		       : refuse_saying(why, "io_uring", EOPNOTSUPP, need->lacking);
}

int uring_refuse_ring(int err, const char *lacking, struct refusal *why)
{
	switch (err) {
	case -EPERM:
		return refuse_saying(why, "io_uring", EPERM,
				     "not allowed here, by kernel.io_uring_disabled or by seccomp");
	case -ENOSYS:
		return refuse_saying(why, "io_uring", ENOSYS,
				     "no io_uring in this kernel, or seccomp hides it");
	case -EINVAL:
		if (lacking)
			return refuse_saying(why, "io_uring", EINVAL, lacking);
	}
	return refuse(why, "io_uring", -err);
}

/* Two a request, and notifications may lag behind: by as many as are sent between two looks. */
static uint32_t completions_of(const struct spec *spec, uint32_t entries)
{
	const uint64_t lagging = 4 * (uint64_t)spec->limit;

	return power_of_two_from(lagging > 16 * entries ? lagging : 16 * entries, COMPLETIONS_MAX);
}

/* Where the other end of the traffic has a thread of its own. */
static int cpu_of_other_end(const struct spec *spec, const struct place_cpus *allowed)
{
	if (spec->channels)
		return place_second_cpu(allowed, spec->cpu, spec->peer_cpu);
	if (spec->receiver)
		return place_second_cpu(allowed, spec->cpu, PLACE_OTHER_CPU);
	return PLACE_ANY_CPU;
}

/* The kernel's thread begins on this CPU and with this priority, and only then moves: it would
 * never run beside a FIFO thread that waits for it by spinning. Once it has done something, it is
 * there.
 */
static int await_poller(struct io_uring *ring, struct refusal *why)
{
	const struct timespec nap = { .tv_nsec = 50000 };
	const uint64_t start_ns = clock_raw_ns();

	io_uring_prep_nop(io_uring_get_sqe(ring));
	const int err = io_uring_submit(ring);

	if (err < 0)
		return refuse(why, "io_uring_enter", -err);
	while (!io_uring_cq_ready(ring)) {
		if (clock_raw_ns() - start_ns > completion_limit_ns)
			return refuse_saying(why, "io_uring", ETIMEDOUT,
					     "the kernel's thread of sqpoll does not run");
		nanosleep(&nap, NULL);
	}
	io_uring_cq_advance(ring, 1);
	return 0;
}

static int open_ring(struct uring *uring, const struct call_ctx *ctx, const struct spec *spec,
		     const struct place_cpus *allowed, struct refusal *why)
{
	static const unsigned flags_of[] = {
		[RING_PLAIN] = 0,
		[RING_SINGLE_ISSUER] = IORING_SETUP_SINGLE_ISSUER,
		[RING_DEFER_TASKRUN] = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		[RING_SQPOLL] = IORING_SETUP_SQPOLL,
	};
	static const char lacking[] = "this kernel lacks that kind of ring: try plain";
	const enum ring_kind kind = (enum ring_kind)spec->ring;
	const uint32_t entries = power_of_two_from(ctx->batch < 2 ? 2 : ctx->batch, CALL_BATCH_MAX);
	struct io_uring_params params = {
		.flags = flags_of[kind] | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
		.cq_entries = completions_of(spec, entries),
	};

	if (ctx->call->is_multishot && kind != RING_DEFER_TASKRUN)
		return refuse_saying(why, "ring", EINVAL,
				     "a multishot receive would do its work in untimed calls: "
				     "it needs defer-taskrun");
	if (kind == RING_SQPOLL) {
		/* It has our priority and spins: who shares its CPU never runs. */
		const int own =
			place_cpu_besides(allowed, spec->cpu, cpu_of_other_end(spec, allowed));

		if (own < 0)
			return refuse_saying(why, "ring", ENODEV,
					     "sqpoll needs a CPU for the kernel's thread alone");
		params.flags |= IORING_SETUP_SQ_AFF;
		params.sq_thread_cpu = (uint32_t)own;
		params.sq_thread_idle = 20; /* ms: it shall sleep while we rest */
		uring->is_polled = true;
	}
	int err = io_uring_queue_init_params(entries, &uring->ring, &params);

	if (err)
		return uring_refuse_ring(err, kind == RING_PLAIN ? NULL : lacking, why);
	if (kind == RING_SQPOLL)
		err = await_poller(&uring->ring, why);
	if (err)
		io_uring_queue_exit(&uring->ring);
	return err;
}

/* The log is for who reads notifications apart from the sends; the others only count them. It is
 * written inside timed calls, where no page of it shall be faulted in. */
static struct uring *make_uring(const struct spec *spec)
{
	struct uring *uring = calloc(1, sizeof(*uring));
	const uint32_t room = spec->zerocopy == NOTIFY_CQE ? NOTICES_MAX : 1;

	if (!uring)
		return NULL;
	uring->zerocopy.mask = room - 1;
	uring->zerocopy.log = calloc(room, sizeof(*uring->zerocopy.log));
	if (!uring->zerocopy.log) {
		free(uring);
		return NULL;
	}
	memory_touch(uring->zerocopy.log, room * sizeof(*uring->zerocopy.log));
	return uring;
}

static void free_uring(struct uring *uring)
{
	free(uring->numbers);
	free(uring->zerocopy.log);
	free(uring);
}

int uring_open(struct call_ctx *ctx, const struct spec *spec, const struct place_cpus *allowed,
	       struct refusal *why)
{
	struct uring *uring = make_uring(spec);

	if (!uring)
		return refuse(why, "io_uring", ENOMEM);
	/* A stream may part messages; an exchange moves whole ones. */
	uring->exchange.flags = family_is_stream(spec->family) ? MSG_WAITALL : 0;
	uring->zerocopy.flags = IORING_SEND_ZC_REPORT_USAGE;
	uring->exchange.sent = (struct msghdr){ .msg_iov = &ctx->iov, .msg_iovlen = 1 };
	int err = open_ring(uring, ctx, spec, allowed, why);

	if (err) {
		free_uring(uring);
		return err;
	}
	ctx->uring = uring;
	err = check_opcode(uring, ctx->op, why);
	if (!err)
		err = register_what_is_asked(uring, ctx, spec, why);
	if (!err && ctx->call->is_multishot)
		err = uring_provide_shots(ctx, why);
	if (!err && ctx->call->is_bundle)
		err = uring_provide_bundles(ctx, why);
	if (err)
		uring_close(ctx);
	return err;
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Its two regions, as io_create_region() of io_uring/memmap.c counts them. */
uint64_t uring_locked_bytes(const struct call_ctx *ctx)
{
	const struct io_uring_sq *queue = &ctx->uring->ring.sq;

	return whole_pages(queue->ring_sz) +
	       whole_pages(queue->ring_entries * sizeof(struct io_uring_sqe));
}

void uring_await(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	const uint64_t start_ns = clock_raw_ns();
	struct harvest harvest = { 0 };

	while (uring->counts.zc_notified < uring->counts.zc_expected &&
	       clock_raw_ns() - start_ns < notification_limit_ns) {
		io_uring_get_events(&uring->ring);
		reap(uring, &harvest);
	}
}

void uring_close(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	if (!uring)
		return;
	uring_await(ctx);
	ctx->uring = NULL;
	io_uring_queue_exit(&uring->ring);
	provided_close(&uring->provided);
	free_uring(uring);
}

void uring_reset(struct call_ctx *ctx)
{
	if (!ctx->uring)
		return;
	uring_await(ctx);
	ctx->uring->counts_at_reset = ctx->uring->counts;
}

void uring_count(struct call_ctx *ctx, struct measures *measures)
{
	struct uring *uring = ctx->uring;

	if (!uring)
		return;
	uring_await(ctx);
	const struct uring_counts *now = &uring->counts, *then = &uring->counts_at_reset;
	const uint64_t expected = now->zc_expected - then->zc_expected;
	const uint64_t notified = now->zc_notified - then->zc_notified;

	if (!uring->is_polled)
		measures_count(measures, "enters", now->enters - then->enters);
	if (ctx->call->is_multishot)
		measures_count(measures, "rearmed", now->rearmed - then->rearmed);
	/* Where zerocopy is a form of the call, a collector counts them. */
	if (!ctx->call->is_zerocopy)
		return;
	measures_count(measures, "zerocopy_sends", now->zc_sent - then->zc_sent);
	measures_count(measures, "zerocopy_notifications", notified);
	measures_count(measures, "zerocopy_copied", now->zc_copied - then->zc_copied);
	measures_count(measures, "zerocopy_missing", expected > notified ? expected - notified : 0);
}
