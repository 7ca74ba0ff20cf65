/* SPDX-License-Identifier: MIT */
/* The entry that libFuzzer calls, and so does the seeded driver that needs no clang. */
#ifndef TESTS_FUZZ_PLAN_H
#define TESTS_FUZZ_PLAN_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#endif
