/* SPDX-License-Identifier: MIT */
/*
 * channels: a media server. Many UDP sockets receive a message each per interval, at times fixed
 * beforehand; a reader wakes every tick and takes what is there; other threads keep the CPUs busy.
 *
 * The reader's brackets are chained through a whole burst, looking for work included, so their sum
 * is the burst, and the end of each is the time at which its messages were there.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "busy.h"
#include "compiler.h"
#include "pace.h"
#include "scenario.h"
#include "shots.h"
#include "sys.h"
#include "window.h"

enum { STAMPS_MAX = BURST_CALLS_MAX, SPARE_FDS = 64 };
/* Of the reader where the plan leaves it to us: above what else spins at the lowest. */
enum { READER_PRIORITY = 50, SENDER_BELOW = 10 };
static const uint64_t lead_ns = 20000000;           /* from here to the first tick */
static const uint64_t stall_least_ns = 100000;      /* shorter: the reading of two clocks */
static const uint64_t sender_limit_ns = 4000000000; /* behind by more, it never ends */
enum { STRAGGLER_TICKS = 20 };

/* What an entry of the burst's log was. */
enum entry { ENTRY_CALL, ENTRY_FIND };

/* All that a segment needs beside the bench: mapped for its time only. */
struct reader {
	struct bench *bench;
	const struct spec *spec;
	struct pace pace;
	struct pacer pacer;
	struct peer peer;
	struct busy busy;
	bool has_peer;
	int epoll;
	struct shots *shots; /* NULL unless the messages come as completions of a ring */
	int32_t (*receive)(struct reader *reader);
	call_op op;

	/* The burst. */
	uint32_t entries;
	uint32_t stamp_count;
	bool is_cut; /* its log was full before the sockets were empty */
	uint8_t kind[BURST_CALLS_MAX];
	uint16_t messages[BURST_CALLS_MAX];
	struct stamp stamps[STAMPS_MAX];
	struct iovec vectors[CALL_BATCH_MAX];
	struct epoll_event events[PACE_CHANNELS_MAX];

	/* What the measured part came to. */
	struct hist *bursts, *finds, *empties, *occupancy, *latency, *wake_late, *sender_late;
	uint64_t received, foreign, late, ticks, missed_ticks, overruns, cut_bursts;
	uint64_t stalls, stalled_ns, longest_stall_ns, counting_ns;

	int fds[PACE_CHANNELS_MAX];
	struct sockaddr_storage addrs[PACE_CHANNELS_MAX];
	char message[65536];
};

static int32_t receive_one(struct reader *reader)
{
	struct call_ctx *ctx = &reader->bench->ctx;
	const int32_t moved = reader->op(ctx);

	memcpy(&reader->stamps[reader->stamp_count], ctx->buffer, sizeof(struct stamp));
	reader->messages[reader->entries] = moved >= 0;
	return moved;
}

static int32_t receive_batch(struct reader *reader)
{
	struct call_ctx *ctx = &reader->bench->ctx;
	const uint64_t before = ctx->messages;
	const int32_t moved = reader->op(ctx);
	const uint32_t count = (uint32_t)(ctx->messages - before);

	for (uint32_t i = 0; i < count; i++)
		memcpy(&reader->stamps[reader->stamp_count + i], reader->vectors[i].iov_base,
		       sizeof(struct stamp));
	reader->messages[reader->entries] = (uint16_t)count;
	return moved;
}

/* Whether another call, of as many messages as any, still fits the log. */
static ALWAYS_INLINE bool has_room(const struct reader *reader)
{
	return reader->entries < BURST_CALLS_MAX - 1 &&
	       reader->stamp_count <= STAMPS_MAX - CALL_BATCH_MAX;
}

/* Close a bracket: what happened since `last` was of this kind. Return its end. */
static ALWAYS_INLINE uint64_t note(struct reader *reader, enum entry kind, int32_t moved,
				   uint64_t now, uint64_t last)
{
	struct burst_log *log = &reader->bench->log;
	const uint32_t i = reader->entries++;

	log->deltas[i] = now - last;
	log->moved[i] = moved;
	reader->kind[i] = (uint8_t)kind;
	return now;
}

/* One call on `fd`. Return the messages it brought; -1 ends the burst. */
static ALWAYS_INLINE int32_t take(struct reader *reader, int fd, uint64_t *last,
				  uint64_t (*read)(void))
{
	if (!has_room(reader)) {
		reader->is_cut = true;
		return -1;
	}
	reader->bench->ctx.fd = fd;
	const int32_t moved = reader->receive(reader);

	if (moved == -EAGAIN)
		window_arm(); /* what found nothing is no call that a counting emulator counts */
	const uint16_t messages = reader->messages[reader->entries];

	reader->stamp_count += messages;
	*last = note(reader, ENTRY_CALL, moved, read(), *last);
	return messages;
}

/* Calls until one brings less than it could have: a single message, until there is none. */
static ALWAYS_INLINE void drain(struct reader *reader, int fd, uint64_t *last,
				uint64_t (*read)(void))
{
	const int32_t whole = (int32_t)reader->bench->ctx.batch;

	while (take(reader, fd, last, read) == whole)
		;
}

/* Ask which sockets have messages, without waiting. */
static ALWAYS_INLINE int32_t find(struct reader *reader, uint64_t *last, uint64_t (*read)(void))
{
	const long ready = sys6(SYS_epoll_pwait, reader->epoll, (long)reader->events,
				reader->spec->channels, 0, 0, 0);

	window_arm(); /* nor is a look */
	*last = note(reader, ENTRY_FIND, (int32_t)ready, read(), *last);
	return (int32_t)ready;
}

/* Completions are found and taken in one bracket, the io_uring_enter that brings them with them:
 * until one brings none. */
static ALWAYS_INLINE void take_shots(struct reader *reader, uint64_t *last, uint64_t (*read)(void))
{
	int32_t taken;

	do {
		uint32_t bytes;

		if (!has_room(reader)) {
			reader->is_cut = true;
			return;
		}
		/* Not more than fit the number of an entry. */
		taken = shots_take(reader->shots, &reader->stamps[reader->stamp_count],
				   CALL_BATCH_MAX, &bytes);
		reader->messages[reader->entries] = (uint16_t)(taken > 0 ? taken : 0);
		reader->stamp_count += taken > 0 ? (uint32_t)taken : 0;
		*last = note(reader, ENTRY_CALL, taken > 0 ? (int32_t)bytes : taken, read(), *last);
	} while (taken > 0);
}

/* One way to find work is one loop; which, is decided before the burst. */
static ALWAYS_INLINE uint64_t run_burst(struct reader *reader, uint64_t (*read)(void))
{
	int32_t ready;

	reader->entries = reader->stamp_count = 0;
	reader->is_cut = false;
	window_arm();
	const uint64_t start = read();
	uint64_t last = start;

	switch (reader->spec->find) {
	case FIND_EPOLL:
		ready = find(reader, &last, read);
		for (int32_t i = 0; i < ready; i++)
			drain(reader, reader->events[i].data.fd, &last, read);
		break;
	case FIND_EPOLL_AGAIN:
		while (!reader->is_cut && (ready = find(reader, &last, read)) > 0)
			for (int32_t i = 0; i < ready; i++)
				take(reader, reader->events[i].data.fd, &last, read);
		break;
	case FIND_SCAN:
		for (int32_t i = 0; i < reader->spec->channels; i++)
			drain(reader, reader->fds[i], &last, read);
		break;
	case FIND_MULTISHOT:
		take_shots(reader, &last, read);
		break;
	}
	return last - start;
}

#define BURST(clock, observing_read)                                                               \
	static uint64_t burst_##clock(struct reader *reader)                                       \
	{                                                                                          \
		return run_burst(reader, observing_read);                                          \
	}

#if defined(__x86_64__)
BURST(lfence_rdtsc, window_read_lfence_rdtsc)
BURST(rdtscp, window_read_rdtscp)
#elif defined(__aarch64__)
BURST(cntvct, clock_read_cntvct)
#endif
BURST(gettime, clock_read_gettime)

/* None for cycles, whose rate varies: latency is counted in ns. */
static uint64_t (*const burst_of[FORM_COUNT])(struct reader *) = {
#if defined(__x86_64__)
	[FORM_LFENCE_RDTSC] = burst_lfence_rdtsc,
	[FORM_RDTSCP] = burst_rdtscp,
#elif defined(__aarch64__)
	[FORM_CNTVCT] = burst_cntvct,
#endif
	[FORM_GETTIME] = burst_gettime,
};

static void count_message(struct reader *reader, const struct stamp *stamp, uint64_t there_ns)
{
	const struct pace *pace = &reader->pace;
	const uint64_t latency_ns = there_ns - stamp->due_ns;

	if (stamp->magic != stamp_magic || stamp->due_ns < pace->start_ns ||
	    stamp->due_ns >= pace->end_ns) {
		reader->foreign++;
		return;
	}
	if (stamp->due_ns < pace->measured_ns)
		return;
	reader->received++;
	reader->late += latency_ns > 2000 * (uint64_t)reader->spec->tick_us;
	hist_record(reader->latency, &latency_ns, 1);
}

static void count_call(struct reader *reader, uint32_t entry, uint64_t delta)
{
	struct tally *tally = &reader->bench->segment.tally;
	const int32_t moved = reader->bench->log.moved[entry];
	const uint32_t messages = reader->messages[entry];

	if (moved == -EAGAIN) {
		hist_record(reader->empties, &delta, 1);
		return;
	}
	tally->calls++;
	hist_record(&tally->hist, &delta, 1);
	if (tally->values)
		values_add(tally->values, &delta, 1);
	if (moved < 0) {
		tally->failed[-moved % BURST_ERRNO_MAX]++;
		return;
	}
	tally->datagrams += messages;
	tally->bytes += (uint32_t)moved;
	tally->short_calls += (uint32_t)moved < messages * (uint32_t)reader->spec->size;
}

/* Count the burst that began at `start_ns`; its calls only if it `is_measured`. */
static void count_burst(struct reader *reader, uint64_t start_ns, bool is_measured)
{
	const struct burst_log *log = &reader->bench->log;
	const double ns_per_unit = 1e9 / reader->bench->clock.hz;
	const struct stamp *stamp = reader->stamps;
	uint64_t since = 0;

	for (uint32_t i = 0; i < reader->entries; i++) {
		const uint64_t delta = log->deltas[i];

		since += delta;
		if (reader->kind[i] == ENTRY_FIND) {
			if (is_measured)
				hist_record(reader->finds, &delta, 1);
			continue;
		}
		if (is_measured)
			count_call(reader, i, delta);
		for (uint32_t m = 0; m < reader->messages[i]; m++)
			count_message(reader, stamp++,
				      start_ns + (uint64_t)((double)since * ns_per_unit));
	}
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000U + (uint64_t)used.tv_nsec;
}

/* A burst waits for nothing, so time that was not the thread's was taken from it. */
static void count_stall(struct reader *reader, uint64_t elapsed_ns, uint64_t cpu_ns)
{
	const uint64_t stalled_ns = elapsed_ns > cpu_ns ? elapsed_ns - cpu_ns : 0;

	if (stalled_ns < stall_least_ns)
		return;
	reader->stalls++;
	reader->stalled_ns += stalled_ns;
	if (stalled_ns > reader->longest_stall_ns)
		reader->longest_stall_ns = stalled_ns;
}

/* The burst of the tick that was to be at `tick_ns`. */
static void do_tick(struct reader *reader, uint64_t tick_ns, bool is_measured)
{
	const uint64_t woke_ns = pace_now_ns(), wake_late_ns = woke_ns - tick_ns;
	const uint64_t cpu_before_ns = thread_cpu_ns();
	const uint64_t start_ns = pace_now_ns();
	const uint64_t took = burst_of[reader->bench->clock.form](reader);
	const uint64_t stop_ns = pace_now_ns();
	const uint64_t cpu_ns = thread_cpu_ns() - cpu_before_ns;
	const uint64_t occupancy = reader->stamp_count;

	count_burst(reader, start_ns, is_measured);
	if (!is_measured)
		return;
	reader->ticks++;
	reader->cut_bursts += reader->is_cut;
	reader->overruns += stop_ns - tick_ns > 1000 * (uint64_t)reader->spec->tick_us;
	reader->bench->segment.tally.loop += took;
	hist_record(reader->bursts, &took, 1);
	hist_record(reader->occupancy, &occupancy, 1);
	hist_record(reader->wake_late, &wake_late_ns, 1);
	count_stall(reader, stop_ns - start_ns, cpu_ns);
	reader->counting_ns += pace_now_ns() - stop_ns;
}

static void begin_measuring(struct reader *reader)
{
	struct segment *segment = &reader->bench->segment;
	struct measures *measures = &segment->measures;
	const char *unit = reader->bench->clock.unit;

	tally_init(&segment->tally, reader->bench->cap);
	measures_init(measures);
	reader->bursts = measures_hist(measures, "burst", unit);
	reader->finds = measures_hist(measures, "find", unit);
	reader->empties = measures_hist(measures, "empty", unit);
	reader->occupancy = measures_hist(measures, "burst_messages", "messages");
	reader->latency = measures_hist(measures, "latency", "ns");
	reader->wake_late = measures_hist(measures, "wake_late", "ns");
	reader->sender_late = measures_hist(measures, "sender_late", "ns");
}

/* Ticks until the schedule is over, and then as many as stragglers may need. */
static void read_to_the_end(struct reader *reader)
{
	const struct pace *pace = &reader->pace;
	const uint64_t tick_ns = 1000 * (uint64_t)reader->spec->tick_us;
	uint64_t last_ns = pace->end_ns + STRAGGLER_TICKS * tick_ns;
	struct usage *usage = &reader->bench->segment.usage;
	bool has_begun = false, has_ended = false;

	for (uint64_t at_ns = pace->start_ns; at_ns < last_ns; at_ns += tick_ns) {
		pace_sleep_until(at_ns);
		const bool is_measured = has_begun && at_ns <= pace->end_ns;

		do_tick(reader, at_ns, is_measured);
		if (!has_begun && at_ns >= pace->measured_ns) {
			has_begun = true;
			usage_start(usage, reader->spec->cpu);
			window_begin();
		}
		if (has_begun && !has_ended && at_ns >= pace->end_ns) {
			has_ended = true;
			window_end();
			usage_stop(usage, reader->spec->cpu);
		}
		const bool is_all_sent = atomic_load(&reader->peer.link->served) == 2;

		if (has_ended && is_all_sent &&
		    reader->received == reader->pacer.sent - reader->pacer.failed)
			break;
		/* What a late sender has yet to send is not lost. */
		if (!is_all_sent && at_ns < pace->end_ns + sender_limit_ns)
			last_ns = at_ns + STRAGGLER_TICKS * tick_ns;
		/* A tick that is over before it begins is missed; its messages wait for the next.
		 */
		while (at_ns + 2 * tick_ns <= pace_now_ns() && at_ns + tick_ns < pace->end_ns) {
			at_ns += tick_ns;
			reader->missed_ticks += at_ns > pace->measured_ns;
		}
	}
	if (has_begun && !has_ended)
		usage_stop(usage, reader->spec->cpu);
}

static void count_all(struct reader *reader)
{
	struct measures *measures = &reader->bench->segment.measures;
	const struct pacer *pacer = &reader->pacer;
	const uint64_t delivered = pacer->sent - pacer->failed;

	*reader->sender_late = pacer->late;
	measures_count(measures, "sent", pacer->sent);
	measures_count(measures, "send_failed", pacer->failed);
	measures_count(measures, "received", reader->received);
	measures_count(measures, "lost",
		       delivered > reader->received ? delivered - reader->received : 0);
	measures_count(measures, "late", reader->late);
	measures_count(measures, "foreign", reader->foreign);
	measures_count(measures, "ticks", reader->ticks);
	measures_count(measures, "missed_ticks", reader->missed_ticks);
	measures_count(measures, "overruns", reader->overruns);
	measures_count(measures, "cut_bursts", reader->cut_bursts);
	measures_count(measures, "stalls", reader->stalls);
	measures_count(measures, "stalled_ns", reader->stalled_ns);
	measures_count(measures, "longest_stall_ns", reader->longest_stall_ns);
	measures_count(measures, "counting_ns", reader->counting_ns);
	if (reader->shots)
		measures_count(measures, "rearmed", shots_rearmed(reader->shots));
	measures_count(measures, "phase_ns", reader->pace.phase_ns);
	measures_count(measures, "peer_cpu_ns", atomic_load(&reader->peer.link->cpu_ns));
	measures_count(measures, "peer_cpu", (uint64_t)atomic_load(&reader->peer.link->cpu));
	measures_count(measures, "peer_fifo_priority", (uint64_t)reader->peer.wish.priority);
}

static int measure(struct reader *reader, struct refusal *why)
{
	const int slack_ns = prctl(PR_GET_TIMERSLACK);
	int err = peer_ask(&reader->peer, 1);

	if (err)
		return refuse(why, "peer", -err);
	begin_measuring(reader);
	prctl(PR_SET_TIMERSLACK, 1);
	read_to_the_end(reader);
	prctl(PR_SET_TIMERSLACK, slack_ns);
	err = peer_wait(&reader->peer);
	if (err)
		return refuse_saying(why, "peer", -err, "the sender could not end its schedule");
	if (reader->ticks == 0)
		return refuse_saying(why, "pace", ETIME,
				     "a burst took longer than the whole measured part");
	count_all(reader);
	/* It slept between the ticks: no rest is due. */
	reader->bench->place.rested_ns = clock_raw_ns();
	return 0;
}

/* Descriptors for every channel, and for what else is open. */
static int allow_descriptors(uint32_t channels, struct refusal *why)
{
	const rlim_t wanted = channels + SPARE_FDS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return refuse(why, "descriptors", errno);
	if (limit.rlim_cur >= wanted)
		return 0;
	limit.rlim_cur = wanted;
	if (limit.rlim_max < wanted)
		limit.rlim_max = wanted; /* with CAP_SYS_RESOURCE */
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return refuse_saying(why, "descriptors", EMFILE,
				     "a descriptor per channel exceeds the limit: ulimit -n");
	return 0;
}

static int open_sockets(struct reader *reader, struct refusal *why)
{
	const struct family *family = reader->spec->family;
	const uint32_t channels = (uint32_t)reader->spec->channels;
	struct sockaddr_storage sender;
	socklen_t sender_len = sizeof(sender);
	int err = sock_open_bound(family, &reader->pacer.fd, why);

	if (err)
		return err;
	if (getsockname(reader->pacer.fd, (struct sockaddr *)&sender, &sender_len) < 0)
		return refuse(why, "getsockname", errno);
	for (uint32_t i = 0; i < channels; i++) {
		socklen_t addr_len = sizeof(reader->addrs[i]);

		err = sock_open_bound(family, &reader->fds[i], why);
		if (err)
			return err;
		if (getsockname(reader->fds[i], (struct sockaddr *)&reader->addrs[i], &addr_len) <
		    0)
			return refuse(why, "getsockname", errno);
		if (reader->spec->connected &&
		    connect(reader->fds[i], (struct sockaddr *)&sender, sender_len) < 0)
			return refuse(why, "connect", errno);
	}
	reader->pacer.addr_len = sender_len;
	return 0;
}

static int watch_sockets(struct reader *reader, struct refusal *why)
{
	reader->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (reader->epoll < 0)
		return refuse(why, "epoll_create", errno);
	for (int32_t i = 0; i < reader->spec->channels; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.fd = reader->fds[i] };

		if (epoll_ctl(reader->epoll, EPOLL_CTL_ADD, reader->fds[i], &event) < 0)
			return refuse(why, "epoll_ctl", errno);
	}
	return 0;
}

/* Each message of a batch has a buffer of its own here, since each is looked at. */
static void prepare_call(struct reader *reader)
{
	struct bench *bench = reader->bench;
	const struct sock_pair none = { .family = reader->spec->family, .tx = -1, .rx = -1 };

	call_prepare(&bench->ctx, reader->spec, &none, bench->rx_payload);
	reader->op = call_timed_op(&bench->ctx);
	reader->receive = bench->ctx.call->takes_batch ? receive_batch : receive_one;
	for (uint32_t i = 0; i < bench->ctx.batch; i++) {
		reader->vectors[i] = (struct iovec){
			.iov_base = bench->rx_payload + (size_t)i * bench->ctx.size,
			.iov_len = bench->ctx.size,
		};
		bench->ctx.batch_msgs[i].msg_hdr.msg_iov = &reader->vectors[i];
	}
}

/* Ticks count from a moment that is random to the kernel's own ticks: a period of 10 ms would
 * otherwise lock to one of 4. */
static int draw_schedule(struct reader *reader, struct refusal *why)
{
	const struct spec *spec = reader->spec;
	const uint64_t tick_ns = 1000 * (uint64_t)spec->tick_us;
	struct pace *pace = &reader->pace;
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		return refuse(why, "getrandom", errno);
	pace->channels = (uint32_t)spec->channels;
	pace->interval_ns = 1000 * (uint64_t)spec->interval_us;
	pace_draw(pace, seed);
	pace->start_ns = pace_now_ns() + lead_ns + seed % tick_ns;
	const uint64_t warm_ticks = (2 * pace->interval_ns + tick_ns - 1) / tick_ns;
	const uint64_t ticks = (1000000 * (uint64_t)spec->duration_ms + tick_ns - 1) / tick_ns;

	pace->measured_ns = pace->start_ns + warm_ticks * tick_ns;
	pace->end_ns = pace->measured_ns + ticks * tick_ns;
	return 0;
}

/* The lowest real-time priority would wait for every other thread that has it. */
static int take_priority(struct reader *reader, struct refusal *why)
{
	struct place *place = &reader->bench->place;

	if (reader->spec->priority != PLACE_AUTO_PRIORITY || place->auto_priority == 0)
		return 0;
	const int err = place_prioritise(READER_PRIORITY);

	if (err)
		return refuse(why, "priority", -err);
	place->priority = READER_PRIORITY;
	reader->bench->segment.fifo_priority = READER_PRIORITY;
	return 0;
}

static int sender_priority(int reader_priority)
{
	return reader_priority > SENDER_BELOW ? reader_priority - SENDER_BELOW : reader_priority;
}

static int start_sender(struct reader *reader, struct refusal *why)
{
	const struct place *place = &reader->bench->place;
	const int cpu =
		place_second_cpu(&place->at_start, reader->spec->cpu, reader->spec->peer_cpu);

	if (cpu == -ENODEV)
		return refuse_saying(why, "peer_cpu", ENODEV,
				     "this process may run on one CPU only");
	reader->pacer.pace = &reader->pace;
	reader->pacer.size = (uint32_t)reader->spec->size;
	reader->pacer.message = reader->message;
	reader->pacer.addrs = reader->addrs;
	hist_init(&reader->pacer.late, 0);
	const struct peer_wish wish = {
		.cpu = cpu,
		.priority = sender_priority(place->priority),
		.serve = pacer_serve,
		.context = &reader->pacer,
		.fd_of_ours = -1,
	};
	const int err = peer_start(&reader->peer, &wish, why);

	reader->has_peer = !err;
	return err;
}

static int reader_open(struct reader *reader, struct refusal *why)
{
	const struct spec *spec = reader->spec;
	int err = allow_descriptors((uint32_t)spec->channels, why);

	if (!err && !burst_of[reader->bench->clock.form])
		err = refuse_saying(why, "clock", EINVAL, "cycles are no time: take another clock");
	if (!err)
		err = take_priority(reader, why);
	if (!err)
		err = open_sockets(reader, why);
	if (!err)
		err = spec->find == FIND_MULTISHOT
			      ? shots_open(&reader->shots, spec, reader->fds, why)
			      : watch_sockets(reader, why);
	if (err)
		return err;
	prepare_call(reader);
	err = busy_start(&reader->busy, (uint32_t)spec->busy, &reader->bench->place.at_start, why);
	if (!err)
		err = start_sender(reader, why);
	return err ? err : draw_schedule(reader, why);
}

static void reader_close(struct reader *reader)
{
	if (reader->has_peer)
		peer_stop(&reader->peer, -1);
	busy_stop(&reader->busy);
	if (reader->epoll >= 0)
		close(reader->epoll);
	if (reader->shots)
		shots_close(reader->shots);
	if (reader->pacer.fd >= 0)
		close(reader->pacer.fd);
	for (int32_t i = 0; i < reader->spec->channels && reader->fds[i] >= 0; i++)
		close(reader->fds[i]);
}

static int run(struct bench *bench, const struct spec *spec, struct refusal *why)
{
	struct reader *reader = mmap(NULL, sizeof(*reader), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (reader == MAP_FAILED)
		return refuse(why, "mmap", errno);
	reader->bench = bench;
	reader->spec = spec;
	reader->epoll = reader->pacer.fd = -1;
	memset(reader->fds, 0xff, sizeof(reader->fds)); /* -1 each */
	bench->segment.depth = 1;
	int err = reader_open(reader, why);

	if (!err)
		err = measure(reader, why);
	reader_close(reader);
	munmap(reader, sizeof(*reader));
	return err;
}

const struct scenario scenario_channels = {
	.name = "channels", .bit = IN_CHANNELS, .direction = RECEIVES, .run = run
};
