/* SPDX-License-Identifier: MIT */
/* What the language lacks: forced inlining and the length of an array. */
#ifndef PROBE_COMPILER_H
#define PROBE_COMPILER_H

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
