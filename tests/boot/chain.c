/* SPDX-License-Identifier: MIT */
/*
 * A guest's process for the boot tests: chains of marked reads around one call each, whose raw
 * differences are the answer. Each line of its plan is `CALL CALLS QUEUE`, CALL being recvfrom,
 * recvmsg, nothing, copy or fault.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init.h"
#include "window.h"

enum { CALLS_MAX = 65536, SIZE = 64, PAGE = 4096, COPIED = 1000 };

static uint64_t deltas[CALLS_MAX];
static char payload[SIZE], received[SIZE];
static struct sockaddr_in sender;
static int receiver, source;

static void receive_from(void)
{
	socklen_t length = sizeof(sender);

	(void)!recvfrom(receiver, received, SIZE, 0, (struct sockaddr *)&sender, &length);
}

static void receive_message(void)
{
	struct iovec iov = { received, SIZE };
	struct msghdr message = {
		.msg_name = &sender,
		.msg_namelen = sizeof(sender),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};

	(void)!recvmsg(receiver, &message, 0);
}

static void nothing(void)
{
}

static void copy(void)
{
	static char from[COPIED], to[COPIED];
	const char *source_byte = from;
	char *target_byte = to;
	size_t count = COPIED;

	__asm__ volatile("cld\n\trep movsb"
			 : "+S"(source_byte), "+D"(target_byte), "+c"(count)::"memory");
}

/* The first byte of a page that was given back: the instruction is begun twice. */
static void fault(void)
{
	static char *page;

	if (!page)
		page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(page, PAGE, MADV_DONTNEED);
	*(volatile char *)page = 1;
}

static const struct {
	const char *name;
	void (*op)(void);
	int receives;
} calls[] = {
	{ "recvfrom", receive_from, 1 }, { "recvmsg", receive_message, 1 },
	{ "nothing", nothing, 0 },       { "copy", copy, 0 },
	{ "fault", fault, 0 },
};

static void connect_pair(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	receiver = socket(AF_INET, SOCK_DGRAM, 0);
	source = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(receiver, (struct sockaddr *)&address, length) ||
	    getsockname(receiver, (struct sockaddr *)&address, &length) ||
	    connect(source, (struct sockaddr *)&address, length))
		exit(3);
}

static uint32_t burst(void (*op)(void), int receives, uint32_t at, uint32_t queue)
{
	for (uint32_t i = 0; receives && i < queue; i++)
		if (send(source, payload, SIZE, 0) != SIZE)
			exit(4);
	window_arm();
	uint64_t last = window_read_lfence_rdtsc();

	for (uint32_t i = 0; i < queue; i++) {
		op();
		const uint64_t now = window_read_lfence_rdtsc();

		deltas[at++] = now - last;
		last = now;
	}
	return at;
}

static void segment(const char *name, uint32_t count, uint32_t queue)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (strcmp(calls[i].name, name))
			continue;
		burst(calls[i].op, calls[i].receives, 0, queue);
		window_begin();
		for (uint32_t at = 0; at < count;)
			at = burst(calls[i].op, calls[i].receives, at, queue);
		window_end();
	}
	printf("%s", name);
	for (uint32_t i = 0; i < count; i++)
		printf(" %llu", (unsigned long long)deltas[i]);
	printf("\n");
	fflush(stdout);
}

int main(void)
{
	char name[16];
	uint32_t count, queue;

	if (getpid() == 1 && init_main())
		return 2;
	connect_pair();
	while (scanf("%15s %u %u", name, &count, &queue) == 3) {
		if (!strcmp(name, "crash"))
			abort();
		if (!strcmp(name, "hang"))
			for (;;)
				;
		segment(name, count, queue);
	}
	printf("end\n");
	fflush(stdout);
	return 0;
}
