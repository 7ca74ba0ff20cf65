/* SPDX-License-Identifier: MIT */
/* The buckets follow the law of docs/wire.md at every edge, and the exact figures are exact. */
#include "hist.h"

#include "check.h"

static void record_one(struct hist *hist, uint64_t delta)
{
	hist_record(hist, &delta, 1);
}

/* Inclusive lower edge of bucket `i`, as the page states it. */
static uint64_t lower_edge(uint64_t i)
{
	if (i < 128)
		return i;
	const uint64_t e = i / 128 - 1;

	return (i - 128 * e) << e;
}

static void every_edge_is_in_its_bucket(void)
{
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		const uint64_t lower = lower_edge(i), upper = lower_edge(i + 1);

		CHECK(lower < upper);
		CHECK_EQUAL(i, hist_bucket_of((uint32_t)lower));
		CHECK_EQUAL(i, hist_bucket_of((uint32_t)(upper - 1)));
	}
}

static void the_buckets_end_where_the_range_does(void)
{
	CHECK_EQUAL(1LL << 32, lower_edge(HIST_BUCKETS));
	CHECK_EQUAL(HIST_BUCKETS - 1, hist_bucket_of(UINT32_MAX));
}

static void a_bucket_is_at_most_a_128th_of_its_values(void)
{
	for (uint64_t i = 128; i < HIST_BUCKETS; i++)
		CHECK((lower_edge(i + 1) - lower_edge(i)) * 128 <= lower_edge(i));
}

static void an_empty_histogram_has_no_least_value(void)
{
	struct hist hist;

	hist_init(&hist, 0);
	CHECK_EQUAL(0, hist.count);
	CHECK(hist.min == UINT64_MAX);
}

static void count_sum_and_extremes_are_exact(void)
{
	struct hist hist;

	hist_init(&hist, 0);
	record_one(&hist, 1000003);
	record_one(&hist, 17);
	record_one(&hist, 1000004);
	CHECK_EQUAL(3, hist.count);
	CHECK_EQUAL(2000024, hist.sum);
	CHECK_EQUAL(17, hist.min);
	CHECK_EQUAL(1000004, hist.max);
	CHECK_EQUAL(0, hist.over_cap_count);
	CHECK_EQUAL(2, hist.buckets[hist_bucket_of(1000003)]);
}

/* Above the cap means above it: the cap itself is not counted apart. */
static void what_exceeds_the_cap_is_summed_apart(void)
{
	struct hist hist;

	hist_init(&hist, 500);
	record_one(&hist, 500);
	record_one(&hist, 501);
	record_one(&hist, 900);
	CHECK_EQUAL(3, hist.count);
	CHECK_EQUAL(2, hist.over_cap_count);
	CHECK_EQUAL(1401, hist.over_cap_sum);
}

static void what_is_beyond_the_range_is_in_no_bucket(void)
{
	struct hist hist;
	uint64_t in_buckets = 0;

	hist_init(&hist, 0);
	record_one(&hist, UINT32_MAX);
	record_one(&hist, 1ULL << 32);
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		in_buckets += hist.buckets[i];
	CHECK_EQUAL(2, hist.count);
	CHECK_EQUAL(1, hist.beyond_range);
	CHECK_EQUAL(1, in_buckets);
	CHECK_EQUAL(1LL << 32, hist.max);
}

static void a_clock_that_ran_back_is_counted_and_nothing_else(void)
{
	struct hist hist;

	hist_init(&hist, 1);
	record_one(&hist, (uint64_t)-1);
	CHECK_EQUAL(1, hist.clock_back);
	CHECK_EQUAL(0, hist.count);
	CHECK_EQUAL(0, hist.sum);
	CHECK_EQUAL(0, hist.over_cap_count);
}

int main(void)
{
	every_edge_is_in_its_bucket();
	the_buckets_end_where_the_range_does();
	a_bucket_is_at_most_a_128th_of_its_values();
	an_empty_histogram_has_no_least_value();
	count_sum_and_extremes_are_exact();
	what_exceeds_the_cap_is_summed_apart();
	what_is_beyond_the_range_is_in_no_bucket();
	a_clock_that_ran_back_is_counted_and_nothing_else();
	return 0;
}
