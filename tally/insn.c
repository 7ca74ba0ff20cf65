/* SPDX-License-Identifier: MIT */
/* Opcodes: Intel SDM vol. 2, appendix A, tables. */
#include "insn.h"

#include <stdbool.h>
#include <string.h>

struct prefixes {
	size_t length;
	bool lock, rep, cs, wide, operand16;
};

static struct prefixes read_prefixes(const uint8_t *bytes, size_t size)
{
	struct prefixes found = { 0 };

	for (; found.length < size; found.length++) {
		const uint8_t byte = bytes[found.length];

		if (byte == 0xf0)
			found.lock = true;
		else if (byte == 0xf2 || byte == 0xf3)
			found.rep = true;
		else if (byte == 0x2e)
			found.cs = true;
		else if (byte == 0x66)
			found.operand16 = true;
		else if ((byte & 0xf0) == 0x40)
			found.wide = byte & 8;
		else if (byte != 0x26 && byte != 0x36 && byte != 0x3e && byte != 0x64 &&
			 byte != 0x65 && byte != 0x67)
			break;
	}
	return found;
}

static uint64_t relative_target(const uint8_t *bytes, size_t size, uint64_t address, size_t width)
{
	int8_t near;
	int32_t far;

	if (width == sizeof(near)) {
		memcpy(&near, bytes + size - sizeof(near), sizeof(near));
		return address + size + (uint64_t)(int64_t)near;
	}
	memcpy(&far, bytes + size - sizeof(far), sizeof(far));
	return address + size + (uint64_t)(int64_t)far;
}

/* MOVS, CMPS, STOS, LODS, SCAS, INS and OUTS come in pairs: bytes at even opcodes. */
static bool is_string(uint8_t opcode)
{
	return (opcode >= 0xa4 && opcode <= 0xaf && opcode != 0xa8 && opcode != 0xa9) ||
	       (opcode >= 0x6c && opcode <= 0x6f);
}

static enum insn_kind string_kind(uint8_t opcode, const struct prefixes *prefixes)
{
	if (!(opcode & 1))
		return INSN_REP_BYTE;
	if (prefixes->wide)
		return INSN_REP_QUAD;
	return prefixes->operand16 ? INSN_REP_WORD : INSN_REP_LONG;
}

static enum insn_kind mark_kind(const uint8_t *bytes, size_t size)
{
	static const uint8_t head[] = { 0x0f, 0x1f, 0x84, 0x00 }, tail[] = { 0x00, 0x6d, 0x73 };

	if (size != 8 || memcmp(bytes, head, sizeof(head)) || memcmp(bytes + 5, tail, sizeof(tail)))
		return INSN_PLAIN;
	switch (bytes[4]) {
	case 1:
		return INSN_BEGIN;
	case 2:
		return INSN_END;
	case 3:
		return INSN_ARM;
	default:
		return INSN_PLAIN;
	}
}

static struct insn classify_0f(const uint8_t *bytes, size_t size, uint64_t address,
			       const struct prefixes *prefixes)
{
	const uint8_t *opcode = bytes + prefixes->length + 1;
	const size_t left = size - prefixes->length - 1;

	if (!left)
		return (struct insn){ INSN_PLAIN, 0 };
	if (opcode[0] == 0x1f)
		return (struct insn){ mark_kind(bytes, size), 0 };
	if (opcode[0] == 0x31 && prefixes->cs)
		return (struct insn){ INSN_READ, 0 };
	if (opcode[0] == 0x01 && left > 1) {
		if (opcode[1] == 0xf9 && prefixes->cs)
			return (struct insn){ INSN_READ, 0 };
		if (opcode[1] == 0xca || opcode[1] == 0xcb)
			return (struct insn){ INSN_USER_ACCESS, 0 };
		return (struct insn){ INSN_PLAIN, 0 };
	}
	if ((opcode[0] & 0xf0) == 0x80)
		return (struct insn){ INSN_JUMP, relative_target(bytes, size, address, 4) };
	switch (opcode[0]) {
	case 0x05:
		return (struct insn){ INSN_SYSCALL, 0 };
	case 0x07:
		return (struct insn){ INSN_SYSRET, 0 };
	case 0x0b:
		return (struct insn){ INSN_INTERRUPT, 0 };
	default:
		return (struct insn){ prefixes->lock ? INSN_LOCKED : INSN_PLAIN, 0 };
	}
}

static enum insn_kind group5_kind(uint8_t modrm, bool is_locked)
{
	switch (modrm >> 3 & 7) {
	case 2:
	case 3:
		return INSN_CALL_INDIRECT;
	case 4:
	case 5:
		return INSN_JUMP_INDIRECT;
	default:
		return is_locked ? INSN_LOCKED : INSN_PLAIN;
	}
}

struct insn insn_classify(const uint8_t *bytes, size_t size, uint64_t address)
{
	const struct prefixes prefixes = read_prefixes(bytes, size);

	if (prefixes.length >= size)
		return (struct insn){ INSN_PLAIN, 0 };
	const uint8_t opcode = bytes[prefixes.length];
	const uint8_t modrm = prefixes.length + 1 < size ? bytes[prefixes.length + 1] : 0;

	if (opcode == 0x0f)
		return classify_0f(bytes, size, address, &prefixes);
	if ((opcode & 0xf0) == 0x70 || (opcode >= 0xe0 && opcode <= 0xe3) || opcode == 0xeb)
		return (struct insn){ INSN_JUMP, relative_target(bytes, size, address, 1) };
	if (is_string(opcode) && prefixes.rep)
		return (struct insn){ string_kind(opcode, &prefixes), 0 };
	switch (opcode) {
	case 0xe8:
		return (struct insn){ INSN_CALL, relative_target(bytes, size, address, 4) };
	case 0xe9:
		return (struct insn){ INSN_JUMP, relative_target(bytes, size, address, 4) };
	case 0xc2:
	case 0xc3:
		return (struct insn){ INSN_RETURN, 0 };
	case 0xca:
	case 0xcb:
	case 0xcf:
		return (struct insn){ INSN_IRET, 0 };
	case 0xcc:
	case 0xcd:
	case 0xf1:
		return (struct insn){ INSN_INTERRUPT, 0 };
	case 0xf4:
		return (struct insn){ INSN_HALT, 0 };
	case 0xff:
		return (struct insn){ group5_kind(modrm, prefixes.lock), 0 };
	case 0x86:
	case 0x87:
		return (struct insn){ prefixes.lock || modrm < 0xc0 ? INSN_LOCKED : INSN_PLAIN, 0 };
	default:
		return (struct insn){ prefixes.lock ? INSN_LOCKED : INSN_PLAIN, 0 };
	}
}
