"""The text of docs/background/orchestrators.md, from the rounds that orchestrators.py recorded."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.performance_page import table, wrapped
from tools import ROOT

JSON = dict[str, Any]
PAGE = ROOT / "docs" / "background" / "orchestrators.md"
RECORD = ROOT / "bench" / "records" / "orchestrators.json"
IDLE_LOAD = 0.5

INTRODUCTION = """This is what orchestration itself costs: tasks that do nothing, through Regatta on two ranks and through others with two
workers. They are no substitutes for each other: a pool calls any Python function, a trial of Regatta is a row on disk with
parameters, times and checks.

- A round runs every way once, in fresh processes and a drawn order. Shown are medians over rounds [lowest, highest]; ratios are
  of the same round.
- Others run warm, for a second and a half, with their defaults. Regatta is timed from its first trial to the last write of its
  journal, for at most 100,000 trials. The rest stands under [Start](#start).
- `bench/orchestrators.py` writes this page; no figure is typed by hand.
"""

REPEAT = """## Repeat it

```bash
bash scripts/install-packages.sh build orchestrators
bash scripts/setup-orchestrators.sh
cmake --preset default
cmake --build --preset default
python3 -m bench.orchestrators --fresh
```

Run it on an idle machine. On two cores every other program shows in each row.
"""

TITLES = {
    "one": "One outstanding",
    "batched": "Granted in batches",
    "command": "A process each",
    "kept": "Results kept",
    "start": "Start",
}
EXPLAINED = {
    "one": "Trials that do nothing, two in flight; the next one starts when one ends. The others call a Python function.",
    "batched": 'Trials that do nothing, any number in flight. "In chunks" means tasks of 1,000 calls: each is a loop inside a worker '
    "that fails as a whole and tells nothing of a single call. All others make each call a task, and Regatta each trial a row.",
    "command": "`/bin/true`, two at a time.",
    "kept": "What is on disk in the end, for each trial. Regatta's trials also run, granted in batches.",
    "start": "Seconds from the command line to the first task or trial, and to the end of a run of four. Two of mpi4py's three ranks "
    "work, and all of Regatta's.",
}
JOURNAL = "each trial is a synced row of the journal; a crash costs one"
MPI4PY = "keeps nothing; the end of a worker ends all"
CONCURRENT = "keeps nothing; the end of a worker ends the pool"
RAY = "results in its object store; retries lost tasks"
DASK = "results in a worker's memory; retries lost tasks"
AS_ABOVE = "as above"
CHUNKED = "1,000 calls a task; keeps nothing"
NOTES = {
    "one": {
        "Regatta": JOURNAL,
        "mpi4py.futures": MPI4PY,
        "concurrent.futures": CONCURRENT,
        "Ray": RAY,
        "Dask": DASK,
    },
    "batched": {
        "Regatta": AS_ABOVE,
        "mpi4py.futures": AS_ABOVE,
        "concurrent.futures": AS_ABOVE,
        "Ray": AS_ABOVE,
        "Dask": AS_ABOVE,
        "mpi4py.futures, in chunks": CHUNKED,
        "concurrent.futures, in chunks": CHUNKED,
        "Ray, in chunks": CHUNKED + "; its multiprocessing pool",
        "Dask, in chunks": CHUNKED + "; its bag",
    },
    "command": {
        "Regatta": "output in a log, time taken, a synced row each in the journal",
        "posix_spawn loop": "starts and waits, in C++; no output, time or record",
        "HyperQueue": "its Python package, server and worker in one process; no output, no journal",
        "GNU parallel": "through a shell; collects output, keeps no log; without its own start",
    },
    "kept": {
        "Regatta": "parameters (in the plan), times, samples, status; also run",
        "Optuna, add_trial": "a file journal, one synced write a trial; nothing is run",
        "Optuna, ask and tell": "the same journal, as an optimizer uses it; nothing is run",
        "Ray Tune": "run by two actors; result files for each trial, and the experiment's state",
    },
    "start": {
        "Regatta": "mpirun, three ranks, workers; then result file and report",
        "mpi4py.futures": "mpirun, three processes of Python",
        "concurrent.futures": "three processes of Python",
        "Ray": "its services and two workers",
        "Dask": "a scheduler and two workers",
    },
}


def values(record: JSON, kind: str, name: str, figure: str) -> list[float]:
    return [each[kind][name][figure] for each in record["rounds"]]


def ratios(record: JSON, kind: str, name: str, figure: str) -> list[float]:
    """How many times as fast Regatta was, by round."""
    own, other = (values(record, kind, each, figure) for each in ("Regatta", name))
    over = [a / b for a, b in zip(own, other, strict=True)]
    return over if figure == "per_second" else [1 / ratio for ratio in over]


def rate_text(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{float(f'{value:.3g}'):,.0f}"


def seconds_text(value: float) -> str:
    return f"{value:.3g} s"


def times_text(value: float) -> str:
    return f"{value:.3g}x" if value < 1000 else f"{rate_text(value)}x"


Text = Callable[[float], str]


def spread_text(found: list[float], text: Text) -> str:
    """The unit is said once."""
    low, high = (re.sub(r"(x| s|/s)$", "", text(end)) for end in (min(found), max(found)))
    return f"{text(statistics.median(found))} [{low}, {high}]"


# ---- bars ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """A bar for the median over rounds; of seconds at most so many, of all else at least."""

    what: str
    wanted: float
    text: Text
    kind: str
    figure: str = "per_second"
    beside: str = ""

    def found(self, record: JSON) -> list[float]:
        if self.beside:
            return ratios(record, self.kind, self.beside, self.figure)
        return values(record, self.kind, "Regatta", self.figure)

    def is_met(self, record: JSON) -> bool:
        median = statistics.median(self.found(record))
        return median >= self.wanted if self.figure == "per_second" else median <= self.wanted

    def line(self, record: JSON) -> list[str]:
        bound = "at least" if self.figure == "per_second" else "at most"
        met = "met" if self.is_met(record) else "**missed**"
        wanted = f"{bound} {self.text(self.wanted)}"
        return [self.what, wanted, spread_text(self.found(record), self.text), met]


def each_second(value: float) -> str:
    return f"{rate_text(value)}/s"


BARS = (
    Bar("no-op trials, one outstanding / mpi4py.futures", 3, times_text, "one", beside="mpi4py.futures"),
    Bar("no-op trials, granted in batches", 100_000, each_second, "batched"),
    Bar("`command` trials / a bare posix_spawn loop", 0.7, times_text, "command", beside="posix_spawn loop"),
    Bar("trials kept, durable / Optuna's journal", 3, times_text, "kept", beside="Optuna, add_trial"),
    Bar("command line to first trial, three ranks", 0.3, seconds_text, "start", figure="first"),
    Bar("a sweep of four trials, three ranks", 0.5, seconds_text, "start", figure="whole"),
)  # fmt: skip


# ---- page ------------------------------------------------------------------------------------------------


def rate_line(record: JSON, kind: str, name: str) -> list[str]:
    ratio = spread_text(ratios(record, kind, name, "per_second"), times_text)
    return [
        name,
        spread_text(values(record, kind, name, "per_second"), rate_text),
        "–" if name == "Regatta" else ratio,
        NOTES[kind][name],
    ]


def start_line(record: JSON, name: str) -> list[str]:
    seconds = [
        spread_text(values(record, "start", name, figure), seconds_text)
        for figure in ("first", "whole")
    ]
    ratio = spread_text(ratios(record, "start", name, "whole"), times_text)
    return [name, *seconds, "–" if name == "Regatta" else ratio, NOTES["start"][name]]


def kind_text(record: JSON, kind: str) -> str:
    if kind == "start":
        headings = ["through", "first", "whole", "this / Regatta, whole", "what starts"]
        lines = [start_line(record, name) for name in NOTES[kind]]
    else:
        headings = ["through", "each second", "Regatta / this", "note"]
        lines = [rate_line(record, kind, name) for name in NOTES[kind]]
    return f"## {TITLES[kind]}\n\n{EXPLAINED[kind]}\n\n{table(headings, lines)}"


def repeated(record: JSON) -> list[str]:
    return [
        f"{name} ({TITLES[kind].lower()}, round {number})"
        for number, each in enumerate(record["rounds"], start=1)
        for kind, names in each.items()
        for name, figures in names.items()
        if figures.get("tries", 1) > 1
    ]


def run_text(record: JSON) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    text = (
        f"## The run\n\n{len(record['rounds'])} rounds in {record['seconds'] / 60:.0f} minutes, {record['utc']}, by commit "
        f"{record['commit']}; {record['machine']}, files on {record['disk']}; cores busy before the first round "
        f"{record['load']:.2f}. {versions}.\n"
    )
    if again := repeated(record):
        text += f"\nHung or failed, and had another try: {', '.join(again)}.\n"
    if record["load"] > IDLE_LOAD:
        text += "\n**The machine was not idle: believe no figure here.**\n"
    return text


def answer(record: JSON) -> str:
    rate = rate_text(statistics.median(values(record, "batched", "Regatta", "per_second")))
    first = statistics.median(values(record, "start", "Regatta", "first"))
    met = sum(bar.is_met(record) for bar in BARS)
    return (
        f"# Beside other orchestrators\n\nRegatta runs {rate} trials a second that do nothing, each kept on disk, and starts the "
        f"first one after {seconds_text(first)}. It meets {met} of {len(BARS)} goals.\n"
    )


def page_of(record: JSON) -> str:
    bars = [bar.line(record) for bar in BARS]
    parts = [
        answer(record),
        INTRODUCTION,
        "## Goals\n",
        table(["what", "goal", "found", ""], bars),
        *(kind_text(record, kind) for kind in TITLES),
        run_text(record),
        REPEAT,
    ]
    return wrapped("\n".join(parts))
