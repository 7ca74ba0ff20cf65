/* SPDX-License-Identifier: MIT */
/* It has no real-time priority: the sender on the other CPU sets the pace. */
#include "receiver.h"

#include <errno.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "place.h"

enum { QUIET_MS = 100, LIMIT_MS = 5000, STACK_BYTES = 256 * 1024 };

/* How many datagrams a read holds: UDP_GRO tells their size as an int, where it joined any. */
static uint64_t datagrams_of(const struct msghdr *msg, ssize_t bytes)
{
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg); cmsg;
	     cmsg = CMSG_NXTHDR((struct msghdr *)msg, cmsg)) {
		int size;

		if (cmsg->cmsg_level != IPPROTO_UDP || cmsg->cmsg_type != UDP_GRO)
			continue;
		memcpy(&size, CMSG_DATA(cmsg), sizeof(size));
		if (size > 0)
			return ((uint64_t)bytes + (uint64_t)size - 1) / (uint64_t)size;
	}
	return 1;
}

static void count(struct receiver *receiver, const struct msghdr *msg, ssize_t bytes)
{
	const uint64_t datagrams = datagrams_of(msg, bytes);

	pthread_mutex_lock(&receiver->lock);
	receiver->received.calls++;
	receiver->received.bytes += (uint64_t)bytes;
	receiver->received.datagrams += datagrams;
	receiver->received.truncated += (msg->msg_flags & MSG_TRUNC) != 0;
	hist_record(&receiver->occupancy, &datagrams, 1);
	pthread_mutex_unlock(&receiver->lock);
}

static void *receive(void *argument)
{
	struct receiver *receiver = argument;

	while (!atomic_load_explicit(&receiver->is_stopping, memory_order_relaxed)) {
		struct iovec iov = { receiver->buffer, sizeof(receiver->buffer) };
		struct msghdr msg = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = receiver->control,
			.msg_controllen = sizeof(receiver->control),
		};
		const ssize_t got = recvmsg(receiver->fd, &msg, 0);

		if (got > 0)
			count(receiver, &msg, got);
		else if (got == 0)
			break; /* the sender has closed */
		else if (errno != EAGAIN && errno != EINTR && errno != ECONNREFUSED) {
			receiver->err = errno;
			break;
		}
	}
	/* A sender that waits for a reader who is gone, in a call or in a ring, waits no longer. */
	if (receiver->err)
		shutdown(receiver->fd, SHUT_RDWR);
	atomic_store(&receiver->has_ended, true);
	return NULL;
}

/* A blocked read looks up now and then whether it shall end. */
static int prepare_socket(int fd)
{
	const struct timeval patience = { .tv_usec = 50000 };

	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ? errno : 0;
}

/* Threads begin with the priority and the CPUs of who makes them; this one shall have neither. */
static int create(struct receiver *receiver, int cpu)
{
	const struct sched_param ordinary = { 0 };
	pthread_attr_t attributes;
	cpu_set_t cpus;
	int err = pthread_attr_init(&attributes);

	if (err)
		return err;
	pthread_attr_setstacksize(&attributes, STACK_BYTES); /* it may be locked in memory */
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
	pthread_attr_setschedparam(&attributes, &ordinary);
	if (cpu >= 0 && cpu < CPU_SETSIZE) {
		CPU_ZERO(&cpus);
		CPU_SET((size_t)cpu, &cpus);
		pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
	}
	err = pthread_create(&receiver->thread, &attributes, receive, receiver);
	pthread_attr_destroy(&attributes);
	return err;
}

int receiver_start(struct receiver *receiver, int fd, bool is_stream, int cpu, struct refusal *why)
{
	receiver->is_stream = is_stream;
	receiver->fd = fd;
	receiver->err = 0;
	atomic_store(&receiver->is_stopping, false);
	atomic_store(&receiver->has_ended, false);
	pthread_mutex_init(&receiver->lock, NULL);
	receiver_reset(receiver);
	int err = prepare_socket(fd);

	if (!err)
		err = create(receiver, cpu);
	receiver->is_running = !err;
	if (err)
		close(fd);
	return err ? refuse(why, "receiver", err) : 0;
}

static struct received look(struct receiver *receiver)
{
	pthread_mutex_lock(&receiver->lock);
	const struct received received = receiver->received;

	pthread_mutex_unlock(&receiver->lock);
	return received;
}

/* Whether something has come that nobody has read: the reader is kept from running. */
static bool is_waiting(int fd)
{
	int bytes = 0;

	return ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

struct received receiver_settle(struct receiver *receiver, uint64_t expected)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const int quiet_limit_ms = receiver->is_stream ? LIMIT_MS : QUIET_MS;
	struct received seen = look(receiver);
	int quiet_ms = 0;

	for (int ms = 0; seen.bytes < expected && quiet_ms < quiet_limit_ms && ms < LIMIT_MS;
	     ms++) {
		const bool has_ended = atomic_load(&receiver->has_ended);

		nanosleep(&pause, NULL);
		const struct received now = look(receiver);

		if (has_ended)
			return now;
		quiet_ms = now.calls != seen.calls || is_waiting(receiver->fd) ? 0 : quiet_ms + 1;
		seen = now;
	}
	return seen;
}

void receiver_reset(struct receiver *receiver)
{
	pthread_mutex_lock(&receiver->lock);
	receiver->received = (struct received){ 0 };
	hist_init(&receiver->occupancy, 0);
	pthread_mutex_unlock(&receiver->lock);
}

void receiver_stop(struct receiver *receiver)
{
	if (!receiver->is_running)
		return;
	atomic_store(&receiver->is_stopping, true);
	shutdown(receiver->fd, SHUT_RDWR);
	pthread_join(receiver->thread, NULL);
	pthread_mutex_destroy(&receiver->lock);
	close(receiver->fd);
	receiver->is_running = false;
}
