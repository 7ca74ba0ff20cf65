/* SPDX-License-Identifier: MIT */
/* The loop is one function, compiled once per clock with that clock's read inside it. */
#include "burst.h"

#include <string.h>

#include "compiler.h"
#include "window.h"

static ALWAYS_INLINE uint64_t run_observed(struct burst_log *log, call_op op, struct call_ctx *ctx,
					   uint32_t calls, uint64_t (*read)(void))
{
	window_arm();
	const uint64_t start = read();
	uint64_t last = start;

	for (uint32_t i = 0; i < calls; i++) {
		log->moved[i] = op(ctx);
		const uint64_t now = read();

		log->deltas[i] = now - last;
		last = now;
	}
	return last - start;
}

static ALWAYS_INLINE uint64_t run_unobserved(struct burst_log *log, call_op op,
					     struct call_ctx *ctx, uint32_t calls,
					     uint64_t (*read)(void))
{
	const uint64_t start = read();

	for (uint32_t i = 0; i < calls; i++)
		log->moved[i] = op(ctx);
	return read() - start;
}

#define LOOPS(form, clock)                                                                         \
	static uint64_t observed_##clock(struct burst_log *log, call_op op, struct call_ctx *ctx,  \
					 uint32_t calls)                                           \
	{                                                                                          \
		return run_observed(log, op, ctx, calls, window_read_##clock);                     \
	}                                                                                          \
	static uint64_t unobserved_##clock(struct burst_log *log, call_op op,                      \
					   struct call_ctx *ctx, uint32_t calls)                   \
	{                                                                                          \
		return run_unobserved(log, op, ctx, calls, clock_read_##clock);                    \
	}
CLOCK_FORMS(LOOPS)

#define ROW(form, clock) [form] = { observed_##clock, unobserved_##clock },
static const struct {
	burst_fn observed;
	burst_fn unobserved;
} loops[FORM_COUNT] = { CLOCK_FORMS(ROW) };

burst_fn burst_loop(enum clock_form form, bool observed)
{
	return observed ? loops[form].observed : loops[form].unobserved;
}

void tally_init(struct tally *tally, uint64_t cap)
{
	struct values *values = tally->values;

	memset(tally, 0, sizeof(*tally));
	tally->values = values;
	if (values)
		values->count = 0;
	hist_init(&tally->hist, cap);
}

void tally_burst(struct tally *tally, const struct burst_log *log, const struct call_ctx *ctx,
		 uint32_t calls, uint64_t messages, bool observed)
{
	const int32_t expected = (int32_t)call_expected_bytes(ctx);
	uint64_t bytes = 0, short_calls = 0, moving_calls = 0;

	for (uint32_t i = 0; i < calls; i++) {
		const int32_t moved = log->moved[i];

		if (moved < 0) {
			tally->failed[-moved % BURST_ERRNO_MAX]++;
			continue;
		}
		bytes += (uint32_t)moved;
		short_calls += moved < expected;
		moving_calls += moved > 0;
	}
	tally->bytes += bytes;
	tally->short_calls += short_calls;
	tally->calls += calls;
	tally->datagrams += ctx->segments * (ctx->call->takes_batch ? messages : moving_calls);
	if (observed)
		hist_record(&tally->hist, log->deltas, calls);
	if (tally->values)
		values_add(tally->values, log->deltas, calls);
}
