/* SPDX-License-Identifier: MIT */
/* The reader of channels: what a burst works with, and what the measured part came to. */
#ifndef PROBE_READER_H
#define PROBE_READER_H

#include <sys/epoll.h>

#include "busy.h"
#include "pace.h"
#include "scenario.h"
#include "shots.h"

enum { STAMPS_MAX = BURST_CALLS_MAX };

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
	bool takes_each; /* a call receives on many sockets at once */

	/* The burst. */
	uint64_t first; /* clock at its first look */
	uint32_t entries;
	uint32_t stamp_count;
	bool is_cut; /* its log was full before the sockets were empty */
	uint8_t kind[BURST_CALLS_MAX];
	uint16_t messages[BURST_CALLS_MAX];
	struct stamp stamps[STAMPS_MAX];
	struct iovec vectors[CALL_BATCH_MAX];
	struct each each[CALL_BATCH_MAX];
	struct epoll_event events[PACE_CHANNELS_MAX];

	/* What the measured part came to. */
	struct hist *bursts, *finds, *empties, *occupancy, *latency, *wake_late, *sender_late;
	uint64_t received, foreign, late, early, ticks, missed_ticks, overruns, cut_bursts;
	uint64_t stalls, stalled_ns, longest_stall_ns, counting_ns;

	int fds[PACE_CHANNELS_MAX];
	struct sockaddr_storage addrs[PACE_CHANNELS_MAX];
	char message[65536];
};

/* One call on the socket of the call: a message, or a batch of one socket's. Return bytes or
 * -errno. */
int32_t reader_receive_one(struct reader *reader);
int32_t reader_receive_batch(struct reader *reader);

/* Takes all that is there; returns the clock units from its first look to its last. NULL for
 * cycles, whose rate varies: latency is counted in ns. */
typedef uint64_t (*reader_burst_fn)(struct reader *reader);
reader_burst_fn reader_burst(enum clock_form form);

/* Give the segment its histograms, all empty. */
void reader_begin(struct reader *reader);

/* Count the burst that followed the moment `before`; its calls only if it `is_measured`. */
void reader_count_burst(struct reader *reader, const struct instant *before, bool is_measured);

/* Add what the measured part came to. */
void reader_report(struct reader *reader);

#endif
