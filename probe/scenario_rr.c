/* SPDX-License-Identifier: MIT */
/*
 * rr: a request and its response, over and over: one transaction is in flight at a time. The cost
 * is that of a transaction; the send and the receive that make it are measured in the same breath.
 *
 * The measuring thread asks, its peer answers with the same pair of calls. Transactions run in
 * bursts, between which the peer sleeps: bookkeeping and rests happen there.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "compiler.h"
#include "memory.h"
#include "peer.h"
#include "scenario.h"
#include "sys.h"
#include "uring.h"
#include "window.h"

enum { BURST_TRANSACTIONS = 4096 };
/* Alarms within a wait: at the second it has lasted longer than their period. */
enum { OVERDUE = 2 };

/* One end: how it receives, how it sends, and in how many pieces a stream cut its messages. */
struct end {
	struct call_ctx receive;
	struct call_ctx send;
	uint64_t extra_receives;
	uint64_t extra_sends;
	const struct spec *spec; /* for a ring to be made of it */
	struct place_cpus spare_cpus;
};

struct rr {
	struct bench *bench;
	const struct spec *spec;
	struct sock_pair pair;
	struct peer peer;
	bool has_peer;
	struct hist *requests;
	struct hist *responses;
	uint64_t empty_polls;
};

/* What a burst logs besides the transactions; put into histograms after it. */
struct parts_log {
	uint64_t requests[BURST_TRANSACTIONS];
	uint64_t responses[BURST_TRANSACTIONS];
	uint64_t empty_polls;
};

static struct parts_log parts;
static struct end ours, theirs;
static char echoed[CALL_SIZE_MAX];

/* Counts signals, whose only use is to interrupt a wait that would last for ever. */
static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
	(void)signal;
	alarms = alarms + 1;
}

/* A process that has ended answers no more: whoever waits has waited long enough. */
static void on_death(int signal)
{
	(void)signal;
	alarms = alarms + OVERDUE;
}

/* 0: no more. Without SA_RESTART the system call that a signal interrupts returns. */
static void set_alarm(time_t seconds)
{
	const struct sigaction on_time = { .sa_handler = on_alarm };
	const struct sigaction on_end = { .sa_handler = seconds ? on_death : SIG_DFL };
	const struct itimerval timer = { .it_interval.tv_sec = seconds,
					 .it_value.tv_sec = seconds };

	sigaction(SIGALRM, &on_time, NULL);
	sigaction(SIGCHLD, &on_end, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static ALWAYS_INLINE bool is_over(sig_atomic_t alarms_before)
{
	return alarms - alarms_before >= OVERDUE;
}

static ALWAYS_INLINE bool is_to_repeat(int32_t result)
{
	return result == -EAGAIN || result == -EINTR;
}

/* The socket took a part of the message: send the rest. Return 0 or -errno. */
static int send_rest(struct end *end, uint32_t rest)
{
	const sig_atomic_t before = alarms;

	while (rest) {
		const long sent = sys6(SYS_sendto, end->send.fd, (long)end->send.buffer, rest,
				       MSG_NOSIGNAL, 0, 0);

		end->extra_sends++;
		if (sent > 0)
			rest -= (uint32_t)sent;
		else if (!is_to_repeat((int32_t)sent))
			return sent ? (int)sent : -EPIPE;
		else if (is_over(before))
			return -ETIMEDOUT;
	}
	return 0;
}

/* Send one message. Return 0 or -errno. */
static ALWAYS_INLINE int send_message(struct end *end, call_op op)
{
	const int32_t sent = op(&end->send);
	const uint32_t whole = call_expected_bytes(&end->send);

	if ((uint32_t)sent == whole)
		return 0;
	if (sent < 0 && !is_to_repeat(sent))
		return sent;
	return send_rest(end, whole - (sent < 0 ? 0 : (uint32_t)sent));
}

/* A receive of a wait that began at `before` brought less than a message: take the rest. Return 0
 * or -errno. */
static int receive_rest(struct end *end, const struct peer_link *link, int32_t got,
			sig_atomic_t before)
{
	uint32_t rest = call_expected_bytes(&end->receive);

	for (;;) {
		if (got > 0)
			rest -= (uint32_t)got < rest ? (uint32_t)got : rest;
		else if (!is_to_repeat(got))
			return got ? got : -EPIPE;
		else if (is_over(before) || (link && atomic_load(&link->is_stopping)))
			return -ETIMEDOUT;
		if (!rest)
			return 0;
		/* No more than the rest can come: the next message waits for our answer. */
		got = end->receive.call->op(&end->receive);
		end->extra_receives++;
	}
}

static ALWAYS_INLINE bool is_whole(const struct end *end, int32_t got)
{
	return (uint32_t)got == call_expected_bytes(&end->receive);
}

/* The peer: answer `count` requests. */
static int serve(void *context, struct peer_link *link, uint32_t count)
{
	struct end *end = context;
	int err = 0;

	for (uint32_t i = 0; !err && i < count; i++) {
		int32_t got;

		do
			got = end->receive.call->op(&end->receive);
		while (is_to_repeat(got) &&
		       !atomic_load_explicit(&link->is_stopping, memory_order_relaxed));
		if (!is_whole(end, got))
			err = receive_rest(end, link, got, alarms);
		if (!err)
			err = send_message(end, end->send.call->op);
	}
	return err;
}

/* The peer of a conversation through rings; its ring is its own thread's, so it makes it. */
static int make_peers_ring(void *context, struct refusal *why)
{
	struct end *end = context;

	return uring_open(&end->receive, end->spec, &end->spare_cpus, why);
}

static int serve_ring(void *context, struct peer_link *link, uint32_t count)
{
	struct end *end = context;
	const int err = uring_answer(&end->receive, count);

	return atomic_load(&link->is_stopping) ? -ECANCELED : err;
}

/* Make `count` transactions. Return 0 or -errno. */
typedef int (*transact_fn)(struct burst_log *log, call_op send, call_op receive, uint32_t count,
			   uint64_t *loop);

static ALWAYS_INLINE uint64_t read_if(bool observed, uint64_t (*read)(void))
{
	return observed ? read() : 0;
}

static ALWAYS_INLINE int transact(struct burst_log *log, call_op send, call_op receive,
				  uint32_t count, uint64_t *loop, bool observed,
				  uint64_t (*read)(void), uint64_t (*read_part)(void))
{
	int err = 0;

	parts.empty_polls = 0;
	window_arm();
	const uint64_t start = read();
	uint64_t last = start;

	for (uint32_t i = 0; i < count; i++) {
		err = send_message(&ours, send);
		if (err)
			break;
		const uint64_t sent = read_if(observed, read_part);
		const sig_atomic_t alarms_before = alarms;
		uint64_t tried = sent, now;
		int32_t got;

		for (;;) {
			got = receive(&ours.receive);
			if (is_whole(&ours, got)) {
				now = read_if(observed, read);
				break;
			}
			now = read_if(observed, read_part);
			if (!is_to_repeat(got) || is_over(alarms_before))
				break;
			if (got == -EAGAIN) {
				parts.empty_polls++;
				tried = now;
			}
		}
		if (!is_whole(&ours, got)) {
			err = receive_rest(&ours, NULL, got, alarms_before);
			if (err)
				break;
			now = read_if(observed, read);
		}
		parts.requests[i] = sent - last;
		parts.responses[i] = now - tried;
		log->deltas[i] = now - last;
		last = now;
	}
	*loop += (observed ? last : read()) - start;
	return err;
}

/* Only the end of a transaction is a marked read. */
#define LOOPS(form, clock)                                                                         \
	static int observed_##clock(struct burst_log *log, call_op send, call_op receive,          \
				    uint32_t count, uint64_t *loop)                                \
	{                                                                                          \
		return transact(log, send, receive, count, loop, true, window_read_##clock,        \
				clock_read_##clock);                                               \
	}                                                                                          \
	static int unobserved_##clock(struct burst_log *log, call_op send, call_op receive,        \
				      uint32_t count, uint64_t *loop)                              \
	{                                                                                          \
		return transact(log, send, receive, count, loop, false, clock_read_##clock,        \
				clock_read_##clock);                                               \
	}
CLOCK_FORMS(LOOPS)

#define ROW(form, clock) [form] = { observed_##clock, unobserved_##clock },
static const struct {
	transact_fn observed;
	transact_fn unobserved;
} loops[FORM_COUNT] = { CLOCK_FORMS(ROW) };

/* One end of `pair`, seen from there: it receives at rx and sends from tx. */
static void prepare_end(struct end *end, const struct spec *spec, const struct sock_pair *from,
			const struct sock_pair *to, void *received, void *sent)
{
	struct spec sending = *spec;

	sending.call = spec->call->answer;
	sending.work = 0;
	sending.name = 0;
	call_prepare(&end->receive, spec, from, received);
	call_prepare(&end->send, &sending, to, sent);
	end->extra_receives = end->extra_sends = 0;
}

/* A server that is not connected answers whom the request came from. */
static void answer_the_sender(struct end *end)
{
	end->send.addr = end->receive.addr;
	end->send.msg.msg_name = end->receive.addr;
}

static void prepare_ends(struct rr *rr)
{
	const struct sock_pair *pair = &rr->pair;
	struct spec answering = *rr->spec;
	struct sock_pair back = *pair; /* the way of the responses */

	back.rx = pair->tx;
	back.tx = pair->rx;
	prepare_end(&ours, rr->spec, &back, pair, rr->bench->rx_payload, rr->bench->tx_payload);
	answering.work = 0;
	answering.name = answering.name || !answering.connected;
	prepare_end(&theirs, &answering, pair, &back, echoed, echoed);
	if (!rr->spec->connected)
		answer_the_sender(&theirs);
	ours.spec = theirs.spec = rr->spec;
	ours.spare_cpus = theirs.spare_cpus = rr->bench->place.at_start;
}

static int set_waiting(int fd, bool is_blocking, struct refusal *why)
{
	const int flags = is_blocking ? 0 : O_NONBLOCK;

	return fcntl(fd, F_SETFL, flags) < 0 ? refuse(why, "fcntl", errno) : 0;
}

static int start_peer(struct rr *rr, struct refusal *why)
{
	const struct spec *spec = rr->spec;
	const struct place *place = &rr->bench->place;
	const int cpu = place_second_cpu(&place->at_start, spec->cpu, spec->peer_cpu);

	if (cpu == -ENODEV)
		return refuse_saying(why, "peer_cpu", ENODEV,
				     "this process may run on one CPU only");
	if (spec->wait == WAIT_SPIN && cpu != PLACE_ANY_CPU && cpu == spec->cpu)
		return refuse_saying(why, "wait", EDEADLK,
				     "two ends that spin on one CPU keep each other from running");
	const struct peer_wish wish = {
		.is_process = spec->peer_process,
		.cpu = cpu,
		.priority = place->priority,
		.prepare = spec->call->is_ring ? make_peers_ring : NULL,
		.serve = spec->call->is_ring ? serve_ring : serve,
		.context = &theirs,
		.fd_of_ours = rr->pair.tx,
		.fd_of_peer = &rr->pair.rx,
	};
	const int err = peer_start(&rr->peer, &wish, why);

	rr->has_peer = !err;
	return err;
}

static void rr_close(struct rr *rr)
{
	set_alarm(0);
	if (rr->has_peer) {
		/* A ring's wait ends with a message, not with the socket. */
		atomic_store(&rr->peer.link->is_stopping, true);
		if (rr->spec->call->is_ring)
			send(rr->pair.tx, rr->bench->tx_payload, (size_t)rr->spec->size,
			     MSG_DONTWAIT | MSG_NOSIGNAL);
		peer_stop(&rr->peer, rr->pair.rx);
	}
	uring_close(&ours.receive);
	uring_close(&theirs.receive);
	sock_pair_close(&rr->pair);
}

static int open_ring(struct rr *rr, struct refusal *why)
{
	if (rr->spec->wait == WAIT_SPIN || rr->spec->ring == RING_SQPOLL)
		return refuse_saying(why, "ring", EINVAL,
				     "ends that talk through rings wait in io_uring_enter");
	ours.receive.op = rr->spec->call->exchange;
	return uring_open(&ours.receive, rr->spec, &rr->bench->place.at_start, why);
}

static int rr_open(struct rr *rr, struct refusal *why)
{
	const struct spec *spec = rr->spec;
	const bool is_blocking = spec->wait == WAIT_BLOCK;
	const struct sock_wish wish = {
		.family = spec->family,
		.tx_connected = spec->connected,
		.rx_connected = spec->connected,
		.queued_bytes = 2 * (uint64_t)spec->size + 1280,
	};
	int err = sock_pair_open(&rr->pair, &wish, why);

	if (err)
		return err;
	rr->bench->segment.depth = 1;
	memory_touch(&parts, sizeof(parts));
	prepare_ends(rr);
	err = set_waiting(rr->pair.tx, is_blocking, why);
	if (!err)
		err = set_waiting(rr->pair.rx, is_blocking, why);
	if (!err && spec->call->is_ring)
		err = open_ring(rr, why);
	if (!err && spec->call->direction != MOVES_NOTHING)
		err = start_peer(rr, why);
	set_alarm(1);
	if (err)
		rr_close(rr);
	return err;
}

/* Make `calls` transactions; add the ns rested between bursts to `rested_ns`. */
static int run_bursts(struct rr *rr, int32_t calls, uint64_t *rested_ns, struct refusal *why)
{
	struct bench *bench = rr->bench;
	struct tally *tally = &bench->segment.tally;
	const call_op send = ours.send.call->op, receive = call_timed_op(&ours.receive);
	const bool observed = rr->spec->observe;
	const transact_fn loop =
		observed ? loops[bench->clock.form].observed : loops[bench->clock.form].unobserved;

	while (tally->calls < (uint64_t)calls) {
		const uint64_t left = (uint64_t)calls - tally->calls;
		const uint32_t count =
			left < BURST_TRANSACTIONS ? (uint32_t)left : BURST_TRANSACTIONS;
		int err = rr->has_peer ? peer_ask(&rr->peer, count) : 0;

		if (!err)
			err = loop(&bench->log, send, receive, count, &tally->loop);
		if (!err && rr->has_peer)
			err = peer_wait(&rr->peer);
		if (err)
			return peer_refuse(&rr->peer, err, why);
		tally->calls += count;
		rr->empty_polls += parts.empty_polls;
		if (tally->values)
			values_add(tally->values, bench->log.deltas, count);
		if (observed) {
			hist_record(&tally->hist, bench->log.deltas, count);
			hist_record(rr->requests, parts.requests, count);
			hist_record(rr->responses, parts.responses, count);
		}
		*rested_ns += place_rest(&bench->place, false);
	}
	return 0;
}

static void begin_phase(struct rr *rr)
{
	struct segment *segment = &rr->bench->segment;

	tally_init(&segment->tally, rr->bench->cap);
	measures_init(&segment->measures);
	rr->requests = measures_hist(&segment->measures, "request", rr->bench->clock.unit);
	rr->responses = measures_hist(&segment->measures, "response", rr->bench->clock.unit);
	rr->empty_polls = ours.extra_receives = ours.extra_sends = 0;
}

static uint64_t peer_cpu_ns(const struct rr *rr)
{
	return rr->has_peer ? atomic_load(&rr->peer.link->cpu_ns) : 0;
}

static void count_all(const struct rr *rr, uint64_t peer_ns)
{
	struct segment *segment = &rr->bench->segment;
	struct measures *measures = &segment->measures;
	const bool moves = rr->has_peer;

	segment->tally.datagrams = moves ? 2 * segment->tally.calls : 0;
	segment->tally.bytes = segment->tally.datagrams * (uint64_t)rr->spec->size;
	measures_count(measures, "empty_polls", rr->empty_polls);
	measures_count(measures, "extra_receives", ours.extra_receives);
	measures_count(measures, "extra_sends", ours.extra_sends);
	uring_count(&ours.receive, measures);
	if (!moves)
		return;
	measures_count(measures, "peer_cpu_ns", peer_ns);
	measures_count(measures, "peer_cpu", (uint64_t)atomic_load(&rr->peer.link->cpu));
	measures_count(measures, "peer_fifo_priority", (uint64_t)rr->peer.wish.priority);
}

static int measure(struct rr *rr, struct refusal *why)
{
	struct segment *segment = &rr->bench->segment;
	uint64_t rested_ns = 0;

	begin_phase(rr);
	int err = run_bursts(rr, rr->spec->warmup, &rested_ns, why);

	if (err)
		return err;
	begin_phase(rr);
	uring_reset(&ours.receive);
	rested_ns = 0;
	const uint64_t before_ns = peer_cpu_ns(rr);

	usage_start(&segment->usage, rr->spec->cpu);
	window_begin();
	err = run_bursts(rr, rr->spec->calls, &rested_ns, why);
	window_end();
	usage_stop(&segment->usage, rr->spec->cpu);
	segment->usage.elapsed_ns -= rested_ns;
	count_all(rr, peer_cpu_ns(rr) - before_ns);
	return err ? err : clock_check(&rr->bench->clock, why);
}

static int run(struct bench *bench, const struct spec *spec, struct refusal *why)
{
	struct rr rr = { .bench = bench, .spec = spec };
	int err = rr_open(&rr, why);

	if (err)
		return err;
	err = measure(&rr, why);
	rr_close(&rr);
	return err;
}

const struct scenario scenario_rr = {
	.name = "rr", .bit = IN_RR, .direction = RECEIVES, .run = run
};
