/* SPDX-License-Identifier: MIT */
/*
 * The probe as process 1 of a guest: the work of an init that measures and powers off.
 */
#ifndef PROBE_INIT_H
#define PROBE_INIT_H

/*
 * Prepare the guest as /setup says and return 0 in a child whose standard input is /plan and whose
 * stdout (the stdio stream; every flush is sent at once) is the result channel. Process 1 itself
 * never returns: it waits for the child, reports how it ended and ends the machine.
 */
int init_main(void);

#endif
