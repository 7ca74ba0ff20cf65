/* SPDX-License-Identifier: MIT */
/* Operations of an io_uring move the right bytes, say when there are none, and leave nothing. */
#if __has_include(<liburing.h>)
#define HAVE_RING
#include "uring_ring.h"
#else
#include "uring.h"
#endif

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "place.h"
#include "traffic.h"

enum { SIZE = 100, BATCH = 4 };

static const char *const receives[] = { "uring-recv", "uring-recvmsg", "uring-recv-multishot",
					"uring-recvmsg-multishot" };
static const char *const sends[] = { "uring-send", "uring-sendmsg", "uring-send-zc",
				     "uring-sendmsg-zc" };

static struct call_ctx ctx;
static struct place_cpus cpus;
static struct measures measures;
static char payload[SIZE];
static char received[BATCH * SIZE];

static struct spec make_spec(const char *call, enum ring_kind ring)
{
	return (struct spec){ .call = call_find(call),
			      .family = family_find("udp4"),
			      .size = SIZE,
			      .batch = BATCH,
			      .queue = BATCH,
			      .connected = 1,
			      .cpu = PLACE_ANY_CPU,
			      .ring = ring };
}

static void open_pair(struct sock_pair *pair)
{
	struct refusal why = { 0 };
	const struct sock_wish wish = { .family = family_find("udp4"),
					.tx_connected = true,
					.rx_connected = true,
					.queued_bytes = 65536 };

	CHECK_EQUAL(0, sock_pair_open(pair, &wish, &why));
}

/* Whether there is an io_uring here; what there is must then work. */
static bool open_ring(const struct spec *spec, const struct sock_pair *pair, void *buffer)
{
	struct refusal why = { 0 };

	call_prepare(&ctx, spec, pair, buffer);
	const int err = uring_open(&ctx, spec, &cpus, &why);

	if (err) {
		fprintf(stderr, "skipped: %s: %s\n", spec->call->name,
			why.text ? why.text : strerror(why.err));
		CHECK_TEXT("io_uring", why.step);
		CHECK(!ctx.uring);
	}
	return !err;
}

static uint64_t counter(const char *name)
{
	measures_init(&measures);
	uring_count(&ctx, &measures);
	for (size_t i = 0; i < measures.counter_count; i++)
		if (!strcmp(measures.counters[i].name, name))
			return measures.counters[i].value;
	return UINT64_MAX;
}

static void every_receive_takes_a_batch_and_says_when_there_is_none(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(receives); i++) {
		const struct spec spec = make_spec(receives[i], RING_DEFER_TASKRUN);
		struct sock_pair pair;

		open_pair(&pair);
		const struct traffic traffic = { .pair = &pair,
						 .payload = payload,
						 .size = SIZE,
						 .scratch = received,
						 .scratch_size = sizeof(received) };

		if (open_ring(&spec, &pair, received)) {
			/* Three rounds give every buffer back at least once. */
			for (int round = 0; round < 3; round++) {
				CHECK_EQUAL(BATCH * SIZE, traffic_fill(&traffic, BATCH));
				CHECK_EQUAL(BATCH * SIZE, ctx.call->op(&ctx));
				CHECK_EQUAL(BATCH * (round + 1), ctx.messages);
			}
			CHECK_EQUAL(-EAGAIN, ctx.call->op(&ctx));
			uring_close(&ctx);
			CHECK(!ctx.uring);
		}
		sock_pair_close(&pair);
	}
}

static void every_send_arrives_and_every_notification_comes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sends); i++) {
		const struct spec spec = make_spec(sends[i], RING_PLAIN);
		struct sock_pair pair;

		open_pair(&pair);
		if (open_ring(&spec, &pair, payload)) {
			CHECK_EQUAL(BATCH * SIZE, ctx.call->op(&ctx));
			CHECK_EQUAL(BATCH, ctx.messages);
			for (int message = 0; message < BATCH; message++) {
				CHECK_EQUAL(SIZE, recv(pair.rx, received, SIZE, 0));
				CHECK(memcmp(payload, received, SIZE) == 0);
			}
			CHECK_EQUAL(1, counter("enters"));
			if (strstr(sends[i], "zc")) {
				CHECK_EQUAL(BATCH, counter("zerocopy_notifications"));
				CHECK_EQUAL(0, counter("zerocopy_missing"));
			}
			uring_reset(&ctx);
			CHECK_EQUAL(0, counter("enters"));
			uring_close(&ctx);
		}
		sock_pair_close(&pair);
	}
}

/* Every second buffer cannot be read: the call returns what the others moved. */
static void what_failed_in_a_batch_is_told_apart(void)
{
	const struct spec spec = make_spec("uring-send", RING_PLAIN);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sock_pair pair;

	CHECK(pages != MAP_FAILED);
	CHECK_EQUAL(0, mprotect(pages + page, page, PROT_NONE));
	open_pair(&pair);
	if (open_ring(&spec, &pair, payload)) {
		ctx.ring = (struct ring){ .start = pages, .stride = page, .count = 2 };
		CHECK_EQUAL(BATCH / 2 * SIZE, ctx.call->op(&ctx));
		const struct uring_failures failures = uring_failed(&ctx);

		CHECK_EQUAL(-EFAULT, failures.first);
		CHECK_EQUAL(0, failures.for_memory);
		CHECK_EQUAL(0, uring_failed(&ctx).first);
		uring_close(&ctx);
	}
	sock_pair_close(&pair);
	munmap(pages, 2 * page);
}

#ifdef HAVE_RING
/* A call that gave up has left an operation behind; its completion comes among those of the next.
 */
static void what_a_call_gave_up_is_not_credited_to_the_next(void)
{
	const struct spec spec = make_spec("uring-send", RING_PLAIN);
	struct sock_pair pair;

	open_pair(&pair);
	if (open_ring(&spec, &pair, payload)) {
		io_uring_prep_nop(io_uring_get_sqe(&ctx.uring->ring));
		CHECK_EQUAL(1, io_uring_submit(&ctx.uring->ring));
		ctx.uring->given_up = 1;
		CHECK_EQUAL(BATCH * SIZE, ctx.call->op(&ctx));
		CHECK_EQUAL(BATCH, ctx.messages);
		CHECK_EQUAL(0, ctx.uring->given_up);
		uring_close(&ctx);
	}
	sock_pair_close(&pair);
}
#endif

static void a_multishot_receive_is_refused_where_its_work_would_hide(void)
{
	static const enum ring_kind kinds[] = { RING_PLAIN, RING_SINGLE_ISSUER, RING_SQPOLL };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct spec spec = make_spec("uring-recv-multishot", kinds[i]);
		struct refusal why = { 0 };
		struct sock_pair pair;

		open_pair(&pair);
		call_prepare(&ctx, &spec, &pair, received);
		CHECK(uring_open(&ctx, &spec, &cpus, &why) < 0);
		CHECK(!strcmp(why.step, "ring") || !strcmp(why.step, "io_uring"));
		sock_pair_close(&pair);
	}
}

static void without_a_ring_there_is_nothing_to_count_or_close(void)
{
	ctx.uring = NULL;
	uring_reset(&ctx);
	CHECK_EQUAL(0, uring_failed(&ctx).first);
	CHECK(counter("enters") == UINT64_MAX);
	uring_close(&ctx);
}

int main(void)
{
	cpus = place_cpus_now();
	memset(payload, 'x', sizeof(payload));
	every_receive_takes_a_batch_and_says_when_there_is_none();
	every_send_arrives_and_every_notification_comes();
	what_failed_in_a_batch_is_told_apart();
#ifdef HAVE_RING
	what_a_call_gave_up_is_not_credited_to_the_next();
#endif
	a_multishot_receive_is_refused_where_its_work_would_hide();
	without_a_ring_there_is_nothing_to_count_or_close();
	return 0;
}
