/* SPDX-License-Identifier: MIT */
/*
 * One burst: look for work, make the calls.
 *
 * The reader's brackets are chained through a whole burst, looking for work included, so their sum
 * is the burst, and the end of each is the time at which its messages were there.
 */
#include <errno.h>
#include <string.h>

#include "compiler.h"
#include "reader.h"
#include "sys.h"
#include "window.h"

int32_t reader_receive_one(struct reader *reader)
{
	struct call_ctx *ctx = &reader->bench->ctx;
	const int32_t moved = reader->op(ctx);

	memcpy(&reader->stamps[reader->stamp_count], ctx->buffer, sizeof(struct stamp));
	reader->messages[reader->entries] = moved >= 0;
	return moved;
}

int32_t reader_receive_batch(struct reader *reader)
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

/* One call on a channel. Return the messages it brought; -1 ends the burst. */
static ALWAYS_INLINE int32_t take(struct reader *reader, uint32_t channel, uint64_t *last,
				  uint64_t (*read)(void))
{
	if (!has_room(reader)) {
		reader->is_cut = true;
		return -1;
	}
	reader->bench->ctx.fd = reader->fds[channel];
	const int32_t moved = reader->receive(reader);

	if (moved == -EAGAIN)
		window_arm(); /* what found nothing is no call that a counting emulator counts */
	const uint16_t messages = reader->messages[reader->entries];

	reader->stamp_count += messages;
	*last = note(reader, ENTRY_CALL, moved, read(), *last);
	return messages;
}

/* Calls until one brings less than it could have: a single message, until there is none. */
static ALWAYS_INLINE void drain(struct reader *reader, uint32_t channel, uint64_t *last,
				uint64_t (*read)(void))
{
	const int32_t whole = (int32_t)reader->bench->ctx.batch;

	while (take(reader, channel, last, read) == whole)
		;
}

/* One call on the first `count` of `each`. Those that brought a message stay; return how many. */
static ALWAYS_INLINE uint32_t take_each(struct reader *reader, uint32_t count, uint64_t *last,
					uint64_t (*read)(void))
{
	struct call_ctx *ctx = &reader->bench->ctx;
	uint32_t brought = 0;

	if (!has_room(reader)) {
		reader->is_cut = true;
		return 0;
	}
	ctx->each_count = count;
	const int32_t moved = reader->op(ctx);

	if (moved == -EAGAIN)
		window_arm();
	for (uint32_t i = 0; i < count; i++) {
		if (reader->each[i].moved < 0)
			continue;
		memcpy(&reader->stamps[reader->stamp_count++], reader->vectors[i].iov_base,
		       sizeof(struct stamp));
		reader->each[brought++].channel = reader->each[i].channel;
	}
	reader->messages[reader->entries] = (uint16_t)brought;
	*last = note(reader, ENTRY_CALL, moved, read(), *last);
	return brought;
}

/* Calls on the first `count` of `each`, until none of them has a message. */
static ALWAYS_INLINE void drain_each(struct reader *reader, uint32_t count, uint64_t *last,
				     uint64_t (*read)(void))
{
	while (count > 0)
		count = take_each(reader, count, last, read);
}

static ALWAYS_INLINE uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* All that are ready, a batch at a time; `once`: one call on each. */
static ALWAYS_INLINE void take_ready(struct reader *reader, uint32_t ready, bool once,
				     uint64_t *last, uint64_t (*read)(void))
{
	const uint32_t batch = reader->bench->ctx.batch;

	for (uint32_t at = 0; at < ready; at += batch) {
		const uint32_t count = smaller(batch, ready - at);

		for (uint32_t i = 0; i < count; i++)
			reader->each[i].channel = reader->events[at + i].data.u32;
		if (once)
			take_each(reader, count, last, read);
		else
			drain_each(reader, count, last, read);
	}
}

/* Every socket, a batch at a time. */
static ALWAYS_INLINE void scan_each(struct reader *reader, uint64_t *last, uint64_t (*read)(void))
{
	const uint32_t channels = (uint32_t)reader->spec->channels;
	const uint32_t batch = reader->bench->ctx.batch;

	for (uint32_t at = 0; at < channels; at += batch) {
		const uint32_t count = smaller(batch, channels - at);

		for (uint32_t i = 0; i < count; i++)
			reader->each[i].channel = at + i;
		drain_each(reader, count, last, read);
	}
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

static ALWAYS_INLINE void take_one_by_one(struct reader *reader, uint64_t *last,
					  uint64_t (*read)(void))
{
	int32_t ready;

	switch (reader->spec->find) {
	case FIND_EPOLL:
		ready = find(reader, last, read);
		for (int32_t i = 0; i < ready; i++)
			drain(reader, reader->events[i].data.u32, last, read);
		break;
	case FIND_EPOLL_AGAIN:
		while (!reader->is_cut && (ready = find(reader, last, read)) > 0)
			for (int32_t i = 0; i < ready; i++)
				take(reader, reader->events[i].data.u32, last, read);
		break;
	case FIND_SCAN:
		for (int32_t i = 0; i < reader->spec->channels; i++)
			drain(reader, (uint32_t)i, last, read);
		break;
	}
}

static ALWAYS_INLINE void take_many_at_once(struct reader *reader, uint64_t *last,
					    uint64_t (*read)(void))
{
	int32_t ready;

	switch (reader->spec->find) {
	case FIND_EPOLL:
		ready = find(reader, last, read);
		if (ready > 0)
			take_ready(reader, (uint32_t)ready, false, last, read);
		break;
	case FIND_EPOLL_AGAIN:
		while (!reader->is_cut && (ready = find(reader, last, read)) > 0)
			take_ready(reader, (uint32_t)ready, true, last, read);
		break;
	case FIND_SCAN:
		scan_each(reader, last, read);
		break;
	}
}

/* One way to find work is one loop; which, is decided before the burst. */
static ALWAYS_INLINE uint64_t run_burst(struct reader *reader, uint64_t (*read)(void))
{
	reader->entries = reader->stamp_count = 0;
	reader->is_cut = false;
	window_arm();
	const uint64_t start = read();
	uint64_t last = start;

	reader->first = start;
	if (reader->spec->find == FIND_MULTISHOT)
		take_shots(reader, &last, read);
	else if (reader->takes_each)
		take_many_at_once(reader, &last, read);
	else
		take_one_by_one(reader, &last, read);
	return last - start;
}

#define BURST(form, clock)                                                                         \
	static uint64_t burst_##clock(struct reader *reader)                                       \
	{                                                                                          \
		return run_burst(reader, window_read_##clock);                                     \
	}
CLOCK_TIMES(BURST)

#define ROW(form, clock) [form] = burst_##clock,
static const reader_burst_fn burst_of[FORM_COUNT] = { CLOCK_TIMES(ROW) };

reader_burst_fn reader_burst(enum clock_form form)
{
	return burst_of[form];
}
