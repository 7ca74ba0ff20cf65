/* SPDX-License-Identifier: MIT */
/* Notifications of zerocopy sends, for who reads them apart from the sends. */
#include "uring_ring.h"

uint32_t uring_noticed(struct call_ctx *ctx, const struct uring_notice **notices)
{
	struct uring *uring = ctx->uring;
	const uint32_t room = uring->notice_mask + 1;
	const uint32_t noticed = uring->noticed < room ? uring->noticed : room;

	*notices = uring->notices;
	uring->noticed = 0;
	return noticed;
}

uint64_t uring_promised(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	const uint64_t promised = uring->counts.zc_expected - uring->zc_told;

	uring->zc_told = uring->counts.zc_expected;
	return promised;
}

int uring_look(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct harvest harvest = { 0 };
	const int err = uring->is_polled ? 0 : io_uring_get_events(&uring->ring);

	reap(uring, &harvest);
	return err < 0 ? err : 0;
}
