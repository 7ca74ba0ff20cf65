/* SPDX-License-Identifier: MIT */
/* Line by line, word by word; every word is copied to a bounded place before it is looked at. */
#include "plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "busy.h"
#include "calls.h"
#include "compiler.h"
#include "pace.h"
#include "place.h"
#include "scenario.h"
#include "spec_check.h"

/* A stretch of the plan's text, not terminated. */
struct span {
	const char *start;
	size_t length;
};

struct reader {
	struct plan *plan;
	struct plan_error *error;
	enum { AT_VERSION, AT_HEADER, AT_SEGMENTS, AT_END } state;
	bool has_clock;
	bool has_cap;
};

__attribute__((format(printf, 2, 3))) static int fail(struct reader *reader, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->error->text, sizeof(reader->error->text), format, args);
	va_end(args);
	return -EINVAL;
}

/* A word as shown to a person: no longer than fits a line. */
static int shown_length(struct span span)
{
	return span.length > 40 ? 40 : (int)span.length;
}

static bool span_is(struct span span, const char *word)
{
	return span.length == strlen(word) && !memcmp(span.start, word, span.length);
}

/* Cut `text` at the first `separator`; the rest stays in `text`. */
static struct span cut(struct span *text, char separator)
{
	const char *at = text->length ? memchr(text->start, separator, text->length) : NULL;
	const struct span first = { text->start, at ? (size_t)(at - text->start) : text->length };
	const size_t used = first.length + (at ? 1 : 0);

	text->start += used;
	text->length -= used;
	return first;
}

/* Decimal digits only, at most `max`. */
static bool parse_number(struct span span, uint64_t max, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < span.length; i++) {
		const unsigned int digit = (unsigned int)(span.start[i] - '0');

		if (digit > 9 || *value > (max - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	return span.length > 0;
}

/* Words and the values they stand for; ended by a NULL word. */
struct choice {
	const char *word;
	int32_t value;
};

static const struct choice yes_no[] = { { "yes", 1 }, { "no", 0 }, { 0 } };
static const struct choice controls[] = {
	{ "none", CONTROL_NONE },
	{ "buffer", CONTROL_BUFFER },
	{ "timestamp", CONTROL_TIMESTAMP },
	{ 0 },
};
static const struct choice notifies[] = {
	{ "no", NOTIFY_COPY },         { "poll", NOTIFY_POLL },
	{ "recvmsg", NOTIFY_RECVMSG }, { "recvmmsg", NOTIFY_RECVMMSG },
	{ "cmsg", NOTIFY_CMSG },       { "none", NOTIFY_NONE },
	{ "cqe", NOTIFY_CQE },         { 0 },
};
static const struct choice any_cpu[] = { { "-1", PLACE_ANY_CPU }, { 0 } };
static const struct choice waits[] = { { "block", WAIT_BLOCK }, { "spin", WAIT_SPIN }, { 0 } };
static const struct choice peers[] = { { "thread", 0 }, { "process", 1 }, { 0 } };
static const struct choice rings[] = {
	{ "plain", RING_PLAIN },
	{ "single-issuer", RING_SINGLE_ISSUER },
	{ "defer-taskrun", RING_DEFER_TASKRUN },
	{ "sqpoll", RING_SQPOLL },
	{ 0 },
};
static const struct choice registrations[] = {
	{ "none", REGISTERED_NONE },
	{ "files", REGISTERED_FILES },
	{ "buffers", REGISTERED_BUFFERS },
	{ 0 },
};
static const struct choice findings[] = {
	{ "epoll", FIND_EPOLL },
	{ "epoll-again", FIND_EPOLL_AGAIN },
	{ "scan", FIND_SCAN },
	{ "multishot", FIND_MULTISHOT },
	{ 0 },
};
static const struct choice second_cpu[] = {
	{ "same", PLACE_SAME_CPU },
	{ "other", PLACE_OTHER_CPU },
	{ 0 },
};
static const struct choice auto_priority[] = { { "auto", PLACE_AUTO_PRIORITY }, { 0 } };

static const struct choice *choose(const struct choice *choices, struct span word)
{
	for (; choices && choices->word; choices++)
		if (span_is(word, choices->word))
			return choices;
	return NULL;
}

/* A key whose value is a number in [min, max], or one of a few words; min > max: words only. It is
 * required of the scenarios that have it and refused to the others. */
struct key {
	const char *name;
	size_t offset; /* of an int32_t in struct spec */
	int32_t min;
	int32_t max;
	const struct choice *choices;
	uint32_t scenarios; /* IN_… bits; 0: every scenario; IS_OPTIONAL: every one, or absent: 0 */
};

enum { IS_OPTIONAL = 1 << 30 };

#define KEY(field)             #field, offsetof(struct spec, field)
#define KEY_NAMED(name, field) name, offsetof(struct spec, field)
static const struct key keys[] = {
	{ KEY(id), 0, INT32_MAX, NULL, 0 },
	{ KEY(size), 1, CALL_SIZE_MAX, NULL, 0 },
	{ KEY(batch), 1, CALL_BATCH_MAX, NULL, 0 },
	{ KEY(name), 1, 0, yes_no, 0 },
	{ KEY(control), 1, 0, controls, 0 },
	{ KEY(connected), 1, 0, yes_no, 0 },
	{ KEY(cpu), 0, PLACE_CPUS - 1, any_cpu, 0 },
	{ KEY(priority), 0, 99, auto_priority, 0 },
	{ KEY(calls), 1, 1 << 30, NULL, 0 },
	{ KEY(warmup), 0, 1 << 30, NULL, 0 },
	{ KEY(queue), 1, BURST_CALLS_MAX, NULL, 0 },
	{ KEY(observe), 1, 0, yes_no, 0 },
	{ KEY(work), 0, CALL_WORK_MAX, NULL, 0 },
	{ KEY(raw), 1, 0, yes_no, IS_OPTIONAL },
	{ KEY(ring), 1, 0, rings, IS_OPTIONAL },
	{ KEY(registered), 1, 0, registrations, IS_OPTIONAL },
	{ KEY(receiver), 1, 0, yes_no, IN_OUTBOUND },
	{ KEY(gro), 1, 0, yes_no, IN_OUTBOUND },
	{ KEY(segments), 1, 1024, NULL, IN_OUTBOUND },
	{ KEY(buffers), 1, 65536, NULL, IN_OUTBOUND },
	{ KEY(zerocopy), 1, 0, notifies, IN_OUTBOUND },
	{ KEY(limit), 1, BURST_CALLS_MAX, NULL, IN_OUTBOUND },
	{ KEY(cork), 1, 64, NULL, IN_OUTBOUND },
	{ KEY(wait), 1, 0, waits, IN_RR },
	{ KEY_NAMED("peer", peer_process), 1, 0, peers, IN_RR },
	{ KEY(peer_cpu), 0, PLACE_CPUS - 1, second_cpu, IN_RR | IN_CHANNELS },
	{ KEY(channels), 1, PACE_CHANNELS_MAX, NULL, IN_CHANNELS },
	{ KEY(interval_us), 100, 10000000, NULL, IN_CHANNELS },
	{ KEY(tick_us), 100, 10000000, NULL, IN_CHANNELS },
	{ KEY(busy), 0, BUSY_THREADS_MAX, NULL, IN_CHANNELS },
	{ KEY(duration_ms), 1, 3600000, NULL, IN_CHANNELS },
	{ KEY(find), 1, 0, findings, IN_CHANNELS },
};
/* The keys whose value is a row of a table, or a text; bits of `seen` after those of `keys`. */
static const struct {
	const char *name;
	uint32_t scenarios; /* as above */
} table_keys[] = {
	{ "scenario", 0 },
	{ "call", 0 },
	{ "family", 0 },
	{ "to", IN_OUTBOUND },
};
enum { TABLE_SCENARIO, TABLE_CALL, TABLE_FAMILY, TEXT_TO };

static int set_value(struct reader *reader, struct spec *spec, const struct key *key,
		     struct span word)
{
	const struct choice *chosen = choose(key->choices, word);
	uint64_t number = 0;

	if (!chosen && key->min > key->max)
		return fail(reader, "%s=%.*s is not one of its words", key->name,
			    shown_length(word), word.start);
	if (!chosen &&
	    (!parse_number(word, (uint64_t)key->max, &number) || number < (uint64_t)key->min))
		return fail(reader, "%s=%.*s is not a whole number from %d to %d", key->name,
			    shown_length(word), word.start, key->min, key->max);
	const int32_t value = chosen ? chosen->value : (int32_t)number;

	memcpy((char *)spec + key->offset, &value, sizeof(value));
	return 0;
}

static int set_row(struct reader *reader, struct spec *spec, size_t table, struct span word)
{
	char name[INET6_ADDRSTRLEN] = "";
	bool found = false;

	if (word.length < sizeof(name) && !memchr(word.start, 0, word.length))
		memcpy(name, word.start, word.length);
	switch (table) {
	case TABLE_SCENARIO:
		found = (spec->scenario = scenario_find(name));
		break;
	case TABLE_CALL:
		found = (spec->call = call_find(name));
		break;
	case TABLE_FAMILY:
		found = (spec->family = family_find(name));
		break;
	case TEXT_TO:
		memcpy(spec->to, name, sizeof(spec->to));
		found = spec->to[0];
		break;
	}
	return found ? 0
		     : fail(reader, "unknown %s '%.*s'", table_keys[table].name, shown_length(word),
			    word.start);
}

static int take_once(struct reader *reader, uint64_t *seen, size_t bit, const char *name)
{
	if (*seen & UINT64_C(1) << bit)
		return fail(reader, "%s is given twice", name);
	*seen |= UINT64_C(1) << bit;
	return 0;
}

static int read_word(struct reader *reader, struct spec *spec, uint64_t *seen, struct span word)
{
	const struct span whole = word;
	const struct span name = cut(&word, '=');

	if (name.length == whole.length)
		return fail(reader, "'%.*s' is not key=value", shown_length(whole), whole.start);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (span_is(name, keys[i].name))
			return take_once(reader, seen, i, keys[i].name)
				       ?: set_value(reader, spec, &keys[i], word);
	for (size_t i = 0; i < ARRAY_SIZE(table_keys); i++)
		if (span_is(name, table_keys[i].name))
			return take_once(reader, seen, ARRAY_SIZE(keys) + i, table_keys[i].name)
				       ?: set_row(reader, spec, i, word);
	return fail(reader, "unknown key '%.*s'", shown_length(name), name.start);
}

/* A key that the scenario has is given, another is not. */
static int check_given(struct reader *reader, const struct spec *spec, const char *name,
		       uint32_t scenarios, bool is_given)
{
	const bool is_its = !scenarios || (spec->scenario && scenarios & spec->scenario->bit);

	if (scenarios == IS_OPTIONAL)
		return 0;
	if (is_given && !is_its)
		return fail(reader, "%s is no key of scenario %s", name, spec->scenario->name);
	if (!is_given && is_its)
		return fail(reader, "the segment has no %s", name);
	return 0;
}

static int check_complete(struct reader *reader, const struct spec *spec, uint64_t seen)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(table_keys); i++)
		err = check_given(reader, spec, table_keys[i].name, table_keys[i].scenarios,
				  seen & UINT64_C(1) << (ARRAY_SIZE(keys) + i));
	for (size_t i = 0; !err && i < ARRAY_SIZE(keys); i++)
		err = check_given(reader, spec, keys[i].name, keys[i].scenarios,
				  seen & UINT64_C(1) << i);
	return err;
}

static int check_id(struct reader *reader, int32_t id)
{
	for (size_t i = 0; i < reader->plan->segment_count; i++)
		if (reader->plan->segments[i].id == id)
			return fail(reader, "id=%d is used twice", id);
	return 0;
}

static int read_segment(struct reader *reader, struct span words)
{
	struct plan *plan = reader->plan;
	struct spec spec = { 0 };
	uint64_t seen = 0;
	int err = 0;

	if (plan->segment_count == PLAN_SEGMENTS_MAX)
		return fail(reader, "more than %d segments", PLAN_SEGMENTS_MAX);
	while (!err && words.length)
		err = read_word(reader, &spec, &seen, cut(&words, ' '));
	if (!err)
		err = check_complete(reader, &spec, seen);
	if (!err)
		err = check_id(reader, spec.id);
	if (!err)
		err = spec_check(&spec, reader->error->text, sizeof(reader->error->text));
	if (!err)
		plan->segments[plan->segment_count++] = spec;
	return err;
}

static const struct choice clocks[] = {
	{ "auto", CLOCK_AUTO },
	{ "tsc", CLOCK_TSC },
	{ "cycles", CLOCK_CYCLES },
	{ "clock_gettime", CLOCK_GETTIME },
	{ 0 },
};

static int read_clock(struct reader *reader, struct span words)
{
	const struct choice *chosen = choose(clocks, words);

	if (reader->has_clock)
		return fail(reader, "clock is given twice");
	if (!chosen)
		return fail(reader, "unknown clock '%.*s'", shown_length(words), words.start);
	reader->has_clock = true;
	reader->plan->clock = (enum clock_wish)chosen->value;
	reader->plan->clock_line = reader->error->line;
	return 0;
}

static int read_cap(struct reader *reader, struct span words)
{
	if (reader->has_cap)
		return fail(reader, "cap is given twice");
	if (!parse_number(words, INT64_MAX, &reader->plan->cap))
		return fail(reader, "cap %.*s is not a whole number below 2^63",
			    shown_length(words), words.start);
	reader->has_cap = true;
	return 0;
}

static int read_end(struct reader *reader, struct span words)
{
	if (words.length)
		return fail(reader, "'end' stands alone");
	if (!reader->has_clock || !reader->has_cap)
		return fail(reader, "the plan has no %s", reader->has_clock ? "cap" : "clock");
	reader->state = AT_END;
	return 0;
}

static int read_version(struct reader *reader, struct span line)
{
	if (!span_is(line, "sockmeter-plan 1"))
		return fail(reader, "the first line is '%.*s', not 'sockmeter-plan 1'",
			    shown_length(line), line.start);
	reader->state = AT_HEADER;
	return 0;
}

static int read_line(struct reader *reader, struct span line)
{
	if (line.length == 0 || line.start[0] == '#')
		return 0;
	if (reader->state == AT_VERSION)
		return read_version(reader, line);
	if (reader->state == AT_END)
		return fail(reader, "a statement after 'end'");
	struct span words = line;
	const struct span statement = cut(&words, ' ');

	if (span_is(statement, "segment")) {
		if (!reader->has_clock || !reader->has_cap)
			return fail(reader, "a segment before %s",
				    reader->has_clock ? "cap" : "clock");
		reader->state = AT_SEGMENTS;
		return read_segment(reader, words);
	}
	if (span_is(statement, "end"))
		return read_end(reader, words);
	if (reader->state == AT_HEADER && span_is(statement, "clock"))
		return read_clock(reader, words);
	if (reader->state == AT_HEADER && span_is(statement, "cap"))
		return read_cap(reader, words);
	return fail(reader, "unknown statement '%.*s'", shown_length(statement), statement.start);
}

int plan_read(struct plan *plan, const char *text, size_t length, struct plan_error *error)
{
	struct reader reader = { .plan = plan, .error = error, .state = AT_VERSION };
	struct span left = { text, length };

	plan->segment_count = 0;
	error->line = 0;
	while (left.length) {
		error->line++;
		const int err = read_line(&reader, cut(&left, '\n'));

		if (err)
			return err;
	}
	error->line = 0;
	if (reader.state != AT_END)
		return fail(&reader, "the plan has no 'end': it is truncated, and nothing is run");
	return 0;
}
