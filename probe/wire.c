/* SPDX-License-Identifier: MIT */
/* Members stand in the order of the page, so that two outputs can be compared as text. */
#include "wire.h"

#include <stdio.h>
#include <string.h>

static void begin_record(struct json *json, const char *record)
{
	json_open(json, '{');
	json_key(json, "record");
	json_text(json, record);
}

static int end_record(struct json *json)
{
	json_close(json, '}');
	return json_end_line(json);
}

static void member_uint(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_uint(json, value);
}

static void member_int(struct json *json, const char *key, int64_t value)
{
	json_key(json, key);
	json_int(json, value);
}

static void member_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_text(json, text);
}

/* A number, or null where there is none. */
static void member_known(struct json *json, const char *key, bool is_known, uint64_t value)
{
	json_key(json, key);
	if (is_known)
		json_uint(json, value);
	else
		json_null(json);
}

/* The errno's name; "E1234" for one the C library does not know. */
static const char *errno_name(int err, char (*room)[16])
{
	const char *name = strerrorname_np(err);

	if (name)
		return name;
	snprintf(*room, sizeof(*room), "E%d", err);
	return *room;
}

static void member_errno(struct json *json, int err)
{
	char room[16];

	member_text(json, "errno", errno_name(err, &room));
}

int wire_version(struct json *json, const char *version, const char *arch)
{
	begin_record(json, "version");
	member_uint(json, "wire", 1);
	member_text(json, "probe", version);
	member_text(json, "arch", arch);
	return end_record(json);
}

static void member_obstacles(struct json *json, const struct obstacles *obstacles)
{
	json_key(json, "could_not");
	json_open(json, '[');
	for (size_t i = 0; i < obstacles->count; i++) {
		json_open(json, '{');
		member_text(json, "what", obstacles->list[i].what);
		member_errno(json, obstacles->list[i].err);
		member_text(json, "text", obstacles->list[i].text);
		json_close(json, '}');
	}
	json_close(json, ']');
}

int wire_machine(struct json *json, const struct machine *machine)
{
	const struct clock *clock = machine->clock;

	begin_record(json, "machine");
	member_text(json, "clock", clock->name);
	member_text(json, "unit", clock->unit);
	member_text(json, "bracket", clock->bracket);
	member_uint(json, "bracket_cost", clock->bracket_cost);
	member_uint(json, "quantum", clock->quantum);
	json_key(json, "clock_hz");
	if (clock->hz > 0)
		json_real(json, clock->hz);
	else
		json_null(json);
	json_key(json, "memory_locked");
	json_bool(json, machine->memory_locked);
	member_known(json, "resident_bytes", machine->resident_is_known, machine->resident_bytes);
	member_obstacles(json, machine->obstacles);
	return end_record(json);
}

static void member_failed(struct json *json, const struct tally *tally)
{
	char room[16];

	json_key(json, "failed");
	json_open(json, '{');
	for (int err = 1; err < BURST_ERRNO_MAX; err++)
		if (tally->failed[err])
			member_uint(json, errno_name(err, &room), tally->failed[err]);
	json_close(json, '}');
}

static void members_hist(struct json *json, const struct hist *hist)
{
	member_uint(json, "count", hist->count);
	member_uint(json, "sum", hist->sum);
	member_known(json, "min", hist->count != 0, hist->min);
	member_known(json, "max", hist->count != 0, hist->max);
	member_uint(json, "over_cap_count", hist->over_cap_count);
	member_uint(json, "over_cap_sum", hist->over_cap_sum);
	member_uint(json, "beyond_range", hist->beyond_range);
	member_uint(json, "clock_back", hist->clock_back);
}

static void members_usage(struct json *json, const struct usage *usage)
{
	member_uint(json, "elapsed_ns", usage->elapsed_ns);
	member_uint(json, "thread_cpu_ns", usage->thread_cpu_ns);
	member_known(json, "steal_ns", usage->steal_is_known, usage->steal_ns);
	member_uint(json, "voluntary_switches", usage->voluntary_switches);
	member_uint(json, "involuntary_switches", usage->involuntary_switches);
	member_int(json, "cpu_start", usage->cpu_start);
	member_int(json, "cpu_end", usage->cpu_end);
}

static void member_buckets(struct json *json, const struct hist *hist)
{
	json_key(json, "buckets");
	json_open(json, '[');
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		if (!hist->buckets[i])
			continue;
		json_open(json, '[');
		json_uint(json, i);
		json_uint(json, hist->buckets[i]);
		json_close(json, ']');
	}
	json_close(json, ']');
}

static void member_values(struct json *json, const struct values *values)
{
	json_key(json, "values");
	json_open(json, '[');
	for (uint32_t i = 0; i < values->count; i++) {
		json_open(json, '[');
		json_uint(json, values->streaks[i].value);
		json_uint(json, values->streaks[i].calls);
		json_close(json, ']');
	}
	json_close(json, ']');
}

static void member_counters(struct json *json, const struct measures *measures)
{
	json_key(json, "counters");
	json_open(json, '{');
	for (size_t i = 0; i < measures->counter_count; i++)
		member_uint(json, measures->counters[i].name, measures->counters[i].value);
	json_close(json, '}');
}

static void member_histograms(struct json *json, const struct measures *measures)
{
	json_key(json, "histograms");
	json_open(json, '{');
	for (size_t i = 0; i < measures->hist_count; i++) {
		const struct hist *hist = &measures->hists[i].hist;

		json_key(json, measures->hists[i].name);
		json_open(json, '{');
		member_text(json, "unit", measures->hists[i].unit);
		member_uint(json, "count", hist->count);
		member_uint(json, "sum", hist->sum);
		member_known(json, "min", hist->count != 0, hist->min);
		member_known(json, "max", hist->count != 0, hist->max);
		member_buckets(json, hist);
		json_close(json, '}');
	}
	json_close(json, '}');
}

int wire_segment(struct json *json, const struct segment *segment)
{
	const struct tally *tally = &segment->tally;

	begin_record(json, "segment");
	member_int(json, "id", segment->id);
	member_uint(json, "depth", segment->depth);
	member_uint(json, "calls", tally->calls);
	member_uint(json, "datagrams", tally->datagrams);
	member_uint(json, "bytes", tally->bytes);
	member_failed(json, tally);
	member_uint(json, "short", tally->short_calls);
	members_hist(json, &tally->hist);
	member_uint(json, "loop", tally->loop);
	members_usage(json, &segment->usage);
	member_int(json, "fifo_priority", segment->fifo_priority);
	member_buckets(json, &tally->hist);
	if (tally->values)
		member_values(json, tally->values);
	if (segment->measures.counter_count)
		member_counters(json, &segment->measures);
	if (segment->measures.hist_count)
		member_histograms(json, &segment->measures);
	return end_record(json);
}

int wire_refused(struct json *json, int32_t id, const struct refusal *why)
{
	begin_record(json, "refused");
	member_int(json, "id", id);
	member_text(json, "step", why->step);
	member_errno(json, why->err);
	member_text(json, "text", why->text ? why->text : strerror(why->err));
	return end_record(json);
}

int wire_error(struct json *json, uint32_t line, const char *text)
{
	begin_record(json, "error");
	member_uint(json, "line", line);
	member_text(json, "text", text);
	return end_record(json);
}

int wire_end(struct json *json, uint64_t segments, uint64_t refused)
{
	begin_record(json, "end");
	member_uint(json, "segments", segments);
	member_uint(json, "refused", refused);
	return end_record(json);
}
