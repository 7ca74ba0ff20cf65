/* SPDX-License-Identifier: MIT */
#include "grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 64 };

static void *or_end(void *memory)
{
	if (memory)
		return memory;
	fputs("tally: out of memory\n", stderr);
	abort();
}

void *grow_new(size_t count, size_t size)
{
	return or_end(calloc(count, size));
}

void *grow_to(void *array, size_t *capacity, size_t wanted, size_t size)
{
	if (wanted < *capacity)
		return array;
	size_t room = *capacity ? *capacity : CAPACITY_MIN;

	while (room <= wanted)
		room *= 2;
	array = or_end(realloc(array, room * size));
	memset((char *)array + *capacity * size, 0, (room - *capacity) * size);
	*capacity = room;
	return array;
}
