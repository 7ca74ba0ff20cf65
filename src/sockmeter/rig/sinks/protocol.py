# SPDX-License-Identifier: MIT
"""What the rig asks of the process that holds the namespace, and its answers: a JSON line each."""

import msgspec


class MakeSink(msgspec.Struct, frozen=True, tag="sink"):
    """Make the device of a sink, with its addresses, and set it up."""

    sink: str


class FindSysctl(msgspec.Struct, frozen=True, tag="find-sysctl"):
    """Ask whether the namespace has a sysctl: `yes`, or nothing."""

    name: str


class SetSysctl(msgspec.Struct, frozen=True, tag="sysctl"):
    """Set a sysctl of the namespace; the answer has its old value."""

    name: str
    value: str


class SetMtu(msgspec.Struct, frozen=True, tag="mtu"):
    """Set the MTU of a device, bytes; the answer has its old value."""

    device: str
    mtu_bytes: int


class SetFeature(msgspec.Struct, frozen=True, tag="feature"):
    """Switch an offload feature of a device; the answer has its old value, on or off."""

    device: str
    feature: str
    is_on: bool


class SetDropping(msgspec.Struct, frozen=True, tag="dropping"):
    """Drop everything that comes in at a device, or no longer; the answer has `on` or `off`."""

    device: str
    is_on: bool


Request = MakeSink | FindSysctl | SetSysctl | SetMtu | SetFeature | SetDropping


class Done(msgspec.Struct, frozen=True, tag="done"):
    """It was done."""

    old: str = ""  # the value before, where there was one


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """The kernel or the permissions refused."""

    step: str  # what was being done
    errno: int
    text: str


class Opened(msgspec.Struct, frozen=True, tag="opened"):
    """First line: the namespaces are there, and their process says which it is."""

    pid: int
    is_users_own: bool  # a user namespace was made too


Answer = Done | Refused | Opened

request_decoder = msgspec.json.Decoder(Request)
answer_decoder = msgspec.json.Decoder(Answer)
