/* SPDX-License-Identifier: MIT */
/*
 * Translated blocks: straight runs of guest instructions. The emulator translates the same code
 * many times; equal bytes at an equal address are one block here.
 */
#ifndef TALLY_BLOCK_H
#define TALLY_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "insn.h"

enum { BLOCK_INSNS_MAX = 512 };

struct cell;

struct block {
	uint64_t pc;     /* first instruction */
	uint64_t last;   /* last instruction */
	uint64_t end;    /* first byte behind it */
	uint64_t target; /* of the last instruction, where it is a direct call or jump */
	uint64_t digest; /* of the instructions' bytes */
	uint32_t index;
	uint16_t count;      /* instructions */
	uint8_t *sizes;      /* of each, bytes */
	char *kinds;         /* of each, enum insn_kind; not terminated */
	struct cell *recent; /* where it ran last: see cell.h */
	struct block *chain;
	bool is_reported;
};

/* What translation tells of a block, instruction by instruction. */
struct block_draft {
	uint64_t pc;
	uint64_t end;
	uint64_t target;
	uint64_t digest;
	uint16_t count;
	uint8_t sizes[BLOCK_INSNS_MAX];
	char kinds[BLOCK_INSNS_MAX];
};

void block_draft_init(struct block_draft *draft, uint64_t pc);
void block_draft_add(struct block_draft *draft, const uint8_t *bytes, size_t size);

/* Return the block that `draft` describes, the known one if there is one. */
struct block *block_of(const struct block_draft *draft);

/* Address of instruction `at`, or the end of the block where `at` is its count. */
uint64_t block_address(const struct block *block, unsigned int at);

static inline enum insn_kind block_last_kind(const struct block *block)
{
	return (enum insn_kind)block->kinds[block->count - 1];
}

#endif
