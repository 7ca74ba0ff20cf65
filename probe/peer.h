/* SPDX-License-Identifier: MIT */
/*
 * The other end of a conversation: a thread or a process of its own that serves when it is asked
 * to. Between two askings it sleeps, so that a measuring thread that rests lets it rest too.
 */
#ifndef PROBE_PEER_H
#define PROBE_PEER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "obstacle.h"

/* Shared by both ends, also across processes. */
struct peer_link {
	_Atomic uint32_t asked;  /* number of the last asking */
	_Atomic uint32_t begun;  /* number of the last asking that it began to serve */
	_Atomic uint32_t served; /* and of the last that it has served */
	_Atomic uint32_t count;  /* what was asked for */
	_Atomic bool is_stopping;
	_Atomic int err;    /* -errno of serving, or of setting up */
	struct refusal why; /* of setting up: its texts are literals, valid in both processes */
	_Atomic uint64_t cpu_ns; /* CLOCK_THREAD_CPUTIME_ID spent, after each serving */
	_Atomic int cpu;         /* where it last ran */
};

/* Serve `count` times. Return 0 or -errno; return soon once link->is_stopping. */
typedef int (*peer_serve_fn)(void *context, struct peer_link *link, uint32_t count);

/* Make what it serves with, there where it serves. Return 0, or -errno with `why`. */
typedef int (*peer_prepare_fn)(void *context, struct refusal *why);

struct peer_wish {
	bool is_process;
	int cpu;                 /* PLACE_ANY_CPU: not pinned */
	int priority;            /* 0: SCHED_OTHER, else SCHED_FIFO */
	peer_prepare_fn prepare; /* NULL: there is nothing to make */
	peer_serve_fn serve;
	void *context;   /* a process works on its own copy */
	int fd_of_ours;  /* closed in a process, so that its death closes the conversation; or -1 */
	int *fd_of_peer; /* closed here once a process has it, and set to -1; or NULL */
};

struct peer {
	struct peer_link *link;
	struct peer_wish wish;
	pthread_t thread;
	pid_t pid;
};

/* Start it and wait until it stands where it was asked to, and is ready. Return 0 or -errno with
 * `why`. */
int peer_start(struct peer *peer, const struct peer_wish *wish, struct refusal *why);

/*
 * Ask for `count` servings and return when it is about to serve: 0, -EOWNERDEAD where its process
 * has ended, or -ETIMEDOUT.
 */
int peer_ask(struct peer *peer, uint32_t count);

/* Wait until what was asked for is served. Return 0, its -errno, or as peer_ask(). */
int peer_wait(struct peer *peer);

/* Say what `err`, of one of these or of talking with it, means of the peer. Return -errno. */
int peer_refuse(const struct peer *peer, int err, struct refusal *why);

/* End it, whatever it is doing; `fd` is shut down so that a blocked receive returns. */
void peer_stop(struct peer *peer, int fd);

#endif
