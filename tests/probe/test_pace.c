/* SPDX-License-Identifier: MIT */
/* A schedule is even, random and complete; a late sender catches up and says how late it was. */
#include "pace.h"

#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#include "check.h"
#include "place.h"
#include "socket.h"

enum { CHANNELS = 450, INTERVAL_NS = 20000000 };

static struct pace pace, other;
static struct sockaddr_storage addrs[4];

static void every_channel_has_one_slot_and_slots_do_not_overlap(void)
{
	bool seen[CHANNELS] = { false };

	pace.channels = CHANNELS;
	pace.interval_ns = INTERVAL_NS;
	pace_draw(&pace, 42);
	CHECK(pace.phase_ns < INTERVAL_NS);
	for (uint32_t i = 0; i < CHANNELS; i++) {
		CHECK(!seen[pace.channel[i]]);
		seen[pace.channel[i]] = true;
		CHECK(pace.offset_ns[i] >= (uint64_t)INTERVAL_NS * i / CHANNELS);
		CHECK(pace.offset_ns[i] < (uint64_t)INTERVAL_NS * (i + 1) / CHANNELS);
	}
}

static void another_seed_is_another_schedule(void)
{
	uint32_t same = 0;

	other.channels = CHANNELS;
	other.interval_ns = INTERVAL_NS;
	pace_draw(&other, 1234567890123);
	CHECK(other.phase_ns != pace.phase_ns);
	for (uint32_t i = 0; i < CHANNELS; i++)
		same += other.channel[i] == pace.channel[i];
	CHECK(same < 20); /* one is expected; twenty have a probability of 1e-19 */
}

/* Four sockets, ten intervals of 2 ms, of which the first two warm up. */
static void a_sender_sends_every_message_at_its_time(void)
{
	struct refusal why;
	struct pacer pacer = { .pace = &pace, .size = 64, .addrs = addrs };
	struct peer_link link = { 0 };
	struct stamp stamp;
	char message[64] = "";
	int fds[4];

	pacer.message = message;
	hist_init(&pacer.late, 0);
	CHECK_EQUAL(0, sock_open_bound(family_find("udp4"), &pacer.fd, &why));
	for (int i = 0; i < 4; i++) {
		pacer.addr_len = sizeof(addrs[i]);
		CHECK_EQUAL(0, sock_open_bound(family_find("udp4"), &fds[i], &why));
		CHECK_EQUAL(0, getsockname(fds[i], (struct sockaddr *)&addrs[i], &pacer.addr_len));
	}
	pace.channels = 4;
	pace.interval_ns = 2000000;
	pace_draw(&pace, 7);
	pace.phase_ns = 0;
	/* It begins late by an interval, so the first messages go at once. */
	pace.start_ns = pace_now_ns() - pace.interval_ns;
	pace.measured_ns = pace.start_ns + 2 * pace.interval_ns;
	pace.end_ns = pace.start_ns + 10 * pace.interval_ns;
	CHECK_EQUAL(0, pacer_serve(&pacer, &link, 1));
	CHECK(pace_now_ns() >= pace.start_ns + 9 * pace.interval_ns);
	CHECK_EQUAL(8 * 4, pacer.sent);
	CHECK_EQUAL(0, pacer.failed);
	CHECK_EQUAL(8 * 4, pacer.late.count);
	for (uint32_t i = 0; i < 4; i++) {
		const int fd = fds[pace.channel[i]];

		for (uint64_t k = 0; k < 10; k++) {
			CHECK_EQUAL(64, recv(fd, message, sizeof(message), 0));
			memcpy(&stamp, message, sizeof(stamp));
			CHECK_EQUAL(stamp_magic, stamp.magic);
			CHECK_EQUAL(pace.channel[i], stamp.channel);
			CHECK_EQUAL(pace.start_ns + pace.offset_ns[i] + k * pace.interval_ns,
				    stamp.due_ns);
		}
		CHECK(recv(fd, message, sizeof(message), 0) == -1 && errno == EAGAIN);
		close(fd);
	}
	close(pacer.fd);
}

int main(void)
{
	every_channel_has_one_slot_and_slots_do_not_overlap();
	another_seed_is_another_schedule();
	a_sender_sends_every_message_at_its_time();
	return 0;
}
