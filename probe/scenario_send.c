/* SPDX-License-Identifier: MIT */
/* send: only the sends are timed; the receiver is drained after each burst. */
#include "series.h"

static int run(struct bench *bench, const struct spec *spec, struct refusal *why)
{
	struct series series = { .bench = bench, .spec = spec, .fills = false };
	const struct sock_wish wish = {
		.family = spec->family,
		.tx_connected = spec->connected,
		.queued_bytes = series_queued_bytes(spec),
	};
	int err = series_open(&series, &wish, why);

	if (err)
		return err;
	err = series_measure(&series, why);
	series_close(&series);
	return err;
}

const struct scenario scenario_send = {
	.name = "send", .bit = IN_SEND, .direction = SENDS, .run = run
};
