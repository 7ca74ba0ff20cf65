/* SPDX-License-Identifier: MIT */
/*
 * The network devices of a guest: set up before anything is measured, with what every kernel has.
 * All return 0 or -errno.
 */
#ifndef PROBE_DEVICE_H
#define PROBE_DEVICE_H

#include <stdbool.h>

int device_set_up(const char *device);

/*
 * Give `device` an address, `198.18.1.1/24` or `2001:2:0:1::1/64`, that can be sent from at once:
 * no duplicate is looked for. A family that this kernel has not is no error: its sockets say so.
 */
int device_add_address(const char *device, const char *words);

int device_set_mtu(const char *device, const char *bytes);

/* Switch an offload feature by ethtool's name: -EINVAL where there is none of that name,
 * -EOPNOTSUPP where the device does not let it be switched.
 */
int device_set_feature(const char *device, const char *feature, bool is_on);

#endif
