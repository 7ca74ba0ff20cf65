/* SPDX-License-Identifier: MIT */
/* Built where there is no liburing: every call through a ring is refused, and says why. */
#include "shots.h"
#include "uring.h"

#include <errno.h>

#define ABSENT(name)                                                                               \
	int32_t name(struct call_ctx *ctx)                                                         \
	{                                                                                          \
		(void)ctx;                                                                         \
		return -ENOSYS;                                                                    \
	}

ABSENT(uring_recv)
ABSENT(uring_recvmsg)
ABSENT(uring_recv_multishot)
ABSENT(uring_recvmsg_multishot)
ABSENT(uring_send)
ABSENT(uring_sendmsg)
ABSENT(uring_send_zc)
ABSENT(uring_sendmsg_zc)
ABSENT(uring_recv_bundle)
ABSENT(uring_send_bundle)
ABSENT(uring_recv_each)
ABSENT(uring_recvmsg_each)
ABSENT(uring_exchange)
ABSENT(uring_exchange_messages)

int uring_answer(struct call_ctx *ctx, uint32_t count)
{
	(void)ctx;
	(void)count;
	return -ENOSYS;
}

int uring_open(struct call_ctx *ctx, const struct spec *spec, const struct place_cpus *allowed,
	       struct refusal *why)
{
	(void)ctx;
	(void)spec;
	(void)allowed;
	return refuse_saying(why, "io_uring", ENOSYS, "this probe was built without liburing");
}

uint32_t uring_noticed(struct call_ctx *ctx, const struct uring_notice **notices)
{
	(void)ctx;
	*notices = NULL;
	return 0;
}

uint64_t uring_promised(struct call_ctx *ctx)
{
	(void)ctx;
	return 0;
}

struct uring_failures uring_failed(struct call_ctx *ctx)
{
	(void)ctx;
	return (struct uring_failures){ 0 };
}

uint64_t uring_locked_bytes(const struct call_ctx *ctx)
{
	(void)ctx;
	return 0;
}

int uring_look(struct call_ctx *ctx)
{
	(void)ctx;
	return -ENOSYS;
}

void uring_await(struct call_ctx *ctx)
{
	(void)ctx;
}

void uring_close(struct call_ctx *ctx)
{
	(void)ctx;
}

void uring_reset(struct call_ctx *ctx)
{
	(void)ctx;
}

void uring_count(struct call_ctx *ctx, struct measures *measures)
{
	(void)ctx;
	(void)measures;
}

int shots_open(struct shots **made, const struct spec *spec, const int *fds, struct refusal *why)
{
	(void)spec;
	(void)fds;
	*made = NULL;
	return refuse_saying(why, "io_uring", ENOSYS, "this probe was built without liburing");
}

void shots_close(struct shots *shots)
{
	(void)shots;
}

int32_t shots_take(struct shots *shots, struct stamp *stamps, uint32_t room, uint32_t *bytes)
{
	(void)shots;
	(void)stamps;
	(void)room;
	*bytes = 0;
	return -ENOSYS;
}

uint64_t shots_rearmed(const struct shots *shots)
{
	(void)shots;
	return 0;
}
