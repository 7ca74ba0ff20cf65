/* SPDX-License-Identifier: MIT */
/* Locking faults pages in as well, but may be refused by RLIMIT_MEMLOCK; touching may not. */
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

/* In a user namespace a capability is one over that namespace only; the first one maps all users.
 */
static bool is_first_user_namespace(void)
{
	char map[128];
	uint64_t inside, outside, count;
	const int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	const ssize_t got = fd < 0 ? -1 : read(fd, map, sizeof(map) - 1);

	if (fd >= 0)
		close(fd);
	map[got > 0 ? got : 0] = '\0';
	return sscanf(map, "%" SCNu64 " %" SCNu64 " %" SCNu64, &inside, &outside, &count) == 3 &&
	       inside == 0 && outside == 0 && count == UINT32_MAX;
}

bool memory_may_pin_any(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, sets) < 0)
		return false;
	return sets[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK) &&
	       is_first_user_namespace();
}
