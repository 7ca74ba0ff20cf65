/* SPDX-License-Identifier: MIT */
/*
 * Following each virtual CPU from block to block: which context it is in, and how much of the
 * block before it completed. The emulator runs the CPUs of a counted guest in turn on one thread.
 */
#ifndef TALLY_TRACE_H
#define TALLY_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "block.h"

enum { TRACE_CPUS_MAX = 64, TRACE_VECTORS_MAX = 512 };

/* Addresses [low, high) at which an interrupt or exception enters the kernel. */
int trace_add_vector(uint64_t low, uint64_t high);

/* The entry of a fault: the instruction that led there was begun and will be begun again. */
int trace_add_fault(uint64_t entry);

/* Instructions begun since the block in flight was entered; whoever executes them counts here. */
extern uint64_t trace_begun;

/* Virtual CPU `cpu` is about to run `block`. */
void trace_block(unsigned int cpu, struct block *block);

/* The marks of probe/window.h. */
void trace_begin(void);
void trace_arm(void);
void trace_end(FILE *out);

#endif
