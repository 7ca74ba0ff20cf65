/* SPDX-License-Identifier: MIT */
/* Through liburing, whose inline parts are the fast path; the rest is set-up. */
#include "uring.h"

#include <errno.h>

#ifdef HAVE_LIBURING

#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "clock.h"
#include "compiler.h"
#include "place.h"

/* Newer than the header of some releases of the library; linux/io_uring.h, since 6.2. */
#ifndef IORING_SEND_ZC_REPORT_USAGE
#define IORING_SEND_ZC_REPORT_USAGE (1U << 3)
#endif
#ifndef IORING_NOTIF_USAGE_ZC_COPIED
#define IORING_NOTIF_USAGE_ZC_COPIED (1U << 31)
#endif

enum { BUFFER_GROUP = 0, IDLE_POLLS_MAX = 64 };
static const uint64_t completion_limit_ns = 2000000000;
enum { SPINS_PER_LOOK = 1 << 20 };
static const uint64_t notification_limit_ns = 2000000000;

struct uring {
	struct io_uring ring;
	int fd;             /* of the socket, or its number among the registered files */
	unsigned sqe_flags; /* IOSQE_FIXED_FILE where it is registered */
	bool is_polled;     /* a kernel thread submits: its completions are waited for by looking */
	bool has_fixed_buffer;

	struct io_uring_buf_ring *buffers; /* for a multishot receive */
	uint32_t buffer_count;             /* a power of two */
	uint32_t buffer_bytes;
	size_t buffers_mapped, payloads_mapped;
	char *payloads;
	bool is_armed;
	struct msghdr shape; /* of a multishot recvmsg: how much room for name and control */

	uint32_t awaited; /* completions that an interrupted exchange has still to see */
	int exchange_flags;
	uint64_t enters, rearmed;
	uint64_t zc_sent, zc_notified, zc_copied, zc_expected;
};

static ALWAYS_INLINE struct io_uring_sqe *next_sqe(struct uring *uring)
{
	struct io_uring_sqe *sqe;

	/* The queue holds a batch, but a kernel thread may not have taken the last one yet. */
	while (!(sqe = io_uring_get_sqe(&uring->ring)))
		io_uring_sqring_wait(&uring->ring);
	return sqe;
}

static ALWAYS_INLINE void finish_sqe(struct io_uring_sqe *sqe, const struct uring *uring)
{
	sqe->flags |= (__u8)uring->sqe_flags;
	sqe->user_data = 0;
}

/* Asked after every so many spins, so that no clock is read while a completion is near. */
static bool is_overdue(uint32_t look)
{
	static uint64_t first_ns;

	if (look == 1)
		first_ns = clock_raw_ns();
	return clock_raw_ns() - first_ns > completion_limit_ns;
}

/* Submit what is queued and wait until `count` completions are there. Return 0 or -errno. */
static ALWAYS_INLINE int submit_and_wait(struct uring *uring, uint32_t count)
{
	if (!uring->is_polled) {
		uring->enters++;
		const int err = io_uring_submit_and_wait(&uring->ring, count);

		return err < 0 ? err : 0;
	}
	const int err = io_uring_submit(&uring->ring);

	if (err < 0)
		return err;
	for (uint32_t spins = 1; io_uring_cq_ready(&uring->ring) < count; spins++) {
		if (spins % SPINS_PER_LOOK == 0 && is_overdue(spins / SPINS_PER_LOOK))
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
	uring->zc_notified++;
	uring->zc_copied += !!((uint32_t)cqe->res & IORING_NOTIF_USAGE_ZC_COPIED);
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
		harvest->requests++;
		uring->zc_expected += !!(cqe->flags & IORING_CQE_F_MORE);
		if (cqe->res < 0) {
			harvest->err = harvest->err ? harvest->err : cqe->res;
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
		if (err)
			return err;
		reap(uring, &harvest);
		if (harvest.requests >= ctx->batch)
			return result_of(ctx, &harvest);
		err = submit_and_wait(uring, 1);
	}
}

void uring_prepare(struct call_ctx *ctx)
{
	call_prepare_batch(ctx);
}

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

static ALWAYS_INLINE int32_t complete_zc(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	uring->zc_sent += ctx->batch;
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
		finish_sqe(sqe, uring);
	}
	return complete_zc(ctx);
}

int32_t uring_sendmsg_zc(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	for (uint32_t i = 0; i < ctx->batch; i++) {
		struct io_uring_sqe *sqe = next_sqe(uring);

		io_uring_prep_sendmsg_zc(sqe, uring->fd, &ctx->batch_msgs[i].msg_hdr, MSG_DONTWAIT);
		sqe->ioprio |= IORING_SEND_ZC_REPORT_USAGE;
		finish_sqe(sqe, uring);
	}
	return complete_zc(ctx);
}

/* Wait for what an exchange still awaits. Return 0, -EINTR to be called again, or -errno. */
static ALWAYS_INLINE int await_exchange(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct harvest harvest = { 0 };

	while (uring->awaited) {
		const int err = submit_and_wait(uring, uring->awaited);

		if (err)
			return err;
		harvest = (struct harvest){ 0 };
		reap(uring, &harvest);
		uring->awaited -= harvest.requests;
		if (harvest.err)
			return harvest.err;
		if (harvest.bytes != harvest.messages * ctx->size)
			return -EPIPE;
	}
	return 0;
}

static ALWAYS_INLINE void queue_send(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct io_uring_sqe *sqe = next_sqe(uring);

	io_uring_prep_send(sqe, uring->fd, ctx->buffer, ctx->size,
			   MSG_NOSIGNAL | uring->exchange_flags);
	finish_sqe(sqe, uring);
	uring->awaited++;
}

static ALWAYS_INLINE void queue_receive(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct io_uring_sqe *sqe = next_sqe(uring);

	io_uring_prep_recv(sqe, uring->fd, ctx->buffer, ctx->size, uring->exchange_flags);
	finish_sqe(sqe, uring);
	uring->awaited++;
}

int32_t uring_exchange(struct call_ctx *ctx)
{
	/* Interrupted, it is called again and goes on waiting. */
	if (!ctx->uring->awaited) {
		queue_send(ctx);
		queue_receive(ctx);
	}
	const int err = await_exchange(ctx);

	return err ? err : (int32_t)ctx->size;
}

int uring_answer(struct call_ctx *ctx, uint32_t count)
{
	int err;

	queue_receive(ctx);
	err = await_exchange(ctx);
	for (uint32_t i = 1; !err && i <= count; i++) {
		queue_send(ctx);
		if (i < count)
			queue_receive(ctx);
		err = await_exchange(ctx);
	}
	return err;
}

/* Payload of a completion's buffer: what a multishot recvmsg prefixes is no payload. */
static ALWAYS_INLINE uint32_t payload_bytes(struct uring *uring, const struct io_uring_cqe *cqe,
					    char *buffer, bool is_message)
{
	if (!is_message)
		return (uint32_t)cqe->res;
	struct io_uring_recvmsg_out *out =
		io_uring_recvmsg_validate(buffer, cqe->res, &uring->shape);

	return out ? io_uring_recvmsg_payload_length(out, cqe->res, &uring->shape) : 0;
}

/* Take completions of a multishot receive and give their buffers back, at most `most` of them. */
static ALWAYS_INLINE void reap_shots(struct uring *uring, struct harvest *harvest, uint32_t most,
				     bool is_message)
{
	const int mask = io_uring_buf_ring_mask(uring->buffer_count);
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0;
	int given = 0;

	io_uring_for_each_cqe(&uring->ring, head, cqe)
	{
		if (harvest->requests == most)
			break;
		seen++;
		/* The last of its kind, or of its buffers: it must be armed anew. */
		uring->is_armed = uring->is_armed && cqe->flags & IORING_CQE_F_MORE;
		if (!(cqe->flags & IORING_CQE_F_BUFFER)) {
			harvest->err = cqe->res < 0 ? cqe->res : -EPIPE;
			continue;
		}
		const unsigned short id = (unsigned short)(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
		char *buffer = uring->payloads + (size_t)id * uring->buffer_bytes;

		harvest->requests++;
		harvest->messages++;
		harvest->bytes += payload_bytes(uring, cqe, buffer, is_message);
		io_uring_buf_ring_add(uring->buffers, buffer, uring->buffer_bytes, id, mask,
				      given++);
	}
	io_uring_buf_ring_advance(uring->buffers, given);
	io_uring_cq_advance(&uring->ring, seen);
}

static ALWAYS_INLINE void arm(struct call_ctx *ctx, struct uring *uring, bool is_message)
{
	struct io_uring_sqe *sqe = next_sqe(uring);

	if (is_message)
		io_uring_prep_recvmsg_multishot(sqe, uring->fd, &uring->shape, 0);
	else
		io_uring_prep_recv_multishot(sqe, uring->fd, NULL, 0, 0);
	finish_sqe(sqe, uring);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = BUFFER_GROUP;
	uring->is_armed = true;
	uring->rearmed++;
	(void)ctx;
}

/* Take a batch of messages. What has come is there, so nothing is waited for: when entering the
 * kernel again and again brings none, there are none. */
static ALWAYS_INLINE int32_t receive_shots(struct call_ctx *ctx, bool is_message)
{
	struct uring *uring = ctx->uring;
	struct harvest harvest = { 0 };

	for (int polls = 0; polls < IDLE_POLLS_MAX; polls++) {
		if (!uring->is_armed)
			arm(ctx, uring, is_message);
		uring->enters++;
		const int err = io_uring_submit_and_get_events(&uring->ring);

		if (err < 0)
			return err;
		const uint32_t before = harvest.requests;

		reap_shots(uring, &harvest, ctx->batch, is_message);
		if (harvest.requests == ctx->batch)
			return result_of(ctx, &harvest);
		if (harvest.requests != before)
			polls = -1;
	}
	harvest.err = harvest.err ? harvest.err : -EAGAIN;
	return result_of(ctx, &harvest);
}

int32_t uring_recv_multishot(struct call_ctx *ctx)
{
	return receive_shots(ctx, false);
}

int32_t uring_recvmsg_multishot(struct call_ctx *ctx)
{
	return receive_shots(ctx, true);
}

static void *map(size_t bytes)
{
	void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return start == MAP_FAILED ? NULL : start;
}

static uint32_t power_of_two_from(uint32_t least)
{
	uint32_t power = 1;

	while (power < least)
		power *= 2;
	return power;
}

/* Twice the batch, so that those given back late are not missed. */
static int provide_buffers(struct uring *uring, const struct call_ctx *ctx, struct refusal *why)
{
	const uint32_t count = power_of_two_from(2 * ctx->batch);

	uring->shape = (struct msghdr){ .msg_namelen = ctx->addr_room,
					.msg_controllen = ctx->control_room };
	uring->buffer_count = count;
	uring->buffer_bytes = ctx->size;
	if (ctx->call->op == uring_recvmsg_multishot)
		uring->buffer_bytes += (uint32_t)sizeof(struct io_uring_recvmsg_out) +
				       ctx->addr_room + (uint32_t)ctx->control_room;
	uring->buffers_mapped = count * sizeof(struct io_uring_buf);
	uring->payloads_mapped = (size_t)count * uring->buffer_bytes;
	uring->buffers = map(uring->buffers_mapped);
	uring->payloads = map(uring->payloads_mapped);
	if (!uring->buffers || !uring->payloads)
		return refuse(why, "buffers", ENOMEM);
	struct io_uring_buf_reg registration = {
		.ring_addr = (uintptr_t)uring->buffers,
		.ring_entries = count,
		.bgid = BUFFER_GROUP,
	};
	const int err = io_uring_register_buf_ring(&uring->ring, &registration, 0);

	if (err)
		return refuse_saying(why, "buffers", -err,
				     "this kernel has no provided buffer rings (5.19)");
	io_uring_buf_ring_init(uring->buffers);
	for (uint32_t i = 0; i < count; i++)
		io_uring_buf_ring_add(uring->buffers,
				      uring->payloads + (size_t)i * uring->buffer_bytes,
				      uring->buffer_bytes, (unsigned short)i,
				      io_uring_buf_ring_mask(count), (int)i);
	io_uring_buf_ring_advance(uring->buffers, (int)count);
	return 0;
}

static int register_what_is_asked(struct uring *uring, const struct call_ctx *ctx,
				  const struct spec *spec, struct refusal *why)
{
	const struct iovec payload = { .iov_base = ctx->buffer, .iov_len = ctx->size };
	int err = 0;

	uring->fd = ctx->fd;
	if (spec->registered == REGISTERED_NONE)
		return 0;
	err = io_uring_register_files(&uring->ring, &ctx->fd, 1);
	if (err)
		return refuse(why, "register_files", -err);
	uring->fd = 0;
	uring->sqe_flags = IOSQE_FIXED_FILE;
	if (spec->registered != REGISTERED_BUFFERS)
		return 0;
	err = io_uring_register_buffers(&uring->ring, &payload, 1);
	uring->has_fixed_buffer = !err;
	return err ? refuse(why, "register_buffers", -err) : 0;
}

static const struct {
	call_op op;
	uint8_t opcode;
	const char *lacking;
} opcodes[] = {
	{ uring_send_zc, IORING_OP_SEND_ZC, "this kernel has no IORING_OP_SEND_ZC (6.0)" },
	{ uring_sendmsg_zc, IORING_OP_SENDMSG_ZC, "this kernel has no IORING_OP_SENDMSG_ZC (6.1)" },
};

static int check_opcode(struct uring *uring, const struct call *call, struct refusal *why)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(opcodes); i++) {
		if (opcodes[i].op != call->op)
			continue;
		struct io_uring_probe *probe = io_uring_get_probe_ring(&uring->ring);

		if (!probe)
			return refuse(why, "io_uring_probe", ENOMEM);
		if (!io_uring_opcode_supported(probe, opcodes[i].opcode))
			err = refuse_saying(why, "io_uring", EOPNOTSUPP, opcodes[i].lacking);
		io_uring_free_probe(probe);
	}
	return err;
}

static int refuse_ring(int err, enum ring_kind kind, struct refusal *why)
{
	switch (err) {
	case -EPERM:
		return refuse_saying(
			why, "io_uring", EPERM,
			"not allowed here: sysctl kernel.io_uring_disabled, or seccomp");
	case -ENOSYS:
		return refuse_saying(why, "io_uring", ENOSYS,
				     "no io_uring in this kernel, or seccomp hides it");
	case -EINVAL:
		if (kind == RING_PLAIN)
			break;
		return refuse_saying(why, "io_uring", EINVAL,
				     "this kernel lacks that kind of ring: try plain");
	}
	return refuse(why, "io_uring", -err);
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
	const enum ring_kind kind = (enum ring_kind)spec->ring;
	const uint32_t entries = power_of_two_from(ctx->batch < 2 ? 2 : ctx->batch);
	/* Two completions a request, and notifications may lag behind. */
	struct io_uring_params params = {
		.flags = flags_of[kind] | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
		.cq_entries = 16 * entries,
	};

	if (ctx->call->is_multishot && kind != RING_DEFER_TASKRUN)
		return refuse_saying(why, "ring", EINVAL,
				     "a multishot receive would do its work in untimed calls: "
				     "it needs defer-taskrun");
	if (kind == RING_SQPOLL) {
		const int other = place_second_cpu(allowed, spec->cpu, PLACE_OTHER_CPU);

		if (other < 0)
			return refuse_saying(why, "ring", ENODEV,
					     "sqpoll needs a second CPU for the kernel's thread");
		params.flags |= IORING_SETUP_SQ_AFF;
		params.sq_thread_cpu = (uint32_t)other;
		params.sq_thread_idle = 20; /* ms: it shall sleep while we rest */
		uring->is_polled = true;
	}
	const int err = io_uring_queue_init_params(entries, &uring->ring, &params);

	if (err)
		return refuse_ring(err, kind, why);
	/* The kernel's thread begins on this CPU and with this priority, and only then moves: it
	 * would never run beside a FIFO thread that waits for it by spinning. */
	if (kind == RING_SQPOLL)
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	return 0;
}

int uring_open(struct call_ctx *ctx, const struct spec *spec, const struct place_cpus *allowed,
	       struct refusal *why)
{
	struct uring *uring = calloc(1, sizeof(*uring));

	if (!uring)
		return refuse(why, "io_uring", ENOMEM);
	/* A stream may part messages; an exchange moves whole ones. */
	uring->exchange_flags = family_is_stream(spec->family) ? MSG_WAITALL : 0;
	int err = open_ring(uring, ctx, spec, allowed, why);

	if (err) {
		free(uring);
		return err;
	}
	ctx->uring = uring;
	err = check_opcode(uring, ctx->call, why);
	if (!err)
		err = register_what_is_asked(uring, ctx, spec, why);
	if (!err && ctx->call->is_multishot)
		err = provide_buffers(uring, ctx, why);
	if (err)
		uring_close(ctx);
	return err;
}

/* Until every send has its notification, or two seconds are over. */
static void await_notifications(struct uring *uring)
{
	const uint64_t start_ns = clock_raw_ns();
	struct harvest harvest = { 0 };

	while (uring->zc_notified < uring->zc_expected &&
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
	ctx->uring = NULL;
	await_notifications(uring);
	io_uring_queue_exit(&uring->ring);
	if (uring->buffers)
		munmap(uring->buffers, uring->buffers_mapped);
	if (uring->payloads)
		munmap(uring->payloads, uring->payloads_mapped);
	free(uring);
}

void uring_reset(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;

	if (!uring)
		return;
	await_notifications(uring);
	uring->enters = uring->rearmed = 0;
	uring->zc_sent = uring->zc_notified = uring->zc_copied = uring->zc_expected = 0;
}

void uring_count(struct call_ctx *ctx, struct measures *measures)
{
	struct uring *uring = ctx->uring;

	if (!uring)
		return;
	await_notifications(uring);
	if (!uring->is_polled)
		measures_count(measures, "enters", uring->enters);
	if (ctx->call->is_multishot)
		measures_count(measures, "rearmed", uring->rearmed);
	if (ctx->call->op != uring_send_zc && ctx->call->op != uring_sendmsg_zc)
		return;
	measures_count(measures, "zerocopy_sends", uring->zc_sent);
	measures_count(measures, "zerocopy_notifications", uring->zc_notified);
	measures_count(measures, "zerocopy_copied", uring->zc_copied);
	measures_count(measures, "zerocopy_missing",
		       uring->zc_expected > uring->zc_notified
			       ? uring->zc_expected - uring->zc_notified
			       : 0);
}

#else

void uring_prepare(struct call_ctx *ctx)
{
	call_prepare_batch(ctx);
}

#define ABSENT(name)                                                                               \
	int32_t name(struct call_ctx *ctx)                                                         \
	{                                                                                          \
		(void)ctx;                                                                         \
		return -ENOSYS;                                                                    \
	}

ABSENT(uring_recv)
ABSENT(uring_recvmsg)
ABSENT(uring_recv_multishot)
ABSENT(uring_recvmsg_multishot)
ABSENT(uring_send)
ABSENT(uring_sendmsg)
ABSENT(uring_send_zc)
ABSENT(uring_sendmsg_zc)
ABSENT(uring_exchange)

int uring_answer(struct call_ctx *ctx, uint32_t count)
{
	(void)ctx;
	(void)count;
	return -ENOSYS;
}

int uring_open(struct call_ctx *ctx, const struct spec *spec, const struct place_cpus *allowed,
	       struct refusal *why)
{
	(void)ctx;
	(void)spec;
	(void)allowed;
	return refuse_saying(why, "io_uring", ENOSYS, "this probe was built without liburing");
}

void uring_close(struct call_ctx *ctx)
{
	(void)ctx;
}

void uring_reset(struct call_ctx *ctx)
{
	(void)ctx;
}

void uring_count(struct call_ctx *ctx, struct measures *measures)
{
	(void)ctx;
	(void)measures;
}

#endif
