/* SPDX-License-Identifier: MIT */
/* Memory that only grows. A plugin without memory cannot count on: it ends the emulator. */
#ifndef TALLY_GROW_H
#define TALLY_GROW_H

#include <stddef.h>

/* Return `count` zeroed elements of `size` bytes. */
void *grow_new(size_t count, size_t size);

/*
 * Return `array`, moved if need be, with room for more than `wanted` elements of `size` bytes;
 * `*capacity` says how many there are, and the new ones are zero.
 */
void *grow_to(void *array, size_t *capacity, size_t wanted, size_t size);

#endif
