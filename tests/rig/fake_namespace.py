# SPDX-License-Identifier: MIT
"""A namespace that keeps its settings in a dictionary."""

import errno
import os

from sockmeter.rig.sinks import NamespaceRefusedError
from sockmeter.rig.sinks.protocol import (
    FindSysctl,
    MakeSink,
    Request,
    SetDropping,
    SetFeature,
    SetMtu,
    SetSysctl,
)


class FakeNamespace:
    """Satisfies what the stage asks of a namespace; `asked` holds every request in order."""

    def __init__(self, sysctls: dict[str, str], *, kinds: tuple[str, ...] = ("ifb",)) -> None:
        self.sysctls = sysctls
        self.kinds = kinds
        self.mtu_bytes = 1500
        self.features = {"tx-udp-segmentation": True}
        self.dropping: set[str] = set()  # devices
        self.asked: list[Request] = []
        self.descriptors = [7]
        self.is_closed = False

    def ask(self, request: Request) -> str:
        self.asked.append(request)
        match request:
            case MakeSink():
                if request.sink not in self.kinds:
                    raise _refused("sink", errno.EOPNOTSUPP)
                return ""
            case FindSysctl():
                return "yes" if request.name in self.sysctls else ""
            case SetSysctl():
                if request.value == "bad":
                    raise _refused("sysctl", errno.EINVAL)
                old, self.sysctls[request.name] = self.sysctls[request.name], request.value
                return old
            case SetMtu():
                old_bytes, self.mtu_bytes = self.mtu_bytes, request.mtu_bytes
                return str(old_bytes)
            case SetFeature():
                was_on = self.features[request.feature]
                self.features[request.feature] = request.is_on
                return "on" if was_on else "off"
            case SetDropping():
                was_dropping = request.device in self.dropping
                self.dropping ^= {request.device}
                return "on" if was_dropping else "off"

    def close(self) -> None:
        self.is_closed = True


def _refused(step: str, number: int) -> NamespaceRefusedError:
    return NamespaceRefusedError(step, number, os.strerror(number))
