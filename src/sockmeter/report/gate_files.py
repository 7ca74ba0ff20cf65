# SPDX-License-Identifier: MIT
"""What a gate said, for continuous integration: JUnit XML and GitHub annotations."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

import msgspec

from sockmeter.judge.gate import Passage


class Gated(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison that went through the gate."""

    label: str
    passage: Passage
    words: str  # interval and verdict


def draw_junit(gated: Sequence[Gated], *, suite: str) -> str:
    """Return JUnit XML: a regression is a failure, an open question an error.

    The form is the one that Jenkins and GitLab read: testsuite, testcase, failure, error.
    """
    failures = sum(each.passage is Passage.FAILED for each in gated)
    errors = sum(each.passage is Passage.OPEN for each in gated)
    root = ET.Element(
        "testsuite",
        name=suite,
        tests=str(len(gated)),
        failures=str(failures),
        errors=str(errors),
    )
    for each in gated:
        case = ET.SubElement(root, "testcase", classname=suite, name=each.label)
        if each.passage is Passage.FAILED:
            ET.SubElement(case, "failure", message=each.words)
        elif each.passage is Passage.OPEN:
            ET.SubElement(case, "error", message=each.words)
        else:
            ET.SubElement(case, "system-out").text = each.words
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def draw_annotations(gated: Sequence[Gated]) -> str:
    """Return GitHub workflow commands: an error, a warning or a notice a comparison."""
    kinds = {Passage.FAILED: "error", Passage.OPEN: "warning", Passage.PASSED: "notice"}
    return "".join(
        f"::{kinds[each.passage]} title={_escape(each.label, property_value=True)}"
        f"::{_escape(each.words)}\n"
        for each in gated
    )


def _escape(text: str, *, property_value: bool = False) -> str:
    """Escape a text as workflow commands ask for it."""
    pairs = [("%", "%25"), ("\r", "%0D"), ("\n", "%0A")]
    if property_value:
        pairs += [(":", "%3A"), (",", "%2C")]
    for character, code in pairs:
        text = text.replace(character, code)
    return text
