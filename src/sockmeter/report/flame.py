# SPDX-License-Identifier: MIT
"""A flame graph as one small SVG file: no script, no font, every number in a tooltip."""

import zlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from xml.sax.saxutils import escape

from sockmeter.explain.flame import Frame
from sockmeter.report.functions_cells import number, signed

_WIDTH_PX = 1200
_MARGIN_PX = 10
_BAR_PX = 17
_HEAD_PX = 46
_LETTER_PX = 6.7  # of the 11 px monospace font, in the mean
_LEAST_PX = 0.3  # narrower bars are left out
_LEAST_LETTERS = 3

_STYLE = (
    "text{font:11px ui-monospace,monospace;fill:#222}"
    ".t{font-size:15px;font-weight:bold}"
    "rect{stroke:#fff;stroke-width:.5}"
    "g:hover>rect{stroke:#000}"
    "g>text{pointer-events:none}"
)


def flame_svg(frames: Sequence[Frame], title: str) -> str:
    """Return the graph of one profile: explain.flame.flame_frames of its tree."""
    whole = frames[0].inclusive.after.clock
    subtitle = f"{number(whole)} a call, instructions and REP iterations"
    return _draw(frames, title, subtitle, [_warm(frame) for frame in frames], _costs)


def flame_difference_svg(frames: Sequence[Frame], title: str) -> str:
    """Return the graph of a difference: red where a function itself grew, blue where it shrank."""
    change = frames[0].inclusive
    subtitle = (
        f"{number(change.before.clock)} → {number(change.after.clock)} a call "
        f"({signed(change.clock)}), instructions and REP iterations; "
        "red: dearer, blue: cheaper, as wide as the dearer side"
    )
    most = max(abs(frame.own.clock) for frame in frames)
    return _draw(frames, title, subtitle, [_red_or_blue(each, most) for each in frames], _changes)


def _costs(frame: Frame, whole: Fraction) -> str:
    own, all_ = frame.own.after, frame.inclusive.after.clock
    words = [f"{number(all_)} a call"]
    if whole:
        words.append(f"{float(all_ / whole):.1%}")
    words.append(f"own: {number(own.instructions)} instructions")
    if own.iteration_bytes:
        words.append(f"{number(own.iteration_bytes)} bytes by REP")
    if own.entries:
        words.append(f"entered {number(own.entries)} times")
    return ", ".join(words)


def _changes(frame: Frame, _: Fraction) -> str:
    own, all_ = frame.own, frame.inclusive
    return (
        f"{number(all_.before.clock)} → {number(all_.after.clock)} a call ({signed(all_.clock)}), "
        f"own: {number(own.before.clock)} → {number(own.after.clock)} ({signed(own.clock)})"
    )


def _draw(
    frames: Sequence[Frame],
    title: str,
    subtitle: str,
    colours: Sequence[str],
    words: Callable[[Frame, Fraction], str],
) -> str:
    whole, total = frames[0].width, frames[0].inclusive.after.clock
    scale = float((_WIDTH_PX - 2 * _MARGIN_PX) / whole) if whole else 0.0
    depth = max(frame.depth for frame in frames)
    height = _HEAD_PX + (depth + 1) * _BAR_PX + _MARGIN_PX
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH_PX} {height}" '
        f'width="{_WIDTH_PX}" height="{height}">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{_WIDTH_PX}" height="{height}" fill="#fdfdfb"/>',
        f'<text class="t" x="{_MARGIN_PX}" y="19">{escape(title)}</text>',
        f'<text x="{_MARGIN_PX}" y="36">{escape(subtitle)}</text>',
    ]
    for frame, colour in zip(frames, colours, strict=True):
        width = float(frame.width) * scale
        if width < _LEAST_PX:
            continue
        left = _MARGIN_PX + float(frame.left) * scale
        top = _HEAD_PX + (depth - frame.depth) * _BAR_PX
        tip = escape(f"{_full_name(frame)}: {words(frame, total)}")
        lines.append(
            f"<g><title>{tip}</title>"
            f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_BAR_PX}" rx="2" '
            f'fill="{colour}"/>{_label(frame, left, top, width)}</g>'
        )
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def _full_name(frame: Frame) -> str:
    return f"{frame.name} ({frame.role})" if frame.role else frame.name


def _label(frame: Frame, left: float, top: int, width: float) -> str:
    letters = int((width - 6) / _LETTER_PX)
    if letters < _LEAST_LETTERS:
        return ""
    name = frame.name if len(frame.name) <= letters else f"{frame.name[: letters - 1]}…"
    return f'<text x="{left + 3:.1f}" y="{top + 12}">{escape(name)}</text>'


def _warm(frame: Frame) -> str:
    """Return a colour that a function has in every graph."""
    seed = zlib.crc32(frame.name.encode())
    return f"hsl({18 + seed % 36},{70 + seed // 64 % 20}%,{62 + seed // 4096 % 12}%)"


def _red_or_blue(frame: Frame, most: Fraction) -> str:
    if not frame.own.clock:
        return "#eeeeea"
    strength = float(abs(frame.own.clock) / most)
    hue = 4 if frame.own.clock > 0 else 212
    return f"hsl({hue},75%,{96 - 41 * strength:.0f}%)"
