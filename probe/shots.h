/* SPDX-License-Identifier: MIT */
/* A multishot receive on each of many sockets: their messages come as completions of one ring. */
#ifndef PROBE_SHOTS_H
#define PROBE_SHOTS_H

#include <stdint.h>

#include "obstacle.h"
#include "pace.h"
#include "spec.h"

struct shots;

/* Arm every one of `fds`. Return 0, or -errno with `why`; `*shots` is then NULL. */
int shots_open(struct shots **shots, const struct spec *spec, const int *fds, struct refusal *why);
void shots_close(struct shots *shots);

/*
 * Enter the kernel once and take what came: copy the stamps of at most `room` messages to `stamps`
 * and give the buffers back. Return how many, or -errno, -EAGAIN for none; `*bytes` is their sum.
 */
int32_t shots_take(struct shots *shots, struct stamp *stamps, uint32_t room, uint32_t *bytes);

/* How often a receive ended and was armed anew. */
uint64_t shots_rearmed(const struct shots *shots);

#endif
