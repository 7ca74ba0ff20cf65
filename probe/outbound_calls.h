/* SPDX-License-Identifier: MIT */
/* The sends of bulk and zerocopy: out of a ring of buffers, with flags, corks and segments. */
#ifndef PROBE_OUTBOUND_CALLS_H
#define PROBE_OUTBOUND_CALLS_H

#include "calls.h"

/* Rows of the table of calls. A corked one says of all but the last of ctx->cork sends that more
 * follows. */
int32_t outbound_send(struct call_ctx *ctx);
int32_t outbound_send_corked(struct call_ctx *ctx);
int32_t outbound_sendmsg(struct call_ctx *ctx);
int32_t outbound_sendmsg_corked(struct call_ctx *ctx);
int32_t outbound_sendmmsg(struct call_ctx *ctx);

/* Make `ctx` ready for what makes the call of `spec`; call_prepare() and the ring come first. */
void outbound_prepare(struct call_ctx *ctx, const struct spec *spec);

#endif
