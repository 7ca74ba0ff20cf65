# SPDX-License-Identifier: MIT
"""The kernel's answer about chains is read without the names that their owner gave."""

import errno
import struct

import pytest

from sockmeter.rig.environment.nftables import NLMSG_DONE, base_chain, hooks_of, messages

# What Linux 6.18 answers for three chains: one on inet's output hook with priority 5, one on no
# hook, and one on a device's ingress hook with priority -7.
ANSWER = bytes.fromhex(
    "6c000000030a020001000000af190000010000060b00010066696c7465720000080003006f7574000c0002000000"
    "000000000001140004000800010000000003080002000000000508000500000000010b00070066696c7465720000"
    "08000a0000000001080006000000000040000000030a020001000000af190000010000060b00010066696c746572"
    "00000a000300706c61696e0000000c000200000000000000000208000600000000007c000000030a020001000000"
    "af19000005000006070001006e64000008000300696e67000c000200000000000000000128000400080001000000"
    "000008000200fffffff90c000400070001006c6f0000070003006c6f000008000500000000010b00070066696c74"
    "6572000008000a00000000010800060000000000"
)


def test_base_chains_give_family_hook_and_priority() -> None:
    """A chain that hangs on no hook costs nothing until another jumps to it."""
    found = [hook for _, body in messages(ANSWER) for hook in base_chain(body)]
    assert ["inet output 5", "netdev ingress -7"] == found


def test_an_answer_ends_where_the_kernel_says_done() -> None:
    """Until then more messages follow in the next answer."""
    done = struct.pack("=IHHIII", 20, NLMSG_DONE, 2, 1, 0, 0)
    expected = [(["inet output 5", "netdev ingress -7"], False), ([], True)]
    assert expected == [hooks_of(ANSWER), hooks_of(done)]


def test_a_refusal_is_the_kernels_errno() -> None:
    """Who is not root is told EPERM."""
    refusal = struct.pack("=IHHIIi", 20, 2, 0, 1, 0, -errno.EPERM)
    with pytest.raises(PermissionError) as refused:
        hooks_of(refusal)
    assert errno.EPERM == refused.value.errno
