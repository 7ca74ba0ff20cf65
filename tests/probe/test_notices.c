/* SPDX-License-Identifier: MIT */
/* What ranges of zerocopy notifications say, and what they do not. */
#include "notices.h"

#include "check.h"

static struct notices notices;

static void make_sent(uint32_t sends)
{
	notices_init(&notices);
	notices_send(&notices, sends, sends);
}

static void a_range_is_inclusive(void)
{
	make_sent(10);
	CHECK_EQUAL(1, notices_return(&notices, 0, 0, false));
	CHECK_EQUAL(9, notices_return(&notices, 1, 9, false));
	CHECK_EQUAL(10, notices.returned);
	CHECK_EQUAL(2, notices.ranges);
	CHECK_EQUAL(1, notices.joined);
	CHECK_EQUAL(0, notices_outstanding(&notices));
}

/* Numbers are 32 bits: a socket that has sent for long enough begins anew at 0. */
static void numbers_wrap(void)
{
	make_sent(0);
	notices.next = notices.expected = 0xfffffffeU;
	notices_send(&notices, 5, 5);
	CHECK_EQUAL(3, notices.next);
	CHECK_EQUAL(4, notices_return(&notices, 0xfffffffeU, 1, false));
	CHECK_EQUAL(2, notices.expected);
	CHECK_EQUAL(1, notices_return(&notices, 2, 2, false));
	CHECK_EQUAL(0, notices.out_of_order);
	CHECK_EQUAL(0, notices.impossible);
	CHECK_EQUAL(0, notices_outstanding(&notices));
}

/* Later sends may be given back first: legal, as long as all come back. */
static void a_gap_that_is_filled_later_balances(void)
{
	make_sent(6);
	notices_return(&notices, 0, 1, false);
	notices_return(&notices, 4, 5, false);
	CHECK_EQUAL(2, notices_outstanding(&notices));
	notices_return(&notices, 2, 3, false);
	CHECK_EQUAL(2, notices.out_of_order);
	CHECK_EQUAL(0, notices.impossible);
	CHECK_EQUAL(0, notices_outstanding(&notices));
}

static void more_than_is_outstanding_is_impossible(void)
{
	make_sent(3);
	notices_return(&notices, 0, 3, false);
	CHECK_EQUAL(1, notices.impossible);
	make_sent(3);
	notices_return(&notices, 1, 0, false);
	CHECK_EQUAL(1, notices.impossible);
}

/* An operation that failed took a number, and is promised no notification. */
static void a_number_without_a_promise_is_not_waited_for(void)
{
	notices_init(&notices);
	notices_send(&notices, 4, 3);
	notices_return(&notices, 0, 0, false);
	notices_return(&notices, 1, 1, false);
	notices_return(&notices, 3, 3, false);
	CHECK_EQUAL(0, notices_outstanding(&notices));
	CHECK_EQUAL(1, notices.out_of_order);
	CHECK_EQUAL(0, notices.impossible);
}

/* The mark of a joined range is that of its first part. */
static void copies_are_bounded(void)
{
	make_sent(100);
	notices_return(&notices, 0, 0, true);
	CHECK_EQUAL(1, notices.copied_least);
	CHECK_EQUAL(1, notices.copied_most);
	notices_return(&notices, 1, 1, false);
	CHECK_EQUAL(1, notices.copied_least);
	CHECK_EQUAL(1, notices.copied_most);
	notices_return(&notices, 2, 11, true);
	CHECK_EQUAL(2, notices.copied_least);
	CHECK_EQUAL(11, notices.copied_most);
	notices_return(&notices, 12, 99, false);
	CHECK_EQUAL(2, notices.copied_least);
	CHECK_EQUAL(98, notices.copied_most);
	CHECK_EQUAL(2, notices.marked);
}

int main(void)
{
	a_range_is_inclusive();
	numbers_wrap();
	a_gap_that_is_filled_later_balances();
	more_than_is_outstanding_is_impossible();
	a_number_without_a_promise_is_not_waited_for();
	copies_are_bounded();
	return 0;
}
