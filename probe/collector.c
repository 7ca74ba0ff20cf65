/* SPDX-License-Identifier: MIT */
/* The error queue never blocks; poll() says POLLERR of it unasked. */
#include "collector.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "memory.h"
#include "sys.h"
#include "uring.h"

enum { PATIENCE_MS = 2000, PAGE = 4096 };

static void time_one(struct hist *hist, uint64_t units)
{
	hist_record(hist, &units, 1);
}

static void prepare_messages(struct collector *collector)
{
	for (size_t i = 0; i < COLLECTOR_BATCH; i++)
		collector->msgs[i].msg_hdr = (struct msghdr){
			.msg_control = collector->controls[i],
			.msg_controllen = COLLECTOR_CONTROL,
		};
}

void collector_open(struct collector *collector, struct call_ctx *ctx, enum notify how,
		    const struct clock *clock, struct measures *measures)
{
	collector->fd = ctx->fd;
	collector->ctx = ctx;
	collector->how = how;
	collector->read_clock = clock_reader(clock->form);
	collector->reading = measures_hist(measures, "read", clock->unit);
	collector->empty = measures_hist(measures, "read_empty", clock->unit);
	collector->polling = measures_hist(measures, "poll", clock->unit);
	collector->delay = measures_hist(measures, "delay", clock->unit);
	collector->range = measures_hist(measures, "range", "sends");
	notices_init(&collector->notices);
	collector_restart(collector);
	prepare_messages(collector);
}

void collector_restart(struct collector *collector)
{
	struct notices *notices = &collector->notices;
	const uint64_t outstanding = notices_outstanding(notices);

	*notices = (struct notices){
		.next = notices->next,
		.expected = notices->expected,
		.sent = outstanding,
	};
	collector->foreign = collector->carried = 0;
	collector->optmem_refused = collector->memlock_refused = 0;
	hist_init(collector->reading, 0);
	hist_init(collector->empty, 0);
	hist_init(collector->polling, 0);
	hist_init(collector->delay, 0);
	hist_init(collector->range, 0);
}

/* Pages of sends that are not given back count against RLIMIT_MEMLOCK of whoever has not
 * CAP_IPC_LOCK (mm_account_pinned_pages, net/core/skbuff.c; io_notif_account_mem,
 * io_uring/notif.h), and newer kernels add those of the ring; all else is option memory. */
static bool is_memlock_spent(const struct collector *collector, uint32_t size)
{
	struct rlimit limit;
	const uint64_t pages = size / PAGE + 2;
	const uint64_t sends = notices_outstanding(&collector->notices) + 1;
	const uint64_t ring_bytes =
		collector->how == NOTIFY_CQE ? uring_locked_bytes(collector->ctx) : 0;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return false;
	return ring_bytes + sends * pages * PAGE > limit.rlim_cur && !memory_may_pin_any();
}

bool collector_lacks_memlock(const struct collector *collector, int err, uint32_t size)
{
	const int without_room = collector->how == NOTIFY_CQE ? ENOMEM : ENOBUFS;

	return err == without_room && is_memlock_spent(collector, size);
}

/* A ring's sends fail one by one, also in a call that moved something. */
static void note_refused(struct collector *collector, const struct burst_log *log, uint32_t calls)
{
	const uint32_t size = collector->ctx->size;

	if (collector->how == NOTIFY_CQE) {
		const uint32_t sends = uring_failed(collector->ctx).for_memory;

		if (sends && collector_lacks_memlock(collector, ENOMEM, size))
			collector->memlock_refused += sends;
		return;
	}
	for (uint32_t i = 0; i < calls; i++) {
		if (collector_lacks_memlock(collector, -log->moved[i], size))
			collector->memlock_refused++;
		else if (log->moved[i] == -ENOBUFS)
			collector->optmem_refused++;
	}
}

/* Every message that was sent takes a number; through a ring, every one that was submitted. */
static uint32_t numbers_of(const struct call_ctx *ctx, int32_t moved)
{
	if (ctx->call->is_ring)
		return ctx->batch;
	return moved > 0 ? ((uint32_t)moved + ctx->size - 1) / ctx->size : 0;
}

static void send_numbers(struct collector *collector, uint32_t numbers)
{
	const bool is_ring = collector->how == NOTIFY_CQE;

	notices_send(&collector->notices, numbers,
		     is_ring ? uring_promised(collector->ctx) : numbers);
}

void collector_note_call(struct collector *collector, int32_t moved)
{
	send_numbers(collector, numbers_of(collector->ctx, moved));
}

/* Give the last sends of the burst the time at which their calls ended, backwards from `end`. */
static void stamp_burst(struct collector *collector, const struct burst_log *log, uint32_t calls,
			uint32_t numbers, uint64_t end)
{
	uint32_t number = collector->notices.next + numbers;
	uint32_t left = numbers < COLLECTOR_STAMPS ? numbers : COLLECTOR_STAMPS;

	for (uint32_t i = calls; left && i-- > 0; end -= log->deltas[i])
		for (uint32_t n = numbers_of(collector->ctx, log->moved[i]); left && n > 0; n--) {
			collector->stamps[--number % COLLECTOR_STAMPS] = end;
			left--;
		}
}

/* Whether no later send has taken the place of this one's stamp. */
static bool is_stamped(const struct collector *collector, uint32_t number)
{
	return collector->notices.next - number <= COLLECTOR_STAMPS;
}

static void book(struct collector *collector, uint32_t lo, uint32_t hi, bool copied, uint64_t now)
{
	if (is_stamped(collector, hi))
		time_one(collector->delay, now - collector->stamps[hi % COLLECTOR_STAMPS]);
	time_one(collector->range, notices_return(&collector->notices, lo, hi, copied));
}

/* Book what a ring brought: at `now`, or with the calls that it came with. Return how many. */
static uint32_t book_completions(struct collector *collector, bool came_with_calls, uint64_t now)
{
	const struct uring_notice *notices;
	const uint32_t count = uring_noticed(collector->ctx, &notices);

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t number = notices[i].number, last = notices[i].submitted - 1;
		const uint64_t call_end = collector->stamps[last % COLLECTOR_STAMPS];

		book(collector, number, number, notices[i].was_copied,
		     came_with_calls ? call_end : now);
	}
	return count;
}

void collector_note_burst(struct collector *collector, const struct burst_log *log, uint32_t calls)
{
	const uint64_t end = collector->read_clock();
	uint32_t numbers = 0;

	for (uint32_t i = 0; i < calls; i++)
		numbers += numbers_of(collector->ctx, log->moved[i]);
	stamp_burst(collector, log, calls, numbers, end);
	send_numbers(collector, numbers);
	note_refused(collector, log, calls); /* while what it pinned is not yet given back */
	if (collector->how == NOTIFY_CQE)
		collector->carried += book_completions(collector, true, end);
}

static const struct sock_extended_err *notification_of(struct msghdr *msg)
{
	if (msg->msg_flags & MSG_CTRUNC)
		return NULL;
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		const bool is_error =
			(cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_RECVERR) ||
			(cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_RECVERR);
		const struct sock_extended_err *error = (const void *)CMSG_DATA(cmsg);

		if (is_error && error->ee_origin == SO_EE_ORIGIN_ZEROCOPY && error->ee_errno == 0)
			return error;
	}
	return NULL;
}

/* Book one entry of the error queue that was read at `now`. */
static void take(struct collector *collector, struct msghdr *msg, uint64_t now)
{
	const struct sock_extended_err *error = notification_of(msg);

	msg->msg_controllen = COLLECTOR_CONTROL;
	if (!error) {
		collector->foreign++;
		return;
	}
	book(collector, error->ee_info, error->ee_data, error->ee_code & SO_EE_CODE_ZEROCOPY_COPIED,
	     now);
}

/* Make one system call; return the entries read, 0 when there was none, or -errno. */
static long read_some(struct collector *collector, bool is_timed)
{
	const bool is_batch = collector->how == NOTIFY_RECVMMSG;
	const uint64_t start = collector->read_clock();
	const long got = is_batch ? sys6(SYS_recvmmsg, collector->fd, (long)collector->msgs,
					 COLLECTOR_BATCH, MSG_ERRQUEUE, 0, 0)
				  : sys3(SYS_recvmsg, collector->fd,
					 (long)&collector->msgs[0].msg_hdr, MSG_ERRQUEUE);
	const uint64_t end = collector->read_clock();
	const long entries = got < 0 ? got : is_batch ? got : 1;

	if (is_timed && entries > 0)
		time_one(collector->reading, end - start);
	else if (is_timed && entries == -EAGAIN)
		time_one(collector->empty, end - start);
	for (long i = 0; i < entries; i++)
		take(collector, &collector->msgs[i].msg_hdr, end);
	return entries == -EAGAIN ? 0 : entries;
}

/* Enter the kernel once for completions; return the notifications among them, or -errno. */
static long look_at_ring(struct collector *collector)
{
	const uint64_t start = collector->read_clock();
	const int err = uring_look(collector->ctx);
	const uint64_t end = collector->read_clock();
	const uint32_t brought = book_completions(collector, false, end);

	if (!err)
		time_one(brought ? collector->reading : collector->empty, end - start);
	return err ? err : (long)brought;
}

static bool poll_error(struct collector *collector, int timeout_ms, bool is_timed)
{
	struct pollfd pollfd = { .fd = collector->fd };
	const struct timespec timeout = { .tv_sec = timeout_ms / 1000,
					  .tv_nsec = timeout_ms % 1000 * 1000000L };
	struct timespec left = timeout; /* the kernel writes to it */
	const uint64_t start = collector->read_clock();
	const long ready = sys6(SYS_ppoll, (long)&pollfd, 1, (long)&left, 0, 0, 0);

	if (is_timed)
		time_one(collector->polling, collector->read_clock() - start);
	return ready > 0 && pollfd.revents & POLLERR;
}

/* Sends are refused until something is given back. */
static void make_room(struct collector *collector)
{
	const uint64_t before = collector->notices.returned;

	while (notices_outstanding(&collector->notices) &&
	       poll_error(collector, collector->notices.returned == before ? PATIENCE_MS : 0,
			  false))
		if (read_some(collector, false) <= 0)
			return;
}

void collector_look(struct collector *collector, bool was_refused)
{
	if (was_refused && collector->how != NOTIFY_CQE)
		make_room(collector);
	if (collector->how == NOTIFY_NONE)
		return;
	if (collector->how == NOTIFY_CQE) {
		while (notices_outstanding(&collector->notices) && look_at_ring(collector) > 0)
			;
		return;
	}
	while (notices_outstanding(&collector->notices)) {
		if (collector->how == NOTIFY_POLL && !poll_error(collector, 0, true))
			return;
		if (read_some(collector, true) <= 0)
			return;
	}
}

void collector_settle(struct collector *collector)
{
	if (collector->how == NOTIFY_CQE) {
		uring_await(collector->ctx);
		book_completions(collector, false, collector->read_clock());
		return;
	}
	while (notices_outstanding(&collector->notices) &&
	       poll_error(collector, PATIENCE_MS, false))
		if (read_some(collector, false) < 0)
			return;
}

void collector_report(const struct collector *collector, struct measures *measures)
{
	const struct notices *notices = &collector->notices;

	measures_count(measures, "sent_calls", notices->sent);
	measures_count(measures, "returned_calls", notices->returned);
	measures_count(measures, "notifications", notices->ranges);
	measures_count(measures, "carried_notifications", collector->carried);
	measures_count(measures, "joined_notifications", notices->joined);
	measures_count(measures, "marked_notifications", notices->marked);
	measures_count(measures, "out_of_order_notifications", notices->out_of_order);
	measures_count(measures, "impossible_notifications", notices->impossible);
	measures_count(measures, "foreign_errors", collector->foreign);
	measures_count(measures, "copied_calls_least", notices->copied_least);
	measures_count(measures, "copied_calls_most", notices->copied_most);
	measures_count(measures, "optmem_refused_calls", collector->optmem_refused);
	measures_count(measures, "memlock_refused_calls", collector->memlock_refused);
}
