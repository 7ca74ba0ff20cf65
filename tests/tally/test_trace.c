/* SPDX-License-Identifier: MIT */
/*
 * A little program of blocks, run as the emulator would: what is counted, in which context, and
 * that the sum of a window is the instructions between its two reads.
 */
#include "../../tally/trace.h"

#include "../../tally/node.h"
#include "../../tally/window.h"
#include "check.h"

enum { ENTRY = 0x9000, FAULT = 0xa000, DOOR = 0xb000 };

static const uint8_t nop[] = { 0x90 }, ret[] = { 0xc3 }, iret[] = { 0x48, 0xcf };
static const uint8_t syscall_[] = { 0x0f, 0x05 }, sysret[] = { 0x48, 0x0f, 0x07 };
static const uint8_t jump[] = { 0xff, 0xe0 }, call[] = { 0xff, 0xd0 };
static const uint8_t movs[] = { 0xf3, 0x48, 0xa5 }, read_[] = { 0x2e, 0x0f, 0x31 };

/* `nops` one-byte instructions and then `last`. */
static struct block *make_block(uint64_t pc, unsigned int nops, const uint8_t *last, size_t size)
{
	static struct block_draft draft;

	block_draft_init(&draft, pc);
	for (unsigned int i = 0; i < nops; i++)
		block_draft_add(&draft, nop, sizeof(nop));
	block_draft_add(&draft, last, size);
	return block_of(&draft);
}

#define BLOCK(pc, nops, last) make_block(pc, nops, last, sizeof(last))

static void run_part(unsigned int cpu, struct block *block, unsigned int done)
{
	trace_block(cpu, block);
	trace_begun += done;
}

static void run(struct block *block)
{
	run_part(0, block, block->count);
}

/* Reads the clock at 0x100; the next block starts at 0x106. */
static struct block *reader(void)
{
	return BLOCK(0x100, 3, read_);
}

static void open_window(void)
{
	trace_begin();
	trace_arm();
	run(reader());
}

/* Close the window, end the segment and return its report; nodes and blocks left out. */
static const char *report_after_read(void)
{
	static char text[4096];
	char line[256];
	FILE *out = tmpfile();

	run(reader());
	run(BLOCK(0x106, 0, nop));
	trace_end(out);
	rewind(out);
	text[0] = '\0';
	while (fgets(line, sizeof(line), out))
		if (!strncmp(line, "value", 5) || !strncmp(line, "shape", 5))
			strcat(text, line);
	fclose(out);
	return text;
}

static void a_window_is_what_lies_between_two_reads(void)
{
	open_window();
	run(BLOCK(0x106, 4, jump));
	CHECK_TEXT("value 9 1\nshape 9 1\n", report_after_read());
}

static void what_is_behind_the_last_read_is_in_no_window(void)
{
	open_window();
	run(BLOCK(0x106, 4, jump));
	run(reader());
	run(BLOCK(0x106, 9, jump));
	trace_arm();
	run(reader());
	CHECK_TEXT("value 9 1\nvalue 4 1\nshape 9 1\nshape 4 1\n", report_after_read());
}

static void an_instruction_that_faults_counts_once(void)
{
	open_window();
	run_part(0, BLOCK(0x106, 4, jump), 3); /* its third instruction faults */
	run(BLOCK(FAULT, 1, iret));
	run(BLOCK(0x108, 2, jump)); /* and begins anew */
	CHECK_TEXT("value 11 1\nshape 11 1\n", report_after_read());
}

static void the_last_instruction_of_a_block_can_fault_too(void)
{
	open_window();
	run(BLOCK(0x106, 0, movs));
	run(BLOCK(FAULT, 1, iret));
	run(BLOCK(0x106, 0, movs));
	run(BLOCK(0x109, 0, jump));
	CHECK_TEXT("value 8 1\nshape 8 1\n", report_after_read());
}

static void another_cpu_counts_in_the_window_it_ran_in(void)
{
	open_window();
	run(BLOCK(0x106, 4, jump));
	run_part(1, BLOCK(0x500, 6, jump), 7);
	CHECK_TEXT("value 16 1\nshape 16 1\n", report_after_read());
}

static void calls_that_cost_the_same_are_of_one_shape(void)
{
	open_window();
	for (int i = 0; i < 5; i++) {
		run(BLOCK(0x106, i == 2 ? 6 : 4, jump));
		run(reader());
	}
	run(BLOCK(0x106, 4, jump));
	CHECK_TEXT("value 9 2\nvalue 11 1\nvalue 9 3\nshape 9 5\nshape 11 1\n",
		   report_after_read());
}

/* After some event in a callee, the rest of it is still its own, and its caller the root. */
static void check_context_survives(void (*event)(void))
{
	struct block *callee = BLOCK(0x300, 7, ret), *caller = BLOCK(0x108, 0, jump);

	open_window();
	run(BLOCK(0x106, 0, call));
	event();
	run(callee);
	run(caller);
	report_after_read();
	CHECK(callee->recent->node == node_child(node_root(0), 0x300));
	CHECK(caller->recent->node == node_root(0));
}

static void nothing(void)
{
}

static void a_return_goes_back_to_the_caller(void)
{
	check_context_survives(nothing);
}

static void interrupted(void)
{
	run_part(0, BLOCK(0x300, 5, jump), 2);
	run(BLOCK(ENTRY, 2, iret));
	run(BLOCK(0x302, 3, jump));
}

static void an_interrupt_gives_the_context_back(void)
{
	check_context_survives(interrupted);
}

/* The vector comes between a call and its callee. */
static void interrupted_at_a_call(void)
{
	run(BLOCK(0x300, 0, call));
	run(BLOCK(ENTRY, 2, iret));
	run(BLOCK(0x400, 1, ret));
	run(BLOCK(0x302, 0, jump));
}

static void an_interrupt_between_a_call_and_its_callee_is_no_callee(void)
{
	check_context_survives(interrupted_at_a_call);
}

static void in_the_kernel(void)
{
	run(BLOCK(0x300, 0, syscall_));
	run(BLOCK(DOOR, 1, call));
	run(BLOCK(0xb100, 1, ret));
	run(BLOCK(DOOR + 3, 1, sysret));
	run(BLOCK(0x302, 0, jump));
}

static void a_system_call_gives_the_context_back(void)
{
	check_context_survives(in_the_kernel);
}

/* call 1f; 1: the return address is overwritten; ret to 0x700, which returns for the thunk. */
static void through_a_retpoline(void)
{
	static const uint8_t call_next[] = { 0xe8, 0x02, 0, 0, 0 };

	run(BLOCK(0x300, 0, call));
	run(BLOCK(0x600, 0, call_next));
	run(BLOCK(0x607, 1, ret));
	run(BLOCK(0x700, 1, ret));
	run(BLOCK(0x302, 0, jump));
}

static void a_retpoline_gives_the_context_back(void)
{
	check_context_survives(through_a_retpoline);
}

/* The callee is left on another stack: it returns to where nobody waits. */
static void a_lost_context_is_found_again_at_the_next_read(void)
{
	struct block *next = BLOCK(0x106, 0, call);

	open_window();
	run(next);
	run(BLOCK(0x300, 7, ret));
	run(BLOCK(0x800, 0, jump));
	run(reader());
	run(next);
	report_after_read();
	CHECK(node_root(0) == next->recent->node);
}

static void an_iteration_of_rep_is_told_from_its_start(void)
{
	char line[256], found[256] = "";
	FILE *out = tmpfile();
	unsigned int iterations = 0;

	open_window();
	for (int i = 0; i < 4; i++) /* three elements, and the look that ends it */
		run(BLOCK(0x106, 0, movs));
	run(BLOCK(0x109, 0, jump));
	run(reader());
	run(BLOCK(0x106, 0, nop));
	trace_end(out);
	rewind(out);
	while (fgets(line, sizeof(line), out)) {
		unsigned int node, block, done, is_iteration, runs;

		if (sscanf(line, "cell %u %u %u %u %u", &node, &block, &done, &is_iteration,
			   &runs) == 5 &&
		    is_iteration) {
			iterations += runs;
			memcpy(found, line, sizeof(found));
		}
	}
	fclose(out);
	CHECK_EQUAL(3, iterations);
	CHECK(found[0]);
}

static void nothing_is_counted_outside_a_segment(void)
{
	FILE *out = tmpfile();

	run(reader());
	run(BLOCK(0x106, 4, jump));
	run(reader());
	trace_end(out);
	CHECK_EQUAL(0, ftell(out));
	fclose(out);
}

int main(void)
{
	CHECK_EQUAL(0, trace_add_vector(ENTRY, ENTRY + 1));
	CHECK_EQUAL(0, trace_add_vector(FAULT, FAULT + 1));
	CHECK_EQUAL(0, trace_add_fault(FAULT));
	nothing_is_counted_outside_a_segment();
	a_window_is_what_lies_between_two_reads();
	what_is_behind_the_last_read_is_in_no_window();
	an_instruction_that_faults_counts_once();
	the_last_instruction_of_a_block_can_fault_too();
	another_cpu_counts_in_the_window_it_ran_in();
	calls_that_cost_the_same_are_of_one_shape();
	a_return_goes_back_to_the_caller();
	an_interrupt_gives_the_context_back();
	an_interrupt_between_a_call_and_its_callee_is_no_callee();
	a_system_call_gives_the_context_back();
	a_retpoline_gives_the_context_back();
	a_lost_context_is_found_again_at_the_next_read();
	an_iteration_of_rep_is_told_from_its_start();
	return 0;
}
