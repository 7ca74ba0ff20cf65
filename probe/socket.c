/* SPDX-License-Identifier: MIT */
/* One way to set up every family: bind both ends, listen and accept where it is a stream. */
#include "socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "compiler.h"

/* Largest payloads: 65535 less the IPv4 and UDP headers; less the UDP header over IPv6, whose
 * length field does not count its own header. A Unix datagram is limited by the socket's buffer. */
static const struct family families[] = {
	{ "udp4", AF_INET, SOCK_DGRAM, 65507 },
	{ "udp6", AF_INET6, SOCK_DGRAM, 65527 },
	{ "tcp4", AF_INET, SOCK_STREAM, 1048576 },
	{ "tcp6", AF_INET6, SOCK_STREAM, 1048576 },
	{ "unix-stream", AF_UNIX, SOCK_STREAM, 1048576 },
	{ "unix-dgram", AF_UNIX, SOCK_DGRAM, 1048576 },
};

/* The kernel doubles what it is asked for. */
static const uint64_t buffer_max_bytes = 16U << 20;

const struct family *family_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (!strcmp(families[i].name, name))
			return &families[i];
	return NULL;
}

static int close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Loopback with a port of the kernel's choice, or a Unix name of its choice (autobind, unix(7)). */
static socklen_t any_local_address(int domain, struct sockaddr_storage *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->ss_family = (sa_family_t)domain;
	if (domain == AF_INET) {
		struct sockaddr_in *in4 = (struct sockaddr_in *)addr;

		in4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return sizeof(*in4);
	}
	if (domain == AF_INET6) {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;

		in6->sin6_addr = in6addr_loopback;
		return sizeof(*in6);
	}
	return sizeof(sa_family_t);
}

int sock_open_bound(const struct family *family, int *fd, struct refusal *why)
{
	struct sockaddr_storage addr;
	const socklen_t addr_len = any_local_address(family->domain, &addr);

	*fd = socket(family->domain, family->type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return refuse(why, "socket", errno);
	if (bind(*fd, (struct sockaddr *)&addr, addr_len) < 0)
		return refuse(why, "bind", errno);
	return 0;
}

static int connect_to(int fd, int peer, struct refusal *why)
{
	struct sockaddr_storage addr;
	socklen_t addr_len = sizeof(addr);

	if (getsockname(peer, (struct sockaddr *)&addr, &addr_len) < 0)
		return refuse(why, "getsockname", errno);
	/* EINPROGRESS: TCP over loopback; accept() below waits for it. */
	if (connect(fd, (struct sockaddr *)&addr, addr_len) < 0 && errno != EINPROGRESS)
		return refuse(why, "connect", errno);
	return 0;
}

/* Replace the listening receiver by the connection it accepts. */
static int accept_sender(struct sock_pair *pair, struct refusal *why)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	int accepted = -1;

	if (listen(pair->rx, 1) < 0)
		return refuse(why, "listen", errno);
	if (connect_to(pair->tx, pair->rx, why) < 0)
		return -why->err;
	for (int attempt = 0; accepted < 0 && attempt < 10000; attempt++) {
		accepted = accept4(pair->rx, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (accepted < 0 && errno != EAGAIN)
			break;
		if (accepted < 0)
			nanosleep(&pause, NULL);
	}
	if (accepted < 0)
		return refuse(why, "accept", errno);
	close(pair->rx);
	pair->rx = accepted;
	return 0;
}

static int set_option(int fd, int level, int name, int value, struct refusal *why)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) < 0
		       ? refuse(why, "setsockopt", errno)
		       : 0;
}

/* Raise, never lower; past the sysctl's limit where CAP_NET_ADMIN allows it. What is really held
 * is found out by filling the queue, so a refusal here is none. */
static void raise_buffer(int fd, int name, int forced_name, uint64_t bytes)
{
	const int wanted = (int)(bytes < buffer_max_bytes ? bytes : buffer_max_bytes);
	int now = 0;
	socklen_t now_len = sizeof(now);

	if (getsockopt(fd, SOL_SOCKET, name, &now, &now_len) == 0 && now >= wanted)
		return;
	if (setsockopt(fd, SOL_SOCKET, forced_name, &wanted, sizeof(wanted)) < 0)
		setsockopt(fd, SOL_SOCKET, name, &wanted, sizeof(wanted));
}

void sock_raise_send_buffer(int fd, uint64_t bytes)
{
	raise_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, bytes);
}

void sock_raise_receive_buffer(int fd, uint64_t bytes)
{
	raise_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, bytes);
}

/* The switch that stamps packets on arrival is thrown by a kernel worker after the option is set
 * (net_enable_timestamp, net/core/dev.c). Until then the receive call reads the time itself, so
 * let the worker run: it cannot while a FIFO thread spins. */
static int ask_timestamps(int fd, struct refusal *why)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	const int err = set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1, why);

	if (!err)
		nanosleep(&pause, NULL);
	return err;
}

/* BBR paces a burst over milliseconds; Reno, which every kernel has, sends what its window holds,
 * and bursts soon widen that. Where it is not allowed, filling takes longer and is not timed. */
static void stop_pacing(int fd)
{
	static const char reno[] = "reno";

	setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, reno, sizeof(reno) - 1);
}

static int set_options(const struct sock_pair *pair, const struct sock_wish *wish,
		       struct refusal *why)
{
	int err = 0;

	if (family_is_stream(pair->family) && pair->family->domain != AF_UNIX) {
		err = set_option(pair->tx, IPPROTO_TCP, TCP_NODELAY, 1, why);
		if (!err)
			err = set_option(pair->rx, IPPROTO_TCP, TCP_NODELAY, 1, why);
		if (!err && wish->tx_unpaced)
			stop_pacing(pair->tx);
	}
	if (!err && wish->timestamp)
		err = ask_timestamps(pair->rx, why);
	return err;
}

static int join(struct sock_pair *pair, const struct sock_wish *wish, struct refusal *why)
{
	int err = 0;

	if (family_is_stream(pair->family))
		return accept_sender(pair, why);
	if (wish->tx_connected)
		err = connect_to(pair->tx, pair->rx, why);
	if (!err && wish->rx_connected)
		err = connect_to(pair->rx, pair->tx, why);
	return err;
}

int sock_pair_open(struct sock_pair *pair, const struct sock_wish *wish, struct refusal *why)
{
	*pair = (struct sock_pair){ .family = wish->family, .tx = -1, .rx = -1 };
	pair->tx_connected = wish->tx_connected || family_is_stream(wish->family);
	pair->rx_addr_len = sizeof(pair->rx_addr);
	int err = sock_open_bound(wish->family, &pair->tx, why);

	if (!err)
		err = sock_open_bound(wish->family, &pair->rx, why);
	if (!err &&
	    getsockname(pair->rx, (struct sockaddr *)&pair->rx_addr, &pair->rx_addr_len) < 0)
		err = refuse(why, "getsockname", errno);
	if (!err) {
		/* Before the handshake, which fixes TCP's window scale. */
		sock_raise_send_buffer(pair->tx, wish->queued_bytes);
		sock_raise_receive_buffer(pair->rx, wish->queued_bytes);
		err = join(pair, wish, why);
	}
	if (!err)
		err = set_options(pair, wish, why);
	if (err)
		sock_pair_close(pair);
	return err;
}

void sock_pair_close(struct sock_pair *pair)
{
	pair->tx = close_fd(pair->tx);
	pair->rx = close_fd(pair->rx);
}
