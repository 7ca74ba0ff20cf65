# SPDX-License-Identifier: MIT
"""Flame graphs: well-formed, closed in themselves, with every number in words."""

import re
from collections.abc import Callable
from xml.etree import ElementTree as ET

from sockmeter.explain.flame import flame_frames
from sockmeter.explain.tree import call_tree, tree_difference
from sockmeter.report.flame import flame_difference_svg, flame_svg
from tests.explain.make_profiles import make_node, make_profile, read_profile

Golden = Callable[[str, str], None]
SVG = "{http://www.w3.org/2000/svg}"


def tips(drawn: str) -> list[str]:
    return [title.text or "" for title in ET.fromstring(drawn).iter(f"{SVG}title")]


def fills(drawn: str) -> dict[str, str]:
    """Return the colour of each bar by the name of its function."""
    bars = ET.fromstring(drawn).iter(f"{SVG}g")
    return {
        (bar.find(f"{SVG}title").text or "").split(":")[0]: bar.find(f"{SVG}rect").get("fill", "")  # type: ignore[union-attr]
        for bar in bars
    }


def test_one_profile(golden: Golden) -> None:
    tree = call_tree(read_profile("debian-6.1-recvfrom"))
    golden("explain-flame.svg", flame_svg(flame_frames(tree), "recvfrom"))


def test_a_difference(golden: Golden) -> None:
    tree = tree_difference(read_profile("debian-6.1-recvfrom"), read_profile("debian-6.1-recvmsg"))
    golden(
        "explain-flame-difference.svg",
        flame_difference_svg(flame_frames(tree), "recvfrom → recvmsg"),
    )


def test_a_bar_says_its_numbers() -> None:
    copy = make_node("_copy_to_iter", kinds={".": 5, "0": 1}, iterations=64, iteration_bytes=64)
    drawn = flame_svg(flame_frames(call_tree(make_profile(make_node("udp_recvmsg", copy)))), "recv")
    assert (
        "_copy_to_iter: 70 a call, 87.5%, own: 6 instructions, 64 bytes by REP, entered 1 times"
        in tips(drawn)
    )
    assert "80 a call, instructions and REP iterations" in drawn


def test_red_is_dearer_and_blue_is_cheaper() -> None:
    """By the function's own cost: its caller is grey."""
    before = make_profile(make_node("f", make_node("g"), make_node("h")))
    after = make_profile(
        make_node("f", make_node("g", kinds={".": 30}), make_node("h", kinds={".": 1}))
    )
    drawn = flame_difference_svg(flame_frames(tree_difference(before, after)), "f")
    colours = fills(drawn)
    assert ["hsl(4", "hsl(212", "#eeeeea"] == [colours[name].split(",")[0] for name in "ghf"]
    assert "h: 10 → 1 a call (−9), own: 10 → 1 (−9)" in tips(drawn)


def test_names_cannot_break_the_file() -> None:
    profile = make_profile(make_node("<f & 'g'>", kinds={".": 100}))
    assert "<f & 'g'>: 100 a call, 100.0%, own: 100 instructions, entered 1 times" in tips(
        flame_svg(flame_frames(call_tree(profile)), "a < b")
    )


def test_nothing_at_all_is_still_a_graph() -> None:
    tree = tree_difference(make_profile(), make_profile())
    assert [] == tips(flame_difference_svg(flame_frames(tree), "nothing"))


def test_it_loads_nothing_and_runs_nothing() -> None:
    drawn = flame_svg(flame_frames(call_tree(read_profile("debian-6.1-sendmsg"))), "sendmsg")
    assert not re.search(r"<script|<image|@import|url\(|(?<!xmlns=\")https?:", drawn)
