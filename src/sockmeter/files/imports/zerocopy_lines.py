# SPDX-License-Identifier: MIT
"""Lines of the kernel's msg_zerocopy and io_uring_zerocopy_tx (tools/testing/selftests/net).

msg_zerocopy prints the totals of a run whose length it does not tell. io_uring_zerocopy_tx runs
for 200 ms longer than the whole seconds that it divides by: 4.2 s against 4 by default.
"""

import re

import msgspec

from sockmeter.files.imports.content import Content, Options, Source
from sockmeter.model.imported import Rate

_TX = re.compile(r"tx=(\d{1,18}) \((\d{1,12}) MB\) txc=(\d{1,18}) zc=([yn])")
_RX = re.compile(r"rx=(\d{1,18}) \((\d{1,12}) MB\)")
_URING = re.compile(r"tx=(\d{1,18}) \(MB=(\d{1,12})\), tx/s=(\d{1,18}) \(MB/s=(\d{1,12})\)")
_ANY = re.compile(r"\s*[tr]x=\d")
EXTRA_S = 0.2
LONGEST_S = 86_400
MIB = "printed as MB, but whole MiB"


class _Values(msgspec.Struct):
    by_name: dict[tuple[str, str, str | None], list[float]]

    def add(self, name: str, unit: str, value: float, corrected: str | None = None) -> None:
        self.by_name.setdefault((name, unit, corrected), []).append(value)

    def rates(self) -> list[Rate]:
        return [
            Rate(name=name, unit=unit, values=values, corrected=corrected)
            for (name, unit, corrected), values in self.by_name.items()
        ]


def looks_like_msg_zerocopy(source: Source) -> bool:
    """Whether a line of msg_zerocopy is there."""
    return any(_TX.fullmatch(line.strip()) or _RX.fullmatch(line.strip()) for line in source.lines)


def looks_like_io_uring(source: Source) -> bool:
    """Whether a line of io_uring_zerocopy_tx is there."""
    return any(_URING.fullmatch(line.strip()) for line in source.lines)


def parse_msg_zerocopy(source: Source, options: Options) -> Content:
    """Return totals, and rates where the user says the seconds; RunFileError names a bad line."""
    values = _Values({})
    remarks = []
    for number, text in _own_lines(source):
        if match := _TX.fullmatch(text):
            sent, mib, completions, is_zerocopy = int(match[1]), int(match[2]), match[3], match[4]
            kind = "tx zerocopy" if int(completions) else "tx"
            if int(completions) and is_zerocopy == "n":
                kind = "tx zerocopy, copied"
                remarks.append(
                    f"line {number}: the kernel copied what was sent with MSG_ZEROCOPY, at least "
                    "at the last notification: this is the cost of a copy and of a notification, "
                    "not of zerocopy."
                )
        elif match := _RX.fullmatch(text):
            kind, sent, mib = "rx", int(match[1]), int(match[2])
        else:
            source.refuse(number, f"'{text[:60]}' is not a whole line of msg_zerocopy")
        _add(values, kind, sent, mib, options.seconds)
    if not values.by_name:
        source.refuse_all("no rows: no line of msg_zerocopy")
    if options.seconds is None:
        remarks.append(
            "These are totals of a run whose length the tool does not print (4.2 s by default, "
            "0.2 s more than -t): --seconds makes rates of them."
        )
    return Content(rates=values.rates(), remarks=remarks)


def parse_io_uring(source: Source, options: Options) -> Content:
    """Return rates over the time that really passed; RunFileError names a line without one."""
    values = _Values({})
    for number, text in _own_lines(source):
        match = _URING.fullmatch(text)
        if match is None:
            source.refuse(number, f"'{text[:60]}' is not a whole line of io_uring_zerocopy_tx")
        sent, mib, per_second = int(match[1]), int(match[2]), int(match[3])
        divisor = _divisor(source, number, sent, per_second)
        seconds = options.seconds or divisor + EXTRA_S
        note = (
            f"printed per {divisor} s of a run of {seconds:g} s: "
            f"{100 * (seconds / divisor - 1):.2g} % too much"
        )
        values.add("tx: requests", "requests/s", sent / seconds, note)
        values.add("tx: payload", "MB/s", mib * 1.048576 / seconds, f"{note}; {MIB}")
    if not values.by_name:
        source.refuse_all("no rows: no line of io_uring_zerocopy_tx")
    return Content(
        rates=values.rates(),
        remarks=["Whether the kernel copied is not printed: on loopback it always does."],
    )


def _divisor(source: Source, number: int, sent: int, per_second: int) -> int:
    """Return the whole seconds by which the tool divided; RunFileError where they cannot be told.

    Integer division by s gives `per_second` for every s in (sent/(p+1), sent/p].
    """
    if per_second == 0:
        source.refuse(number, "tx/s=0: nothing was sent in the time")
    longest = sent // per_second
    shortest = sent // (per_second + 1) + 1
    if not 1 <= shortest <= longest <= LONGEST_S:
        source.refuse(number, f"tx={sent} and tx/s={per_second} do not go together")
    if shortest != longest:
        source.refuse(
            number, f"tx={sent} is too little to tell the time of the run by", mend="see --seconds"
        )
    return longest


def _own_lines(source: Source) -> list[tuple[int, str]]:
    return [
        (number, line.strip())
        for number, line in enumerate(source.lines, start=1)
        if _ANY.match(line)
    ]


def _add(values: _Values, kind: str, sent: int, mib: int, seconds: float | None) -> None:
    values.add(f"{kind}: calls", "calls", sent)
    values.add(f"{kind}: payload", "MB", mib * 1.048576, MIB)
    if seconds is not None:
        values.add(f"{kind}: calls a second", "calls/s", sent / seconds)
        values.add(f"{kind}: payload a second", "MB/s", mib * 1.048576 / seconds, MIB)
