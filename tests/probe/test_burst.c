/* SPDX-License-Identifier: MIT */
/* The measured loop, with ops that make no call; and the counting of what it logged. */
#include "burst.h"

#include <errno.h>

#include "check.h"

static struct burst_log log_;
static struct call_ctx ctx;
static struct tally tally;

/* Returns 1, 2, 3, … so that each place of the log can be told from the others. */
static int32_t count_up(struct call_ctx *self)
{
	return (int32_t)++self->messages;
}

static void make_ctx(const char *call, uint32_t size, uint32_t batch)
{
	memset(&ctx, 0, sizeof(ctx));
	ctx.call = call_find(call);
	ctx.op = ctx.call->op;
	ctx.size = size;
	ctx.batch = batch;
	ctx.segments = 1;
}

#define FORM(form, clock) form,
static const enum clock_form usable_forms[] = { CLOCK_TIMES(FORM) };

/* The end of one bracket is the start of the next: nothing is left out, nothing is in twice. */
static void the_differences_sum_up_to_the_loop(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(usable_forms); i++) {
		uint64_t sum = 0;

		make_ctx("recv", 64, 1);
		const uint64_t loop =
			burst_loop(usable_forms[i], true)(&log_, count_up, &ctx, 1000);

		for (int j = 0; j < 1000; j++)
			sum += log_.deltas[j];
		CHECK_EQUAL(loop, sum);
		CHECK(loop > 0);
	}
}

static void each_call_is_made_once_and_logged_in_order(void)
{
	for (int observed = 0; observed < 2; observed++) {
		make_ctx("recv", 64, 1);
		burst_loop(FORM_GETTIME, observed)(&log_, count_up, &ctx, 1000);
		CHECK_EQUAL(1000, ctx.messages);
		for (int j = 0; j < 1000; j++)
			CHECK_EQUAL(j + 1, log_.moved[j]);
	}
}

static void an_unobserved_loop_logs_no_difference(void)
{
	make_ctx("recv", 64, 1);
	memset(log_.deltas, 0xab, sizeof(log_.deltas));
	burst_loop(FORM_GETTIME, false)(&log_, count_up, &ctx, 10);
	CHECK(log_.deltas[0] == 0xababababababababU);
	tally_init(&tally, 0);
	tally_burst(&tally, &log_, &ctx, 10, 0, false);
	CHECK_EQUAL(10, tally.calls);
	CHECK_EQUAL(0, tally.hist.count);
}

static void failed_and_short_calls_are_counted_apart(void)
{
	static const int32_t moved[] = { 64, -EAGAIN, 63, -EAGAIN, -ENOBUFS, 64, 0 };

	make_ctx("recv", 64, 1);
	memcpy(log_.moved, moved, sizeof(moved));
	memset(log_.deltas, 0, sizeof(log_.deltas));
	tally_init(&tally, 0);
	tally_burst(&tally, &log_, &ctx, ARRAY_SIZE(moved), 0, true);
	CHECK_EQUAL(7, tally.calls);
	CHECK_EQUAL(3, tally.datagrams);
	CHECK_EQUAL(191, tally.bytes);
	CHECK_EQUAL(2, tally.short_calls);
	CHECK_EQUAL(2, tally.failed[EAGAIN]);
	CHECK_EQUAL(1, tally.failed[ENOBUFS]);
	CHECK_EQUAL(7, tally.hist.count);
}

/* A batch that moved 5 of 8 messages is one short call and five datagrams. */
static void a_batch_is_counted_by_its_messages(void)
{
	make_ctx("recvmmsg", 100, 8);
	log_.moved[0] = 800;
	log_.moved[1] = 500;
	tally_init(&tally, 0);
	tally_burst(&tally, &log_, &ctx, 2, 13, false);
	CHECK_EQUAL(2, tally.calls);
	CHECK_EQUAL(13, tally.datagrams);
	CHECK_EQUAL(1300, tally.bytes);
	CHECK_EQUAL(1, tally.short_calls);
}

static void the_null_call_moves_nothing_and_is_not_short(void)
{
	make_ctx("null", 64, 1);
	burst_loop(FORM_GETTIME, true)(&log_, call_timed_op(&ctx), &ctx, 100);
	tally_init(&tally, 0);
	tally_burst(&tally, &log_, &ctx, 100, 0, true);
	CHECK_EQUAL(100, tally.calls);
	CHECK_EQUAL(0, tally.datagrams);
	CHECK_EQUAL(0, tally.bytes);
	CHECK_EQUAL(0, tally.short_calls);
}

/* work=0 is the plain call, so that an arm without work is measured as if work did not exist. */
static void no_work_is_the_call_itself(void)
{
	make_ctx("null", 64, 1);
	CHECK(call_timed_op(&ctx) == ctx.call->op);
	ctx.work = 1;
	CHECK(call_timed_op(&ctx) != ctx.call->op);
}

int main(void)
{
	the_differences_sum_up_to_the_loop();
	each_call_is_made_once_and_logged_in_order();
	an_unobserved_loop_logs_no_difference();
	failed_and_short_calls_are_counted_apart();
	a_batch_is_counted_by_its_messages();
	the_null_call_moves_nothing_and_is_not_short();
	no_work_is_the_call_itself();
	return 0;
}
