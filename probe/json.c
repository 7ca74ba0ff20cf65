/* SPDX-License-Identifier: MIT */
/* RFC 8259, the part of it that the wire format needs. */
#include "json.h"

#include <errno.h>
#include <inttypes.h>

/* Begin an element: a comma before all but the first. */
static void begin(struct json *json)
{
	if (json->follows)
		putc(',', json->stream);
	json->follows = true;
}

void json_open(struct json *json, char bracket)
{
	begin(json);
	putc(bracket, json->stream);
	json->follows = false;
}

void json_close(struct json *json, char bracket)
{
	putc(bracket, json->stream);
	json->follows = true;
}

static void put_quoted(struct json *json, const char *text)
{
	putc('"', json->stream);
	for (; *text; text++) {
		const unsigned char byte = (unsigned char)*text;

		if (byte < 0x20 || byte >= 0x7f) {
			fprintf(json->stream, "\\u%04x", byte);
			continue;
		}
		if (byte == '"' || byte == '\\')
			putc('\\', json->stream);
		putc(byte, json->stream);
	}
	putc('"', json->stream);
}

void json_key(struct json *json, const char *key)
{
	begin(json);
	put_quoted(json, key);
	putc(':', json->stream);
	json->follows = false;
}

void json_text(struct json *json, const char *text)
{
	begin(json);
	put_quoted(json, text);
}

void json_uint(struct json *json, uint64_t value)
{
	begin(json);
	fprintf(json->stream, "%" PRIu64, value);
}

void json_int(struct json *json, int64_t value)
{
	begin(json);
	fprintf(json->stream, "%" PRId64, value);
}

void json_real(struct json *json, double value)
{
	begin(json);
	fprintf(json->stream, "%.1f", value);
}

void json_bool(struct json *json, bool value)
{
	begin(json);
	fputs(value ? "true" : "false", json->stream);
}

void json_null(struct json *json)
{
	begin(json);
	fputs("null", json->stream);
}

int json_end_line(struct json *json)
{
	putc('\n', json->stream);
	json->follows = false;
	errno = 0;
	if (fflush(json->stream) == 0 && !ferror(json->stream))
		return 0;
	return errno ? -errno : -EIO;
}
