/* SPDX-License-Identifier: MIT */
/* What bursts came to: counted after each, outside its brackets. */
#include <errno.h>

#include "reader.h"

void reader_begin(struct reader *reader)
{
	struct segment *segment = &reader->bench->segment;
	struct measures *measures = &segment->measures;
	const char *unit = reader->bench->clock.unit;

	tally_init(&segment->tally, reader->bench->cap);
	measures_init(measures);
	reader->bursts = measures_hist(measures, "burst", unit);
	reader->finds = measures_hist(measures, "find", unit);
	reader->empties = measures_hist(measures, "empty", unit);
	reader->occupancy = measures_hist(measures, "burst_messages", "messages");
	reader->latency = measures_hist(measures, "latency", "ns");
	reader->wake_late = measures_hist(measures, "wake_late", "ns");
	reader->sender_late = measures_hist(measures, "sender_late", "ns");
}

static void count_message(struct reader *reader, const struct stamp *stamp, uint64_t there_ns)
{
	const struct pace *pace = &reader->pace;
	/* None is sent before it is due: by as much as two clocks differ, it may seem so. */
	const bool is_early = there_ns < stamp->due_ns;
	const uint64_t latency_ns = is_early ? 0 : there_ns - stamp->due_ns;

	if (stamp->magic != stamp_magic || stamp->due_ns < pace->start_ns ||
	    stamp->due_ns >= pace->end_ns) {
		reader->foreign++;
		return;
	}
	if (stamp->due_ns < pace->measured_ns)
		return;
	reader->received++;
	reader->early += is_early;
	reader->late += latency_ns > 2000 * (uint64_t)reader->spec->tick_us;
	hist_record(reader->latency, &latency_ns, 1);
}

static void count_call(struct reader *reader, uint32_t entry, uint64_t delta)
{
	struct tally *tally = &reader->bench->segment.tally;
	const int32_t moved = reader->bench->log.moved[entry];
	const uint32_t messages = reader->messages[entry];

	if (moved == -EAGAIN) {
		hist_record(reader->empties, &delta, 1);
		return;
	}
	tally->calls++;
	hist_record(&tally->hist, &delta, 1);
	if (tally->values)
		values_add(tally->values, &delta, 1);
	if (moved < 0) {
		tally->failed[-moved % BURST_ERRNO_MAX]++;
		return;
	}
	tally->datagrams += messages;
	tally->bytes += (uint32_t)moved;
	tally->short_calls += (uint32_t)moved < messages * (uint32_t)reader->spec->size;
}

void reader_count_burst(struct reader *reader, const struct instant *before, bool is_measured)
{
	const struct burst_log *log = &reader->bench->log;
	const double ns_per_unit = 1e9 / reader->bench->clock.hz;
	const struct stamp *stamp = reader->stamps;
	uint64_t since = reader->first - before->count;

	for (uint32_t i = 0; i < reader->entries; i++) {
		const uint64_t delta = log->deltas[i];

		since += delta;
		if (reader->kind[i] == ENTRY_FIND) {
			if (is_measured)
				hist_record(reader->finds, &delta, 1);
			continue;
		}
		if (is_measured)
			count_call(reader, i, delta);
		for (uint32_t m = 0; m < reader->messages[i]; m++)
			count_message(reader, stamp++,
				      before->ns + (uint64_t)((double)since * ns_per_unit));
	}
}

void reader_report(struct reader *reader)
{
	struct measures *measures = &reader->bench->segment.measures;
	const struct pacer *pacer = &reader->pacer;
	const uint64_t delivered = pacer->sent - pacer->failed;

	*reader->sender_late = pacer->late;
	measures_count(measures, "sent", pacer->sent);
	measures_count(measures, "send_failed", pacer->failed);
	measures_count(measures, "received", reader->received);
	measures_count(measures, "lost",
		       delivered > reader->received ? delivered - reader->received : 0);
	measures_count(measures, "late", reader->late);
	measures_count(measures, "early", reader->early);
	measures_count(measures, "foreign", reader->foreign);
	measures_count(measures, "ticks", reader->ticks);
	measures_count(measures, "missed_ticks", reader->missed_ticks);
	measures_count(measures, "overruns", reader->overruns);
	measures_count(measures, "cut_bursts", reader->cut_bursts);
	measures_count(measures, "stalls", reader->stalls);
	measures_count(measures, "stalled_ns", reader->stalled_ns);
	measures_count(measures, "longest_stall_ns", reader->longest_stall_ns);
	measures_count(measures, "counting_ns", reader->counting_ns);
	if (reader->shots)
		measures_count(measures, "rearmed", shots_rearmed(reader->shots));
	measures_count(measures, "phase_ns", reader->pace.phase_ns);
	measures_count(measures, "peer_cpu_ns", atomic_load(&reader->peer.link->cpu_ns));
	measures_count(measures, "peer_cpu", (uint64_t)atomic_load(&reader->peer.link->cpu));
	measures_count(measures, "peer_fifo_priority", (uint64_t)reader->peer.wish.priority);
}
