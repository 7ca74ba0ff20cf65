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

/* Both loops for one clock; the observed one may have a read that a counting emulator knows. */
#define LOOPS(clock, observing_read)                                                               \
	static uint64_t observed_##clock(struct burst_log *log, call_op op, struct call_ctx *ctx,  \
					 uint32_t calls)                                           \
	{                                                                                          \
		return run_observed(log, op, ctx, calls, observing_read);                          \
	}                                                                                          \
	static uint64_t unobserved_##clock(struct burst_log *log, call_op op,                      \
					   struct call_ctx *ctx, uint32_t calls)                   \
	{                                                                                          \
		return run_unobserved(log, op, ctx, calls, clock_read_##clock);                    \
	}

#if defined(__x86_64__)
LOOPS(lfence_rdtsc, window_read_lfence_rdtsc)
LOOPS(rdtscp, window_read_rdtscp)
#elif defined(__aarch64__)
LOOPS(cntvct, clock_read_cntvct)
#endif
LOOPS(cycles, clock_read_cycles)
LOOPS(gettime, clock_read_gettime)

static const struct {
	burst_fn observed;
	burst_fn unobserved;
} loops[FORM_COUNT] = {
#if defined(__x86_64__)
	[FORM_LFENCE_RDTSC] = { observed_lfence_rdtsc, unobserved_lfence_rdtsc },
	[FORM_RDTSCP] = { observed_rdtscp, unobserved_rdtscp },
#elif defined(__aarch64__)
	[FORM_CNTVCT] = { observed_cntvct, unobserved_cntvct },
#endif
	[FORM_CYCLES] = { observed_cycles, unobserved_cycles },
	[FORM_GETTIME] = { observed_gettime, unobserved_gettime },
};

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
