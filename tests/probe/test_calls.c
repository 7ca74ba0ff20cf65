/* SPDX-License-Identifier: MIT */
/* Every call of every family moves the right bytes over real sockets, and refuses what it must. */
#include "calls.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <unistd.h>

#include "check.h"
#include "traffic.h"

enum { SIZE = 100, BATCH = 4 };

static const char *const families[] = {
	"udp4", "udp6", "tcp4", "tcp6", "unix-stream", "unix-dgram"
};
static const char *const receives[] = {
	"recv", "recvfrom", "recvmsg", "recvmmsg", "read", "readv"
};
static const char *const sends[] = { "send", "sendto", "sendmsg", "sendmmsg", "write", "writev" };

static struct call_ctx ctx;
static char payload[SIZE];
static char received[BATCH * SIZE];

/* A batch for the calls that take one; everything else plain. */
static struct spec make_spec(const char *call, const char *family)
{
	struct spec spec = { .call = call_find(call), .family = family_find(family), .size = SIZE };

	spec.batch = spec.call->takes_batch ? BATCH : 1;
	spec.queue = BATCH;
	spec.connected = 1;
	return spec;
}

/* Open a pair for `spec`; false where this machine has no such family (IPv6 may be off). */
static bool open_pair(struct sock_pair *pair, const struct spec *spec)
{
	struct refusal why = { 0 };
	const struct sock_wish wish = {
		.family = spec->family,
		.tx_connected = spec->connected || spec->call->direction == RECEIVES,
		.rx_connected = spec->connected && spec->call->direction == RECEIVES,
		.timestamp = spec->control == CONTROL_TIMESTAMP,
		.queued_bytes = 65536,
	};
	const int err = sock_pair_open(pair, &wish, &why);

	if (err == -EAFNOSUPPORT || err == -EADDRNOTAVAIL) {
		fprintf(stderr, "skipped: %s at %s: %s\n", spec->family->name, why.step,
			strerror(why.err));
		return false;
	}
	CHECK_EQUAL(0, err);
	return true;
}

static struct traffic make_traffic(const struct sock_pair *pair)
{
	return (struct traffic){ .pair = pair,
				 .payload = payload,
				 .size = SIZE,
				 .scratch = received,
				 .scratch_size = sizeof(received) };
}

static void receive_once(const struct spec *spec, struct sock_pair *pair)
{
	const struct traffic traffic = make_traffic(pair);
	const uint32_t batch = (uint32_t)spec->batch;

	memset(received, 0, sizeof(received));
	call_prepare(&ctx, spec, pair, received);
	CHECK_EQUAL(batch * SIZE, call_expected_bytes(&ctx));
	CHECK_EQUAL(batch * SIZE, traffic_fill(&traffic, batch));
	CHECK_EQUAL(batch * SIZE, call_timed_op(&ctx)(&ctx));
	CHECK(memcmp(payload, received, SIZE) == 0);
	CHECK_EQUAL(spec->call->takes_batch ? batch : 0, ctx.messages);
	/* The queue is now empty, and an empty queue is EAGAIN, not a wait. */
	CHECK_EQUAL(-EAGAIN, call_timed_op(&ctx)(&ctx));
}

static void every_receive_moves_the_payload(void)
{
	for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
		for (size_t c = 0; c < ARRAY_SIZE(receives); c++) {
			const struct spec spec = make_spec(receives[c], families[f]);
			struct sock_pair pair;

			if (!open_pair(&pair, &spec))
				continue;
			receive_once(&spec, &pair);
			sock_pair_close(&pair);
		}
	}
}

static void send_once(const struct spec *spec, struct sock_pair *pair)
{
	const struct traffic traffic = make_traffic(pair);
	const uint32_t batch = (uint32_t)spec->batch;

	memset(received, 0, sizeof(received));
	call_prepare(&ctx, spec, pair, payload);
	CHECK_EQUAL(batch * SIZE, call_timed_op(&ctx)(&ctx));
	CHECK_EQUAL(spec->call->takes_batch ? batch : 0, ctx.messages);
	CHECK_EQUAL(SIZE, recv(pair->rx, received, SIZE, 0));
	CHECK(memcmp(payload, received, SIZE) == 0);
	CHECK_EQUAL((batch - 1) * SIZE, traffic_drain(&traffic, (batch - 1) * SIZE));
	CHECK(recv(pair->rx, received, SIZE, 0) == -1 && errno == EAGAIN);
}

static void every_send_moves_the_payload(void)
{
	for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
		for (size_t c = 0; c < ARRAY_SIZE(sends); c++) {
			const struct spec spec = make_spec(sends[c], families[f]);
			struct sock_pair pair;

			if (!open_pair(&pair, &spec))
				continue;
			send_once(&spec, &pair);
			sock_pair_close(&pair);
		}
	}
}

/* On a socket that is not connected, the calls that can name a destination do. */
static void a_send_to_an_address_arrives(void)
{
	static const char *const datagrams[] = { "udp4", "udp6", "unix-dgram" };

	for (size_t f = 0; f < ARRAY_SIZE(datagrams); f++) {
		for (size_t c = 0; c < ARRAY_SIZE(sends); c++) {
			struct spec spec = make_spec(sends[c], datagrams[f]);
			struct sock_pair pair;

			spec.connected = 0;
			if (!spec.call->takes_destination || !open_pair(&pair, &spec))
				continue;
			CHECK(!pair.tx_connected);
			send_once(&spec, &pair);
			sock_pair_close(&pair);
		}
	}
}

/* What the kernel says when the plan's reader would let such a call through: never a silent 0. */
static void a_send_without_a_destination_fails(void)
{
	struct spec spec = make_spec("write", "udp4");
	struct sock_pair pair;

	spec.connected = 0;
	CHECK(open_pair(&pair, &spec));
	call_prepare(&ctx, &spec, &pair, payload);
	CHECK_EQUAL(-EDESTADDRREQ, call_timed_op(&ctx)(&ctx));
	sock_pair_close(&pair);
}

static socklen_t sender_name(const struct sock_pair *pair, struct sockaddr_storage *addr)
{
	socklen_t length = sizeof(*addr);

	CHECK_EQUAL(0, getsockname(pair->tx, (struct sockaddr *)addr, &length));
	return length;
}

/* Twice, because the second receive finds the lengths that the first one overwrote. */
static void a_wanted_name_is_the_senders(void)
{
	static const char *const datagrams[] = { "udp4", "udp6", "unix-dgram" };
	static const char *const namers[] = { "recvfrom", "recvmsg", "recvmmsg" };

	for (size_t f = 0; f < ARRAY_SIZE(datagrams); f++) {
		for (size_t c = 0; c < ARRAY_SIZE(namers); c++) {
			struct spec spec = make_spec(namers[c], datagrams[f]);
			struct sockaddr_storage sender;
			struct sock_pair pair;

			spec.name = 1;
			if (!open_pair(&pair, &spec))
				continue;
			receive_once(&spec, &pair);
			const struct traffic traffic = make_traffic(&pair);

			traffic_fill(&traffic, (uint32_t)spec.batch);
			CHECK_EQUAL(spec.batch * SIZE, call_timed_op(&ctx)(&ctx));
			const socklen_t length = sender_name(&pair, &sender);
			const void *seen =
				spec.call->takes_batch ? &ctx.batch_addrs[BATCH - 1] : &ctx.peer;

			CHECK(memcmp(&sender, seen, length) == 0);
			sock_pair_close(&pair);
		}
	}
}

static void a_timestamp_asked_for_is_there(void)
{
	static const char *const takers[] = { "recvmsg", "recvmmsg" };

	for (size_t c = 0; c < ARRAY_SIZE(takers); c++) {
		struct spec spec = make_spec(takers[c], "udp4");
		struct sock_pair pair;

		spec.control = CONTROL_TIMESTAMP;
		CHECK(open_pair(&pair, &spec));
		receive_once(&spec, &pair);
		const struct traffic traffic = make_traffic(&pair);

		traffic_fill(&traffic, (uint32_t)spec.batch);
		CHECK_EQUAL(spec.batch * SIZE, call_timed_op(&ctx)(&ctx));
		struct msghdr *msg =
			spec.call->takes_batch ? &ctx.batch_msgs[BATCH - 1].msg_hdr : &ctx.msg;
		const struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg);

		CHECK(cmsg && cmsg->cmsg_type == SCM_TIMESTAMPNS);
		sock_pair_close(&pair);
	}
}

static void a_control_buffer_not_asked_for_stays_empty(void)
{
	struct spec spec = make_spec("recvmsg", "udp4");
	struct sock_pair pair;

	spec.control = CONTROL_BUFFER;
	CHECK(open_pair(&pair, &spec));
	const struct traffic traffic = make_traffic(&pair);

	call_prepare(&ctx, &spec, &pair, received);
	CHECK_EQUAL(CALL_CONTROL_BYTES, ctx.msg.msg_controllen);
	traffic_fill(&traffic, 1);
	CHECK_EQUAL(SIZE, call_timed_op(&ctx)(&ctx));
	CHECK_EQUAL(0, ctx.msg.msg_controllen);
	CHECK_EQUAL(0, ctx.msg.msg_flags & MSG_CTRUNC);
	sock_pair_close(&pair);
}

static void a_batch_of_fewer_is_short(void)
{
	const struct spec spec = make_spec("recvmmsg", "udp4");
	struct sock_pair pair;

	CHECK(open_pair(&pair, &spec));
	const struct traffic traffic = make_traffic(&pair);

	call_prepare(&ctx, &spec, &pair, received);
	traffic_fill(&traffic, BATCH - 1);
	CHECK_EQUAL((BATCH - 1) * SIZE, call_timed_op(&ctx)(&ctx));
	CHECK_EQUAL(BATCH - 1, ctx.messages);
	sock_pair_close(&pair);
}

static void a_failed_set_up_leaves_nothing_open(void)
{
	static const struct family nonsense = { "nonsense", AF_MAX, SOCK_DGRAM, 1 };
	const struct sock_wish wish = { .family = &nonsense };
	struct sock_pair pair;
	struct refusal why;

	CHECK_EQUAL(-EAFNOSUPPORT, sock_pair_open(&pair, &wish, &why));
	CHECK_TEXT("socket", why.step);
	CHECK_EQUAL(-1, pair.tx);
	CHECK_EQUAL(-1, pair.rx);
}

/* The trial finds the queue limit of a Unix datagram socket, which no option can raise. */
static void depth_is_what_the_sockets_hold(void)
{
	struct spec spec = make_spec("sendto", "unix-dgram");
	struct sock_pair pair;
	int64_t limit = 0;
	FILE *file = fopen("/proc/sys/net/unix/max_dgram_qlen", "re");

	CHECK(file && fscanf(file, "%" SCNd64, &limit) == 1);
	fclose(file);
	CHECK(open_pair(&pair, &spec));
	const struct traffic traffic = make_traffic(&pair);

	/* unix_recvq_full(), net/unix/af_unix.c: full when more than the limit are queued. */
	CHECK_EQUAL(limit + 1, traffic_measure_depth(&traffic, (uint32_t)limit + 100));
	CHECK_EQUAL(2, traffic_measure_depth(&traffic, 2));
	sock_pair_close(&pair);
}

int main(void)
{
	for (int i = 0; i < SIZE; i++)
		payload[i] = (char)(i + 1);
	every_receive_moves_the_payload();
	every_send_moves_the_payload();
	a_send_to_an_address_arrives();
	a_send_without_a_destination_fails();
	a_wanted_name_is_the_senders();
	a_timestamp_asked_for_is_there();
	a_control_buffer_not_asked_for_stays_empty();
	a_batch_of_fewer_is_short();
	a_failed_set_up_leaves_nothing_open();
	depth_is_what_the_sockets_hold();
	return 0;
}
