"""The pairs that duel_vs_hyperfine.py asks about, and what docs/background/verdicts.md says of its record."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import other_rules
from bench.orchestrators_page import IDLE_LOAD, spread_text
from bench.performance_page import table, wrapped
from tools import ROOT, page_part

JSON = dict[str, Any]
PAGE = ROOT / "docs" / "background" / "verdicts.md"
RECORD = ROOT / "bench" / "records" / "duel_vs_hyperfine.json"
PART = "duel_vs_hyperfine.py"
MARGIN = math.log1p(0.01)  # `duel` has it where none is named


@dataclass(frozen=True)
class Pair:
    """Two command lines, or a chain of multiplications of so many steps; the other one does `work` times the base's."""

    name: str
    work: float
    base: str = ""
    other: str = ""
    steps: int = 0

    @property
    def effect(self) -> float:
        return math.log(self.work)


SHORT, LONG = 60, 1250  # steps of about 35 us
PAIRS = (
    Pair("`true a`, `true b`", 1, base="true a", other="true b"),
    Pair("`sleep 0.02`, `sleep 0.020`", 1, base="sleep 0.02", other="sleep 0.020"),
    Pair("2 ms, itself", 1, steps=SHORT),
    Pair("50 ms, itself", 1, steps=LONG),
    Pair("`true`, `env true`", 2, base="true", other="env true"),
    Pair("2 ms, 1.05 of it", 1.05, steps=SHORT),
    Pair("2 ms, 1.5 of it", 1.5, steps=SHORT),
    Pair("50 ms, 1.02 of it", 1.02, steps=LONG),
    Pair("50 ms, 1.1 of it", 1.1, steps=LONG),
    Pair("50 ms, 2 of it", 2, steps=LONG),
)


@dataclass(frozen=True)
class Reading:
    """The owner of an answer, and its place in the record."""

    title: str
    tool: str
    key: str


READINGS = (
    Reading("`duel`", "duel", "verdict"),
    Reading("hyperfine, plus-minus", "hyperfine", "verdict"),
    Reading("hyperfine, t test", "hyperfine", "welch"),
)


def verdicts(record: JSON, pair: Pair, reading: Reading) -> list[str]:
    return [each[pair.name][reading.tool][reading.key] for each in record["rounds"]]


def seconds(record: JSON, pair: Pair, tool: str) -> list[float]:
    return [each[pair.name][tool]["seconds"] for each in record["rounds"]]


def seconds_text(value: float) -> str:
    return f"{value:.1f} s"


def verdict_text(found: list[str], effect: float) -> str:
    """ "2 slower, **1 same**": false ones stand out."""
    parts = []
    for verdict, count in Counter(found).most_common():
        said = f"{count} {verdict}"
        parts.append(f"**{said}**" if other_rules.is_false(verdict, effect, MARGIN) else said)
    return ", ".join(parts)


def pair_line(record: JSON, pair: Pair) -> list[str]:
    return [
        pair.name,
        "same" if pair.work == 1 else "slower",
        *[verdict_text(verdicts(record, pair, each), pair.effect) for each in READINGS],
    ]


Judge = Callable[[str, float, float], bool]


def share(record: JSON, reading: Reading, judge: Judge, is_alike: bool) -> str:
    """How many answers it holds for, about pairs that are alike or that differ."""
    judged = [
        judge(verdict, pair.effect, MARGIN)
        for pair in PAIRS
        if (pair.work == 1) == is_alike
        for verdict in verdicts(record, pair, reading)
    ]
    return f"{sum(judged)} of {len(judged)}"


def reading_line(record: JSON, reading: Reading) -> list[str]:
    taken = [each for pair in PAIRS for each in seconds(record, pair, reading.tool)]
    judges = (other_rules.is_right, other_rules.is_false)
    counts = [share(record, reading, judge, alike) for alike in (True, False) for judge in judges]
    return [reading.title, *counts, spread_text(taken, seconds_text)]


def text_of(record: JSON) -> str:
    rounds = len(record["rounds"])
    text = (
        f"{rounds} {'round' if rounds == 1 else 'rounds'} in {record['seconds'] / 60:.0f} minutes, {record['utc']}, by "
        f"commit {record['commit']}; {record['machine']}; cores busy before the first round {record['load']:.2f}; "
        f"hyperfine {record['hyperfine']}. Verdicts are about the second program; false ones are bold. Seconds until the "
        "verdict: median [lowest, highest].\n"
    )
    if record["load"] > IDLE_LOAD:
        text += "\n**The machine was not idle: believe no figure here.**\n"
    headings = ["answers", "alike: right", "alike: false", "different: right", "different: false"]
    totals = table([*headings, "seconds"], [reading_line(record, each) for each in READINGS])
    headings = ["pair", "truth", *[each.title for each in READINGS]]
    lines = table(headings, [pair_line(record, pair) for pair in PAIRS])
    return wrapped(f"{text}\n{totals}\n{lines}").rstrip("\n")


def write_page(page: Path, record: JSON) -> None:
    page_part.write(page, PART, text_of(record))
