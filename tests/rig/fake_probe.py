# SPDX-License-Identifier: MIT
"""A probe that answers any plan from a law of costs, without a machine."""

from collections.abc import Callable, Sequence

import msgspec

from sockmeter.model.errors import ProbeError
from tests.builders import make_segment

VERSION = {"record": "version", "wire": 1, "probe": "0.1.0", "arch": "x86_64"}
MACHINE = {
    "record": "machine",
    "clock": "tsc",
    "unit": "ticks",
    "bracket": "lfence;rdtsc;lfence",
    "bracket_cost": 52,
    "quantum": 26,
    "clock_hz": 2.6e9,
    "memory_locked": True,
    "resident_bytes": 4_000_000,
    "could_not": [],
}


def read_plan(plan: str) -> list[dict[str, str]]:
    """Return the words of every segment statement, in order."""
    lines = [line.split(" ")[1:] for line in plan.splitlines() if line.startswith("segment ")]
    return [dict(word.split("=", 1) for word in line) for line in lines]


class FakeProbe:
    """Satisfies `rig.probe.Probe`; `cost_of` gives the costs of a segment's calls."""

    def __init__(
        self, cost_of: Callable[[dict[str, str]], Sequence[int]], **fields: object
    ) -> None:
        self.cost_of = cost_of
        self.fields = fields
        self.plans: list[str] = []
        self.fail_on: set[int] = set()  # numbers of runs, from 0, in which the probe dies
        self.refused: set[str] = set()  # calls that the kernel refuses
        self.refused_step = "call"

    def run(self, plan: str, *, paced_s: float = 0.0) -> bytes:
        self.plans.append(plan)
        if len(self.plans) - 1 in self.fail_on:
            raise ProbeError("the probe was killed by SIGKILL in the middle of a round")
        records: list[dict[str, object]] = [VERSION, MACHINE]
        for words in read_plan(plan):
            records.append(self._answer(words))
        refused = sum(record["record"] == "refused" for record in records)
        records.append(
            {"record": "end", "segments": len(records) - 2 - refused, "refused": refused}
        )
        return b"".join(msgspec.json.encode(record) + b"\n" for record in records)

    def _answer(self, words: dict[str, str]) -> dict[str, object]:
        number = int(words["id"])
        if words["call"] in self.refused:
            error = {
                "step": self.refused_step,
                "errno": "ENOSYS",
                "text": "Function not implemented",
            }
            return {"record": "refused", "id": number, **error}
        segment = make_segment(0, self.cost_of(words), **self.fields)
        fields = msgspec.structs.asdict(segment)
        del fields["arm"]
        return {"record": "segment", "id": number, **fields}
