/* SPDX-License-Identifier: MIT */
/* What the probe tried on this machine and was refused: kept, and said in the machine record. */
#ifndef PROBE_OBSTACLE_H
#define PROBE_OBSTACLE_H

#include <stddef.h>
#include <string.h>

struct obstacle {
	const char *what; /* fifo_priority, lock_memory, tsc, … */
	int err;          /* positive errno */
	const char *text; /* for a person */
};

struct obstacles {
	struct obstacle list[16];
	size_t count;
};

/* Add one; `text` may be NULL for the errno's own words. A seventeenth would be lost: none exists.
 */
static inline void obstacle_add(struct obstacles *all, const char *what, int err, const char *text)
{
	if (all->count == sizeof(all->list) / sizeof(all->list[0]))
		return;
	all->list[all->count++] =
		(struct obstacle){ .what = what, .err = err, .text = text ? text : strerror(err) };
}

/* Why one segment was not run. */
struct refusal {
	const char *step; /* the system call or the rule that refused */
	int err;          /* positive errno */
	const char *text; /* for a person; NULL: the errno's own words */
};

/* Fill `why` and return -err, so that a failing step is one statement. */
static inline int refuse(struct refusal *why, const char *step, int err)
{
	*why = (struct refusal){ .step = step, .err = err };
	return -err;
}

/* The same with words of its own, where those of the errno say too little. */
static inline int refuse_saying(struct refusal *why, const char *step, int err, const char *text)
{
	*why = (struct refusal){ .step = step, .err = err, .text = text };
	return -err;
}

#endif
