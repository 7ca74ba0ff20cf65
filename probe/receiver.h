/* SPDX-License-Identifier: MIT */
/* A thread that reads whatever comes to a socket, on another CPU, and counts it. */
#ifndef PROBE_RECEIVER_H
#define PROBE_RECEIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "hist.h"
#include "socket.h"

struct received {
	uint64_t calls;
	uint64_t bytes;
	uint64_t datagrams; /* of a stream: reads */
	uint64_t truncated; /* reads whose buffer was too small: with UDP_GRO an error of ours */
};

struct receiver {
	pthread_t thread;
	pthread_mutex_t lock; /* around what was received */
	atomic_bool is_stopping, has_ended;
	bool is_running, is_stream;
	int fd;
	int err; /* positive errno that ended it early */
	struct received received;
	struct hist occupancy; /* datagrams of a read, under UDP_GRO */
	char buffer[65536];
	_Alignas(struct cmsghdr) char control[64];
};

/* Start reading `fd`, which it owns from now on, on `cpu` (negative: anywhere). */
int receiver_start(struct receiver *receiver, int fd, bool is_stream, int cpu, struct refusal *why);

/*
 * Wait until `expected` bytes have come since the last reset, or no more will, five seconds at
 * most. A datagram is lost where nothing waits to be read and nothing has come for a tenth of a
 * second; of a stream nothing is. Return what has come.
 */
struct received receiver_settle(struct receiver *receiver, uint64_t expected);

/* Forget what has come. */
void receiver_reset(struct receiver *receiver);

/* End the thread and close the socket. Idempotent. */
void receiver_stop(struct receiver *receiver);

#endif
