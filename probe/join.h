/* SPDX-License-Identifier: MIT */
/* Moves this process into namespaces that whoever started it has open. */
#ifndef PROBE_JOIN_H
#define PROBE_JOIN_H

/*
 * `--namespace FD` words of the command line, in their order: a user namespace stands before the
 * network that it owns. Return 0, or -errno with what was wrong in `text`.
 */
int join_namespaces(int argc, char **argv, char *text, unsigned int text_size);

#endif
