/* SPDX-License-Identifier: MIT */
/* A peer serves what it is asked for, is found dead when it is, and ends when it is told to. */
#include "peer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "place.h"

struct echo {
	int fd;
};

static int serve_echo(void *context, struct peer_link *link, uint32_t count)
{
	const struct echo *echo = context;
	char byte;

	for (uint32_t i = 0; i < count; i++) {
		if (recv(echo->fd, &byte, 1, 0) != 1)
			return atomic_load(&link->is_stopping) ? -ECANCELED : -EPIPE;
		CHECK_EQUAL(1, send(echo->fd, &byte, 1, 0));
	}
	return 0;
}

static int serve_nothing(void *context, struct peer_link *link, uint32_t count)
{
	(void)context;
	(void)link;
	return count == 7 ? -ENOTSUP : 0;
}

static struct peer_wish make_wish(bool is_process, struct echo *echo)
{
	return (struct peer_wish){
		.is_process = is_process,
		.cpu = PLACE_ANY_CPU,
		.serve = echo ? serve_echo : serve_nothing,
		.context = echo,
		.fd_of_ours = -1,
	};
}

static void talk(bool is_process)
{
	int fds[2];
	struct peer peer;
	struct refusal why;
	char byte = 'a';

	CHECK_EQUAL(0, socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds));
	struct echo echo = { .fd = fds[1] };
	const struct peer_wish wish = make_wish(is_process, &echo);

	CHECK_EQUAL(0, peer_start(&peer, &wish, &why));
	for (uint32_t burst = 1; burst <= 3; burst++) {
		CHECK_EQUAL(0, peer_ask(&peer, burst));
		for (uint32_t i = 0; i < burst; i++) {
			CHECK_EQUAL(1, send(fds[0], &byte, 1, 0));
			CHECK_EQUAL(1, recv(fds[0], &byte, 1, 0));
		}
		CHECK_EQUAL(0, peer_wait(&peer));
	}
	CHECK(atomic_load(&peer.link->cpu_ns) > 0);
	/* It is stopped in the middle of a receive that would never return. */
	CHECK_EQUAL(0, peer_ask(&peer, 1));
	peer_stop(&peer, fds[1]);
	close(fds[0]);
	close(fds[1]);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void what_serving_came_to_is_told(void)
{
	const struct peer_wish wish = make_wish(false, NULL);
	struct peer peer;
	struct refusal why;

	CHECK_EQUAL(0, peer_start(&peer, &wish, &why));
	CHECK_EQUAL(0, peer_ask(&peer, 3));
	CHECK_EQUAL(0, peer_wait(&peer));
	CHECK_EQUAL(0, peer_ask(&peer, 7));
	CHECK_EQUAL(-ENOTSUP, peer_wait(&peer));
	peer_stop(&peer, -1);
}

static void a_cpu_that_is_not_there_is_refused(void)
{
	struct obstacles obstacles = { 0 };
	struct place place;

	place_init(&place, &obstacles);
	for (int is_process = 0; is_process <= 1; is_process++) {
		struct peer_wish wish = make_wish(is_process, NULL);
		struct peer peer;
		struct refusal why;

		wish.cpu = PLACE_CPUS - 1;
		CHECK_EQUAL(-EINVAL, peer_start(&peer, &wish, &why));
		CHECK_TEXT("peer_cpu", why.step);
		CHECK(why.text && strstr(why.text, "it may run on "));
	}
}

static int lack_something(void *context, struct refusal *why)
{
	(void)context;
	return refuse_saying(why, "ring", ENODEV, "there is none for it");
}

static void what_a_peer_cannot_make_is_said_in_its_words(void)
{
	for (int is_process = 0; is_process <= 1; is_process++) {
		struct peer_wish wish = make_wish(is_process, NULL);
		struct peer peer;
		struct refusal why;

		wish.prepare = lack_something;
		CHECK_EQUAL(-ENODEV, peer_start(&peer, &wish, &why));
		CHECK_TEXT("ring", why.step);
		CHECK_EQUAL(ENODEV, why.err);
		CHECK_TEXT("there is none for it", why.text);
	}
}

static void a_dead_process_does_not_answer(void)
{
	const struct peer_wish wish = make_wish(true, NULL);
	struct peer peer;
	struct refusal why;

	CHECK_EQUAL(0, peer_start(&peer, &wish, &why));
	kill(peer.pid, SIGKILL);
	CHECK_EQUAL(-EOWNERDEAD, peer_ask(&peer, 1));
	CHECK_EQUAL(-EOWNERDEAD, peer_wait(&peer));
	peer_stop(&peer, -1);
}

/* A response that was lost and one that nobody can give any more are told apart. */
static void what_silence_means_depends_on_its_life(void)
{
	const struct peer_wish wish = make_wish(true, NULL);
	struct peer peer;
	struct refusal why;

	CHECK_EQUAL(0, peer_start(&peer, &wish, &why));
	CHECK_EQUAL(-ETIMEDOUT, peer_refuse(&peer, -ETIMEDOUT, &why));
	kill(peer.pid, SIGKILL);
	CHECK_EQUAL(-EOWNERDEAD, peer_ask(&peer, 1));
	CHECK_EQUAL(-EOWNERDEAD, peer_refuse(&peer, -ETIMEDOUT, &why));
	CHECK_TEXT("its process has ended: the peer died", why.text);
	peer_stop(&peer, -1);
}

static bool dies_at_birth;

static void die_at_birth(void)
{
	if (dies_at_birth)
		_exit(1);
}

static void a_process_that_dies_before_it_is_ready_is_found_dead(void)
{
	const struct peer_wish wish = make_wish(true, NULL);
	struct peer peer;
	struct refusal why;

	CHECK_EQUAL(0, pthread_atfork(NULL, NULL, die_at_birth));
	dies_at_birth = true;
	CHECK_EQUAL(-EOWNERDEAD, peer_start(&peer, &wish, &why));
	dies_at_birth = false;
	CHECK_TEXT("peer", why.step);
	CHECK_TEXT("its process has ended: the peer died", why.text);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

int main(void)
{
	talk(false);
	talk(true);
	what_serving_came_to_is_told();
	a_cpu_that_is_not_there_is_refused();
	what_a_peer_cannot_make_is_said_in_its_words();
	a_dead_process_does_not_answer();
	what_silence_means_depends_on_its_life();
	a_process_that_dies_before_it_is_ready_is_found_dead();
	return 0;
}
