/* SPDX-License-Identifier: MIT */
/* By ioctl(2) where there is one, by netlink(7) for addresses: no program of the kernel's users is
 * there. */
#include "device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* A request of netlink(7) that adds an address, and the kernel's answer to it. */
struct address_request {
	struct nlmsghdr header;
	struct ifaddrmsg address;
	struct rtattr local;
	unsigned char bytes[sizeof(struct in6_addr)];
};

struct address_answer {
	struct nlmsghdr header;
	struct nlmsgerr error;
};

/* Names of the features by bit: the head of a struct ethtool_gstrings, and its strings. */
struct feature_names {
	__u32 cmd;
	__u32 string_set;
	__u32 len;
	char names[][ETH_GSTRING_LEN];
};

enum { FEATURES_A_BLOCK = 32, BLOCKS_MAX = 8 };

/* The same of a struct ethtool_sfeatures, with room for what no kernel has yet. */
struct feature_change {
	__u32 cmd;
	__u32 size;
	struct ethtool_set_features_block blocks[BLOCKS_MAX];
};

/* Make one request of netdevice(7); what the kernel answered is in `request`. */
static int device_ioctl(unsigned long what, const char *device, struct ifreq *request)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	snprintf(request->ifr_name, sizeof(request->ifr_name), "%s", device);
	const int answer = ioctl(fd, what, request);
	const int result = answer < 0 ? -errno : answer;

	close(fd);
	return result;
}

int device_set_up(const char *device)
{
	struct ifreq request = { 0 };
	const int err = device_ioctl(SIOCGIFFLAGS, device, &request);

	if (err)
		return err;
	request.ifr_flags |= IFF_UP;
	return device_ioctl(SIOCSIFFLAGS, device, &request);
}

int device_set_mtu(const char *device, const char *bytes)
{
	struct ifreq request = { .ifr_mtu = atoi(bytes) };

	return device_ioctl(SIOCSIFMTU, device, &request);
}

static int ask_for_address(const struct address_request *request)
{
	struct address_answer answer = { 0 };
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (send(fd, request, request->header.nlmsg_len, 0) < 0 ||
	    recv(fd, &answer, sizeof(answer), 0) < 0)
		err = -errno;
	else if (answer.header.nlmsg_type != NLMSG_ERROR)
		err = -EPROTO;
	else
		err = answer.error.error;
	close(fd);
	return err;
}

int device_add_address(const char *device, const char *words)
{
	char address[INET6_ADDRSTRLEN];
	unsigned char prefix_bits;

	if (sscanf(words, "%45[^/]/%hhu", address, &prefix_bits) != 2)
		return -EINVAL;
	const bool is_v6 = strchr(address, ':') != NULL;
	const size_t size = is_v6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
	struct address_request request = {
		.header = {
			.nlmsg_len = (__u32)(offsetof(struct address_request, bytes) + size),
			.nlmsg_type = RTM_NEWADDR,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
		},
		.address = {
			.ifa_family = is_v6 ? AF_INET6 : AF_INET,
			.ifa_prefixlen = prefix_bits,
			.ifa_flags = is_v6 ? IFA_F_NODAD : 0,
			.ifa_index = if_nametoindex(device),
		},
		.local = { .rta_len = (unsigned short)RTA_LENGTH(size), .rta_type = IFA_LOCAL },
	};

	if (inet_pton(request.address.ifa_family, address, request.bytes) != 1)
		return -EINVAL;
	const int err = ask_for_address(&request);

	/* Not built in or ipv6.disable=1; ipv6.disable_ipv6=1. */
	return is_v6 && (err == -EOPNOTSUPP || err == -EACCES) ? 0 : err;
}

static int device_ethtool(const char *device, void *request)
{
	struct ifreq carrier = { .ifr_data = request };

	return device_ioctl(SIOCETHTOOL, device, &carrier);
}

/* Find the bit of a feature among the kernel's names, and how many there are. */
static int find_feature(const char *device, const char *feature, __u32 *bit, __u32 *count)
{
	struct {
		struct ethtool_sset_info head;
		__u32 count;
	} set = { .head = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_FEATURES } };
	int err = device_ethtool(device, &set);

	if (err)
		return err;
	struct feature_names *names =
		calloc(1, sizeof(*names) + set.count * sizeof(names->names[0]));

	if (!names)
		return -ENOMEM;
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_FEATURES;
	names->len = *count = set.count;
	err = device_ethtool(device, names);
	for (*bit = 0; !err && *bit < *count; ++*bit)
		if (!strncmp(names->names[*bit], feature, ETH_GSTRING_LEN))
			break;
	free(names);
	return err ? err : *bit < *count ? 0 : -EINVAL;
}

int device_set_feature(const char *device, const char *feature, bool is_on)
{
	__u32 bit, count;
	const int err = find_feature(device, feature, &bit, &count);

	if (err)
		return err;
	struct feature_change change = {
		.cmd = ETHTOOL_SFEATURES,
		.size = (count + FEATURES_A_BLOCK - 1) / FEATURES_A_BLOCK,
	};

	if (change.size > BLOCKS_MAX)
		return -E2BIG;
	const __u32 mask = 1U << bit % FEATURES_A_BLOCK;

	change.blocks[bit / FEATURES_A_BLOCK] = (struct ethtool_set_features_block){
		.valid = mask,
		.requested = is_on ? mask : 0,
	};
	const int answer = device_ethtool(device, &change);

	/* Above 0: ETHTOOL_F_UNSUPPORTED or ETHTOOL_F_WISH, it is as it was. */
	return answer > 0 ? -EOPNOTSUPP : answer;
}
