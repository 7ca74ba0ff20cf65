/* SPDX-License-Identifier: MIT */
/* fill (recv) · timed burst · count · drain, until there are enough calls. */
#include "series.h"

#include <errno.h>

#include "uring.h"
#include "window.h"

uint64_t series_queued_bytes(const struct spec *spec)
{
	/* A queued buffer is charged by its allocation: up to twice the payload, and its header. */
	return (uint64_t)spec->queue * (2 * (uint64_t)spec->size + 1280);
}

static int find_depth(struct series *series, struct refusal *why)
{
	const uint32_t batch = (uint32_t)series->spec->batch;
	const struct call *call = series->spec->call;
	/* What is beyond a batch would be taken in the same call. */
	const bool takes_all = call->is_multishot || (call->is_bundle && series->fills);
	const uint32_t wanted = takes_all ? batch : (uint32_t)series->spec->queue;
	const int64_t held = traffic_measure_depth(&series->traffic, wanted);

	if (held < 0)
		return refuse(why, "queue", (int)-held);
	if (held < batch)
		return refuse(why, "queue", ENOBUFS);
	series->bench->segment.depth = (uint32_t)held - (uint32_t)held % batch;
	return 0;
}

/* Leave the queue empty; `outstanding` bytes should be in it. */
static int empty_queue(struct series *series, int64_t outstanding, struct refusal *why)
{
	const int64_t drained = outstanding > 0 ? traffic_drain(&series->traffic, outstanding) : 0;

	return drained < 0 ? refuse(why, "queue", (int)-drained) : 0;
}

/* Queue one burst; `bytes` is what is then outstanding. */
static int fill_queue(struct series *series, int64_t *bytes, struct refusal *why)
{
	*bytes = series->fills ? traffic_fill(&series->traffic, series->bench->segment.depth) : 0;
	return *bytes < 0 ? refuse(why, "queue", (int)-*bytes) : 0;
}

static int64_t outstanding_after(const struct series *series, int64_t queued, int64_t moved)
{
	return series->fills ? queued - moved : moved;
}

/* A call that is not allowed, or not there, is refused before anything is measured. */
static int try_call(struct series *series, struct refusal *why)
{
	struct call_ctx *ctx = &series->bench->ctx;
	int64_t queued;
	int err = fill_queue(series, &queued, why);

	if (err)
		return err;
	const int32_t moved = ctx->op(ctx);

	err = empty_queue(series, outstanding_after(series, queued, moved < 0 ? 0 : moved), why);
	if (err)
		return err;
	return moved < 0 ? refuse(why, "call", -moved) : 0;
}

int series_open(struct series *series, const struct sock_wish *wish, struct refusal *why)
{
	struct bench *bench = series->bench;
	int err = sock_pair_open(&series->pair, wish, why);

	if (err)
		return err;
	series->traffic = (struct traffic){
		.pair = &series->pair,
		.payload = bench->tx_payload,
		.size = (uint32_t)series->spec->size,
		.scratch = bench->rx_payload,
		.scratch_size = sizeof(bench->rx_payload),
	};
	call_prepare(&bench->ctx, series->spec, &series->pair,
		     series->fills ? bench->rx_payload : bench->tx_payload);
	if (series->spec->call->is_ring)
		err = uring_open(&bench->ctx, series->spec, &bench->place.at_start, why);
	if (!err)
		err = find_depth(series, why);
	if (!err)
		err = try_call(series, why);
	if (err)
		series_close(series);
	return err;
}

void series_close(struct series *series)
{
	uring_close(&series->bench->ctx);
	sock_pair_close(&series->pair);
}

/* Make at least `calls` calls in whole bursts; add the ns rested between them to `rested_ns`. */
static int run_bursts(struct series *series, int32_t calls, uint64_t *rested_ns,
		      struct refusal *why)
{
	struct bench *bench = series->bench;
	struct tally *tally = &bench->segment.tally;
	struct call_ctx *ctx = &bench->ctx;
	const bool observed = series->spec->observe;
	const uint32_t burst_calls = bench->segment.depth / ctx->batch;
	const burst_fn loop = burst_loop(bench->clock.form, observed);
	const call_op op = call_timed_op(ctx);

	while (tally->calls < (uint64_t)calls) {
		const uint64_t messages_before = ctx->messages;
		const uint64_t bytes_before = tally->bytes;
		int64_t queued;
		int err = fill_queue(series, &queued, why);

		if (err)
			return err;
		tally->loop += loop(&bench->log, op, ctx, burst_calls);
		tally_burst(tally, &bench->log, ctx, burst_calls, ctx->messages - messages_before,
			    observed);
		const int64_t moved = (int64_t)(tally->bytes - bytes_before);

		err = empty_queue(series, outstanding_after(series, queued, moved), why);
		if (err)
			return err;
		*rested_ns += place_rest(&bench->place, false);
	}
	return 0;
}

int series_measure(struct series *series, struct refusal *why)
{
	struct bench *bench = series->bench;
	struct segment *segment = &bench->segment;
	uint64_t rested_ns = 0;

	tally_init(&segment->tally, bench->cap);
	int err = run_bursts(series, series->spec->warmup, &rested_ns, why);

	if (err)
		return err;
	tally_init(&segment->tally, bench->cap);
	uring_reset(&bench->ctx);
	rested_ns = 0;
	usage_start(&segment->usage, series->spec->cpu);
	window_begin();
	err = run_bursts(series, series->spec->calls, &rested_ns, why);
	window_end();
	usage_stop(&segment->usage, series->spec->cpu);
	segment->usage.elapsed_ns -= rested_ns;
	uring_count(&bench->ctx, &segment->measures);
	return err ? err : clock_check(&bench->clock, why);
}
