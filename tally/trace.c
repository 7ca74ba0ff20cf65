/* SPDX-License-Identifier: MIT */
/*
 * The context is rebuilt from control flow alone, since registers cannot be read: a call pushes
 * its return address, a return pops to the frame that waits for its target.
 *
 *   - A return to an address nobody waits for, straight after a call over a few bytes, is a
 *     retpoline: an indirect branch to that address.
 *   - Any other such return means that the stack was switched: the context starts again at the
 *     root of the CPU.
 *   - A block that does not follow from its predecessor, or that starts at a vector, was entered
 *     by an interrupt or exception. What it interrupted is kept and resumed by its IRET.
 */
#include "trace.h"

#include <errno.h>

#include "node.h"
#include "window.h"

enum { DEPTH_MAX = 1024, NEAR_BYTES = 64 };

enum frame_kind { FRAME_CALL, FRAME_SYSCALL, FRAME_INTERRUPT };

struct frame {
	enum frame_kind kind;
	bool is_near;            /* the call went over a few bytes, as a retpoline's does */
	uint64_t back;           /* return address */
	struct node *node;       /* context to go back to */
	struct block *suspended; /* what was interrupted, not yet followed by its successor */
	uint32_t suspended_done;
};

struct cpu {
	struct block *block; /* in flight, or completed with the successor unknown */
	uint32_t done;
	bool is_iteration;
	bool is_counted;
	struct node *node;
	uint32_t depth;
	struct frame frames[DEPTH_MAX];
};

struct range {
	uint64_t low, high;
};

static struct range vectors[TRACE_VECTORS_MAX];
static uint64_t faults[TRACE_VECTORS_MAX];
static size_t vector_count, fault_count;
static struct range vectors_all = { UINT64_MAX, 0 }; /* around all of them: most blocks are not */

static struct cpu cpus[TRACE_CPUS_MAX];
static struct cpu *in_flight;
static bool is_armed; /* the next marked read opens a window and closes none */
static bool is_in_segment;
static uint32_t segment_number;

uint64_t trace_begun;

int trace_add_vector(uint64_t low, uint64_t high)
{
	if (vector_count == TRACE_VECTORS_MAX)
		return -E2BIG;
	vectors[vector_count++] = (struct range){ low, high };
	if (low < vectors_all.low)
		vectors_all.low = low;
	if (high > vectors_all.high)
		vectors_all.high = high;
	return 0;
}

int trace_add_fault(uint64_t entry)
{
	if (fault_count == TRACE_VECTORS_MAX)
		return -E2BIG;
	faults[fault_count++] = entry;
	return 0;
}

static bool is_vector(uint64_t address)
{
	if (address < vectors_all.low || address >= vectors_all.high)
		return false;
	for (size_t i = 0; i < vector_count; i++)
		if (address >= vectors[i].low && address < vectors[i].high)
			return true;
	return false;
}

static bool is_fault(uint64_t address)
{
	for (size_t i = 0; i < fault_count; i++)
		if (faults[i] == address)
			return true;
	return false;
}

static struct frame *push(struct cpu *cpu, enum frame_kind kind)
{
	if (cpu->depth == DEPTH_MAX) /* frames that no return ever came to */
		cpu->depth = 0;
	struct frame *frame = &cpu->frames[cpu->depth++];

	*frame = (struct frame){ .kind = kind, .node = cpu->node };
	return frame;
}

static void lose(struct cpu *cpu, uint64_t pc)
{
	cpu->depth = 0;
	cpu->node = node_child(node_root((unsigned int)(cpu - cpus)), pc);
}

static void call(struct cpu *cpu, enum frame_kind kind, const struct block *from, uint64_t pc)
{
	struct frame *frame = push(cpu, kind);

	frame->back = from->end;
	frame->is_near = pc >= from->end && pc - from->end < NEAR_BYTES;
	cpu->node = node_child(cpu->node, pc);
}

/* Returns do not cross the entry of a system call or interrupt. */
static bool pop_to(struct cpu *cpu, uint64_t pc)
{
	for (uint32_t depth = cpu->depth; depth > 0; depth--) {
		const struct frame *frame = &cpu->frames[depth - 1];

		if (frame->kind != FRAME_CALL)
			return false;
		if (frame->back == pc) {
			cpu->node = frame->node;
			cpu->depth = depth - 1;
			return true;
		}
	}
	return false;
}

static void go_back(struct cpu *cpu, uint64_t pc)
{
	if (pop_to(cpu, pc))
		return;
	if (cpu->depth && cpu->frames[cpu->depth - 1].kind == FRAME_CALL &&
	    cpu->frames[cpu->depth - 1].is_near)
		cpu->node = cpu->frames[--cpu->depth].node;
	else
		lose(cpu, pc);
}

static void follow(struct cpu *cpu, struct block *from, uint32_t done, const struct block *to);

static void leave_kernel_entry(struct cpu *cpu, const struct block *to)
{
	while (cpu->depth) {
		const struct frame frame = cpu->frames[--cpu->depth];

		if (frame.kind == FRAME_CALL)
			continue;
		cpu->node = frame.node;
		if (frame.kind == FRAME_INTERRUPT)
			follow(cpu, frame.suspended, frame.suspended_done, to);
		return;
	}
	lose(cpu, to->pc);
}

/* Whether `to` can come after the first `done` instructions of `from` without an interrupt. */
static bool is_successor(const struct block *from, uint32_t done, const struct block *to)
{
	if (done < from->count)
		return to->pc == block_address(from, done);
	const enum insn_kind kind = block_last_kind(from);

	switch (kind) {
	case INSN_CALL:
		return to->pc == from->target;
	case INSN_JUMP:
		return to->pc == from->target || to->pc == from->end;
	case INSN_CALL_INDIRECT:
	case INSN_JUMP_INDIRECT:
	case INSN_RETURN:
	case INSN_SYSCALL:
	case INSN_SYSRET:
	case INSN_IRET:
		return true;
	default:
		return to->pc == from->end || (insn_is_rep(kind) && to->pc == from->last);
	}
}

static void follow(struct cpu *cpu, struct block *from, uint32_t done, const struct block *to)
{
	if (!from)
		return;
	if (is_vector(to->pc) || !is_successor(from, done, to)) {
		struct frame *frame = push(cpu, FRAME_INTERRUPT);

		frame->suspended = from;
		frame->suspended_done = done;
		cpu->node = node_child(cpu->node, to->pc);
		return;
	}
	if (done < from->count)
		return;
	switch (block_last_kind(from)) {
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		call(cpu, FRAME_CALL, from, to->pc);
		break;
	case INSN_SYSCALL:
		call(cpu, FRAME_SYSCALL, from, to->pc);
		break;
	case INSN_RETURN:
		go_back(cpu, to->pc);
		break;
	case INSN_SYSRET:
	case INSN_IRET:
		leave_kernel_entry(cpu, to);
		break;
	default:
		break;
	}
}

static void count(struct cpu *cpu)
{
	if (cpu->block && !cpu->is_counted)
		window_count(cpu->node, cpu->block, cpu->done, cpu->is_iteration);
	cpu->is_counted = true;
}

/* What the other CPUs completed belongs to the window in which they did. */
static void count_all(void)
{
	for (struct cpu *cpu = cpus; cpu < cpus + TRACE_CPUS_MAX; cpu++)
		count(cpu);
}

static void start_at_root(struct cpu *cpu)
{
	cpu->depth = 0;
	cpu->node = node_root((unsigned int)(cpu - cpus));
}

static void pass_read(struct cpu *cpu)
{
	if (cpu->done < cpu->block->count || block_last_kind(cpu->block) != INSN_READ)
		return;
	if (!is_armed && !window_is_open())
		return;
	count_all();
	if (is_armed)
		window_open();
	else
		window_close();
	is_armed = false;
	start_at_root(cpu); /* also if the call before lost its way */
}

void trace_block(unsigned int index, struct block *block)
{
	struct cpu *cpu = &cpus[index % TRACE_CPUS_MAX];

	if (!is_in_segment)
		return;
	if (in_flight)
		in_flight->done = (uint32_t)trace_begun;
	trace_begun = 0;
	in_flight = cpu;

	bool goes_on = false;

	if (cpu->block) {
		if (is_fault(block->pc) && cpu->done)
			cpu->done--;
		goes_on = cpu->done == cpu->block->count && block->pc == cpu->block->last &&
			  insn_is_rep(block_last_kind(cpu->block));
		count(cpu);
		pass_read(cpu);
		follow(cpu, cpu->block, cpu->done, block);
	} else if (!cpu->node) {
		start_at_root(cpu);
	}
	cpu->block = block;
	cpu->done = 0;
	cpu->is_iteration = goes_on;
	cpu->is_counted = false;
}

void trace_begin(void)
{
	is_in_segment = true;
	in_flight = NULL;
	is_armed = false;
	for (struct cpu *cpu = cpus; cpu < cpus + TRACE_CPUS_MAX; cpu++)
		*cpu = (struct cpu){ 0 };
}

void trace_arm(void)
{
	is_armed = true;
}

void trace_end(FILE *out)
{
	if (!is_in_segment)
		return;
	is_in_segment = false;
	window_report(out, segment_number++);
}
