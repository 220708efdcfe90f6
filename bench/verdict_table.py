"""Verdicts of Regatta and of other tools or their rules on the same pairs, in the same minutes.

    python3 -m bench.verdict_table [--contrasts 10] [--per-contrast 5s] [--effects 0,0.5,1,2,5,30] [--seed N] [--json]

Each pair is two programs of dependent multiplies whose numbers differ by the planted effect (0: identical code), so
the truth is known by count. For each effect the tools are run one after the other, on the same core:

- Regatta: `contrasts` comparisons of two planted workers in one sweep, margin 1 %; its verdicts. Its seconds include
  clones of the same code.
- hyperfine (Debian package `hyperfine`): whole processes of about 0.1 s, no shell, its own default number of runs. It
  names a faster command each time, with a relative speed and its +-; counted as a difference if 1 lies outside.
- Google Benchmark: random interleaving, 12 repetitions of 0.1 s (the call for the least noise in its manual); counted
  as a difference if the U test of its own compare.py does, p < 0.05.
- The rules of criterion.rs and of nvbench (bench/other_rules.py), which measure other languages and devices: both get
  the same 100 samples of 0.05 s of one program and then of the other, as many as criterion.rs takes; nvbench's rule
  stops inside them.

hyperfine, Google Benchmark and criterion.rs have no word for "same": what is no difference to them stands under
"undecided". A verdict is right if it names the longer program, or, below the margin, if it says "same"; it is false if
it names the wrong one, or any where the code is identical, or says "same" where the difference is beyond the margin.
Blocks are the balanced squares (Regatta), runs (hyperfine), repetitions (Google Benchmark) or samples of each program
that the answer took, median.
"""

from __future__ import annotations

import argparse
import functools
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
from dataclasses import dataclass
from pathlib import Path

from bench import other_rules
from tools.bars import fresh_seed, percent, table
from tools.planted import MULTIPLIES, PLANTED, multiplies, planted
from tools.regatta_process import BINARY

BENCH_PLANTED = BINARY.parent / "bench_planted"
MARGIN = math.log1p(0.01)
PROCESS_STEPS = 3000  # about 0.1 s
REPETITIONS = 12
SAMPLE_SECONDS = 0.05  # criterion.rs takes 100 in 5 s
HEADINGS = (
    "effect", "tool", "n", "slower", "same", "undecided", "faster", "right", "false", "blocks",
    "s each", "error med", "error max",
)  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """One answer about one pair; the planted program is the one that is slower or faster."""

    verdict: str
    estimate: float
    blocks: int
    seconds: float


Tool = Callable[[float, int], dict[str, list[Reading]]]


def pinned(command: list[str]) -> list[str]:
    """On the core that an agent on this machine gives its workers."""
    return ["taskset", "-c", str(max(os.sched_getaffinity(0))), *command]


def regatta(
    effect: float, contrasts: int, seed: int, per_contrast: str
) -> dict[str, list[Reading]]:
    measure = {"per_contrast": per_contrast}
    outcome = planted("pairs", seed, [effect] * contrasts, measure)
    each_seconds = outcome.seconds / contrasts
    return {
        "regatta": [
            Reading(each.verdict, each.estimate, each.blocks, each_seconds)
            for each in outcome.contrasts
        ]
    }


def hyperfine(effect: float, contrasts: int) -> dict[str, list[Reading]]:
    return {"hyperfine": [hyperfine_once(effect) for _ in range(contrasts)]}


def hyperfine_once(effect: float) -> Reading:
    start = time.monotonic()
    programs = [
        f"{PLANTED} --multiplies {count} --standalone {PROCESS_STEPS}"
        for count in (MULTIPLIES, multiplies(effect))
    ]
    base, longer = hyperfine_times(programs)
    seconds = time.monotonic() - start
    verdict = other_rules.hyperfine(base, longer)
    return Reading(verdict, log_ratio(base, longer), len(base), seconds)


def hyperfine_times(programs: list[str], timeout_seconds: float | None = None) -> list[list[float]]:
    """Seconds of each run of each program, as many as it chooses itself."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        options = ["--shell=none", "--warmup", "1", "--export-json", file.name, "--style", "none"]
        subprocess.run(
            pinned(["hyperfine", *options, *programs]),
            check=True,
            capture_output=True,
            timeout=timeout_seconds,
        )
        return [each["times"] for each in json.loads(Path(file.name).read_text())["results"]]


def google_benchmark(effect: float, contrasts: int) -> dict[str, list[Reading]]:
    return {"google benchmark": [google_benchmark_once(effect) for _ in range(contrasts)]}


def google_benchmark_once(effect: float) -> Reading:
    start = time.monotonic()
    options = ["--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.1"]
    base, longer = repetitions(effect, REPETITIONS, options)
    verdict = other_rules.google_benchmark(base, longer)
    return Reading(verdict, log_ratio(base, longer), REPETITIONS, time.monotonic() - start)


def repetitions(effect: float, count: int, options: list[str]) -> tuple[list[float], list[float]]:
    """Times of a step of both programs."""
    command = [
        str(BENCH_PLANTED),
        str(MULTIPLIES),
        str(multiplies(effect)),
        f"--benchmark_repetitions={count}",
        "--benchmark_format=json",
        *options,
    ]
    done = subprocess.run(pinned(command), check=True, capture_output=True)
    times: dict[str, list[float]] = {"a": [], "b": []}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            times[run["name"].partition("/")[0]].append(run["real_time"])
    return times["a"], times["b"]


def log_ratio(base: list[float], other: list[float]) -> float:
    return math.log(statistics.mean(other) / statistics.mean(base))


def one_after_the_other(effect: float, contrasts: int, seed: int) -> dict[str, list[Reading]]:
    readings: dict[str, list[Reading]] = {"criterion-like": [], "nvbench-like": []}
    for contrast in range(contrasts):
        start = time.monotonic()
        options = [f"--benchmark_min_time={SAMPLE_SECONDS}"]
        base, longer = repetitions(effect, other_rules.CRITERION_SAMPLES, options)
        seconds = time.monotonic() - start
        verdict = other_rules.criterion(base, longer, seed + contrast)
        ratio = log_ratio(base, longer)
        readings["criterion-like"].append(Reading(verdict, ratio, len(base), seconds))
        readings["nvbench-like"].append(nvbench(base, longer, seconds))
    return readings


def nvbench(base: list[float], longer: list[float], seconds: float) -> Reading:
    unit = SAMPLE_SECONDS / statistics.median(base)
    stopped = [
        times[: other_rules.nvbench_samples([unit * each for each in times])]
        for times in (base, longer)
    ]
    taken = sum(map(len, stopped))
    share = taken / (len(base) + len(longer))
    verdict = other_rules.nvbench(*stopped)
    return Reading(verdict, log_ratio(*stopped), taken // 2, share * seconds)


def row(effect: float, tool: str, readings: list[Reading]) -> list[str]:
    errors = [abs(reading.estimate - effect) for reading in readings]
    verdicts = [reading.verdict for reading in readings]
    right = [other_rules.is_right(verdict, effect, MARGIN) for verdict in verdicts]
    false = [other_rules.is_false(verdict, effect, MARGIN) for verdict in verdicts]
    return [
        f"{math.expm1(effect):.1%}" if effect else "A/A",
        tool,
        str(len(readings)),
        *[str(verdicts.count(word)) for word in ("slower", "same", "undecided", "faster")],
        str(sum(right)),
        str(sum(false)),
        f"{statistics.median(reading.blocks for reading in readings):g}",
        f"{statistics.median(reading.seconds for reading in readings):.1f}",
        percent(statistics.median(errors)),
        percent(max(errors)),
    ]


def missing() -> str | None:
    if shutil.which("hyperfine") is None:
        return "hyperfine is not installed (one of the tools compared); apt-get install hyperfine"
    for program in (BINARY, Path(PLANTED), BENCH_PLANTED):
        if not program.exists():
            return f"{program} does not exist; build with REGATTA_BUILD_TESTS and REGATTA_BUILD_BENCH on"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--contrasts", type=int, default=10)
    parser.add_argument("--per-contrast", default="5s", help="as in a sweep file")
    parser.add_argument("--effects", default="0,0.5,1,2,5,30", help="percent")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if problem := missing():
        print(problem, file=sys.stderr)
        return 2
    seed = fresh_seed() if options.seed is None else options.seed
    tools: dict[str, Tool] = {
        "regatta": functools.partial(regatta, seed=seed, per_contrast=options.per_contrast),
        "hyperfine": hyperfine,
        "google benchmark": google_benchmark,
        "one after the other": functools.partial(one_after_the_other, seed=seed),
    }
    rows = []
    for percentage in map(float, options.effects.split(",")):
        effect = math.log1p(percentage / 100)
        for name, tool in tools.items():
            print(f"{percentage:g} %: {name}", file=sys.stderr, flush=True)
            readings = tool(effect, options.contrasts)
            rows += [row(effect, rule, readings[rule]) for rule in readings]
    if options.json:
        print(
            json.dumps({"seed": seed, "rows": [dict(zip(HEADINGS, r, strict=True)) for r in rows]})
        )
    else:
        print(f"seed {seed}\n{table(rows, HEADINGS)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
