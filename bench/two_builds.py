"""Two builds of Regatta against each other in turn: is a change slower than what it replaces?

    python3 -m bench.two_builds BEFORE AFTER [--pairs 14] [--steps | --trials | --reads]

BEFORE and AFTER are build folders (`bin/regatta`, `bin/bench_engine_steps`). Steps of the native engine (graph, graph
without fusion, eager) on one core, whole runs of no-op trials on one and two ranks, and commands that read a result
file and a journal of many trials. Each line is a ratio AFTER / BEFORE of times: the median over pairs, with the second
smallest and the second largest.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.noop_runs import noops

CASES = ["scalar-gradient:1", "mlp-10:32", "mlp-784:32", "conv1d-question:8"]
KINDS = ["graph_seconds", "unfused_seconds", "eager_seconds"]
RANKS = [1, 2]
NOOPS = 2000
TRIALS_READ = 100_000

Times = dict[str, list[float]]
Measure = Callable[[Path], dict[str, float]]


def step_seconds(build: Path) -> dict[str, float]:
    """Seconds of a step for each case and kind, on the last core that this process may use."""
    core = max(os.sched_getaffinity(0))
    command = [str(build / "bin" / "bench_engine_steps"), "--json", "--rounds", "50"]
    command += ["--choosing", "0.05"]
    for case in CASES:
        command += ["--case", case]
    done = subprocess.run(
        ["taskset", "-c", str(core), *command], capture_output=True, text=True, check=True
    )
    steps = json.loads(done.stdout)["steps"]
    return {
        f"{step['model']} {kind.removesuffix('_seconds')}": step[kind]
        for step in steps
        for kind in KINDS
    }


def trial_seconds(build: Path) -> dict[str, float]:
    """Seconds from the command line to the end of a run of no-op trials, its report included."""
    seconds = {}
    for ranks in RANKS:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "noop.json"
            file.write_text(json.dumps(noops(NOOPS)))
            command = [str(build / "bin" / "regatta"), "run", str(file), "--out", folder]
            start = time.monotonic()
            subprocess.run([*command, "--ranks", str(ranks)], capture_output=True, check=True)
            seconds[f"{NOOPS} no-op trials, ranks: {ranks}"] = time.monotonic() - start
    return seconds


def results_of_many_trials(build: Path, folder: str) -> Path:
    """The folder of a run's journal; the result file lies beside it."""
    sweep = Path(folder) / "noop.json"
    sweep.write_text(json.dumps(noops(TRIALS_READ)))
    command = [str(build / "bin" / "regatta"), "run", str(sweep), "--out", folder]
    subprocess.run([*command, "--ranks", "2"], capture_output=True, check=True)
    (results,) = Path(folder).glob("*.regatta")
    return results


def reading_seconds(results: Path, build: Path) -> dict[str, float]:
    """Seconds of whole commands that read every column, sort by one, and read the journal once or twice."""
    file = str(results.with_suffix(".h5"))
    commands = {
        "csv": ["query", file, "--format", "csv"],
        "query": ["query", file, "--sort", "step_time"],
        "status": ["status", str(results)],
        "collect": ["collect", str(results)],
    }
    seconds = {}
    for name, arguments in commands.items():
        start = time.monotonic()
        subprocess.run(
            [str(build / "bin" / "regatta"), *arguments], stdout=subprocess.DEVNULL, check=True
        )
        seconds[f"{name} of {TRIALS_READ} trials"] = time.monotonic() - start
    return seconds


def ratio_line(name: str, before: list[float], after: list[float]) -> str:
    ratios = sorted(new / old for old, new in zip(before, after, strict=True))
    low, high = (ratios[1], ratios[-2]) if len(ratios) > 3 else (ratios[0], ratios[-1])
    return (
        f"{name:32} {statistics.median(before):10.4g} s {statistics.median(after):10.4g} s   "
        f"{statistics.median(ratios):.3f} [{low:.3f}, {high:.3f}]"
    )


def compare(measure: Measure, before: Path, after: Path, pairs: int) -> None:
    """Measures each pair in the other order than the one before it, and prints a line for each quantity."""
    old: Times = {}
    new: Times = {}
    for pair in range(pairs):
        turns = [(before, old), (after, new)]
        for build, times in turns if pair % 2 == 0 else reversed(turns):
            for name, seconds in measure(build).items():
                times.setdefault(name, []).append(seconds)
    for name in old:
        print(ratio_line(name, old[name], new[name]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--pairs", type=int, default=14)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--steps", action="store_true")
    only.add_argument("--trials", action="store_true")
    only.add_argument("--reads", action="store_true")
    options = parser.parse_args()
    builds = (options.before, options.after, options.pairs)
    if not (options.trials or options.reads):
        compare(step_seconds, *builds)
    if not (options.steps or options.reads):
        compare(trial_seconds, *builds)
    if not (options.steps or options.trials):
        with tempfile.TemporaryDirectory() as folder:
            results = results_of_many_trials(options.before, folder)
            compare(lambda build: reading_seconds(results, build), *builds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
