/* SPDX-License-Identifier: MIT */
/* The tree of calling contexts: a node is a call target reached through its parent. */
#ifndef TALLY_NODE_H
#define TALLY_NODE_H

#include <stdbool.h>
#include <stdint.h>

struct node {
	uint32_t index;
	uint64_t entry; /* first instruction of what was called; 0 for a root */
	struct node *parent;
	struct node *children;
	struct node *sibling;
	bool is_reported;
};

/* Return the root of what virtual CPU `cpu` does. */
struct node *node_root(unsigned int cpu);

/* Return the child of `parent` for a call to `entry`, the known one if there is one. */
struct node *node_child(struct node *parent, uint64_t entry);

#endif
