/* SPDX-License-Identifier: MIT */
/*
 * Counting inside windows. A window is one call: it opens and closes at marked clock reads. Calls
 * of a segment that cost the same number of instructions are of one shape and are summed.
 *
 * A cell is the unit of counting: the first `done` instructions of a block, run in a context.
 */
#ifndef TALLY_WINDOW_H
#define TALLY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "block.h"
#include "node.h"

/* Further shapes of a segment are counted together. */
enum { WINDOW_SHAPES_MAX = 1024 };

struct cell {
	uint32_t index;
	uint32_t done;     /* instructions completed: all of the block, or those before a fault */
	bool is_iteration; /* its first instruction only goes on with a REP */
	uint64_t runs;     /* in this window */
	struct node *node;
	struct block *block;
	struct cell *chain;
};

/* Count a run of `block`; nothing outside a window. */
void window_count(struct node *node, struct block *block, uint32_t done, bool is_iteration);

/* Forget what was counted and count from here. */
void window_open(void);

/* Add what was counted to the shape it has, and open the next window. */
void window_close(void);

bool window_is_open(void);

/* Write segment `number` as docs/exact.md describes, and begin a new one with no window open. */
void window_report(FILE *out, uint32_t number);

#endif
