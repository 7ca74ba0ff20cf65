/* SPDX-License-Identifier: MIT */
/*
 * The probe as process 1. What reaches the host goes through single I/O ports, each a
 * write-only stream that needs no driver: `rep outsb` is one instruction a byte.
 *
 * Written for a guest whose every instruction counts: nothing of this runs while a call is
 * measured, and no permission bitmap is left behind, since that would lengthen context switches.
 */
#include "init.h"

#if defined(__x86_64__)

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"

/* The host's side of these numbers is in src/sockmeter/guest/qemu.py. */
enum port {
	PORT_RESULT = 0xe9,
	PORT_EVENT = 0xea,
	PORT_SYMBOL = 0xeb,
	PORT_POWER_OFF = 0xf4,
};

enum { LINE_MAX_BYTES = 1024, STREAM_BYTES = 1 << 16 };

static int port_send(uint16_t port, const char *bytes, size_t count)
{
	if (ioperm(port, 1, 1))
		return -errno;
	__asm__ volatile("cld\n\trep outsb" : "+S"(bytes), "+c"(count) : "d"(port) : "memory");
	return ioperm(port, 1, 0) ? -errno : 0;
}

static ssize_t result_write(void *cookie, const char *bytes, size_t count)
{
	(void)cookie;
	const int err = port_send(PORT_RESULT, bytes, count);

	if (err) {
		errno = -err;
		return 0; /* what fopencookie(3) wants in place of -1 */
	}
	return (ssize_t)count;
}

/* One event a line: what, a name, and an errno that is 0 where it went well. */
static void event(const char *what, const char *name, int err)
{
	char line[LINE_MAX_BYTES];
	const int length = snprintf(line, sizeof(line), "%s %s %d\n", what, name, err);

	if (length <= 0 || length >= (int)sizeof(line))
		return;
	if (port_send(PORT_EVENT, line, (size_t)length))
		(void)!write(STDERR_FILENO, line, (size_t)length); /* the console, then */
}

static _Noreturn void power_off(void)
{
	sync();
	if (!ioperm(PORT_POWER_OFF, 4, 1))
		outl(0, PORT_POWER_OFF);
	/* Without that device: the restart that the host turns into an end. */
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void mount_one(const char *source, const char *target)
{
	(void)mkdir(target, 0755);
	if (mount(source, target, source, 0, NULL) && errno != EBUSY)
		event("mount", target, errno);
}

static int module_load(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return errno;
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		err = errno;
	close(fd);
	return err;
}

/* `name` is dotted, as sysctl(8) takes it; a slash in it stands for a dot of the name itself. */
static int sysctl_set(const char *name, const char *value)
{
	char path[LINE_MAX_BYTES];
	const int length = snprintf(path, sizeof(path), "/proc/sys/%s", name);

	if (length < 0 || length >= (int)sizeof(path))
		return ENAMETOOLONG;
	for (char *c = path + strlen("/proc/sys/"); *c; c++)
		*c = *c == '.' ? '/' : *c == '/' ? '.' : *c;
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, value, strlen(value)) < 0)
		err = errno;
	close(fd);
	return err;
}

/* Send the text symbols of the kernel, or of its modules alone (they have a fourth column). */
static int symbols_send(bool modules_only)
{
	static char stream[STREAM_BYTES];
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[LINE_MAX_BYTES];
	size_t used = 0;
	int err = 0;

	if (!symbols)
		return errno;
	while (!err && fgets(line, sizeof(line), symbols)) {
		const size_t length = strlen(line);
		const char *kind = strchr(line, ' ');

		if (!kind || !strchr("tTwW", kind[1]) || (modules_only && !strchr(line, '[')))
			continue;
		if (used + length > sizeof(stream)) {
			err = -port_send(PORT_SYMBOL, stream, used);
			used = 0;
		}
		memcpy(stream + used, line, length);
		used += length;
	}
	if (!err && used)
		err = -port_send(PORT_SYMBOL, stream, used);
	fclose(symbols);
	return err;
}

/* `FEATURE on|off`, of which the feature's name is left in `words`. */
static int feature_set(const char *device, char *words)
{
	const char *feature = strsep(&words, " ");

	return words ? -device_set_feature(device, feature, !strcmp(words, "on")) : EINVAL;
}

/* One statement of /setup, `VERB NAME` or `VERB NAME WORDS`, as docs/exact.md has them. */
static void obey(char *statement)
{
	char *rest = statement;
	const char *verb = strsep(&rest, " ");
	const char *name = strsep(&rest, " ");
	int err = EINVAL;

	if (!verb || !name)
		name = "";
	else if (!strcmp(verb, "module"))
		err = module_load(name);
	else if (!strcmp(verb, "up"))
		err = -device_set_up(name);
	else if (!strcmp(verb, "address") && rest)
		err = -device_add_address(name, rest);
	else if (!strcmp(verb, "mtu") && rest)
		err = -device_set_mtu(name, rest);
	else if (!strcmp(verb, "offload") && rest) {
		err = feature_set(name, rest);
		name = rest;
	} else if (!strcmp(verb, "sysctl") && rest)
		err = sysctl_set(name, rest);
	else if (!strcmp(verb, "symbols"))
		err = symbols_send(!strcmp(name, "modules"));
	event(verb ? verb : "setup", name, err);
}

static void obey_setup(void)
{
	FILE *setup = fopen("/setup", "re");
	char line[LINE_MAX_BYTES];

	if (!setup) {
		event("setup", "/setup", errno);
		return;
	}
	while (fgets(line, sizeof(line), setup)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0])
			obey(line);
	}
	fclose(setup);
}

static int become_probe(void)
{
	static char buffer[STREAM_BYTES];
	const int plan = open("/plan", O_RDONLY);

	if (plan < 0)
		return errno;
	if (dup2(plan, STDIN_FILENO) < 0)
		return errno;
	if (plan != STDIN_FILENO)
		close(plan);
	FILE *result = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = result_write });

	if (!result)
		return errno;
	setvbuf(result, buffer, _IOFBF, sizeof(buffer));
	stdout = result;
	return 0;
}

static _Noreturn void see_off(pid_t child)
{
	int status;
	char ending[32];

	while (waitpid(child, &status, 0) != child)
		if (errno != EINTR)
			break;
	if (WIFSIGNALED(status))
		snprintf(ending, sizeof(ending), "signal-%d", WTERMSIG(status));
	else
		snprintf(ending, sizeof(ending), "status-%d", WEXITSTATUS(status));
	event("end", ending, 0);
	power_off();
}

int init_main(void)
{
	mount_one("proc", "/proc");
	mount_one("sysfs", "/sys");
	mount_one("devtmpfs", "/dev");
	event("begin", "init", 0);
	event("up", "lo", -device_set_up("lo"));
	obey_setup();

	const pid_t child = fork();

	if (child < 0) {
		event("fork", "probe", errno);
		power_off();
	}
	if (child > 0)
		see_off(child);
	const int err = become_probe();

	if (err) {
		event("plan", "/plan", err);
		_exit(127);
	}
	event("run", "probe", 0);
	return 0;
}

#else

#include <errno.h>

int init_main(void)
{
	return -ENOSYS; /* the exact rig emulates x86-64 */
}

#endif
