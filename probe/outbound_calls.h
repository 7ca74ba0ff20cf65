/* SPDX-License-Identifier: MIT */
/* The sends of bulk and zerocopy: out of a ring of buffers, with flags, corks and segments. */
#ifndef PROBE_OUTBOUND_CALLS_H
#define PROBE_OUTBOUND_CALLS_H

#include "calls.h"

/* Return what makes the call of `spec`, or NULL if it is none of theirs. */
call_op outbound_op_of(const struct spec *spec);

/* Make `ctx` ready for it; call_prepare() and the ring come first. */
void outbound_prepare(struct call_ctx *ctx, const struct spec *spec);

#endif
