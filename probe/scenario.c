/* SPDX-License-Identifier: MIT */
/* The table of scenarios. */
#include "scenario.h"

#include <string.h>

#include "compiler.h"

static const struct scenario *const scenarios[] = {
	&scenario_recv,     &scenario_send, &scenario_rr,
	&scenario_channels, &scenario_bulk, &scenario_zerocopy,
};

const struct scenario *scenario_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++)
		if (!strcmp(scenarios[i]->name, name))
			return scenarios[i];
	return NULL;
}
