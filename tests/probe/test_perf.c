/* SPDX-License-Identifier: MIT */
/* The perf user page is read by its protocol; a fake page and counter stand for the kernel's. */
#include "perf.h"

#include "check.h"

static struct perf_event_mmap_page page;
static uint64_t counter_value;
static uint32_t counter_asked; /* the number that was read last */
static int reads;

static uint64_t read_fake(uint32_t counter)
{
	counter_asked = counter;
	reads++;
	return counter_value;
}

/* The kernel rewrites the page during the first read, as it does at a context switch. */
static uint64_t read_while_page_changes(uint32_t counter)
{
	if (reads == 0) {
		page.lock++;
		page.index = 4;
		page.offset = 5000;
	}
	return read_fake(counter);
}

/* During the first read the event loses its counter. */
static uint64_t read_while_counter_is_lost(uint32_t counter)
{
	page.lock++;
	page.index = 0;
	page.offset = 777;
	return read_fake(counter);
}

static void make_page(uint32_t index, int64_t offset, uint16_t width, uint64_t value)
{
	memset(&page, 0, sizeof(page));
	page.index = index;
	page.offset = offset;
	page.pmc_width = width;
	page.cap_user_rdpmc = 1;
	counter_value = value;
	reads = 0;
}

static void the_count_is_offset_plus_counter(void)
{
	uint64_t count = 0;

	make_page(3, 1000, 48, 234);
	CHECK(perf_page_read(&page, read_fake, &count));
	CHECK_EQUAL(1234, count);
}

/* Index 3 is counter 2: index 0 is kept for "on no counter". */
static void the_index_counts_from_one(void)
{
	uint64_t count;

	make_page(3, 0, 48, 0);
	perf_page_read(&page, read_fake, &count);
	CHECK_EQUAL(2, counter_asked);
}

/* The kernel starts a counter below zero, so that it overflows when the period is over. */
static void the_counter_is_extended_by_its_sign(void)
{
	uint64_t count;

	make_page(1, 1000, 48, (1ULL << 48) - 10);
	CHECK(perf_page_read(&page, read_fake, &count));
	CHECK_EQUAL(990, count);
	make_page(1, 1000, 40, (1ULL << 40) - 10);
	CHECK(perf_page_read(&page, read_fake, &count));
	CHECK_EQUAL(990, count);
}

/* Bits above the width are not part of the counter. */
static void bits_above_the_width_are_ignored(void)
{
	uint64_t count;

	make_page(1, 0, 48, 0xabcd000000000007);
	CHECK(perf_page_read(&page, read_fake, &count));
	CHECK_EQUAL(7, count);
}

static void a_page_that_changed_is_read_again(void)
{
	uint64_t count;

	make_page(2, 1000, 48, 1);
	CHECK(perf_page_read(&page, read_while_page_changes, &count));
	CHECK_EQUAL(2, reads);
	CHECK_EQUAL(3, counter_asked);
	CHECK_EQUAL(5001, count);
}

static void an_event_on_no_counter_is_left_to_read(void)
{
	uint64_t count;

	make_page(0, 1000, 48, 5);
	CHECK(!perf_page_read(&page, read_fake, &count));
	CHECK_EQUAL(0, reads);
}

static void an_event_that_loses_its_counter_is_left_to_read(void)
{
	uint64_t count;

	make_page(2, 1000, 48, 5);
	CHECK(!perf_page_read(&page, read_while_counter_is_lost, &count));
	CHECK_EQUAL(1, reads);
}

static void a_page_that_forbids_user_reads_is_left_to_read(void)
{
	uint64_t count;

	make_page(2, 1000, 48, 5);
	page.cap_user_rdpmc = 0;
	CHECK(!perf_page_read(&page, read_fake, &count));
	CHECK_EQUAL(0, reads);
}

static void times_that_differ_mean_a_shared_counter(void)
{
	const struct perf_reading alone = { .enabled_ns = 100, .running_ns = 100 };
	const struct perf_reading shared = { .enabled_ns = 100, .running_ns = 99 };

	CHECK(!perf_reading_is_multiplexed(&alone));
	CHECK(perf_reading_is_multiplexed(&shared));
}

int main(void)
{
	the_count_is_offset_plus_counter();
	the_index_counts_from_one();
	the_counter_is_extended_by_its_sign();
	bits_above_the_width_are_ignored();
	a_page_that_changed_is_read_again();
	an_event_on_no_counter_is_left_to_read();
	an_event_that_loses_its_counter_is_left_to_read();
	a_page_that_forbids_user_reads_is_left_to_read();
	times_that_differ_mean_a_shared_counter();
	return 0;
}
