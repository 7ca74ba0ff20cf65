/* SPDX-License-Identifier: MIT */
/* Rules across keys, each with the sentence that a person reads when it is broken. */
#include "spec_check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "pace.h"
#include "scenario.h"

/* Rounded up to whole bursts, they still fit. */
enum { RAW_CALLS_MAX = VALUES_MAX / 2 };

#define RULE(broken, ...)                                                                          \
	do {                                                                                       \
		if (broken) {                                                                      \
			snprintf(text, text_size, __VA_ARGS__);                                    \
			return -EINVAL;                                                            \
		}                                                                                  \
	} while (0)

/* Through one ring: an operation on each of many sockets, or a multishot receive of bare payload
 * armed on each. */
static bool receives_on_many(const struct call *call)
{
	return call->each || (call->is_multishot && !call->is_message);
}

static bool is_of_scenario(const struct call *call, const struct scenario *scenario)
{
	if (call->direction == MOVES_NOTHING)
		return scenario->bit != IN_CHANNELS;
	if (call->direction != scenario->direction)
		return false;
	switch (scenario->bit) {
	case IN_SEND:
		return !call->cut;
	case IN_RR:
		return call->answer;
	case IN_CHANNELS:
		return !call->is_ring || receives_on_many(call);
	case IN_BULK:
	case IN_ZEROCOPY:
		return call->outbound;
	default:
		return true;
	}
}

static int check_outbound(const struct spec *spec, char *text, size_t text_size)
{
	const struct call *call = spec->call;
	const struct family *family = spec->family;
	struct in6_addr address;
	const bool is_zerocopy = spec->zerocopy != NOTIFY_COPY;

	RULE(spec->zerocopy == NOTIFY_CQE && !call->is_ring,
	     "zerocopy=cqe: %s goes through no ring", call->name);
	RULE(spec->zerocopy == NOTIFY_CQE && !call->zerocopy,
	     "zerocopy=cqe: %s has no zerocopy form", call->name);
	RULE(is_zerocopy && spec->zerocopy != NOTIFY_CQE && call->is_ring,
	     "zerocopy: the notifications of %s are completions, cqe", call->name);
	RULE(spec->cork > 1 && call->outbound && !call->corked, "cork=%d: %s makes whole messages",
	     spec->cork, call->name);
	RULE(family->domain == AF_UNIX, "family %s: scenario %s needs a network", family->name,
	     spec->scenario->name);
	RULE(inet_pton(family->domain, spec->to, &address) != 1, "to=%s is no address of %s",
	     spec->to, family->name);
	RULE(!spec->connected, "connected=no: scenario %s connects its socket",
	     spec->scenario->name);
	RULE(call->cut && family_is_stream(family), "call %s: a %s socket has no UDP_SEGMENT",
	     call->name, family->name);
	RULE(!call->cut && spec->segments > 1, "segments=%d: %s sends whole messages",
	     spec->segments, call->name);
	RULE((int64_t)spec->size * spec->segments > CALL_SIZE_MAX,
	     "size=%d, segments=%d: more than %d bytes", spec->size, spec->segments, CALL_SIZE_MAX);
	RULE(spec->gro && (!spec->receiver || family_is_stream(family)),
	     "gro=yes: there is no UDP receiver");
	RULE(is_zerocopy && spec->limit < spec->batch, "limit=%d is smaller than batch=%d",
	     spec->limit, spec->batch);
	RULE(is_zerocopy && spec->limit < spec->cork, "limit=%d is smaller than cork=%d",
	     spec->limit, spec->cork);
	return 0;
}

static int check_conversation(const struct spec *spec, char *text, size_t text_size)
{
	const struct call *call = spec->call;
	const bool is_null = call->direction == MOVES_NOTHING;

	RULE(spec->batch > 1, "batch=%d: one transaction is in flight at a time", spec->batch);
	RULE(!spec->connected && !is_null && (!call->takes_name || call->is_ring),
	     "connected=no: %s cannot learn whom to answer", call->name);
	RULE(spec->control != CONTROL_NONE, "control: scenario %s has no control data",
	     spec->scenario->name);
	return 0;
}

static int check_channels(const struct spec *spec, char *text, size_t text_size)
{
	const struct call *call = spec->call;

	RULE(spec->family->domain == AF_UNIX || family_is_stream(spec->family),
	     "family %s: scenario %s is UDP", spec->family->name, spec->scenario->name);
	RULE((spec->find == FIND_MULTISHOT) != call->is_multishot,
	     "find=multishot: with and only with a multishot call");
	RULE(spec->size < PACE_STAMP_BYTES, "size=%d: a message begins with a stamp of %d bytes",
	     spec->size, PACE_STAMP_BYTES);
	RULE((int64_t)spec->size * spec->batch > CALL_SIZE_MAX,
	     "size=%d, batch=%d: more than %d bytes", spec->size, spec->batch, CALL_SIZE_MAX);
	RULE(spec->control == CONTROL_TIMESTAMP, "control: scenario %s asks for no timestamps",
	     spec->scenario->name);
	RULE(!spec->observe, "observe=no: scenario %s needs the clock", spec->scenario->name);
	return 0;
}

/* A copying send in a ring with them takes none, but is the baseline of one that does. */
static bool takes_registered_buffer(const struct spec *spec)
{
	const struct call *call =
		spec->scenario->bit & IN_OUTBOUND ? spec->call->zerocopy : spec->call;

	return call && call->takes_registered;
}

int spec_check(const struct spec *spec, char *text, size_t text_size)
{
	const struct call *call = spec->call;
	const struct family *family = spec->family;

	RULE(!is_of_scenario(call, spec->scenario), "call %s is not one of scenario %s", call->name,
	     spec->scenario->name);
	RULE(spec->size > family->size_max, "size=%d: a message of %s holds at most %d bytes",
	     spec->size, family->name, family->size_max);
	RULE(spec->batch > 1 && !call->takes_batch, "batch=%d: %s moves one message a call",
	     spec->batch, call->name);
	RULE(spec->name && !call->takes_name, "name=yes: %s cannot ask for the sender's address",
	     call->name);
	RULE(spec->control != CONTROL_NONE && !call->takes_control,
	     "control: %s takes no control buffer", call->name);
	RULE(spec->queue < spec->batch, "queue=%d is smaller than batch=%d", spec->queue,
	     spec->batch);
	RULE(!spec->connected && family_is_stream(family),
	     "connected=no: a %s socket is always connected", family->name);
	RULE(!spec->connected && spec->scenario->direction == SENDS && !call->takes_destination,
	     "connected=no: %s cannot name a destination", call->name);
	RULE((spec->ring || spec->registered) && !call->is_ring,
	     "ring, registered: %s goes through no ring", call->name);
	RULE(spec->registered == REGISTERED_BUFFERS && !takes_registered_buffer(spec),
	     "registered=buffers: %s takes no registered buffer", call->name);
	RULE(call->is_bundle && !family_is_stream(family),
	     "call %s: a bundle parts a stream, and %s is none", call->name, family->name);
	RULE(call->is_bundle && spec->batch > CALL_BUNDLE_MAX,
	     "batch=%d: a bundle has at most %d buffers", spec->batch, CALL_BUNDLE_MAX);
	RULE(spec->raw && !spec->observe, "raw=yes: with observe=no there are no differences");
	RULE(spec->raw && spec->calls > RAW_CALLS_MAX, "raw=yes: calls=%d is more than %d",
	     spec->calls, RAW_CALLS_MAX);
#undef RULE
	if (spec->scenario->bit & IN_OUTBOUND)
		return check_outbound(spec, text, text_size);
	if (spec->scenario->bit & IN_CHANNELS)
		return check_channels(spec, text, text_size);
	if (spec->scenario->bit & IN_RR)
		return check_conversation(spec, text, text_size);
	return 0;
}
