/* SPDX-License-Identifier: MIT */
/* Instructions as an assembler writes them; each row is one whole instruction. */
#include "../../tally/insn.h"

#include "check.h"

enum { ADDRESS = 0x1000 };

static const struct {
	const char *text;
	enum insn_kind kind;
	uint64_t target;
	uint8_t size;
	uint8_t bytes[15];
} rows[] = {
	{ "nop", INSN_PLAIN, 0, 1, { 0x90 } },
	{ "mov %rsp,%rbp", INSN_PLAIN, 0, 3, { 0x48, 0x89, 0xe5 } },
	{ "endbr64", INSN_PLAIN, 0, 4, { 0xf3, 0x0f, 0x1e, 0xfa } },
	{ "pause", INSN_PLAIN, 0, 2, { 0xf3, 0x90 } },
	{ "call +0x10", INSN_CALL, 0x1015, 5, { 0xe8, 0x10, 0, 0, 0 } },
	{ "call -5", INSN_CALL, 0x1000, 5, { 0xe8, 0xfb, 0xff, 0xff, 0xff } },
	{ "call *%rax", INSN_CALL_INDIRECT, 0, 2, { 0xff, 0xd0 } },
	{ "cs call *%r11", INSN_CALL_INDIRECT, 0, 4, { 0x2e, 0x41, 0xff, 0xd3 } },
	{ "call *8(%rax)", INSN_CALL_INDIRECT, 0, 3, { 0xff, 0x50, 0x08 } },
	{ "jmp *%rax", INSN_JUMP_INDIRECT, 0, 2, { 0xff, 0xe0 } },
	{ "notrack jmp *%rax", INSN_JUMP_INDIRECT, 0, 3, { 0x3e, 0xff, 0xe0 } },
	{ "jmp +2", INSN_JUMP, 0x1004, 2, { 0xeb, 0x02 } },
	{ "jmp +0x100", INSN_JUMP, 0x1105, 5, { 0xe9, 0, 1, 0, 0 } },
	{ "je -2", INSN_JUMP, 0x1000, 2, { 0x74, 0xfe } },
	{ "je +0x10", INSN_JUMP, 0x1016, 6, { 0x0f, 0x84, 0x10, 0, 0, 0 } },
	{ "loop -2", INSN_JUMP, 0x1000, 2, { 0xe2, 0xfe } },
	{ "ret", INSN_RETURN, 0, 1, { 0xc3 } },
	{ "repz ret", INSN_RETURN, 0, 2, { 0xf3, 0xc3 } },
	{ "syscall", INSN_SYSCALL, 0, 2, { 0x0f, 0x05 } },
	{ "sysretq", INSN_SYSRET, 0, 3, { 0x48, 0x0f, 0x07 } },
	{ "iretq", INSN_IRET, 0, 2, { 0x48, 0xcf } },
	{ "int3", INSN_INTERRUPT, 0, 1, { 0xcc } },
	{ "ud2", INSN_INTERRUPT, 0, 2, { 0x0f, 0x0b } },
	{ "hlt", INSN_HALT, 0, 1, { 0xf4 } },
	{ "stac", INSN_USER_ACCESS, 0, 3, { 0x0f, 0x01, 0xcb } },
	{ "clac", INSN_USER_ACCESS, 0, 3, { 0x0f, 0x01, 0xca } },
	{ "swapgs", INSN_PLAIN, 0, 3, { 0x0f, 0x01, 0xf8 } },
	{ "rep movsb", INSN_REP_BYTE, 0, 2, { 0xf3, 0xa4 } },
	{ "rep movsw", INSN_REP_WORD, 0, 3, { 0xf3, 0x66, 0xa5 } },
	{ "rep stosl", INSN_REP_LONG, 0, 2, { 0xf3, 0xab } },
	{ "rep stosq", INSN_REP_QUAD, 0, 3, { 0xf3, 0x48, 0xab } },
	{ "repnz scasb", INSN_REP_BYTE, 0, 2, { 0xf2, 0xae } },
	{ "movsb", INSN_PLAIN, 0, 1, { 0xa4 } },
	{ "rep; test $1,%al", INSN_PLAIN, 0, 3, { 0xf3, 0xa8, 0x01 } },
	{ "lock incl (%rax)", INSN_LOCKED, 0, 3, { 0xf0, 0xff, 0x00 } },
	{ "lock cmpxchg %edx,(%rdi)", INSN_LOCKED, 0, 4, { 0xf0, 0x0f, 0xb1, 0x17 } },
	{ "xchg %eax,(%rdi)", INSN_LOCKED, 0, 2, { 0x87, 0x07 } },
	{ "xchg %ecx,%edx", INSN_PLAIN, 0, 2, { 0x87, 0xca } },
	{ "rdtsc", INSN_PLAIN, 0, 2, { 0x0f, 0x31 } },
	{ "cs rdtsc", INSN_READ, 0, 3, { 0x2e, 0x0f, 0x31 } },
	{ "rdtscp", INSN_PLAIN, 0, 3, { 0x0f, 0x01, 0xf9 } },
	{ "cs rdtscp", INSN_READ, 0, 4, { 0x2e, 0x0f, 0x01, 0xf9 } },
	{ "begin mark", INSN_BEGIN, 0, 8, { 0x0f, 0x1f, 0x84, 0, 0x01, 0, 0x6d, 0x73 } },
	{ "end mark", INSN_END, 0, 8, { 0x0f, 0x1f, 0x84, 0, 0x02, 0, 0x6d, 0x73 } },
	{ "arm mark", INSN_ARM, 0, 8, { 0x0f, 0x1f, 0x84, 0, 0x03, 0, 0x6d, 0x73 } },
	{ "a mark unknown", INSN_PLAIN, 0, 8, { 0x0f, 0x1f, 0x84, 0, 0x04, 0, 0x6d, 0x73 } },
	{ "nopl 0(%rax,%rax,1)", INSN_PLAIN, 0, 8, { 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 } },
};

static void every_instruction_has_its_kind(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct insn insn = insn_classify(rows[i].bytes, rows[i].size, ADDRESS);

		if (rows[i].kind != insn.kind || rows[i].target != insn.target) {
			fprintf(stderr, "%s: kind %c, target %#" PRIx64 "\n", rows[i].text,
				(int)insn.kind, insn.target);
			exit(1);
		}
	}
}

/* A translator never asks that, but an instruction of prefixes alone must not be read past. */
static void prefixes_alone_are_plain(void)
{
	const uint8_t prefixes[] = { 0xf3, 0x66, 0x48 }, escape[] = { 0x0f };

	CHECK_EQUAL(INSN_PLAIN, insn_classify(prefixes, sizeof(prefixes), ADDRESS).kind);
	CHECK_EQUAL(INSN_PLAIN, insn_classify(escape, sizeof(escape), ADDRESS).kind);
}

int main(void)
{
	every_instruction_has_its_kind();
	prefixes_alone_are_plain();
	return 0;
}
