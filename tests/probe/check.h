/* SPDX-License-Identifier: MIT */
/* A test is a program that ends with 0, or says at which line what did not hold. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

#define CHECK(claim)                                                                               \
	do {                                                                                       \
		if (!(claim)) {                                                                    \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim);        \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define CHECK_EQUAL(expected, actual)                                                              \
	do {                                                                                       \
		const int64_t expected_ = (int64_t)(expected), actual_ = (int64_t)(actual);        \
		if (expected_ != actual_) {                                                        \
			fprintf(stderr, "%s:%d: %s is %" PRId64 ", not %" PRId64 "\n", __FILE__,   \
				__LINE__, #actual, actual_, expected_);                            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define CHECK_TEXT(expected, actual)                                                               \
	do {                                                                                       \
		if (strcmp(expected, actual) != 0) {                                               \
			fprintf(stderr, "%s:%d:\n  expected %s\n  actual   %s\n", __FILE__,        \
				__LINE__, expected, actual);                                       \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#endif
