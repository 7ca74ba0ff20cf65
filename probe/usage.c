/* SPDX-License-Identifier: MIT */
/* The slow readings stand outermost, so that they are not part of what they surround. */
#include "usage.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "clock_read.h"
#include "place.h"

static uint64_t thread_cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000U + (uint64_t)used.tv_nsec;
}

bool usage_parse_steal(const char *stat, int cpu, long ticks_per_second, uint64_t *steal_ns)
{
	char label[24];
	uint64_t steal;

	snprintf(label, sizeof(label), "\ncpu%d ", cpu);
	const char *line = strstr(stat, label);

	if (!line || ticks_per_second <= 0)
		return false;
	if (sscanf(line + strlen(label), "%*u %*u %*u %*u %*u %*u %*u %" SCNu64, &steal) != 1)
		return false;
	*steal_ns = steal * (1000000000U / (uint64_t)ticks_per_second);
	return true;
}

static bool read_steal(int cpu, uint64_t *steal_ns)
{
	static char stat[64 * 1024];
	size_t length = 0;

	if (cpu < 0)
		return false;
	const int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	for (ssize_t got = 1; got > 0 && length < sizeof(stat) - 1; length += (size_t)got) {
		got = read(fd, stat + length, sizeof(stat) - 1 - length);
		if (got < 0)
			break;
	}
	close(fd);
	stat[length] = '\0';
	return usage_parse_steal(stat, cpu, sysconf(_SC_CLK_TCK), steal_ns);
}

void usage_start(struct usage *usage, int cpu)
{
	struct rusage used;

	*usage = (struct usage){ .cpu_start = place_cpu() };
	usage->steal_is_known = read_steal(cpu, &usage->steal_ns);
	getrusage(RUSAGE_THREAD, &used);
	usage->voluntary_switches = (uint64_t)used.ru_nvcsw;
	usage->involuntary_switches = (uint64_t)used.ru_nivcsw;
	usage->thread_cpu_ns = thread_cpu_ns();
	usage->elapsed_ns = clock_raw_ns();
}

void usage_stop(struct usage *usage, int cpu)
{
	struct rusage used;
	uint64_t steal_ns = 0;

	usage->elapsed_ns = clock_raw_ns() - usage->elapsed_ns;
	usage->thread_cpu_ns = thread_cpu_ns() - usage->thread_cpu_ns;
	getrusage(RUSAGE_THREAD, &used);
	usage->voluntary_switches = (uint64_t)used.ru_nvcsw - usage->voluntary_switches;
	usage->involuntary_switches = (uint64_t)used.ru_nivcsw - usage->involuntary_switches;
	usage->steal_is_known = usage->steal_is_known && read_steal(cpu, &steal_ns);
	usage->steal_ns = steal_ns - usage->steal_ns;
	usage->cpu_end = place_cpu();
}
