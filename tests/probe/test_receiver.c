/* SPDX-License-Identifier: MIT */
/* What a reader has read is awaited: a stream's whole, a datagram only where it may still come. */
#include "receiver.h"

#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "clock.h"

static struct receiver receiver;

static void open_pair(int type, int fds[2])
{
	struct refusal why;

	CHECK_EQUAL(0, socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds));
	CHECK_EQUAL(0, receiver_start(&receiver, fds[1], type == SOCK_STREAM, -1, &why));
}

static void *send_late(void *fd)
{
	const struct timespec late = { .tv_nsec = 400000000 };

	nanosleep(&late, NULL);
	CHECK_EQUAL(2, send(*(int *)fd, "cd", 2, 0));
	return NULL;
}

/* As where the reader, or what carries the stream, is kept from running. */
static void the_rest_of_a_stream_is_awaited(void)
{
	pthread_t sender;
	int fds[2];

	open_pair(SOCK_STREAM, fds);
	CHECK_EQUAL(2, send(fds[0], "ab", 2, 0));
	CHECK_EQUAL(0, pthread_create(&sender, NULL, send_late, &fds[0]));
	CHECK_EQUAL(4, receiver_settle(&receiver, 4).bytes);
	pthread_join(sender, NULL);
	receiver_reset(&receiver);
	CHECK_EQUAL(0, receiver_settle(&receiver, 0).bytes);
	receiver_stop(&receiver);
	close(fds[0]);
}

static void a_lost_datagram_is_not(void)
{
	int fds[2];

	open_pair(SOCK_DGRAM, fds);
	CHECK_EQUAL(1, send(fds[0], "a", 1, 0));
	const struct received received = receiver_settle(&receiver, 2);

	CHECK_EQUAL(1, received.bytes);
	CHECK_EQUAL(1, received.datagrams);
	receiver_stop(&receiver);
	close(fds[0]);
}

/* A limit in place of a duration: five seconds are for a stream that may go on. */
static void a_stream_that_has_ended_is_not(void)
{
	const uint64_t start_ns = clock_raw_ns();
	int fds[2];

	open_pair(SOCK_STREAM, fds);
	CHECK_EQUAL(2, send(fds[0], "ab", 2, 0));
	close(fds[0]);
	CHECK_EQUAL(2, receiver_settle(&receiver, 4).bytes);
	CHECK(clock_raw_ns() - start_ns < 4000000000);
	receiver_stop(&receiver);
}

int main(void)
{
	the_rest_of_a_stream_is_awaited();
	a_lost_datagram_is_not();
	a_stream_that_has_ended_is_not();
	return 0;
}
