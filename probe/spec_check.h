/* SPDX-License-Identifier: MIT */
/* Which combinations of factors make sense. */
#ifndef PROBE_SPEC_CHECK_H
#define PROBE_SPEC_CHECK_H

#include <stddef.h>

#include "spec.h"

/* Return 0, or -EINVAL with the reason in `text`. Every field of `spec` is in its own range. */
int spec_check(const struct spec *spec, char *text, size_t text_size);

#endif
