/* SPDX-License-Identifier: MIT */
/*
 * channels: a media server. Many UDP sockets receive a message each per interval, at times fixed
 * beforehand; a reader wakes every tick and takes what is there; other threads keep the CPUs busy.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "reader.h"
#include "uring.h"
#include "window.h"

/* Standard input and output and what is inherited; the sender's, an epoll, a ring, a counter, and
 * a file that is read. */
enum { SPARE_FDS = 16 };
/* Of the reader where the plan leaves it to us: above what else spins at the lowest. */
enum { READER_PRIORITY = 50, SENDER_BELOW = 10 };
static const uint64_t lead_ns = 20000000;           /* from here to the first tick */
static const uint64_t stall_least_ns = 100000;      /* shorter: the reading of two clocks */
static const uint64_t sender_limit_ns = 4000000000; /* behind by more, it never ends */
enum { STRAGGLER_TICKS = 20 };

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
	const enum clock_form form = reader->bench->clock.form;
	const uint64_t cpu_before_ns = thread_cpu_ns();
	/* It may be interrupted before its first look: what was read when, hangs on both clocks. */
	const struct instant before = clock_read_both(form, pace_now_ns, 4);
	const uint64_t took = reader_burst(form)(reader);
	const uint64_t stop_ns = pace_now_ns();
	const uint64_t cpu_ns = thread_cpu_ns() - cpu_before_ns;
	const uint64_t occupancy = reader->stamp_count;

	reader_count_burst(reader, &before, is_measured);
	if (!is_measured)
		return;
	reader->ticks++;
	reader->cut_bursts += reader->is_cut;
	reader->overruns += stop_ns - tick_ns > 1000 * (uint64_t)reader->spec->tick_us;
	reader->bench->segment.tally.loop += took;
	hist_record(reader->bursts, &took, 1);
	hist_record(reader->occupancy, &occupancy, 1);
	hist_record(reader->wake_late, &wake_late_ns, 1);
	count_stall(reader, stop_ns - before.ns, cpu_ns);
	reader->counting_ns += pace_now_ns() - stop_ns;
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
		/* What a late sender has yet to send is not lost, nor what is still on its way. */
		if (!is_all_sent && at_ns < pace->end_ns + sender_limit_ns)
			last_ns = pace_now_ns() + STRAGGLER_TICKS * tick_ns;
		/* A tick that is over before it begins is missed; its messages wait for the next.
		 */
		while (at_ns + 2 * tick_ns <= pace_now_ns() &&
		       (has_ended || at_ns + tick_ns < pace->end_ns)) {
			at_ns += tick_ns;
			reader->missed_ticks += !has_ended && at_ns > pace->measured_ns;
		}
	}
	if (has_begun && !has_ended)
		usage_stop(usage, reader->spec->cpu);
}

static int measure(struct reader *reader, struct refusal *why)
{
	const int slack_ns = prctl(PR_GET_TIMERSLACK);
	int err = peer_ask(&reader->peer, 1);

	if (err)
		return peer_refuse(&reader->peer, err, why);
	reader_begin(reader);
	prctl(PR_SET_TIMERSLACK, 1);
	read_to_the_end(reader);
	prctl(PR_SET_TIMERSLACK, slack_ns);
	err = peer_wait(&reader->peer);
	if (err)
		return refuse_saying(why, "peer", -err, "the sender could not end its schedule");
	if (reader->ticks == 0)
		return refuse_saying(why, "pace", ETIME,
				     "a burst took longer than the whole measured part");
	if (reader->bench->segment.tally.calls == 0)
		return refuse_saying(why, "pace", ETIME,
				     "no message had come by the end of the measured part");
	reader_report(reader);
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
		struct epoll_event event = { .events = EPOLLIN, .data.u32 = (uint32_t)i };

		if (epoll_ctl(reader->epoll, EPOLL_CTL_ADD, reader->fds[i], &event) < 0)
			return refuse(why, "epoll_ctl", errno);
	}
	return 0;
}

static void receive_on_each(struct reader *reader)
{
	struct call_ctx *ctx = &reader->bench->ctx;

	ctx->op = ctx->call->each;
	ctx->each = reader->each;
	ctx->fds = reader->fds;
}

/* Each message of a batch has a buffer of its own here, since each is looked at. */
static void prepare_call(struct reader *reader)
{
	struct bench *bench = reader->bench;
	const struct sock_pair none = { .family = reader->spec->family, .tx = -1, .rx = -1 };

	call_prepare(&bench->ctx, reader->spec, &none, bench->rx_payload);
	if (reader->takes_each)
		receive_on_each(reader);
	reader->op = call_timed_op(&bench->ctx);
	reader->receive = bench->ctx.call->takes_batch ? reader_receive_batch : reader_receive_one;
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

/* The lowest real-time priority would wait for every other thread that has it; where a limit allows
 * no more, it is better than none. */
static int take_priority(struct reader *reader, struct refusal *why)
{
	struct place *place = &reader->bench->place;

	if (reader->spec->priority != PLACE_AUTO_PRIORITY || place->auto_priority == 0)
		return 0;
	const int err = place_prioritise(READER_PRIORITY);

	if (err == -EPERM)
		return 0;
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

	if (!err && !reader_burst(reader->bench->clock.form))
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
	reader->takes_each = spec->call->each;
	prepare_call(reader);
	if (reader->takes_each)
		err = uring_open(&reader->bench->ctx, spec, &reader->bench->place.at_start, why);
	if (err)
		return err;
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
	uring_close(&reader->bench->ctx);
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
