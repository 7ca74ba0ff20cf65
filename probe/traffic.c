/* SPDX-License-Identifier: MIT */
/*
 * Datagrams on loopback arrive before the send returns, unless the soft interrupt was left to its
 * daemon; a stream's bytes may wait for acknowledgements and must be waited for.
 */
#include "traffic.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "clock_read.h"
#include "sys.h"

static const uint64_t delivery_limit_ns = 2000000000; /* then the stream is stuck */
static const uint64_t trial_patience_ns = 100000000;  /* then it is full: two delayed ACKs */
enum { SPINS_BEFORE_NAP = 100 };

static void nap(long ns)
{
	const struct timespec pause = { .tv_nsec = ns };

	nanosleep(&pause, NULL);
}

/* How long nothing has moved, and what to do meanwhile. */
struct patience {
	uint64_t limit_ns;
	uint64_t since_ns;
	uint32_t spins;
};

static struct patience patience_begin(uint64_t limit_ns)
{
	return (struct patience){ .limit_ns = limit_ns, .since_ns = clock_raw_ns() };
}

/* Spin a little, then nap: the softirq daemon cannot run while a FIFO thread spins. Return false
 * when the limit is past. */
static bool patience_wait(struct patience *patience)
{
	if (clock_raw_ns() - patience->since_ns > patience->limit_ns)
		return false;
	if (++patience->spins > SPINS_BEFORE_NAP)
		nap(50000);
	return true;
}

static long send_part(const struct traffic *traffic, uint32_t bytes)
{
	const struct sock_pair *pair = traffic->pair;
	const long addr = pair->tx_connected ? 0 : (long)&pair->rx_addr;
	const long addr_len = pair->tx_connected ? 0 : (long)pair->rx_addr_len;

	return sys6(SYS_sendto, pair->tx, (long)traffic->payload, bytes, MSG_NOSIGNAL, addr,
		    addr_len);
}

static int64_t fill_datagrams(const struct traffic *traffic, uint32_t messages)
{
	for (uint32_t i = 0; i < messages; i++) {
		const long sent = send_part(traffic, traffic->size);

		if (sent == -EAGAIN || sent == -ENOBUFS)
			return (int64_t)i * traffic->size;
		if (sent < 0)
			return sent;
	}
	return (int64_t)messages * traffic->size;
}

/* Send up to `wanted` bytes, a message at a time, until they have all arrived or nothing moves
 * within the limit. Return 0 or -errno. */
static int fill_stream(const struct traffic *traffic, int64_t wanted, uint64_t limit_ns,
		       int64_t *sent, int64_t *arrived)
{
	struct patience patience = patience_begin(limit_ns);

	*sent = *arrived = 0;
	for (;;) {
		while (*sent < wanted) {
			const int64_t into_message = *sent % traffic->size;
			const long moved =
				send_part(traffic, traffic->size - (uint32_t)into_message);

			if (moved == -EAGAIN)
				break;
			if (moved < 0)
				return (int)moved;
			*sent += moved;
		}
		const int64_t before = *arrived;
		int queued = 0;

		if (ioctl(traffic->pair->rx, SIOCINQ, &queued) < 0)
			return -errno;
		*arrived = queued;
		if (*arrived == wanted)
			return 0;
		if (*arrived != before)
			patience = patience_begin(limit_ns);
		else if (!patience_wait(&patience))
			return 0;
	}
}

int64_t traffic_fill(const struct traffic *traffic, uint32_t messages)
{
	const int64_t wanted = (int64_t)messages * traffic->size;
	int64_t sent, arrived;

	if (!family_is_stream(traffic->pair->family))
		return fill_datagrams(traffic, messages);
	const int err = fill_stream(traffic, wanted, delivery_limit_ns, &sent, &arrived);

	if (err)
		return err;
	return arrived == wanted ? wanted : -ETIMEDOUT;
}

/* A datagram's rest is dropped when not all of it is read, so one byte is enough: recv(2). */
static int64_t drain_datagrams(const struct traffic *traffic, int64_t bytes)
{
	int64_t taken = 0;

	for (bool late = false; taken < bytes;) {
		const long got = sys6(SYS_recvfrom, traffic->pair->rx, (long)traffic->scratch, 1,
				      MSG_TRUNC, 0, 0);

		if (got == -EAGAIN && !late) {
			late = true;
			nap(1000000);
			continue;
		}
		if (got == -EAGAIN)
			break;
		if (got < 0)
			return got;
		taken += got;
	}
	return taken;
}

static int64_t drain_stream(const struct traffic *traffic, int64_t bytes)
{
	struct patience patience = patience_begin(delivery_limit_ns);
	int64_t taken = 0;

	while (taken < bytes) {
		const int64_t left = bytes - taken;
		const size_t room = left < (int64_t)traffic->scratch_size ? (size_t)left
									  : traffic->scratch_size;
		const long got = sys6(SYS_recvfrom, traffic->pair->rx, (long)traffic->scratch,
				      (long)room, 0, 0, 0);

		if (got == -EAGAIN) {
			if (!patience_wait(&patience))
				return -ETIMEDOUT;
			continue;
		}
		if (got < 0)
			return got;
		if (got == 0)
			return -EPIPE;
		taken += got;
		patience = patience_begin(delivery_limit_ns);
	}
	return taken;
}

int64_t traffic_drain(const struct traffic *traffic, int64_t bytes)
{
	return family_is_stream(traffic->pair->family) ? drain_stream(traffic, bytes)
						       : drain_datagrams(traffic, bytes);
}

static int64_t try_datagrams(const struct traffic *traffic, uint32_t wanted)
{
	const int64_t sent = fill_datagrams(traffic, wanted);

	return sent < 0 ? sent : drain_datagrams(traffic, sent);
}

static int64_t try_stream(const struct traffic *traffic, uint32_t wanted)
{
	int64_t sent, arrived;
	const int err = fill_stream(traffic, (int64_t)wanted * traffic->size, trial_patience_ns,
				    &sent, &arrived);

	if (err)
		return err;
	const int64_t drained = drain_stream(traffic, sent);

	return drained < 0 ? drained : arrived;
}

/* A full TCP queue holds more or less as its buffers are packed, and a fill that no longer fits
 * would wait for ever, so leave a quarter free. */
static int64_t with_margin(const struct traffic *traffic, int64_t depth)
{
	const struct family *family = traffic->pair->family;

	if (family_is_stream(family) && family->domain != AF_UNIX)
		return depth - depth / 4;
	return depth;
}

int64_t traffic_measure_depth(const struct traffic *traffic, uint32_t wanted)
{
	int64_t depth = wanted;

	/* Twice: the second finds the queue's memory as a burst will. */
	for (int trial = 0; trial < 2; trial++) {
		const int64_t held = family_is_stream(traffic->pair->family)
					     ? try_stream(traffic, (uint32_t)depth)
					     : try_datagrams(traffic, (uint32_t)depth);

		if (held < 0)
			return held;
		if (held < depth * traffic->size)
			depth = with_margin(traffic, held / traffic->size);
	}
	return depth;
}
