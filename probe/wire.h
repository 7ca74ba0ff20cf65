/* SPDX-License-Identifier: MIT */
/* The records of docs/wire.md, one function each. They return 0, or -errno when a write failed. */
#ifndef PROBE_WIRE_H
#define PROBE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "json.h"
#include "obstacle.h"
#include "scenario.h"

/* What the machine record says. */
struct machine {
	const struct clock *clock;
	bool memory_locked;
	bool resident_is_known;
	uint64_t resident_bytes;
	const struct obstacles *obstacles;
};

int wire_version(struct json *json, const char *version, const char *arch);
int wire_machine(struct json *json, const struct machine *machine);
int wire_segment(struct json *json, const struct segment *segment);
int wire_refused(struct json *json, int32_t id, const struct refusal *why);
int wire_error(struct json *json, uint32_t line, const char *text);
int wire_end(struct json *json, uint64_t segments, uint64_t refused);

#endif
