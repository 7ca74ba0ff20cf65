/* SPDX-License-Identifier: MIT */
/* What kind of x86-64 instruction some bytes are, as far as control flow and cost classes go. */
#ifndef TALLY_INSN_H
#define TALLY_INSN_H

#include <stddef.h>
#include <stdint.h>

/* The letter is what stands in the report. */
enum insn_kind {
	INSN_PLAIN = '.',
	INSN_LOCKED = 'L',   /* LOCK prefix, or XCHG with memory */
	INSN_REP_BYTE = '0', /* a string instruction under REP: 2^n bytes an iteration */
	INSN_REP_WORD = '1',
	INSN_REP_LONG = '2',
	INSN_REP_QUAD = '3',
	INSN_CALL = 'c',
	INSN_CALL_INDIRECT = 'C',
	INSN_JUMP = 'j', /* unconditional or conditional */
	INSN_JUMP_INDIRECT = 'J',
	INSN_RETURN = 'r',
	INSN_SYSCALL = 's',
	INSN_SYSRET = 'S',
	INSN_IRET = 'i',
	INSN_INTERRUPT = 'n',   /* INT n, INT3, UD2: the next instruction is a vector's */
	INSN_USER_ACCESS = 'a', /* STAC or CLAC */
	INSN_HALT = 'h',
	INSN_READ = 'R',  /* a marked clock read of probe/window.h */
	INSN_BEGIN = 'b', /* its marks */
	INSN_END = 'e',
	INSN_ARM = 'm',
};

struct insn {
	enum insn_kind kind;
	uint64_t target; /* of a direct call or jump; 0 otherwise */
};

/* Classify the `size` bytes at `bytes`, one whole instruction at `address` in 64-bit mode. */
struct insn insn_classify(const uint8_t *bytes, size_t size, uint64_t address);

static inline int insn_is_rep(enum insn_kind kind)
{
	return kind >= INSN_REP_BYTE && kind <= INSN_REP_QUAD;
}

#endif
