"""Kinds of fault at points in time, with real processes, in an order that a seed gives.

    PYTHONPATH=. python3 tests/faults/fault_matrix.py --seconds 70
    PYTHONPATH=. python3 tests/faults/fault_matrix.py --whole --seed 7 --write docs/background/reliability.md
    PYTHONPATH=. python3 tests/faults/fault_matrix.py --seed 7 --only 'rank_0/6/killed'

What must hold after each is in bout.py. --whole tries each variant of each kind at each of its points, --rounds times;
without it as many of them as fit the time are tried.
"""

from __future__ import annotations

import argparse
import random
import sys
import textwrap
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import bout
import kinds_data
import kinds_processes
import kinds_storage
from kinds import Kind, Try
from places import POINTS

from tools import page_part
from tools.seeds import add_seed

COLUMNS = 118
KINDS = (*kinds_processes.KINDS, *kinds_storage.KINDS, *kinds_data.KINDS)
REASONS = {
    "engine": "An engine is there from its start to its results (P3 to P5).",
    "ranks": "Ranks end before `NAME.h5` is written: the launcher does that (P10, P11).",
    "calls": "While engines start and measure (P2 to P5) nothing is written.",
    "damage": "A journal is damaged between two runs. Every byte and every bit of it: the tables above.",
    "limits": "Each limit is met where it binds: descriptors and shared memory when ranks start, the disk when the "
    "journal begins or `NAME.h5` is written. Root may start any number of processes.",
    "data": "Data are read when inputs are made and engines start (P3), and again by later trials (P4).",
    "clock": "Real processes cannot be given a clock that jumps; `tests/simulation` has a clock of its own.",
}


@dataclass(frozen=True)
class Cell:
    kind: Kind
    point: int
    variant: str
    round: int

    @property
    def name(self) -> str:
        return f"{self.kind.attempt.__name__}/{self.point}/{self.variant}"


def cells(rounds: int) -> list[Cell]:
    return [
        Cell(kind, point, variant, number)
        for number in range(rounds)
        for kind in KINDS
        for point in range(len(POINTS))
        for variant in kind.variants_at(point)
    ]


@dataclass
class Tally:
    tried: Counter[tuple[str, int]]
    broken: Counter[tuple[str, int]]
    runs: int = 0
    problems: list[str] = field(default_factory=list)

    def row(self, kind: Kind) -> list[str]:
        row = []
        for point in range(len(POINTS)):
            where = (kind.name, point)
            count = str(self.tried[where]) if self.tried[where] else "-"
            row.append(
                f"**broken** ({self.broken[where]} of {count})" if self.broken[where] else count
            )
        return row


def attempt(cell: Cell, expected: bout.Rows, options: argparse.Namespace, tally: Tally) -> None:
    chance = random.Random(f"{options.seed}/{cell.name}/{cell.round}")
    tried = Try(expected, cell.point, cell.variant, chance)
    began = time.monotonic()
    problem = ""
    try:
        cell.kind.attempt(tried)
    except bout.Broken as broken:
        problem = str(broken)
    except Exception:  # a test that goes wrong is not a cell that holds
        problem = traceback.format_exc()
    for each in tried.bouts:
        tally.runs += each.sessions
        if problem and options.keep:
            print(f"kept: {each.scratch.folder}")
            each.scratch.kill_all()
        else:
            each.scratch.remove()
    where = (cell.kind.name, cell.point)
    tally.tried[where] += tried.count if tried.is_reached else bool(problem)
    tally.broken[where] += bool(problem)
    state = "BROKEN" if problem else "held" if tried.is_reached else "not reached"
    print(f"{cell.name}/{cell.round}: {state}, {time.monotonic() - began:.1f} s", flush=True)
    if problem:
        only = f"--seed {options.seed} --rounds {cell.round + 1} --only '{cell.name}'"
        told = problem if options.keep else problem[:600]
        again = f"again: python3 tests/faults/fault_matrix.py {only}"
        tally.problems.append(f"{cell.name}/{cell.round}: {told}\n{again}")
        print(f"{told}\n{again}", flush=True)


def table(tally: Tally, options: argparse.Namespace) -> str:
    head = ["kind of fault", *(f"P{number}" for number in range(len(POINTS)))]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for kind in KINDS:
        lines.append("| " + " | ".join([kind.name, *tally.row(kind)]) + " |")
    lines.append("| the clock jumps |" + " - |" * len(POINTS))
    points = "; ".join(f"P{number} {text}" for number, text in enumerate(POINTS))
    tried, broken = tally.tried.total(), tally.broken.total()
    within = f", as many as fit {options.seconds:.0f} s" if options.seconds else ""
    told = f"{tried:,} faults in {tally.runs:,} runs, seed {options.seed}{within}: {tried - broken:,} held"
    reasons = [wrapped(f"- {reason}", "  ") for reason in REASONS.values()]
    return "\n".join(
        [*lines, "", wrapped(f"{told}. {points}."), "", "Where nothing is tried:", "", *reasons]
    )


def wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, COLUMNS, subsequent_indent=indent, break_on_hyphens=False)


def in_turn(order: list[Cell]) -> list[Cell]:
    """Each point of each kind once before any of them again."""
    seen: Counter[tuple[str, int]] = Counter()
    turns = []
    for cell in order:
        seen[cell.kind.name, cell.point] += 1
        turns.append((seen[cell.kind.name, cell.point], cell))
    return [cell for _, cell in sorted(turns, key=lambda turn: turn[0])]


def is_within_all(cell: Cell) -> bool:
    return cell.variant == "one" and "all 0" in cell.kind.variants_at(cell.point)


def chosen(options: argparse.Namespace) -> list[Cell]:
    order = cells(options.rounds)
    if options.only:
        return [cell for cell in order if cell.name.startswith(options.only)]
    random.Random(options.seed).shuffle(order)
    if options.whole:
        return in_turn([cell for cell in order if not is_within_all(cell)])
    order = [cell for cell in order if not cell.variant.startswith("all ")]
    return sorted(in_turn(order), key=lambda cell: cell.variant in SLOW)


SLOW = ("hang once", "stop once", "spin once", "hang always", "all", "eof once")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_seed(parser)
    parser.add_argument("--seconds", type=float, help="begin no other after so many")
    parser.add_argument("--whole", action="store_true", help="all of them, in some 20 minutes")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", help="KIND/POINT/VARIANT, or its beginning")
    parser.add_argument("--keep", action="store_true", help="folders of what is broken")
    parser.add_argument("--write", type=Path, help="the page whose table is replaced")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    began = time.monotonic()
    expected = bout.reference()
    tally = Tally(Counter(), Counter())
    for cell in chosen(options):
        if options.seconds is not None and time.monotonic() - began > options.seconds:
            break
        attempt(cell, expected, options, tally)
    text = table(tally, options)
    print(text)
    if options.write:
        page_part.write(options.write, "fault_matrix.py", text)
    print(*tally.problems, sep="\n")  # once more at the end, which is what most logs show
    return min(tally.broken.total(), 1)


if __name__ == "__main__":
    sys.exit(main())
