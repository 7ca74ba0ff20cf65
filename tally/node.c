/* SPDX-License-Identifier: MIT */
#include "node.h"

#include "grow.h"
#include "trace.h"

static struct node *roots[TRACE_CPUS_MAX];
static uint32_t node_count;

static struct node *node_new(struct node *parent, uint64_t entry)
{
	struct node *node = grow_new(1, sizeof(*node));

	node->index = node_count++;
	node->entry = entry;
	node->parent = parent;
	return node;
}

struct node *node_root(unsigned int cpu)
{
	if (!roots[cpu])
		roots[cpu] = node_new(NULL, 0);
	return roots[cpu];
}

struct node *node_child(struct node *parent, uint64_t entry)
{
	for (struct node *child = parent->children; child; child = child->sibling)
		if (child->entry == entry)
			return child;
	struct node *child = node_new(parent, entry);

	child->sibling = parent->children;
	parent->children = child;
	return child;
}
