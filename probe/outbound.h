/* SPDX-License-Identifier: MIT */
/* What bulk and zerocopy share: sends to an address, out of a ring, until there are enough. */
#ifndef PROBE_OUTBOUND_H
#define PROBE_OUTBOUND_H

#include "scenario.h"

int outbound_run(struct bench *bench, const struct spec *spec, struct refusal *why);

#endif
