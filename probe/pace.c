/* SPDX-License-Identifier: MIT */
/* Slots keep two channels from being due at once; places in them and their order are random. */
#include "pace.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "sys.h"

/* xorshift64* (Vigna 2016, ACM TOMS 42:30): no more is asked of it than an even spread. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717U;
}

static uint64_t draw_below(uint64_t *state, uint64_t limit)
{
	return (uint64_t)((unsigned __int128)draw(state) * limit >> 64);
}

void pace_draw(struct pace *pace, uint64_t seed)
{
	uint64_t state = seed | 1; /* never 0, where it would stay */

	pace->phase_ns = draw_below(&state, pace->interval_ns);
	for (uint32_t i = 0; i < pace->channels; i++) {
		const uint64_t slot = pace->interval_ns * i / pace->channels;
		const uint64_t next = pace->interval_ns * (i + 1) / pace->channels;

		pace->offset_ns[i] = (uint32_t)(slot + draw_below(&state, next - slot));
		/* Fisher and Yates, from the inside out. */
		const uint32_t other = (uint32_t)draw_below(&state, i + 1);

		pace->channel[i] = pace->channel[other];
		pace->channel[other] = i;
	}
}

uint64_t pace_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

void pace_sleep_until(uint64_t when_ns)
{
	const struct timespec when = { .tv_sec = (time_t)(when_ns / 1000000000U),
				       .tv_nsec = (long)(when_ns % 1000000000U) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
		;
}

static void send_one(struct pacer *pacer, uint32_t slot, uint64_t due_ns, uint64_t now_ns)
{
	const struct pace *pace = pacer->pace;
	const uint32_t channel = pace->channel[slot];
	const struct stamp stamp = { .due_ns = due_ns, .channel = channel, .magic = stamp_magic };
	const uint64_t late_ns = now_ns - due_ns;

	memcpy(pacer->message, &stamp, sizeof(stamp));
	const long sent = sys6(SYS_sendto, pacer->fd, (long)pacer->message, pacer->size, 0,
			       (long)&pacer->addrs[channel], pacer->addr_len);

	if (due_ns < pace->measured_ns)
		return;
	pacer->sent++;
	pacer->failed += sent < 0;
	hist_record(&pacer->late, &late_ns, 1);
}

int pacer_serve(void *context, struct peer_link *link, uint32_t count)
{
	struct pacer *pacer = context;
	const struct pace *pace = pacer->pace;

	(void)count;
	prctl(PR_SET_TIMERSLACK, 1); /* its thread ends with the segment */
	for (uint64_t begin_ns = pace->start_ns + pace->phase_ns; begin_ns < pace->end_ns;
	     begin_ns += pace->interval_ns) {
		for (uint32_t i = 0; i < pace->channels; i++) {
			const uint64_t due_ns = begin_ns + pace->offset_ns[i];
			uint64_t now_ns = pace_now_ns();

			if (due_ns >= pace->end_ns ||
			    atomic_load_explicit(&link->is_stopping, memory_order_relaxed))
				return 0;
			if (now_ns < due_ns) {
				pace_sleep_until(due_ns);
				now_ns = pace_now_ns();
			}
			send_one(pacer, i, due_ns, now_ns);
		}
	}
	return 0;
}
