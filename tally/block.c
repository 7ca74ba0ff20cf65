/* SPDX-License-Identifier: MIT */
#include "block.h"

#include <string.h>

#include "grow.h"

enum { BUCKETS = 1 << 16 };

static struct block *table[BUCKETS];
static uint32_t block_count;

/* FNV-1a, 64 bits. */
static uint64_t digest_add(uint64_t digest, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		digest = (digest ^ bytes[i]) * 0x100000001b3;
	return digest;
}

void block_draft_init(struct block_draft *draft, uint64_t pc)
{
	draft->pc = pc;
	draft->end = pc;
	draft->target = 0;
	draft->digest = 0xcbf29ce484222325;
	draft->count = 0;
}

void block_draft_add(struct block_draft *draft, const uint8_t *bytes, size_t size)
{
	const struct insn insn = insn_classify(bytes, size, draft->end);

	draft->kinds[draft->count] = (char)insn.kind;
	draft->sizes[draft->count] = (uint8_t)size;
	draft->target = insn.target;
	draft->digest = digest_add(draft->digest, bytes, size);
	draft->end += size;
	draft->count++;
}

static struct block *block_new(const struct block_draft *draft)
{
	struct block *block = grow_new(1, sizeof(*block));

	block->pc = draft->pc;
	block->end = draft->end;
	block->last = draft->end - draft->sizes[draft->count - 1];
	block->target = draft->target;
	block->digest = draft->digest;
	block->index = block_count++;
	block->count = draft->count;
	block->sizes = grow_new(draft->count, sizeof(*block->sizes));
	block->kinds = grow_new(draft->count, sizeof(*block->kinds));
	memcpy(block->sizes, draft->sizes, draft->count * sizeof(*block->sizes));
	memcpy(block->kinds, draft->kinds, draft->count * sizeof(*block->kinds));
	return block;
}

struct block *block_of(const struct block_draft *draft)
{
	struct block **head = &table[(draft->pc ^ draft->pc >> 16 ^ draft->digest) % BUCKETS];

	for (struct block *block = *head; block; block = block->chain)
		if (block->pc == draft->pc && block->end == draft->end &&
		    block->digest == draft->digest)
			return block;
	struct block *block = block_new(draft);

	block->chain = *head;
	*head = block;
	return block;
}

uint64_t block_address(const struct block *block, unsigned int at)
{
	uint64_t address = block->pc;

	for (unsigned int i = 0; i < at; i++)
		address += block->sizes[i];
	return address;
}
