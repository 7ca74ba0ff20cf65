/* SPDX-License-Identifier: MIT */
/*
 * Feeds the fuzz entry with mutations of valid plans. Usage: fuzz_plan [SEED [INPUTS]]; the same
 * seed gives the same inputs. Half of the inputs keep a valid head, so that the segments are
 * reached; it is checked that a good part of all inputs is accepted.
 */
#include "check.h"
#include "fuzz_plan.h"

#include <stdbool.h>

#include "plan.h"

enum { INPUT_MAX = 8192 };

static uint64_t random_state;

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators" (2016). */
static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * 2685821657736338717U) >> 32) % limit;
}

#define PICK(list) (list)[random_below(ARRAY_SIZE(list))]

static const char *const calls[] = { "null",     "recv",  "recvfrom", "recvmsg", "recvmmsg",
				     "read",     "readv", "send",     "sendto",  "sendmsg",
				     "sendmmsg", "write", "writev" };
static const char *const families[] = {
	"udp4", "udp6", "tcp4", "tcp6", "unix-stream", "unix-dgram"
};
static const char *const edges[] = {
	"0",
	"1",
	"-1",
	"64",
	"99",
	"100",
	"1024",
	"1025",
	"65507",
	"65508",
	"65536",
	"1048576",
	"1048577",
	"yes",
	"no",
	"auto",
	"2147483647",
	"2147483648",
	"18446744073709551616",
	"9223372036854775808",
	"",
	"=",
	"none",
	"buffer",
	"timestamp",
	"\xff",
	"1 ",
	"+1",
	"0x10",
	"1.0",
};

static size_t make_plan(char *text)
{
	int used = snprintf(text, INPUT_MAX, "sockmeter-plan 1\nclock auto\ncap %s\n",
			    random_below(2) ? "0" : "5000");
	const uint32_t segments = random_below(4);

	for (uint32_t i = 0; i < segments; i++)
		used += snprintf(text + used, INPUT_MAX - (size_t)used,
				 "segment id=%u scenario=%s call=%s family=%s size=%u batch=1 "
				 "name=no control=none connected=yes cpu=%s priority=%s calls=%u "
				 "warmup=%u queue=%u observe=%s work=0\n",
				 i, random_below(2) ? "recv" : "send", PICK(calls), PICK(families),
				 1 + random_below(65507), random_below(2) ? "-1" : "1",
				 random_below(2) ? "auto" : "5", 1 + random_below(9999),
				 random_below(999), 1 + random_below(65536),
				 random_below(2) ? "yes" : "no");
	used += snprintf(text + used, INPUT_MAX - (size_t)used, "end\n");
	return (size_t)used;
}

/* Replace `cut` bytes at `at` by `with`. */
static size_t splice(char *text, size_t length, size_t at, size_t cut, const char *with,
		     size_t with_length)
{
	if (length - cut + with_length > INPUT_MAX)
		return length;
	memmove(text + at + with_length, text + at + cut, length - at - cut);
	memcpy(text + at, with, with_length);
	return length - cut + with_length;
}

/* The word around a random place: from after a separator to before the next. */
static void find_word(const char *text, size_t length, size_t *at, size_t *word_length)
{
	static const char separators[] = " \n=";
	size_t start = random_below((uint32_t)length), end = start;

	while (start > 0 && !strchr(separators, text[start - 1]))
		start--;
	while (end < length && !strchr(separators, text[end]))
		end++;
	*at = start;
	*word_length = end - start;
}

static size_t mutate(char *text, size_t length)
{
	char word[64];
	size_t at, word_length;
	const char byte = (char)random_below(256);

	if (length == 0)
		return 0;
	find_word(text, length, &at, &word_length);
	switch (random_below(7)) {
	case 0: /* change a bit */
		text[random_below((uint32_t)length)] ^= (char)(1 << random_below(8));
		return length;
	case 1: /* insert a byte */
		return splice(text, length, random_below((uint32_t)length), 0, &byte, 1);
	case 2: /* delete a byte */
		return splice(text, length, random_below((uint32_t)length), 1, "", 0);
	case 3: { /* replace a word by one at the edge of something */
		const char *edge = PICK(edges);

		return splice(text, length, at, word_length, edge, strlen(edge));
	}
	case 4: /* double a word */
		if (word_length > sizeof(word))
			return length;
		memcpy(word, text + at, word_length);
		return splice(text, length, at, 0, word, word_length);
	case 5: /* delete a word */
		return splice(text, length, at, word_length, "", 0);
	default: /* cut the end off */
		return random_below((uint32_t)length);
	}
}

static bool is_accepted(const char *text, size_t length)
{
	static struct plan plan;
	struct plan_error error;

	return plan_read(&plan, text, length, &error) == 0;
}

int main(int argc, char **argv)
{
	const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20240711;
	const uint32_t inputs = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 200000;
	static char text[INPUT_MAX];
	uint32_t accepted = 0;

	random_state = seed | 1;
	for (uint32_t i = 0; i < inputs; i++) {
		size_t length = make_plan(text);

		for (uint32_t rest = random_below(4); rest; rest--)
			length = mutate(text, length);
		LLVMFuzzerTestOneInput((const uint8_t *)text, length);
		accepted += is_accepted(text, length);
	}
	printf("seed %" PRIu64 ": %u inputs, %u accepted\n", seed, inputs, accepted);
	CHECK(accepted > inputs / 20 && accepted < inputs / 2);
	return 0;
}
