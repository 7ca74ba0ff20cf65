/* SPDX-License-Identifier: MIT */
/* setns(2): a descriptor of /proc/PID/ns/net, or of user. */
#include "join.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_descriptor(const char *word)
{
	char *end;
	const long descriptor = strtol(word, &end, 10);

	return *word && !*end && descriptor >= 0 && descriptor <= 65535 ? (int)descriptor : -1;
}

int join_namespaces(int argc, char **argv, char *text, unsigned int text_size)
{
	for (int i = 1; i < argc; i += 2) {
		const int descriptor = i + 1 < argc && !strcmp(argv[i], "--namespace")
					       ? parse_descriptor(argv[i + 1])
					       : -1;

		if (descriptor < 0) {
			snprintf(text, text_size, "'%s' is not --namespace FD", argv[i]);
			return -EINVAL;
		}
		if (setns(descriptor, 0) < 0) {
			const int err = errno;

			snprintf(text, text_size, "namespace %d cannot be joined: %s", descriptor,
				 strerror(err));
			return -err;
		}
	}
	return 0;
}
