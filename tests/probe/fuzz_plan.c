/* SPDX-License-Identifier: MIT */
/*
 * Whatever the plan's text is, reading it ends, and ends in a plan that keeps its promises or in a
 * message. With clang: cc -fsanitize=fuzzer,address fuzz_plan.c and the probe's sources but main.c.
 */
#include "fuzz_plan.h"

#include <errno.h>
#include <stdbool.h>

#include "busy.h"
#include "calls.h"
#include "check.h"
#include "pace.h"
#include "place.h"
#include "plan.h"
#include "scenario.h"
#include "spec_check.h"

static bool is_in(int32_t value, int32_t min, int32_t max)
{
	return min <= value && value <= max;
}

static void check_spec(const struct spec *spec)
{
	char text[192];

	CHECK(spec->scenario && spec->call && spec->family);
	CHECK(is_in(spec->id, 0, INT32_MAX));
	CHECK(is_in(spec->size, 1, spec->family->size_max));
	CHECK(is_in(spec->batch, 1, spec->queue));
	CHECK(is_in(spec->batch, 1, CALL_BATCH_MAX));
	CHECK(is_in(spec->name, 0, 1) && is_in(spec->connected, 0, 1));
	CHECK(is_in(spec->control, CONTROL_NONE, CONTROL_TIMESTAMP));
	CHECK(is_in(spec->cpu, PLACE_ANY_CPU, PLACE_CPUS - 1));
	CHECK(is_in(spec->priority, PLACE_AUTO_PRIORITY, 99));
	CHECK(is_in(spec->calls, 1, 1 << 30) && is_in(spec->warmup, 0, 1 << 30));
	CHECK(is_in(spec->queue, 1, BURST_CALLS_MAX));
	CHECK(is_in(spec->observe, 0, 1) && is_in(spec->work, 0, CALL_WORK_MAX));
	CHECK(is_in(spec->wait, WAIT_BLOCK, WAIT_SPIN) && is_in(spec->peer_process, 0, 1));
	CHECK(is_in(spec->ring, RING_PLAIN, RING_SQPOLL));
	CHECK(is_in(spec->registered, REGISTERED_NONE, REGISTERED_BUFFERS));
	if (spec->scenario == &scenario_channels) {
		CHECK(is_in(spec->size, PACE_STAMP_BYTES, CALL_SIZE_MAX));
		CHECK(is_in(spec->channels, 1, PACE_CHANNELS_MAX));
		CHECK(is_in(spec->interval_us, 100, 10000000));
		CHECK(is_in(spec->tick_us, 100, 10000000));
		CHECK(is_in(spec->busy, 0, BUSY_THREADS_MAX));
		CHECK(is_in(spec->duration_ms, 1, 3600000));
		CHECK(is_in(spec->find, FIND_EPOLL, FIND_MULTISHOT));
	}
	CHECK(is_in(spec->peer_cpu, PLACE_OTHER_CPU, PLACE_CPUS - 1));
	CHECK_EQUAL(0, spec_check(spec, text, sizeof(text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static struct plan plan;
	struct plan_error error = { .text = "" };
	char *exact = malloc(size ? size : 1); /* so that a byte too far is seen */

	CHECK(exact);
	memcpy(exact, input, size);
	const int err = plan_read(&plan, exact, size, &error);

	free(exact);
	if (err) {
		CHECK_EQUAL(-EINVAL, err);
		CHECK(error.text[0] && memchr(error.text, 0, sizeof(error.text)));
		return 0;
	}
	CHECK(plan.cap <= INT64_MAX);
	for (size_t i = 0; i < plan.segment_count; i++)
		check_spec(&plan.segments[i]);
	return 0;
}
