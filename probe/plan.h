/* SPDX-License-Identifier: MIT */
/* The plan's reader: docs/wire.md, "The plan". All is read and checked before anything is run. */
#ifndef PROBE_PLAN_H
#define PROBE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "spec.h"

enum { PLAN_SEGMENTS_MAX = 1024, PLAN_BYTES_MAX = 1 << 18 };

struct plan {
	enum clock_wish clock;
	uint32_t clock_line; /* where it was asked for */
	uint64_t cap;        /* clock units; 0: none */
	size_t segment_count;
	struct spec segments[PLAN_SEGMENTS_MAX];
};

struct plan_error {
	uint32_t line; /* from 1; 0: the plan as a whole */
	char text[192];
};

/* Read `length` bytes. Return 0, or -EINVAL with `error`; `plan` is then not to be used. */
int plan_read(struct plan *plan, const char *text, size_t length, struct plan_error *error);

#endif
