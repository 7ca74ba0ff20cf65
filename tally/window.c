/* SPDX-License-Identifier: MIT */
#include "window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

enum { CELL_BUCKETS = 1 << 14 };

/* Calls that cost the same. */
struct shape {
	uint64_t total; /* instructions a call; of all calls together in the shape of the rest */
	uint64_t calls;
	uint64_t *runs; /* by cell index */
	size_t capacity;
};

/* Equal totals in a row. */
struct streak {
	uint64_t total;
	uint64_t calls;
};

static struct {
	bool is_open;
	uint64_t total;
	struct cell **touched;
	size_t touched_count, touched_capacity;
} window;

static struct {
	struct shape shapes[WINDOW_SHAPES_MAX];
	size_t shape_count;
	struct shape rest;
	struct streak *streaks;
	size_t streak_count, streak_capacity;
} segment;

static struct cell *cell_table[CELL_BUCKETS];
static struct cell **cells;
static size_t cell_count, cell_capacity;

static bool cell_is(const struct cell *cell, struct node *node, const struct block *block,
		    uint32_t done, bool is_iteration)
{
	return cell->node == node && cell->block == block && cell->done == done &&
	       cell->is_iteration == is_iteration;
}

static struct cell *cell_of(struct node *node, struct block *block, uint32_t done,
			    bool is_iteration)
{
	const uint32_t hash = node->index * 0x9e3779b1U ^ block->index * 0x85ebca6bU ^ done;
	struct cell **head = &cell_table[(hash ^ hash >> 16) % CELL_BUCKETS];

	for (struct cell *cell = *head; cell; cell = cell->chain)
		if (cell_is(cell, node, block, done, is_iteration))
			return cell;
	struct cell *cell = grow_new(1, sizeof(*cell));

	*cell = (struct cell){
		.index = (uint32_t)cell_count,
		.done = done,
		.is_iteration = is_iteration,
		.node = node,
		.block = block,
		.chain = *head,
	};
	*head = cell;
	cells = grow_to(cells, &cell_capacity, cell_count, sizeof(struct cell *));
	cells[cell_count++] = cell;
	return cell;
}

void window_count(struct node *node, struct block *block, uint32_t done, bool is_iteration)
{
	if (!window.is_open || !done)
		return;
	if (!block->recent || !cell_is(block->recent, node, block, done, is_iteration))
		block->recent = cell_of(node, block, done, is_iteration);
	struct cell *cell = block->recent;

	if (!cell->runs++) {
		window.touched = grow_to(window.touched, &window.touched_capacity,
					 window.touched_count, sizeof(struct cell *));
		window.touched[window.touched_count++] = cell;
	}
	window.total += done;
}

static void window_clear(void)
{
	for (size_t i = 0; i < window.touched_count; i++)
		window.touched[i]->runs = 0;
	window.touched_count = 0;
	window.total = 0;
}

void window_open(void)
{
	window_clear();
	window.is_open = true;
}

bool window_is_open(void)
{
	return window.is_open;
}

static struct shape *shape_of(uint64_t total)
{
	for (size_t i = 0; i < segment.shape_count; i++)
		if (segment.shapes[i].total == total)
			return &segment.shapes[i];
	if (segment.shape_count == WINDOW_SHAPES_MAX) {
		segment.rest.total += total;
		return &segment.rest;
	}
	struct shape *shape = &segment.shapes[segment.shape_count++];

	shape->total = total;
	return shape;
}

static void streak_add(uint64_t total)
{
	if (segment.streak_count && segment.streaks[segment.streak_count - 1].total == total) {
		segment.streaks[segment.streak_count - 1].calls++;
		return;
	}
	segment.streaks = grow_to(segment.streaks, &segment.streak_capacity, segment.streak_count,
				  sizeof(struct streak));
	segment.streaks[segment.streak_count++] = (struct streak){ total, 1 };
}

void window_close(void)
{
	struct shape *shape = shape_of(window.total);

	shape->calls++;
	for (size_t i = 0; i < window.touched_count; i++) {
		const struct cell *cell = window.touched[i];

		shape->runs = grow_to(shape->runs, &shape->capacity, cell->index, sizeof(uint64_t));
		shape->runs[cell->index] += cell->runs;
	}
	streak_add(window.total);
	window_open();
}

static void report_node(FILE *out, struct node *node)
{

	if (node->is_reported)
		return;
	if (node->parent)
		report_node(out, node->parent);
	fprintf(out, "node %" PRIu32 " %" PRId64 " %" PRIx64 "\n", node->index,
		node->parent ? (int64_t)node->parent->index : -1, node->entry);
	node->is_reported = true;
}

static void report_block(FILE *out, struct block *block)
{
	if (block->is_reported)
		return;
	fprintf(out, "block %" PRIu32 " %" PRIx64 " ", block->index, block->pc);
	for (unsigned int i = 0; i < block->count; i++)
		fprintf(out, "%x", block->sizes[i]);
	fprintf(out, " %.*s\n", (int)block->count, block->kinds);
	block->is_reported = true;
}

static void report_shape(FILE *out, const char *word, struct shape *shape)
{
	for (size_t i = 0; i < shape->capacity && i < cell_count; i++)
		if (shape->runs[i]) {
			report_node(out, cells[i]->node);
			report_block(out, cells[i]->block);
		}
	fprintf(out, "%s %" PRIu64 " %" PRIu64 "\n", word, shape->total, shape->calls);
	for (size_t i = 0; i < shape->capacity && i < cell_count; i++)
		if (shape->runs[i])
			fprintf(out, "cell %" PRIu32 " %" PRIu32 " %" PRIu32 " %d %" PRIu64 "\n",
				cells[i]->node->index, cells[i]->block->index, cells[i]->done,
				cells[i]->is_iteration, shape->runs[i]);
	free(shape->runs);
	*shape = (struct shape){ 0 };
}

void window_report(FILE *out, uint32_t number)
{
	fprintf(out, "segment %" PRIu32 "\n", number);
	for (size_t i = 0; i < segment.streak_count; i++)
		fprintf(out, "value %" PRIu64 " %" PRIu64 "\n", segment.streaks[i].total,
			segment.streaks[i].calls);
	for (size_t i = 0; i < segment.shape_count; i++)
		report_shape(out, "shape", &segment.shapes[i]);
	if (segment.rest.calls)
		report_shape(out, "rest", &segment.rest);
	fprintf(out, "end %" PRIu32 "\n", number);
	segment.shape_count = 0;
	segment.streak_count = 0;
	window_clear();
	window.is_open = false;
}
