"""Runs a sweep under a time limit and reads what it answered, and when: shared by the benches of early answers.

A folder of `regatta run` keeps a journal of results. The answers known at a time are read from it afterwards, so that
nobody looks while steps are timed: the journal is cut behind each of its results, and `regatta collect` makes a result
file of what is left.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tools import journal
from tools.interpreters import interpreter
from tools.regatta_process import BINARY

JSON = dict[str, Any]
MODELS = Path(__file__).parent / "user_models"
FASTER_OR_SLOWER = {"faster", "slower"}
CACHES = {  # where engines keep what they compiled: the same folder for all
    "TORCHINDUCTOR_CACHE_DIR": "inductor",
    "TRITON_CACHE_DIR": "triton",
    "JAX_COMPILATION_CACHE_DIR": "jax",
}
CACHE_ALL = {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}


@dataclass(frozen=True)
class Answer:
    """One comparison as a report gives it."""

    verdict: str  # faster, slower, same or anything else: not decided
    ratio: float | None
    low: float | None
    high: float | None
    resolution: float = math.inf  # the smallest difference that it could have detected, as a share
    is_confirmed: bool = False

    @property
    def has_interval(self) -> bool:
        return self.low is not None and self.high is not None

    @property
    def is_told(self) -> bool:
        return self.verdict in {*FASTER_OR_SLOWER, "same"}

    def text(self) -> str:
        if not self.has_interval:
            return "no interval"
        early = ", early" if self.is_told and not self.is_confirmed else ""
        return f"{self.verdict} [{self.low:.3g}, {self.high:.3g}]{early}"


NO_ANSWER = Answer("none", None, None, None)


def is_right(found: Answer, reference: Answer) -> bool:
    """No opposite verdict, and the intervals overlap. Without an interval on either side nothing is known to be right."""
    if {found.verdict, reference.verdict} == FASTER_OR_SLOWER:
        return False
    ends = (found.low, found.high, reference.low, reference.high)
    if any(end is None for end in ends):
        return False
    low, high, reference_low, reference_high = ends
    return low <= reference_high and reference_low <= high


def name_of(arm: JSON) -> str:
    """The words that distinguish an arm in these benches: "torch graph batch 32, again"."""
    words = [arm["engine"].partition("@")[0], arm["mode"], f"batch {arm['batch']}"]
    return " ".join(word for word in words if word) + (", again" if arm.get("repeat") else "")


def answers_of(report: JSON) -> dict[str, Answer]:
    """By "A against B"."""
    return {
        f"{name_of(each['a'])} against {name_of(each['b'])}": Answer(
            each["verdict"] or "none",
            each["ratio"],
            each["low"],
            each["high"],
            math.inf if each["resolution"] is None else each["resolution"],
            each["confirmed"],
        )
        for each in report["contrasts"]
    }


def report_of(results: Path) -> JSON | None:
    """Nothing where there is nothing to report yet."""
    command = [str(BINARY), "report", str(results), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def known_by_time(run_folder: Path, scratch: Path) -> list[tuple[float, JSON]]:
    """The report after each recorded result, with the wall clock at which it was known."""
    data = (run_folder / "journal").read_bytes()
    found = []
    for number, record in enumerate(journal.results(run_folder / "journal")):
        part = scratch / f"until-{number}" / run_folder.name
        shutil.copytree(run_folder, part, ignore=shutil.ignore_patterns("logs", "inputs", "cache"))
        (part / "journal").write_bytes(data[: record.end + 1])
        subprocess.run([str(BINARY), "collect", str(part)], capture_output=True, check=False)
        report = report_of(part.with_suffix(".h5"))
        shutil.rmtree(part.parent)
        if report is not None:
            found.append((journal.block_times(record)[1], report))
    return found


def scored_seconds(results: Path) -> float:
    """Time in steady samples, which figures are made of."""
    command = [str(BINARY), "query", str(results), "--format", "csv", "--table", "samples"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = csv.DictReader(io.StringIO(text))
    return sum(float(row["wall_s"]) for row in rows if row["phase"] == "steady")


def refuse_failures(report: JSON, folder: Path) -> None:
    """A bench of answers has nothing to say about trials that crashed or were skipped."""
    bad = [each for each in report["trials"] if each["status"] in ("failed", "skipped")]
    if bad:
        reasons = "\n".join(
            f"  {each['label']}: {each['status']}: {each['reason']}" for each in bad
        )
        raise SystemExit(
            f"{folder}: {len(bad)} trials gave nothing; remove the folder to try again\n{reasons}"
        )


@dataclass(frozen=True)
class Run:
    """The answers of one run, and the times to them."""

    wall_seconds: float
    scored_seconds: float
    longest_start_seconds: float
    answers: dict[str, Answer]
    first_interval: dict[str, float] = field(default_factory=dict)  # seconds from the command

    @property
    def scored_share(self) -> float:
        return self.scored_seconds / self.wall_seconds

    @property
    def told(self) -> int:
        return sum(answer.is_told for answer in self.answers.values())


def with_kept_caches(sweep: JSON, cache: Path) -> JSON:
    """The same with engines whose compile caches outlive a run: otherwise each run begins with caches of its own."""
    variables = {name: str(cache / folder) for name, folder in CACHES.items()} | CACHE_ALL
    engines = {engine: f"{engine}@kept-{engine}" for engine in sweep["axes"]["engine"]}
    compare = dict(sweep["compare"])
    if "engine" in compare["baseline"]:
        engine = engines[compare["baseline"]["engine"]]
        compare["baseline"] = compare["baseline"] | {"engine": engine}
    environments = {
        f"kept-{engine}": {"engine": engine, "python": interpreter(engine), "env": variables}
        for engine in engines
    }
    return sweep | {
        "axes": sweep["axes"] | {"engine": list(engines.values())},
        "compare": compare,
        "environments": environments,
    }


def first_intervals(known: list[tuple[float, JSON]], begin: float) -> dict[str, float]:
    """Seconds from `begin` until each comparison had an interval for the first time."""
    first: dict[str, float] = {}
    for at, report in sorted(known, key=lambda each: each[0]):
        for name, answer in answers_of(report).items():
            if answer.has_interval:
                first.setdefault(name, at - begin)
    return first


def run(sweep: JSON, folder: Path, limit: str) -> Run:
    """One `regatta run --for LIMIT` of a sweep in a folder of its own that is empty. Models lie beside the sweep."""
    folder.mkdir(parents=True)
    for model in MODELS.glob("*.py"):
        shutil.copy(model, folder)
    (folder / "sweep.json").write_text(json.dumps(sweep, indent=1))
    command = [str(BINARY), "run", "sweep.json", "--ranks", "1", "--out", "out", "--for", limit]
    begin, clock = time.time(), time.monotonic()
    with open(folder / "output.txt", "w") as output:
        done = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"REGATTA_HISTORY": "off"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    wall_seconds = time.monotonic() - clock
    results = folder / "out" / f"{sweep['name']}.h5"
    report = report_of(results) if results.exists() else None
    if report is None:
        raise SystemExit(f"{folder}: the run ended with {done.returncode}: see output.txt there")
    refuse_failures(report, folder)
    starts = [trial["cold_start"] for trial in report["trials"] if trial["cold_start"]]
    known = known_by_time(folder / "out" / f"{sweep['name']}.regatta", folder)
    return Run(
        wall_seconds,
        scored_seconds(results),
        max(starts, default=0.0),
        answers_of(report),
        first_intervals(known, begin),
    )


def kept_run(sweep: JSON, folder: Path, limit: str) -> Run:
    """As run(), or what it found before in the same folder."""
    known = folder / "run.json"
    if known.exists():
        read = json.loads(known.read_text())
        read["answers"] = {name: Answer(**each) for name, each in read["answers"].items()}
        return Run(**read)
    found = run(sweep, folder, limit)
    known.write_text(json.dumps(asdict(found), indent=1) + "\n")
    return found


def words(text: str) -> list[str]:
    return text.split(",")


def numbers(text: str) -> list[int]:
    return [int(word) for word in words(text)]


def seconds_of(limit: str) -> float:
    """Reads "3m" or "90s"."""
    return float(limit[:-1]) * {"s": 1, "m": 60, "h": 3600}[limit[-1]]


def spread(values: list[float], text: Callable[[float], str] = "{:.0f} s".format) -> str:
    """Median and range of the values that there are."""
    if not values:
        return "none"
    ends = f"{text(min(values))} to {text(max(values))}"
    return f"{text(statistics.median(values))} ({ends} in {len(values)})"


def percent(share: float) -> str:
    return "no interval" if math.isinf(share) else f"{100 * share:.1f} %"


@dataclass(frozen=True)
class Bar:
    """A demand, what was found, and whether that is enough."""

    what: str
    found: str
    is_met: bool

    def line(self) -> str:
        return f"{'met   ' if self.is_met else 'MISSED'} {self.what}: {self.found}"


def print_bars(bars: list[Bar]) -> int:
    """Exit code 1 if one is missed."""
    for bar in bars:
        print(bar.line())
    return int(not all(bar.is_met for bar in bars))


def ask_all(
    parser: argparse.ArgumentParser, ask: Callable[[str, argparse.Namespace, Path], list[Bar]]
) -> int:
    """Asks each question of `--only`, prints the bars and returns the exit code. Adds what both benches take."""
    parser.add_argument("--batches", type=numbers, default=[1, 32, 256])
    parser.add_argument("--keep", type=Path, help="results; default: a folder that is removed")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    with tempfile.TemporaryDirectory() as scratch:
        keep = options.keep.resolve() if options.keep else Path(scratch)
        bars = [bar for question in options.only for bar in ask(question, options, keep)]
    return print_bars(bars)
