/* SPDX-License-Identifier: MIT */
/* Rules across keys, each with the sentence that a person reads when it is broken. */
#include "spec_check.h"

#include <errno.h>
#include <stdio.h>

#include "calls.h"
#include "scenario.h"

int spec_check(const struct spec *spec, char *text, size_t text_size)
{
	const struct call *call = spec->call;
	const struct family *family = spec->family;
	const bool is_null = call->direction == MOVES_NOTHING;

#define RULE(broken, ...)                                                                          \
	do {                                                                                       \
		if (broken) {                                                                      \
			snprintf(text, text_size, __VA_ARGS__);                                    \
			return -EINVAL;                                                            \
		}                                                                                  \
	} while (0)

	RULE(!is_null && call->direction != spec->scenario->direction,
	     "call %s is not one of scenario %s", call->name, spec->scenario->name);
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
#undef RULE
	return 0;
}
