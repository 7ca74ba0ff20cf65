/* SPDX-License-Identifier: MIT */
/* bulk: as much as can be sent to an address where somebody reads, or nobody. */
#include "outbound.h"

const struct scenario scenario_bulk = {
	.name = "bulk",
	.bit = IN_BULK,
	.direction = SENDS,
	.run = outbound_run,
};
