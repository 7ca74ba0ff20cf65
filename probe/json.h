/* SPDX-License-Identifier: MIT */
/* One JSON object a line on a stdio stream. */
#ifndef PROBE_JSON_H
#define PROBE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *stream;
	bool follows; /* an element stands before the next one: a comma must part them */
};

void json_open(struct json *json, char bracket);  /* '{' or '[' as the next element */
void json_close(struct json *json, char bracket); /* '}' or ']' */
void json_key(struct json *json, const char *key);

void json_text(struct json *json, const char *text); /* bytes outside ASCII become \u00xx */
void json_uint(struct json *json, uint64_t value);
void json_int(struct json *json, int64_t value);
void json_real(struct json *json, double value); /* one decimal */
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

/* End the line and send it on. Return 0, or -errno if any of it could not be written. */
int json_end_line(struct json *json);

#endif
