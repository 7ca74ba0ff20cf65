/* SPDX-License-Identifier: MIT */
/* zerocopy: the same traffic; what is in question is what the notifications cost. */
#include "outbound.h"

const struct scenario scenario_zerocopy = {
	.name = "zerocopy",
	.bit = IN_ZEROCOPY,
	.direction = SENDS,
	.run = outbound_run,
};
