/* SPDX-License-Identifier: MIT */
/* Families, and pairs of non-blocking sockets that talk to each other on this machine. */
#ifndef PROBE_SOCKET_H
#define PROBE_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "obstacle.h"

struct family {
	const char *name;
	int domain;
	int type;
	int32_t size_max; /* bytes of payload in one message */
};

/* Return the family called `name`, or NULL. */
const struct family *family_find(const char *name);

static inline bool family_is_stream(const struct family *family)
{
	return family->type == SOCK_STREAM;
}

/* How a pair is to be set up. */
struct sock_wish {
	const struct family *family;
	bool tx_connected; /* streams are always connected, both ends */
	bool rx_connected;
	bool timestamp;        /* SO_TIMESTAMPNS on the receiver */
	bool tx_unpaced;       /* TCP: the sender only fills, and no pacing shall slow it */
	uint64_t queued_bytes; /* payload and kernel overhead the queues should hold */
};

/* The pair owns its descriptors; what is sent into tx arrives at rx. */
struct sock_pair {
	const struct family *family;
	int tx;
	int rx;
	struct sockaddr_storage rx_addr;
	socklen_t rx_addr_len;
	bool tx_connected;
};

/* Raise a buffer of a socket to `bytes`, 16 MiB at most; never lower it. */
void sock_raise_send_buffer(int fd, uint64_t bytes);
void sock_raise_receive_buffer(int fd, uint64_t bytes);

/* Open one non-blocking socket, bound to a local address of the kernel's choice. On failure `*fd`
 * may be open. Return 0 or -errno with `why`. */
int sock_open_bound(const struct family *family, int *fd, struct refusal *why);

/* Open a pair; on failure nothing is left open. Return 0 or -errno with `why`. */
int sock_pair_open(struct sock_pair *pair, const struct sock_wish *wish, struct refusal *why);
void sock_pair_close(struct sock_pair *pair);

#endif
