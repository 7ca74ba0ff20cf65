/* SPDX-License-Identifier: MIT */
/* Affinity by the raw system call: the library's cpu_set_t ends at 1,024 CPUs. */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock_read.h"

enum { BITS_PER_WORD = 8 * sizeof(unsigned long) };
static const uint64_t longest_work_ns = 500000000;

struct place_cpus place_cpus_now(void)
{
	struct place_cpus cpus = { 0 };

	syscall(SYS_sched_getaffinity, 0, sizeof(cpus), &cpus);
	return cpus;
}

void place_cpus_set(const struct place_cpus *cpus)
{
	syscall(SYS_sched_setaffinity, 0, sizeof(*cpus), cpus);
}

bool place_cpus_has(const struct place_cpus *cpus, int cpu)
{
	const unsigned int bit = (unsigned int)cpu;

	return cpus->bits[bit / BITS_PER_WORD] >> bit % BITS_PER_WORD & 1;
}

int place_second_cpu(const struct place_cpus *allowed, int cpu, int wish)
{
	if (wish == PLACE_SAME_CPU)
		return cpu;
	if (wish != PLACE_OTHER_CPU)
		return wish;
	return place_cpu_besides(allowed, cpu, cpu);
}

int place_cpu_besides(const struct place_cpus *allowed, int first, int second)
{
	for (int cpu = PLACE_CPUS - 1; cpu >= 0; cpu--)
		if (cpu != first && cpu != second && place_cpus_has(allowed, cpu))
			return cpu;
	return -ENODEV;
}

void place_cpus_write(const struct place_cpus *cpus, char *text, size_t text_size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int first = 0; first < PLACE_CPUS; first++) {
		int last = first;
		char range[16];

		if (!place_cpus_has(cpus, first))
			continue;
		while (last + 1 < PLACE_CPUS && place_cpus_has(cpus, last + 1))
			last++;
		const int length = last == first
					   ? snprintf(range, sizeof(range), "%d", first)
					   : snprintf(range, sizeof(range), "%d-%d", first, last);

		if (used + (size_t)length + 2 > text_size)
			return;
		used += (size_t)snprintf(text + used, text_size - used, "%s%s", used ? "," : "",
					 range);
		first = last;
	}
}

int place_pin(int cpu)
{
	const unsigned int bit = (unsigned int)cpu;
	struct place_cpus cpus = { 0 };

	cpus.bits[bit / BITS_PER_WORD] = 1UL << bit % BITS_PER_WORD;
	return syscall(SYS_sched_setaffinity, 0, sizeof(cpus), &cpus) < 0 ? -errno : 0;
}

int place_cpu(void)
{
	return sched_getcpu();
}

int place_prioritise(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(0, priority ? SCHED_FIFO : SCHED_OTHER, &param) < 0 ? -errno : 0;
}

/* Unreadable is taken for throttled: an idle rest costs time, a throttled call costs the result. */
static bool is_throttled(void)
{
	char text[16] = "";
	const int fd = open("/proc/sys/kernel/sched_rt_runtime_us", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return true;
	const ssize_t got = read(fd, text, sizeof(text) - 1);

	close(fd);
	return got <= 0 || atol(text) >= 0;
}

/* A refusal points to its words, and one of the peer's process is read by another: they are made
 * before it is. */
static char no_such_cpu[128];

static void word_no_such_cpu(const struct place_cpus *allowed)
{
	char list[64];

	place_cpus_write(allowed, list, sizeof(list));
	if (list[0])
		snprintf(no_such_cpu, sizeof(no_such_cpu),
			 "there is no such CPU for this process: it may run on %s", list);
}

int place_refuse_cpu(const char *step, int err, struct refusal *why)
{
	const bool is_worded = err == -EINVAL && no_such_cpu[0];

	return is_worded ? refuse_saying(why, step, EINVAL, no_such_cpu) : refuse(why, step, -err);
}

void place_init(struct place *place, struct obstacles *obstacles)
{
	*place = (struct place){
		.at_start = place_cpus_now(),
		.is_throttled = is_throttled(),
		.rested_ns = clock_raw_ns(),
	};
	word_no_such_cpu(&place->at_start);
	const int err = place_prioritise(1);

	if (err)
		obstacle_add(obstacles, "fifo_priority", -err, NULL);
	else
		place_prioritise(0);
	place->auto_priority = err ? 0 : 1;
}

int place_enter(struct place *place, int cpu, int priority, struct refusal *why)
{
	const int wanted = priority == PLACE_AUTO_PRIORITY ? place->auto_priority : priority;
	int err = 0;

	if (cpu == PLACE_ANY_CPU)
		place_cpus_set(&place->at_start);
	else
		err = place_pin(cpu);
	if (err)
		return place_refuse_cpu("pin", err, why);
	err = place_prioritise(wanted);
	/* What was left to us stays as it is where a sandbox forbids the call altogether. */
	if (err && priority == PLACE_AUTO_PRIORITY && wanted == 0)
		err = 0;
	if (err == -EPERM)
		return refuse_saying(why, "priority", EPERM,
				     "not allowed: it takes CAP_SYS_NICE or RLIMIT_RTPRIO");
	if (err)
		return refuse(why, "priority", -err);
	place->priority = wanted;
	return 0;
}

uint64_t place_rest(struct place *place, bool at_once)
{
	const uint64_t start_ns = clock_raw_ns();
	const uint64_t worked_ns = start_ns - place->rested_ns;

	if (!place->is_throttled || place->priority == 0)
		return 0;
	if (!at_once && worked_ns < longest_work_ns)
		return 0;
	const uint64_t rest_ns = worked_ns / 9;
	const struct timespec rest = { .tv_sec = (time_t)(rest_ns / 1000000000U),
				       .tv_nsec = (long)(rest_ns % 1000000000U) };

	nanosleep(&rest, NULL);
	place->rested_ns = clock_raw_ns();
	return place->rested_ns - start_ns;
}
