/* SPDX-License-Identifier: MIT */
/* A scenario is the traffic around the measured call: one file and one row of the table. */
#ifndef PROBE_SCENARIO_H
#define PROBE_SCENARIO_H

#include "burst.h"
#include "measures.h"
#include "place.h"
#include "usage.h"

/* What a segment measured. */
struct segment {
	int32_t id;
	uint32_t depth; /* messages per burst */
	int fifo_priority;
	struct usage usage;
	struct tally tally;
	struct measures measures;
};

/* All that a scenario works with; allocated once, touched and locked before anything is timed. */
struct bench {
	struct clock clock;
	struct place place;
	uint64_t cap; /* clock units; 0: none */
	struct burst_log log;
	struct call_ctx ctx;
	struct segment segment;
	_Alignas(64) char tx_payload[CALL_SIZE_MAX];
	_Alignas(64) char rx_payload[CALL_SIZE_MAX];
};

/* For tables whose rows mean something to some scenarios only. */
enum { IN_RECV = 1, IN_SEND = 2, IN_RR = 4, IN_CHANNELS = 8, IN_BULK = 16, IN_ZEROCOPY = 32 };
enum { IN_OUTBOUND = IN_BULK | IN_ZEROCOPY };

struct scenario {
	const char *name;
	uint32_t bit;             /* IN_… */
	enum direction direction; /* of the calls it names */
	/* Measure `spec` into bench->segment. Return 0, or -errno with `why`. */
	int (*run)(struct bench *bench, const struct spec *spec, struct refusal *why);
};

extern const struct scenario scenario_recv;
extern const struct scenario scenario_send;
extern const struct scenario scenario_bulk;
extern const struct scenario scenario_zerocopy;
extern const struct scenario scenario_rr;
extern const struct scenario scenario_channels;

/* Return the scenario called `name`, or NULL. */
const struct scenario *scenario_find(const char *name);

#endif
