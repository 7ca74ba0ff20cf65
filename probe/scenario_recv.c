/* SPDX-License-Identifier: MIT */
/* recv: messages are queued beforehand, then received; only the receives are timed. */
#include "series.h"

static int run(struct bench *bench, const struct spec *spec, struct refusal *why)
{
	struct series series = { .bench = bench, .spec = spec, .fills = true };
	const struct sock_wish wish = {
		.family = spec->family,
		.tx_connected = true,
		.rx_connected = spec->connected,
		.timestamp = spec->control == CONTROL_TIMESTAMP,
		.tx_unpaced = true,
		.queued_bytes = series_queued_bytes(spec),
	};
	int err = series_open(&series, &wish, why);

	if (err)
		return err;
	err = series_measure(&series, why);
	series_close(&series);
	return err;
}

const struct scenario scenario_recv = {
	.name = "recv", .bit = IN_RECV, .direction = RECEIVES, .run = run
};
