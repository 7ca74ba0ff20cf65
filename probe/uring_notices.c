/* SPDX-License-Identifier: MIT */
/* Notifications and failures of single sends, for who looks at them apart from the calls. */
#include "uring_ring.h"

uint32_t uring_noticed(struct call_ctx *ctx, const struct uring_notice **notices)
{
	struct uring *uring = ctx->uring;
	const uint32_t room = uring->zerocopy.mask + 1;
	const uint32_t noticed = uring->zerocopy.logged < room ? uring->zerocopy.logged : room;

	*notices = uring->zerocopy.log;
	uring->zerocopy.logged = 0;
	return noticed;
}

uint64_t uring_promised(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	const uint64_t promised = uring->counts.zc_expected - uring->zerocopy.told;

	uring->zerocopy.told = uring->counts.zc_expected;
	return promised;
}

struct uring_failures uring_failed(struct call_ctx *ctx)
{
	struct uring_failures failures = { 0 };

	if (ctx->uring) {
		failures = ctx->uring->failures;
		ctx->uring->failures = (struct uring_failures){ 0 };
	}
	return failures;
}

int uring_look(struct call_ctx *ctx)
{
	struct uring *uring = ctx->uring;
	struct harvest harvest = { 0 };
	const int err = uring->is_polled ? 0 : io_uring_get_events(&uring->ring);

	reap(uring, &harvest);
	return err < 0 ? err : 0;
}
