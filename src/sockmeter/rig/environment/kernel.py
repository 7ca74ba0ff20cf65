# SPDX-License-Identifier: MIT
"""Facts about the kernel: its version, how it was started, how it was configured."""

import re

from sockmeter.rig.environment.redact import redact_command_line
from sockmeter.rig.environment.row import OpenRow, Row, from_file, parse_chosen
from sockmeter.rig.environment.site import CONFIG_PLACES, Site, UnreadableError

LIVEPATCHES = "/sys/kernel/livepatch"
VULNERABILITIES = "/sys/devices/system/cpu/vulnerabilities"


def _compiler(site: Site) -> str:
    """Return the compiler's name and version, without the linker and who ran it."""
    version = site.read_text("/proc/version")
    found = re.search(r"\((\S*(?:gcc|clang)\S*[^()]*(?:\([^()]*\))?[^(),]*)", version)
    if found is None:
        raise UnreadableError("no compiler in /proc/version")
    return found.group(1).strip()


def _command_line(site: Site) -> str:
    return redact_command_line(site.read_text("/proc/cmdline"), site.uname.nodename)


KERNEL = (
    Row(
        "kernel.release",
        "uname -r",
        "the receive path changes in almost every release",
        lambda site: site.uname.release,
    ),
    Row("kernel.build", "uname -v", "one release has many builds", lambda site: site.uname.version),
    Row(
        "kernel.architecture",
        "uname -m",
        "entry, user copies and clocks differ between architectures",
        lambda site: site.uname.machine,
    ),
    Row(
        "kernel.compiler",
        "/proc/version",
        "inlining and the form of indirect calls are the compiler's choice",
        _compiler,
    ),
    Row(
        "kernel.command_line",
        "/proc/cmdline",
        "switches mitigations, hardened usercopy, preemption and isolation; values that name a "
        "host, a disk, an address or a person are redacted",
        _command_line,
    ),
    from_file(
        "kernel.boot_id",
        "/proc/sys/kernel/random/boot_id",
        "tells whether two runs share a boot: a boot has a layout and a level of its own",
    ),
    from_file(
        "kernel.security_modules",
        "/sys/kernel/security/lsm",
        "each active module is asked in security_socket_recvmsg and security_socket_sendmsg, by an "
        "indirect call each up to 6.11",
        lambda text: text.split(",") if text else [],
    ),
    from_file(
        "kernel.preemption",
        "/sys/kernel/debug/sched/preempt",
        "the preemption model in force under PREEMPT_DYNAMIC; decides how often a call can be cut",
        parse_chosen,
    ),
    Row(
        "kernel.livepatches",
        LIVEPATCHES,
        "a patched function is entered through ftrace",
        lambda site: site.machine.list_directory(LIVEPATCHES),
    ),
    Row(
        "kernel.config_source",
        ", ".join(CONFIG_PLACES),
        "where the options below were read",
        lambda site: site.config.path,
    ),
)


def _vulnerability_rows(site: Site) -> list[Row]:
    try:
        names = site.machine.list_directory(VULNERABILITIES)
    except OSError:
        return []  # the fact cpu.vulnerabilities says why
    return [from_file(f"vulnerability.{name}", f"{VULNERABILITIES}/{name}", "") for name in names]


VULNERABILITY = (
    Row(
        "cpu.vulnerabilities",
        VULNERABILITIES,
        "the names of those that the kernel knows; a newer kernel knows more",
        lambda site: site.machine.list_directory(VULNERABILITIES),
    ),
    OpenRow(
        "vulnerability.*",
        f"{VULNERABILITIES}/*",
        "the mitigation in force: retpolines at each indirect call, page table isolation and "
        "buffer clearing at each entry and exit, speculation barriers in each user copy",
        _vulnerability_rows,
    ),
)
