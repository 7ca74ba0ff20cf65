/* SPDX-License-Identifier: MIT */
/* One segment as the plan asks for it: a value, checked by the plan's reader. */
#ifndef PROBE_SPEC_H
#define PROBE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include <netinet/in.h>

struct call;
struct family;
struct scenario;

enum control { CONTROL_NONE, CONTROL_BUFFER, CONTROL_TIMESTAMP };

/* How a zerocopy send learns that the kernel is done with its payload; NOTIFY_COPY: it copies. */
enum notify {
	NOTIFY_COPY,
	NOTIFY_POLL,
	NOTIFY_RECVMSG,
	NOTIFY_RECVMMSG,
	NOTIFY_CMSG,
	NOTIFY_NONE,
	NOTIFY_CQE, /* another operation, whose notification is a completion */
};

/* How an end of a conversation waits for a message. */
enum waiting { WAIT_BLOCK, WAIT_SPIN };

/* How a reader finds the sockets that have messages. */
enum finding { FIND_EPOLL, FIND_EPOLL_AGAIN, FIND_SCAN, FIND_MULTISHOT };

/* How an io_uring is set up, and what is registered with it. */
enum ring_kind { RING_PLAIN, RING_SINGLE_ISSUER, RING_DEFER_TASKRUN, RING_SQPOLL };
enum registered { REGISTERED_NONE, REGISTERED_FILES, REGISTERED_BUFFERS };

struct spec {
	const struct scenario *scenario;
	const struct call *call;
	const struct family *family;
	int32_t id;
	int32_t size;    /* bytes of payload per message */
	int32_t batch;   /* messages per call */
	int32_t name;    /* 1: the receive asks for the sender's address */
	int32_t control; /* enum control */
	int32_t connected;
	int32_t cpu;      /* PLACE_ANY_CPU or a CPU */
	int32_t priority; /* PLACE_AUTO_PRIORITY or 0 … 99 */
	int32_t calls;
	int32_t warmup;  /* calls */
	int32_t queue;   /* messages per burst, at most */
	int32_t observe; /* 0: without clock and histogram */
	int32_t work;    /* multiplications after the call, inside the bracket */
	int32_t raw;     /* 1: keep every difference, in order */

	/* Calls through an io_uring. */
	int32_t ring;       /* enum ring_kind */
	int32_t registered; /* enum registered */

	/* Scenarios bulk and zerocopy. */
	char to[INET6_ADDRSTRLEN]; /* address to send to */
	int32_t receiver;          /* 1: a thread of ours reads there */
	int32_t gro;               /* 1: with UDP_GRO */
	int32_t segments;          /* datagrams of a message of a UDP_SEGMENT call */
	int32_t buffers;           /* payload buffers that the calls take in turn */
	int32_t zerocopy;          /* enum notify */
	int32_t limit;             /* sends between two looks at the notifications */
	int32_t cork;              /* sends that make one message */

	/* Scenarios rr and channels. */
	int32_t peer_cpu; /* PLACE_SAME_CPU, PLACE_OTHER_CPU or a CPU */

	/* Scenario rr. */
	int32_t wait;         /* enum waiting */
	int32_t peer_process; /* 1: the other end is a process, 0: a thread */

	/* Scenario channels. */
	int32_t channels;    /* sockets that receive */
	int32_t interval_us; /* between two messages of a channel */
	int32_t tick_us;     /* between two looks of the reader */
	int32_t busy;        /* threads beside it */
	int32_t duration_ms; /* of the measured part */
	int32_t find;        /* enum finding */
};

#endif
