/* SPDX-License-Identifier: MIT */
/*
 * The calls that can be measured: one table row, one `prepare` and one `op` each. The row says all
 * that a call is; nobody else knows one by its name.
 *
 * An op makes one call and returns the bytes it moved, or -errno. It does what a real user must do
 * before every such call (recvmsg: put the lengths back that the last one overwrote) and after it
 * (recvmmsg: read each message's length), and nothing else. It branches on no option: prepare()
 * has turned them into pointers and lengths.
 */
#ifndef PROBE_CALLS_H
#define PROBE_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "compiler.h"
#include "socket.h"
#include "spec.h"

enum {
	CALL_BATCH_MAX = 1024,
	CALL_BUNDLE_MAX = 256, /* PEEK_MAX_IMPORT, io_uring/kbuf.c */
	CALL_SIZE_MAX = 1048576,
	CALL_CONTROL_BYTES = 256,
	CALL_WORK_MAX = 1048576,
};

enum direction { MOVES_NOTHING, RECEIVES, SENDS };

/* What says into which datagrams a message is cut: UDP_SEGMENT on the socket, or with the message.
 */
enum cut { NOT_CUT, CUT_BY_SOCKET, CUT_BY_MESSAGE };

struct call_ctx;
struct uring;
typedef int32_t (*call_op)(struct call_ctx *ctx);

struct call {
	const char *name;
	enum direction direction;
	bool takes_batch;
	bool takes_name;        /* can ask for the sender's address */
	bool takes_control;     /* can take a control buffer for a receive */
	bool takes_destination; /* can name the destination of a send on a socket not connected */
	bool takes_registered;  /* can send from a buffer that is registered with its ring */
	bool is_ring;           /* goes through an io_uring: uring_open() comes first */
	bool is_message;        /* through a ring: the operation has a struct msghdr */
	bool is_multishot;      /* one call takes all that is queued */
	bool is_bundle;         /* one operation moves a batch of provided buffers of a stream */
	bool is_zerocopy;       /* is so by itself, and not by a flag */
	enum cut cut;           /* hands over several datagrams as one message */
	void (*prepare)(struct call_ctx *ctx);
	call_op op;

	/* What stands for it in other traffic; NULL where it is not made there. */
	const struct call *answer;   /* rr: how who receives by it sends; null: it does that too */
	call_op exchange;            /* rr, through a ring: send and receive at once */
	call_op each;                /* channels, through a ring: receive on each of many sockets */
	call_op outbound;            /* bulk and zerocopy: send the next buffer of ctx->ring */
	call_op corked;              /* the same, where several sends make a message */
	const struct call *zerocopy; /* the same, where that is another operation, and not a flag */
};

/* Return the call of that name, or NULL. */
const struct call *call_find(const char *name);

/* One of many sockets on which a call receives, and what it brought: bytes, or -errno. */
struct each {
	uint32_t channel;
	int32_t moved;
};

/* Payload buffers that calls take in turn. */
struct ring {
	char *start;
	size_t stride; /* bytes from one to the next */
	uint32_t count;
	uint32_t at; /* the next one's number */
};

static ALWAYS_INLINE char *ring_next(struct ring *ring)
{
	char *buffer = ring->start + ring->at * ring->stride;

	ring->at = ring->at + 1 == ring->count ? 0 : ring->at + 1;
	return buffer;
}

/* Everything an op touches. Too large for a stack: it is made once and prepared anew. */
struct call_ctx {
	int fd;
	call_op op;
	uint32_t size;     /* bytes of a message */
	uint32_t segments; /* datagrams that a message is cut into */
	uint32_t batch;
	void *buffer; /* every message's payload: one hot buffer */
	void *addr;   /* sender's address wanted, destination given, or NULL */
	socklen_t addr_len;
	socklen_t addr_room;     /* what addr_len is put back to before each receive */
	socklen_t *addr_len_ptr; /* NULL when no address is wanted */
	size_t control_room;
	uint64_t messages; /* moved by batched ops, summed; others leave it alone */
	struct iovec iov;
	struct msghdr msg;
	const struct call *call;
	struct uring *uring; /* NULL while there is none */
	uint32_t work;
	uint64_t work_state;
	struct ring ring;
	int flags;         /* of a send out of the ring */
	uint32_t cork;     /* sends that make one message: all but the last have MSG_MORE */
	uint32_t corked;   /* of them, made so far */
	const int *fds;    /* of every channel; NULL where the call has one socket */
	struct each *each; /* those of this call */
	uint32_t each_count;
	struct sockaddr_storage peer;
	struct iovec batch_iovs[CALL_BATCH_MAX];
	struct mmsghdr batch_msgs[CALL_BATCH_MAX];
	struct sockaddr_storage batch_addrs[CALL_BATCH_MAX];
	_Alignas(struct cmsghdr) char batch_controls[CALL_BATCH_MAX][CALL_CONTROL_BYTES];
};

/* Make `ctx` ready for the call of `spec` on the end of `pair` that it uses. */
void call_prepare(struct call_ctx *ctx, const struct spec *spec, const struct sock_pair *pair,
		  void *buffer);

/* Give every message of a batch a header, and an address and control space of its own. */
void call_prepare_batch(struct call_ctx *ctx);

/* The op to time: the call's own, or one that also does the injected work. */
call_op call_timed_op(const struct call_ctx *ctx);

/* Bytes that a call moves when all goes well. */
uint32_t call_expected_bytes(const struct call_ctx *ctx);

#endif
