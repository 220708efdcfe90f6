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

INTRODUCTION = """# Beside other orchestrators

Written by `bench/orchestrators.py`; no figure here is typed by hand. What orchestration itself costs: tasks that do nothing,
through Regatta on two ranks and through others with two workers. In each round every way runs once, in fresh processes; kinds of
work come in an order that is drawn, and the ways of a kind follow each other in an order that is drawn. A ratio is one of the same
round; shown are medians over rounds [lowest, highest]. Others are timed by themselves, once they are warm, for a second and a half
and with their own defaults unless said. Regatta is timed from its first trial's start until its journal was written last, for no more than
100,000 trials; what comes before the first trial and after the last one stands under [Start](#start).

They are no substitutes for each other. Tasks of a pool call any Python function; a trial of Regatta is a row of a sweep with its
parameters, times and checks, and stays on disk.
"""

REPEAT = """## Repeat it

```bash
bash scripts/install-packages.sh build orchestrators
bash scripts/setup-orchestrators.sh
cmake --preset default
cmake --build --preset default
python3 -m bench.orchestrators --fresh
```

On a machine on which nothing else runs: anything beside it on two cores is seen in every row.
"""

TITLES = {
    "one": "One outstanding",
    "batched": "Granted in batches",
    "command": "A process each",
    "kept": "Results kept",
    "start": "Start",
}
EXPLAINED = {
    "one": "Trials that do nothing, two in flight, the next one when one ends.",
    "batched": 'Trials that do nothing, any number in flight. "In chunks" means a task of 1,000 calls, a loop inside a worker that '
    "begins, ends and fails as one, and tells nothing of a single call. All others make each call a task, and Regatta each trial a row.",
    "command": "`/bin/true`, two at a time.",
    "kept": "What is on disk in the end, a trial each. Regatta's trials also run, as those granted in batches.",
    "start": "Seconds from the command line to the begin of the first task or trial, and until a run of four of them has ended. "
    "Of mpi4py's three ranks two work, of Regatta's all.",
}
JOURNAL = "by a worker whose crash costs one trial; a row each in the journal, synced before it is acknowledged"
MPI4PY = "a Python function; keeps nothing; the end of a worker ends all"
CONCURRENT = "a Python function; keeps nothing; the end of a worker ends the pool"
RAY = "a Python function; results in its object store; a lost task is tried again"
DASK = "a Python function; results in a worker's memory; a lost task is tried again"
CHUNKS = "; 1,000 calls a task"
NOTES = {
    "one": {
        "Regatta": JOURNAL,
        "mpi4py.futures": MPI4PY,
        "concurrent.futures": CONCURRENT,
        "Ray": RAY,
        "Dask": DASK,
    },
    "batched": {
        "Regatta": JOURNAL,
        "mpi4py.futures": MPI4PY,
        "concurrent.futures": CONCURRENT,
        "Ray": RAY,
        "Dask": DASK,
        "mpi4py.futures, in chunks": MPI4PY + CHUNKS,
        "concurrent.futures, in chunks": CONCURRENT + CHUNKS,
        "Ray, in chunks": "its multiprocessing pool; keeps nothing" + CHUNKS,
        "Dask, in chunks": "its bag; keeps nothing" + CHUNKS,
    },
    "command": {
        "Regatta": "no worker between; output in a log, time taken, a row each in the journal, synced",
        "posix_spawn loop": "starts and waits, in C++; no output, no time, no record",
        "HyperQueue": "by its Python package, server and worker in one process; output thrown away, no journal",
        "GNU parallel": "through a shell; collects output, keeps no log; its own start is not counted",
    },
    "kept": {
        "Regatta": "parameters by reference to the plan, times, samples, status; also run",
        "Optuna, add_trial": "a journal in a file, a finished trial in one synced write; nothing is run",
        "Optuna, ask and tell": "the same journal as an optimizer uses it; nothing is run",
        "Ray Tune": "run by two actors that are taken again; files of results for each trial, and the experiment's state",
    },
    "start": {
        "Regatta": "mpirun, three ranks, workers; then the result file and the report",
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
    """What is wanted of the median over rounds; of seconds at most so many, of all else at least."""

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
        headings = ["through", "first", "whole", "this / Regatta, whole", "what is started"]
        lines = [start_line(record, name) for name in NOTES[kind]]
    else:
        headings = ["through", "each second", "Regatta / this", "what is done with them"]
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


def page_of(record: JSON) -> str:
    bars = [bar.line(record) for bar in BARS]
    parts = [
        INTRODUCTION,
        "## What is wanted\n",
        table(["what", "wanted", "found", ""], bars),
        *(kind_text(record, kind) for kind in TITLES),
        run_text(record),
        REPEAT,
    ]
    return wrapped("\n".join(parts))
