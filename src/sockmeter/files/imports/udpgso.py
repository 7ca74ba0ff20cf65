# SPDX-License-Identifier: MIT
"""Lines of the kernel's udpgso_bench_tx and udpgso_bench_rx (tools/testing/selftests/net).

Both shift the bytes of about a second right by 20 and print them as MB/s: they are MiB. The
sender's closing sum divides KiB by ms and prints that as MB/s as well.
"""

import re

from sockmeter.files.imports.content import Content, Options, Source
from sockmeter.model.imported import Rate

_TX = re.compile(r"(udp|tcp) tx: +(\d+) MB/s +(\d+) calls/s +(\d+) msg/s")
_RX = re.compile(r"(udp|tcp) rx: +(\d+) MB/s +(\d+) calls/s")
_SUM = re.compile(r"sum (udp|tcp) tx: +(\d+) MB/s +(\d+) calls \((\d+)/s\) +(\d+) msgs \((\d+)/s\)")
_ANY = re.compile(r"\s*(?:sum )?(?:udp|tcp) [tr]x:")
MOST_FIGURE = 10**15
MIB = "printed as MB/s, but whole MiB of an interval of a second or a little more"
KIB_PER_MS = "printed as MB/s, but whole KiB per ms"


def looks_like(source: Source) -> bool:
    """Whether a line of either tool is there."""
    return any(_ANY.match(line) for line in source.lines)


def parse(source: Source, options: Options) -> Content:
    """Return the rates, a value a line; RunFileError names a line that is cut or damaged."""
    del options
    values: dict[tuple[str, str, str | None], list[float]] = {}

    def add(name: str, unit: str, value: float, corrected: str | None = None) -> None:
        values.setdefault((name, unit, corrected), []).append(value)

    for number, line in enumerate(source.lines, start=1):
        if not _ANY.match(line):
            continue
        text = line.strip()
        figures = [int(figure) for figure in re.findall(r"\d+", text) if len(figure) < 18]
        if max(figures, default=0) > MOST_FIGURE:
            source.refuse(number, "a figure is out of range")
        if match := _SUM.fullmatch(text):
            name = f"{match[1]} tx, whole run"
            add(f"{name}: payload", "MB/s", int(match[2]) * 1.024, KIB_PER_MS)
            add(f"{name}: calls", "calls/s", int(match[4]))
            add(f"{name}: messages", "messages/s", int(match[6]))
        elif match := _TX.fullmatch(text):
            add(f"{match[1]} tx: payload", "MB/s", int(match[2]) * 1.048576, MIB)
            add(f"{match[1]} tx: calls", "calls/s", int(match[3]))
            add(f"{match[1]} tx: messages", "messages/s", int(match[4]))
        elif match := _RX.fullmatch(text):
            add(f"{match[1]} rx: payload", "MB/s", int(match[2]) * 1.048576, MIB)
            add(f"{match[1]} rx: calls", "calls/s", int(match[3]))
        else:
            source.refuse(number, f"'{text[:60]}' is not a whole line of udpgso_bench")
    if not values:
        source.refuse_all("no rows: no line of udpgso_bench")
    return Content(
        rates=[
            Rate(name=name, unit=unit, values=each, corrected=corrected)
            for (name, unit, corrected), each in values.items()
        ],
        remarks=_remarks(values),
    )


def _remarks(values: dict[tuple[str, str, str | None], list[float]]) -> list[str]:
    remarks = [
        "The lines of one run come from one process: they are no runs that could be compared."
    ]
    if any(name.startswith(("udp rx", "tcp rx")) for name, _, _ in values):
        remarks.append("The receiver's first line also covers its wait for the first datagram.")
    return remarks
