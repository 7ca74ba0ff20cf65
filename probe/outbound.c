/* SPDX-License-Identifier: MIT */
/* burst · count · look at the notifications, until there are enough calls; then wait for the rest.
 */
#include "outbound.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "collector.h"
#include "outbound_calls.h"
#include "receiver.h"
#include "uring.h"
#include "window.h"

enum { DISCARD_PORT = 9, PAGE = 4096 };
/* The cmsg of a series of patches of 2024 that no released kernel has. */
enum { SCM_ZC_NOTIFICATION = 78 };

static struct collector collector;
static struct receiver receiver;

struct outbound {
	struct bench *bench;
	const struct spec *spec;
	int fd;
	size_t ring_bytes;
	bool is_zerocopy;
	bool is_received;
	uint64_t tried_bytes; /* sent before anything was counted */
};

static socklen_t address_of(const struct spec *spec, uint16_t port, struct sockaddr_storage *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->ss_family = (sa_family_t)spec->family->domain;
	if (spec->family->domain == AF_INET) {
		struct sockaddr_in *in4 = (struct sockaddr_in *)addr;

		in4->sin_port = htons(port);
		inet_pton(AF_INET, spec->to, &in4->sin_addr);
		return sizeof(*in4);
	}
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;

	in6->sin6_port = htons(port);
	inet_pton(AF_INET6, spec->to, &in6->sin6_addr);
	return sizeof(*in6);
}

static int set_option(int fd, int level, int name, int value, struct refusal *why)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) < 0
		       ? refuse(why, "setsockopt", errno)
		       : 0;
}

static uint64_t buffered_bytes(const struct spec *spec)
{
	return (uint64_t)spec->queue * (2 * (uint64_t)spec->size * (uint64_t)spec->segments + 1280);
}

/* Return a socket that listens at, or is bound to, the address; `addr` is then where to send. */
static int open_receiving(const struct spec *spec, struct sockaddr_storage *addr,
			  socklen_t *addr_len, struct refusal *why)
{
	const int fd = socket(spec->family->domain, spec->family->type | SOCK_CLOEXEC, 0);
	int err = 0;

	if (fd < 0)
		return refuse(why, "socket", errno);
	*addr_len = address_of(spec, 0, addr);
	sock_raise_receive_buffer(fd, buffered_bytes(spec));
	if (spec->gro)
		err = set_option(fd, IPPROTO_UDP, UDP_GRO, 1, why);
	if (!err && bind(fd, (struct sockaddr *)addr, *addr_len) < 0)
		err = refuse(why, "bind", errno);
	if (!err && getsockname(fd, (struct sockaddr *)addr, addr_len) < 0)
		err = refuse(why, "getsockname", errno);
	if (!err && family_is_stream(spec->family) && listen(fd, 1) < 0)
		err = refuse(why, "listen", errno);
	if (err)
		close(fd);
	return err ? err : fd;
}

/* The kernel has made the connection by the time that connect() returned. */
static int accept_one(int listener, struct refusal *why)
{
	const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	const int err = fd < 0 ? refuse(why, "accept", errno) : 0;

	close(listener);
	return err ? err : fd;
}

/* What has to be asked of the sending socket before it is connected. */
static int prepare_sender(int fd, const struct spec *spec, struct refusal *why)
{
	/* A send that waits for a reader who is gone must not wait for ever. */
	const struct timeval patience = { .tv_sec = 2 };
	int err = 0;

	sock_raise_send_buffer(fd, buffered_bytes(spec));
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
		return refuse(why, "setsockopt", errno);
	/* An operation that is zerocopy by itself does not ask for it. */
	if (spec->zerocopy != NOTIFY_COPY && spec->zerocopy != NOTIFY_CQE)
		err = set_option(fd, SOL_SOCKET, SO_ZEROCOPY, 1, why);
	if (!err && spec->segments > 1 && spec->call->cut == CUT_BY_SOCKET)
		err = set_option(fd, IPPROTO_UDP, UDP_SEGMENT, spec->size, why);
	if (!err && family_is_stream(spec->family))
		err = set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1, why);
	return err;
}

static int open_sockets(struct outbound *outbound, struct refusal *why)
{
	const struct spec *spec = outbound->spec;
	struct sockaddr_storage addr;
	socklen_t addr_len = address_of(spec, DISCARD_PORT, &addr);
	int receiving = -1, err = 0;

	if (spec->receiver) {
		receiving = open_receiving(spec, &addr, &addr_len, why);
		if (receiving < 0)
			return receiving;
	}
	outbound->fd = socket(spec->family->domain, spec->family->type | SOCK_CLOEXEC, 0);
	if (outbound->fd < 0)
		err = refuse(why, "socket", errno);
	if (!err)
		err = prepare_sender(outbound->fd, spec, why);
	if (!err && connect(outbound->fd, (struct sockaddr *)&addr, addr_len) < 0)
		err = refuse(why, "connect", errno);
	if (!err && receiving >= 0 && family_is_stream(spec->family)) {
		receiving = accept_one(receiving, why);
		err = receiving < 0 ? receiving : 0;
	}
	if (!err && receiving >= 0) {
		err = receiver_start(&receiver, receiving, family_is_stream(spec->family),
				     place_second_cpu(&outbound->bench->place.at_start, spec->cpu,
						      PLACE_OTHER_CPU),
				     why);
		outbound->is_received = !err;
		receiving = -1;
	}
	if (receiving >= 0)
		close(receiving);
	return err;
}

/* Small pages, each buffer at the start of one: what is pinned is then the same everywhere. */
static int make_ring(struct outbound *outbound, struct refusal *why)
{
	const struct spec *spec = outbound->spec;
	struct ring *ring = &outbound->bench->ctx.ring;
	const size_t bytes = outbound->bench->ctx.size;

	ring->stride = (bytes + PAGE - 1) / PAGE * PAGE;
	ring->count = (uint32_t)spec->buffers;
	outbound->ring_bytes = ring->stride * ring->count;
	ring->start = mmap(NULL, outbound->ring_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring->start == MAP_FAILED) {
		outbound->ring_bytes = 0;
		return refuse_saying(why, "buffers", errno,
				     "the payload buffers do not fit; take fewer --buffers, or "
				     "raise the limit of locked memory: ulimit -l");
	}
	madvise(ring->start, outbound->ring_bytes, MADV_NOHUGEPAGE);
	memset(ring->start, 'x', outbound->ring_bytes);
	return 0;
}

/* A kernel with the control message takes it; every other refuses a type it does not know. */
static int ask_for_cmsg(const struct outbound *outbound, struct refusal *why)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(256)] = "";
	struct cmsghdr *cmsg = (struct cmsghdr *)control;
	struct iovec iov = { outbound->bench->ctx.ring.start, 1 };
	const struct msghdr msg = { .msg_iov = &iov,
				    .msg_iovlen = 1,
				    .msg_control = control,
				    .msg_controllen = sizeof(control) };

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_ZC_NOTIFICATION;
	cmsg->cmsg_len = CMSG_LEN(256);
	if (sendmsg(outbound->fd, &msg, MSG_ZEROCOPY) < 0 && errno == EINVAL)
		return refuse_saying(why, "cmsg", EOPNOTSUPP, "not in this kernel");
	return refuse_saying(why, "cmsg", EOPNOTSUPP,
			     "this kernel may have it, in a form that is not known here");
}

/* What a zerocopy send pins counts against one limit, the note of it against another. */
static int refuse_call(const struct outbound *outbound, int err, struct refusal *why)
{
	if (!outbound->is_zerocopy)
		return refuse(why, "call", err);
	if (collector_lacks_memlock(&collector, err, outbound->bench->ctx.size))
		return refuse_saying(why, "memlock", err,
				     "a send would pin more than RLIMIT_MEMLOCK allows");
	if (err == ENOBUFS)
		return refuse_saying(why, "optmem", ENOBUFS,
				     "no option memory for a notification: net.core.optmem_max");
	return refuse(why, "call", err);
}

/* A call that is not allowed, or too large, is refused before anything is measured. */
static int try_call(struct outbound *outbound, struct refusal *why)
{
	struct call_ctx *ctx = &outbound->bench->ctx;

	do { /* a corked message leaves with its last part */
		const int32_t moved = ctx->op(ctx);

		if (moved < 0)
			return refuse_call(outbound, -moved, why);
		outbound->tried_bytes += (uint64_t)moved;
		if (outbound->is_zerocopy)
			collector_note_call(&collector, moved);
		/* Of a batch through a ring, the call says only what it moved. */
		const int failed = uring_failed(ctx).first;

		if (failed)
			return refuse_call(outbound, -failed, why);
	} while (ctx->corked);
	if (outbound->is_zerocopy)
		collector_settle(&collector);
	return 0;
}

/* Whole calls, and the sends of whole messages: what is corked has not left and is not notified. */
static uint32_t calls_of_burst(const struct spec *spec, uint32_t batch)
{
	const int32_t sends = spec->zerocopy == NOTIFY_COPY ? spec->queue : spec->limit;
	const uint32_t cork = (uint32_t)spec->cork;
	const uint32_t whole = ((uint32_t)sends + cork - 1) / cork * cork;

	return (whole <= BURST_CALLS_MAX ? whole : whole - cork) / batch;
}

/* Make at least `calls` calls in whole bursts; add the ns rested between them to `rested_ns`. */
static void run_bursts(struct outbound *outbound, int32_t calls, uint64_t *rested_ns)
{
	struct bench *bench = outbound->bench;
	struct tally *tally = &bench->segment.tally;
	struct call_ctx *ctx = &bench->ctx;
	const bool observed = outbound->spec->observe;
	const uint32_t burst_calls = calls_of_burst(outbound->spec, ctx->batch);
	const burst_fn loop = burst_loop(bench->clock.form, observed);
	const call_op op = call_timed_op(ctx);

	while (tally->calls < (uint64_t)calls) {
		const uint64_t messages_before = ctx->messages;

		tally->loop += loop(&bench->log, op, ctx, burst_calls);
		const uint64_t messages = ctx->messages - messages_before;
		const uint32_t refused_before = tally->failed[ENOBUFS];

		if (outbound->is_zerocopy)
			collector_note_burst(&collector, &bench->log, burst_calls);
		tally_burst(tally, &bench->log, ctx, burst_calls, messages, observed);
		if (outbound->is_zerocopy)
			collector_look(&collector, tally->failed[ENOBUFS] != refused_before);
		*rested_ns += place_rest(&bench->place, false);
	}
}

static void warm_up(struct outbound *outbound)
{
	struct bench *bench = outbound->bench;
	uint64_t rested_ns = 0;

	tally_init(&bench->segment.tally, bench->cap);
	run_bursts(outbound, outbound->spec->warmup, &rested_ns);
	if (outbound->is_zerocopy) {
		collector_settle(&collector);
		collector_restart(&collector);
	}
	if (outbound->is_received) {
		receiver_settle(&receiver, outbound->tried_bytes + bench->segment.tally.bytes);
		receiver_reset(&receiver);
	}
	uring_reset(&bench->ctx);
	tally_init(&bench->segment.tally, bench->cap);
}

static void report_received(struct outbound *outbound)
{
	struct segment *segment = &outbound->bench->segment;
	const struct received received = receiver_settle(&receiver, segment->tally.bytes);
	struct measures *measures = &segment->measures;

	measures_count(measures, "received_calls", received.calls);
	measures_count(measures, "received_datagrams", received.datagrams);
	measures_count(measures, "received_bytes", received.bytes);
	measures_count(measures, "received_truncated", received.truncated);
	measures_count(measures, "receiver_errno", (uint64_t)receiver.err);
	if (outbound->spec->gro)
		*measures_hist(measures, "gro_segments", "datagrams") = receiver.occupancy;
}

/* Return 0, or -errno with `why` where the clock cannot be believed. */
static int measure(struct outbound *outbound, struct refusal *why)
{
	struct bench *bench = outbound->bench;
	struct segment *segment = &bench->segment;
	uint64_t rested_ns = 0;

	warm_up(outbound);
	usage_start(&segment->usage, outbound->spec->cpu);
	window_begin();
	run_bursts(outbound, outbound->spec->calls, &rested_ns);
	window_end();
	usage_stop(&segment->usage, outbound->spec->cpu);
	segment->usage.elapsed_ns -= rested_ns;
	uring_count(&bench->ctx, &segment->measures);
	if (outbound->is_zerocopy) {
		collector_settle(&collector);
		collector_report(&collector, &segment->measures);
	}
	if (outbound->is_received)
		report_received(outbound);
	return clock_check(&bench->clock, why);
}

static int open_outbound(struct outbound *outbound, struct refusal *why)
{
	struct bench *bench = outbound->bench;
	const struct spec *spec = outbound->spec;
	/* The calls' own preparation asks only for an end to send from. */
	struct sock_pair pair = {
		.family = spec->family, .tx = -1, .rx = -1, .tx_connected = true
	};
	int err = open_sockets(outbound, why);

	pair.tx = outbound->fd;
	call_prepare(&bench->ctx, spec, &pair, bench->tx_payload);
	outbound_prepare(&bench->ctx, spec);
	if (!err)
		err = make_ring(outbound, why);
	if (!err && spec->call->is_ring)
		err = uring_open(&bench->ctx, spec, &bench->place.at_start, why);
	if (!err && spec->zerocopy == NOTIFY_CMSG)
		err = ask_for_cmsg(outbound, why);
	if (!err && outbound->is_zerocopy)
		collector_open(&collector, &bench->ctx, (enum notify)spec->zerocopy, &bench->clock,
			       &bench->segment.measures);
	return err ? err : try_call(outbound, why);
}

static void close_outbound(struct outbound *outbound)
{
	uring_close(&outbound->bench->ctx);
	if (outbound->fd >= 0)
		close(outbound->fd);
	receiver_stop(&receiver);
	if (outbound->ring_bytes)
		munmap(outbound->bench->ctx.ring.start, outbound->ring_bytes);
}

int outbound_run(struct bench *bench, const struct spec *spec, struct refusal *why)
{
	struct outbound outbound = {
		.bench = bench,
		.spec = spec,
		.fd = -1,
		.is_zerocopy = spec->zerocopy != NOTIFY_COPY,
	};
	int err = open_outbound(&outbound, why);

	bench->segment.depth = calls_of_burst(spec, (uint32_t)spec->batch) * (uint32_t)spec->batch;
	if (!err)
		err = measure(&outbound, why);
	close_outbound(&outbound);
	return err;
}
