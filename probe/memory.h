/* SPDX-License-Identifier: MIT */
/* No page fault in a measured call: everything is touched and, where allowed, locked. */
#ifndef PROBE_MEMORY_H
#define PROBE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "obstacle.h"

/* Touch every page of `bytes` at `start`. */
void memory_touch(void *start, size_t bytes);

/* Lock what is mapped now and later. Return whether it worked; a refusal joins `obstacles`. */
bool memory_lock(struct obstacles *obstacles);

/* VmRSS of /proc/self/status. Return false, and add to `obstacles`, when it cannot be read. */
bool memory_resident(uint64_t *bytes, struct obstacles *obstacles);

/* Say whether this process may pin memory without limit: it has CAP_IPC_LOCK of the machine. */
bool memory_may_pin_any(void);

#endif
