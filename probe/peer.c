/* SPDX-License-Identifier: MIT */
/* One piece of shared memory, one futex a direction; the same code for a thread and a process. */
#include "peer.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock_read.h"
#include "place.h"

enum { STACK_BYTES = 256 * 1024 };
static const uint64_t patience_ns = 5000000000; /* then it is starved, or stopped */

/* Sleep while `*word` is `seen`, but not for long. */
static void sleep_on(_Atomic uint32_t *word, uint32_t seen)
{
	const struct timespec slice = { .tv_nsec = 100000000 };

	syscall(SYS_futex, word, FUTEX_WAIT, seen, &slice, NULL, 0);
}

/* A thread cannot end by itself; a process may be killed. It is left to be waited for. */
static bool is_dead(const struct peer *peer)
{
	siginfo_t end = { 0 };

	return peer->wish.is_process &&
	       !waitid(P_PID, (id_t)peer->pid, &end, WEXITED | WNOHANG | WNOWAIT) && end.si_pid;
}

/* Wait until the peer has moved `*word` on from `seen`. Return 0, -EOWNERDEAD or -ETIMEDOUT. */
static int wait_peer(const struct peer *peer, _Atomic uint32_t *word, uint32_t seen)
{
	const uint64_t start_ns = clock_raw_ns();

	while (atomic_load(word) == seen) {
		if (is_dead(peer)) /* but its last word counts */
			return atomic_load(word) == seen ? -EOWNERDEAD : 0;
		if (clock_raw_ns() - start_ns > patience_ns)
			return -ETIMEDOUT;
		sleep_on(word, seen);
	}
	return 0;
}

static void change(_Atomic uint32_t *word, uint32_t value)
{
	atomic_store(word, value);
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void note_usage(struct peer_link *link)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	atomic_store(&link->cpu_ns, (uint64_t)used.tv_sec * 1000000000U + (uint64_t)used.tv_nsec);
	atomic_store(&link->cpu, place_cpu());
}

static int make_ready(const struct peer_wish *wish, struct refusal *why)
{
	int err = wish->cpu == PLACE_ANY_CPU ? 0 : place_pin(wish->cpu);

	if (err)
		return place_refuse_cpu("peer_cpu", err, why);
	err = place_prioritise(wish->priority);
	if (err)
		return refuse(why, "peer_priority", -err);
	return wish->prepare ? wish->prepare(wish->context, why) : 0;
}

static void live(const struct peer_wish *wish, struct peer_link *link)
{
	uint32_t number = 0;
	int err = make_ready(wish, &link->why);

	atomic_store(&link->err, err);
	change(&link->served, 1);
	while (!err) {
		while (atomic_load(&link->asked) == number)
			sleep_on(&link->asked, number);
		number = atomic_load(&link->asked);
		if (atomic_load(&link->is_stopping))
			return;
		change(&link->begun, number);
		err = wish->serve(wish->context, link, atomic_load(&link->count));
		note_usage(link);
		atomic_store(&link->err, err);
		change(&link->served, number + 1);
	}
}

static void *live_as_thread(void *argument)
{
	const struct peer *peer = argument;

	live(&peer->wish, peer->link);
	return NULL;
}

static _Noreturn void live_as_process(const struct peer *peer, pid_t parent)
{
	/* Its parent's death is its own, also one that happened before it could say so. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (peer->wish.fd_of_ours >= 0)
		close(peer->wish.fd_of_ours);
	live(&peer->wish, peer->link);
	_exit(0);
}

/* Signals are the measuring thread's: its alarm must not end the peer's system call. */
static int start_thread(struct peer *peer)
{
	pthread_attr_t attr;
	sigset_t all, before;

	/* A locked process has its stacks in memory, all of them. */
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int err = pthread_create(&peer->thread, &attr, live_as_thread, peer);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}

static int start_process(struct peer *peer)
{
	const pid_t parent = getpid();

	peer->pid = fork();
	if (peer->pid == 0)
		live_as_process(peer, parent);
	if (peer->pid < 0)
		return -errno;
	if (peer->wish.fd_of_peer) {
		close(*peer->wish.fd_of_peer);
		*peer->wish.fd_of_peer = -1;
	}
	return 0;
}

int peer_refuse(const struct peer *peer, int err, struct refusal *why)
{
	if (is_dead(peer))
		return refuse_saying(why, "peer", EOWNERDEAD,
				     "its process has ended: the peer died");
	switch (-err) {
	case ETIMEDOUT:
		return refuse_saying(why, "peer", ETIMEDOUT,
				     "no response in time: it was lost, or the peer did not run");
	case ECONNREFUSED:
	case ECONNRESET:
	case EPIPE:
		return refuse_saying(why, "peer", -err, "its end is closed: the peer died");
	default:
		return refuse(why, "peer", -err);
	}
}

int peer_start(struct peer *peer, const struct peer_wish *wish, struct refusal *why)
{
	*peer = (struct peer){ .wish = *wish };
	peer->link = mmap(NULL, sizeof(*peer->link), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (peer->link == MAP_FAILED)
		return refuse(why, "mmap", errno);
	const int err = wish->is_process ? start_process(peer) : start_thread(peer);

	if (err) {
		munmap(peer->link, sizeof(*peer->link));
		return refuse(why, wish->is_process ? "fork" : "thread", -err);
	}
	const int silent = wait_peer(peer, &peer->link->served, 0);

	if (silent) {
		peer_refuse(peer, silent, why);
		peer_stop(peer, -1);
		return -why->err;
	}
	const int refused = atomic_load(&peer->link->err);

	if (refused) {
		*why = peer->link->why;
		peer_stop(peer, -1);
	}
	return refused;
}

int peer_ask(struct peer *peer, uint32_t count)
{
	struct peer_link *link = peer->link;
	const uint32_t number = atomic_load(&link->asked);

	atomic_store(&link->count, count);
	change(&link->asked, number + 1);
	return wait_peer(peer, &link->begun, number);
}

int peer_wait(struct peer *peer)
{
	struct peer_link *link = peer->link;
	const int err = wait_peer(peer, &link->served, atomic_load(&link->asked));

	return err ? err : atomic_load(&link->err);
}

void peer_stop(struct peer *peer, int fd)
{
	struct peer_link *link = peer->link;

	atomic_store(&link->is_stopping, true);
	if (peer->wish.is_process) {
		kill(peer->pid, SIGKILL);
		waitpid(peer->pid, NULL, 0);
	} else {
		/* Wakes a receive, also on a datagram socket that is not connected. */
		if (fd >= 0)
			shutdown(fd, SHUT_RDWR);
		change(&link->asked, atomic_load(&link->asked) + 1);
		pthread_join(peer->thread, NULL);
	}
	munmap(link, sizeof(*link));
	peer->link = NULL;
}
