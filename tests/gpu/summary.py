"""The last words of the phases of scripts/gpu_check.sh, as summary.json and as a table.

usage: summary.py PHASES OUT     PHASES: lines of number, name, exit code and seconds; PHASES.N: last words of phase N
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from phase import ABSENT

TIMED_OUT = (124, 137)
MARKS = ("BAD", "WRONG", "not here", "FAILED", "no time left", "error:")


@dataclass
class Phase:
    number: int
    name: str
    result: str
    seconds: float
    last_words: list[str]

    @property
    def remark(self) -> str:
        """The line that says why, else the last one."""
        lines = [line.strip() for line in self.last_words if line.strip()]
        telling = [line for line in lines if any(mark in line for mark in MARKS)]
        return ((telling if self.result != "passed" and telling else lines)[-1:] or [""])[0]


def result_of(code: str) -> str:
    if code == "no-time":
        return "no time left"
    number = int(code)
    if number == 0:
        return "passed"
    if number == ABSENT:
        return "not here"
    return "timed out" if number in TIMED_OUT else "failed"


def phases_of(file: Path) -> list[Phase]:
    found = []
    for line in file.read_text().splitlines():
        number, name, code, seconds = line.split("\t")
        words = file.parent / f"{file.name}.{number}"
        last = words.read_text(errors="replace").splitlines() if words.exists() else []
        found.append(Phase(int(number), name, result_of(code), float(seconds), last))
    return sorted(found, key=lambda each: each.number)


def table(phases: list[Phase]) -> str:
    rows = [
        f"{each.number:>2}  {each.name:<26}  {each.result:<12}  {each.seconds:>6.1f} s  {each.remark[:100]}"
        for each in phases
    ]
    return "\n".join(rows)


def main() -> int:
    file, out = Path(sys.argv[1]), Path(sys.argv[2])
    phases = phases_of(file) if file.exists() else []
    bundle = Path(os.environ["REGATTA_GPU_BUNDLE"])
    commit = bundle / "commit"
    plugin = os.environ.get("REGATTA_GPU_CHECK_PLUGIN", "cuda")
    summary = {
        "plugin": plugin,
        "commit": commit.read_text().strip() if commit.exists() else None,
        "phases": [asdict(each) for each in phases],
    }
    (out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    print(table(phases))
    passed = sum(each.result == "passed" for each in phases)
    absent = sum(each.result == "not here" for each in phases)
    emulated = ", on the emulated plugin: no GPU computed any of it" if plugin == "emulated" else ""
    print(f"{passed} of {len(phases)} phases passed, {absent} not here{emulated}")
    return 0 if phases and passed + absent == len(phases) else 1


if __name__ == "__main__":
    sys.exit(main())
