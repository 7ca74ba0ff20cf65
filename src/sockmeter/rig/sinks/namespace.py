# SPDX-License-Identifier: MIT
"""The rig's side of a private network namespace: opens it, asks for sinks in it, lets it go."""

import errno
import os
import subprocess
import sys
from typing import Self

import msgspec

from sockmeter.model.errors import MachineError
from sockmeter.rig.sinks.protocol import Answer, Done, Opened, Refused, Request, answer_decoder

# Python knows 95 as ENOTSUP; the probe, as all of the kernel, as EOPNOTSUPP.
NAMES = {**errno.errorcode, errno.EOPNOTSUPP: "EOPNOTSUPP", errno.EAGAIN: "EAGAIN"}
HOLDER = "sockmeter.rig.sinks.holder"


class NamespaceRefusedError(MachineError):
    """The kernel or the permissions refused something of the namespace; a row says so."""

    def __init__(self, step: str, number: int, text: str, *, mend: str | None = None) -> None:
        super().__init__(f"{step}: {text}", mend=mend)
        self.step = step
        self.errno_name = NAMES.get(number, f"E{number}")
        self.text = text


class Namespace:
    """A network namespace that exists as long as this object and its process do."""

    def __init__(self, process: subprocess.Popen[bytes], opened: Opened) -> None:
        self._process = process
        kinds = ["user", "net"] if opened.is_users_own else ["net"]
        self.is_users_own = opened.is_users_own
        self.descriptors = [
            os.open(f"/proc/{opened.pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in kinds
        ]

    def ask(self, request: Request) -> str:
        """Have something done inside; return the value before. Raises NamespaceRefusedError."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(msgspec.json.encode(request) + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise MachineError("the process that holds the network namespace is gone") from error
        answer = _read_answer(self._process)
        match answer:
            case Done():
                return answer.old
            case Refused():
                raise NamespaceRefusedError(answer.step, answer.errno, answer.text)
            case Opened():
                raise MachineError("the process that holds the network namespace began anew")

    def close(self) -> None:
        """Let the namespace and everything in it go."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = []
        self._process.communicate()  # its input ends, and so does it

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_namespace() -> Namespace:
    """Start the process that holds a namespace; NamespaceRefusedError where there can be none."""
    process = subprocess.Popen(
        [sys.executable, "-m", HOLDER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        # Ctrl-C is the rig's to handle: it still has things to put back with the holder's help.
        start_new_session=True,
    )
    answer = _read_answer(process)
    match answer:
        case Opened():
            return Namespace(process, answer)
        case Refused():
            process.communicate()
            raise NamespaceRefusedError(
                answer.step, answer.errno, answer.text, mend=_mend_of(answer.errno)
            )
        case Done():
            raise MachineError("the process that holds the network namespace spoke out of turn")


def _mend_of(number: int) -> str:
    if number == errno.ENOSPC:
        return (
            "raise the limit: "
            "sudo sysctl user.max_user_namespaces=1000 user.max_net_namespaces=1000"
        )
    return "run it as root, or allow it: sudo sysctl kernel.unprivileged_userns_clone=1"


def _read_answer(process: subprocess.Popen[bytes]) -> Answer:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise MachineError("the process that holds the network namespace died")
    return answer_decoder.decode(line)
