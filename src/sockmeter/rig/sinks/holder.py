# SPDX-License-Identifier: MIT
"""The process that holds the namespace: `python -m sockmeter.rig.sinks.holder`.

It moves itself into a network namespace of its own (and, where it must, a user namespace), says
so, and does what is asked on standard input, a JSON line each. It ends with its input: however
the rig ends, the namespace and all in it are gone then.
"""

import ctypes
import errno
import os
import sys
from contextlib import suppress

import msgspec
from pyroute2 import IPRoute  # type: ignore[import-untyped]  # it has no types

from sockmeter.plan.sinks import find_sink
from sockmeter.rig.environment.ethtool import read_features, write_feature
from sockmeter.rig.sinks.devices import make_device, set_mtu
from sockmeter.rig.sinks.dropping import NftablesError, start_dropping, stop_dropping
from sockmeter.rig.sinks.protocol import (
    Answer,
    Done,
    FindSysctl,
    MakeSink,
    Opened,
    Refused,
    Request,
    SetDropping,
    SetFeature,
    SetMtu,
    SetSysctl,
    request_decoder,
)
from sockmeter.rig.sinks.sysctls import exchange_file, sysctl_path

CLONE_NEWUSER = 0x10000000  # <linux/sched.h>
CLONE_NEWNET = 0x40000000


def main() -> None:
    """Open the namespace, then serve until the input ends, or nobody is there for the answers."""
    with suppress(BrokenPipeError):  # the rig was killed: the namespace goes with us
        _serve()


def _serve() -> None:
    try:
        is_users_own = _enter_namespaces()
    except OSError as error:
        _say(_refused("namespace", error))
        return
    _say(Opened(pid=os.getpid(), is_users_own=is_users_own))
    with IPRoute() as route:
        for line in sys.stdin.buffer:
            _say(_answer(route, request_decoder.decode(line)))


def _answer(route: IPRoute, request: Request) -> Answer:
    step = request.__struct_config__.tag
    try:
        return Done(old=_do(route, request))
    except NftablesError as error:
        return _refused("nftables", error)
    except OSError as error:
        return _refused(str(step), error)


def _do(route: IPRoute, request: Request) -> str:
    match request:
        case MakeSink():
            make_device(route, find_sink(request.sink))
            return ""
        case FindSysctl():
            return "yes" if os.path.exists(sysctl_path(request.name)) else ""
        case SetSysctl():
            return exchange_file(sysctl_path(request.name), request.value)
        case SetMtu():
            return str(set_mtu(route, request.device, request.mtu_bytes))
        case SetFeature():
            return _set_feature(request)
        case SetDropping():
            (start_dropping if request.is_on else stop_dropping)(request.device)
            return "off" if request.is_on else "on"


def _set_feature(request: SetFeature) -> str:
    before = read_features(request.device)
    if request.feature not in before:
        raise OSError(errno.EINVAL, f"{request.device} has no feature {request.feature}")
    write_feature(request.device, request.feature, is_on=request.is_on)
    if read_features(request.device)[request.feature] != request.is_on:
        raise OSError(errno.EOPNOTSUPP, f"{request.feature} of {request.device} is fixed")
    return "on" if before[request.feature] else "off"


def _enter_namespaces() -> bool:
    """Leave the network namespace; return whether it took a user namespace of our own."""
    try:
        _unshare(CLONE_NEWNET)
    except PermissionError:
        user, group = os.geteuid(), os.getegid()
        _unshare(CLONE_NEWUSER | CLONE_NEWNET)
        # Only who may not drop groups may map them: user_namespaces(7).
        exchange_file("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"0 {user} 1")
        _write("/proc/self/gid_map", f"0 {group} 1")
        return True
    return False


def _unshare(flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as stream:
        stream.write(text)


def _refused(step: str, error: OSError) -> Refused:
    number = error.errno or errno.EIO
    return Refused(step=step, errno=number, text=error.strerror or os.strerror(number))


def _say(answer: Answer) -> None:
    # Unbuffered: what nobody took would be tried again, and complained of, at the end.
    os.write(sys.stdout.fileno(), msgspec.json.encode(answer) + b"\n")


if __name__ == "__main__":
    main()
