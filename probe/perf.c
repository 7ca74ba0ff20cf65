/* SPDX-License-Identifier: MIT */
/* The cycles event: opened once, mapped, and asked whether it was on its counter all the time. */
#include "perf.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct perf_counter perf_cycles = { .page = NULL, .fd = -1 };

int perf_cycles_reading(struct perf_reading *reading)
{
	const ssize_t got = read(perf_cycles.fd, reading, sizeof(*reading));

	if (got < 0)
		return -errno;
	/* A pinned event that lost its counter reads as end of file: perf_event_open(2). */
	return got == (ssize_t)sizeof(*reading) ? 0 : -EBUSY;
}

int perf_cycles_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = 1,
		.exclude_kernel =
			0, /* the call is kernel work: without it there is nothing to see */
		.exclude_hv = 1,
	};

#if !defined(__x86_64__)
	return -ENOTSUP; /* no user-space read of a counter is written for this architecture */
#endif
	const long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, (int)fd, 0);

	if (page == MAP_FAILED) {
		const int err = errno;

		close((int)fd);
		return -err;
	}
	perf_cycles = (struct perf_counter){ .page = page, .fd = (int)fd };
	return perf_cycles.page->cap_user_rdpmc ? 0 : -ENOTSUP;
}

uint64_t perf_cycles_read_slowly(void)
{
	struct perf_reading reading;

	return perf_cycles_reading(&reading) ? UINT64_MAX : reading.value;
}
