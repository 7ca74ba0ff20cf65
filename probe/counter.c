/* SPDX-License-Identifier: MIT */
/* The counter's properties by CPUID (x86-64; Arm's architecture promises them), and by watching. */
#include "counter.h"

#include <errno.h>
#include <sched.h>

#include "place.h"

#define FORM(form, clock) form,
const enum clock_form counter_forms[] = { CLOCK_COUNTERS(FORM) };

#if defined(__x86_64__)
#include <cpuid.h>
#include <string.h>
#include <sys/prctl.h>

static inline uint64_t read_counter(void)
{
	return clock_read_lfence_rdtsc();
}

/* CPUID leaves: Intel SDM vol. 2, CPUID; AMD APM vol. 3, appendix E. */
static bool has_rdtscp(void)
{
	uint32_t a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & 1U << 27);
}

/* The last form is for a processor that has it: the oldest models that QEMU emulates do not. */
size_t counter_form_count(void)
{
	return ARRAY_SIZE(counter_forms) - !has_rdtscp();
}

static bool is_invariant(void)
{
	uint32_t a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1U << 8);
}

/* QEMU's emulation has one clock for all CPUs, but no bit that promises it. */
static bool is_emulated(void)
{
	static const char signature[12] = "TCGTCGTCGTCG"; /* target/i386/cpu.c of QEMU */
	uint32_t a, words[3];
	uint32_t b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1U << 31 /* a hypervisor */))
		return false;
	__cpuid(0x40000000, a, words[0], words[1], words[2]);
	return !memcmp(words, signature, sizeof(signature));
}

/* On Intel LFENCE always waits; on AMD and Hygon only if 8000_0021 EAX bit 2 promises it. */
static bool lfence_waits(void)
{
	uint32_t a, b, c, d;

	__cpuid(0, a, b, c, d);
	if (b != signature_AMD_ebx && b != 0x6f677948 /* "Hygo" */)
		return true;
	return __get_cpuid(0x80000021, &a, &b, &c, &d) && (a & 1U << 2);
}

static bool is_allowed(void)
{
	int mode = PR_TSC_ENABLE;

	return prctl(PR_GET_TSC, &mode) < 0 || mode == PR_TSC_ENABLE;
}

static const char *flaw_by_design(struct obstacles *obstacles)
{
	if (!is_allowed())
		return "reading the TSC is disabled for this process by prctl(PR_SET_TSC)";
	if (!is_invariant() && !is_emulated())
		return "the TSC is not invariant (CPUID 8000_0007 EDX bit 8)";
	if (!lfence_waits())
		obstacle_add(obstacles, "lfence", ENOTSUP,
			     "CPUID 8000_0021 EAX bit 2 does not promise that LFENCE waits");
	return NULL;
}

#elif defined(__aarch64__)

size_t counter_form_count(void)
{
	return ARRAY_SIZE(counter_forms);
}

static inline uint64_t read_counter(void)
{
	return clock_read_cntvct();
}

static const char *flaw_by_design(struct obstacles *obstacles)
{
	(void)obstacles; /* constant rate and order: Arm ARM, "The Generic Timer" */
	return NULL;
}

#endif

static bool goes_back_here(uint64_t *last)
{
	for (int i = 0; i < 1000; i++) {
		const uint64_t now = read_counter();

		if (now < *last)
			return true;
		*last = now;
	}
	return false;
}

/* Read on every CPU this thread may use, twice around, so that each pair of neighbours is crossed.
 */
static bool goes_back_anywhere(void)
{
	const struct place_cpus allowed = place_cpus_now();
	uint64_t last = 0;
	bool back = goes_back_here(&last);

	for (int turn = 0; turn < 2 && !back; turn++)
		for (int cpu = 0; cpu < PLACE_CPUS && !back; cpu++)
			if (place_cpus_has(&allowed, cpu) && place_pin(cpu) == 0)
				back = goes_back_here(&last);
	place_cpus_set(&allowed);
	return back;
}

bool counter_is_usable(struct obstacles *obstacles)
{
	const char *flaw = flaw_by_design(obstacles);

	if (!flaw && goes_back_anywhere())
		flaw = "the counter was seen to go back";
	if (flaw)
		obstacle_add(obstacles, "tsc", ENOTSUP, flaw);
	return !flaw;
}
