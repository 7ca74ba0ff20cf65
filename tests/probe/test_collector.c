/* SPDX-License-Identifier: MIT */
/* The end of a send is known until the stamps have gone round. */
#include "collector.h"

#include "check.h"

enum { END = 1000000 };

static struct burst_log burst;
static struct call_ctx ctx;
static struct collector collector;
static struct measures measures;

static uint64_t read_end(void)
{
	return END;
}

/* Book a burst of so many calls, each of one byte and one unit. */
static void make_burst(uint32_t calls)
{
	const struct clock clock = { .form = FORM_GETTIME, .unit = "ns" };

	ctx = (struct call_ctx){ .fd = -1, .call = call_find("send"), .size = 1, .batch = 1 };
	measures_init(&measures);
	collector_open(&collector, &ctx, NOTIFY_POLL, &clock, &measures);
	collector.read_clock = read_end;
	for (uint32_t i = 0; i < calls; i++) {
		burst.moved[i] = 1;
		burst.deltas[i] = 1;
	}
	collector_note_burst(&collector, &burst, calls);
}

static void every_send_of_a_short_burst_is_stamped(void)
{
	make_burst(3);
	CHECK_EQUAL(END, collector.stamps[2]);
	CHECK_EQUAL(END - 1, collector.stamps[1]);
	CHECK_EQUAL(END - 2, collector.stamps[0]);
}

/* The earlier ones take no place from the later, which are still to come back. */
static void the_last_sends_of_a_burst_longer_than_the_stamps_are_stamped(void)
{
	const uint32_t calls = 2 * COLLECTOR_STAMPS + 7;

	make_burst(calls);
	for (uint32_t back = 0; back < COLLECTOR_STAMPS; back++)
		CHECK_EQUAL(END - back, collector.stamps[(calls - 1 - back) % COLLECTOR_STAMPS]);
}

int main(void)
{
	every_send_of_a_short_burst_is_stamped();
	the_last_sends_of_a_burst_longer_than_the_stamps_are_stamped();
	return 0;
}
