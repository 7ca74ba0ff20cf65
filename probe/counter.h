/* SPDX-License-Identifier: MIT */
/* Proof that the processor's own time stamp counter can be trusted, and the ways to read it. */
#ifndef PROBE_COUNTER_H
#define PROBE_COUNTER_H

#include <stdbool.h>
#include <stddef.h>

#include "clock_read.h"
#include "obstacle.h"

/*
 * Tell whether the counter runs at a constant rate in every power state, may be read from user
 * space and never goes back, on one CPU or from one to the next. What is missing is added to
 * `obstacles` as `tsc`; an LFENCE that may not wait as `lfence`, without making it unusable.
 */
bool counter_is_usable(struct obstacles *obstacles);

/* The correctly fenced ways to read it. */
extern const enum clock_form counter_forms[];
size_t counter_form_count(void);

#endif
