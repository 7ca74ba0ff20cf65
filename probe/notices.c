/* SPDX-License-Identifier: MIT */
/* All differences of numbers are taken modulo 2^32. */
#include "notices.h"

void notices_init(struct notices *notices)
{
	*notices = (struct notices){ 0 };
}

void notices_send(struct notices *notices, uint32_t numbers, uint64_t sends)
{
	notices->next += numbers;
	notices->sent += sends;
}

uint32_t notices_return(struct notices *notices, uint32_t lo, uint32_t hi, bool copied)
{
	const uint32_t sends = hi - lo + 1;

	notices->ranges++;
	notices->marked += copied;
	notices->joined += sends != 1;
	notices->out_of_order += lo != notices->expected;
	notices->impossible += sends == 0 || sends > notices_outstanding(notices);
	notices->expected = hi + 1;
	notices->returned += sends;
	/* Each mark stands for one send at least. */
	notices->copied_least += copied;
	notices->copied_most += copied ? sends : sends - 1;
	return sends;
}
