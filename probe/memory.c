/* SPDX-License-Identifier: MIT */
/* Locking faults pages in as well, but may be refused by RLIMIT_MEMLOCK; touching may not. */
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void memory_touch(void *start, size_t bytes)
{
	volatile char *byte = start;

	for (size_t i = 0; i < bytes; i += 4096)
		byte[i] = byte[i];
}

bool memory_lock(struct obstacles *obstacles)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0)
		return true;
	obstacle_add(obstacles, "lock_memory", errno, NULL);
	return false;
}

static bool parse_resident(const char *status, uint64_t *bytes)
{
	uint64_t kibibytes;
	const char *line = strstr(status, "\nVmRSS:");

	if (!line || sscanf(line, "\nVmRSS: %" SCNu64 " kB", &kibibytes) != 1)
		return false;
	*bytes = kibibytes * 1024;
	return true;
}

bool memory_resident(uint64_t *bytes, struct obstacles *obstacles)
{
	char status[4096];
	const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		obstacle_add(obstacles, "resident_bytes", errno, NULL);
		return false;
	}
	const ssize_t got = read(fd, status, sizeof(status) - 1);

	close(fd);
	status[got > 0 ? got : 0] = '\0';
	if (parse_resident(status, bytes))
		return true;
	obstacle_add(obstacles, "resident_bytes", ENODATA, "/proc/self/status has no VmRSS");
	return false;
}
