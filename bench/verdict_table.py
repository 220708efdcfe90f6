"""What Regatta, hyperfine and Google Benchmark say about the same pairs, in the same minutes.

    python3 -m bench.verdict_table [--contrasts 10] [--per-contrast 5s] [--effects 0,0.5,1,2,5,30] [--seed N] [--json]

Each pair is two programs of dependent multiplies whose numbers differ by the planted effect (0: identical code), so
the truth is known by count. For each effect the three tools are run one after the other, on the same core:

- Regatta: `contrasts` comparisons of two planted workers in one sweep, margin 1 %; its verdicts. Its seconds include
  the clones that tell the floor.
- hyperfine (Debian package `hyperfine`): whole processes of about 0.1 s, no shell, its own default number of runs. It
  names a faster command each time, with a relative speed and its +-; counted as a difference if 1 lies outside.
- Google Benchmark: random interleaving, 12 repetitions of 0.1 s (the call for the least noise in its manual); counted
  as a difference if the U test of its own compare.py does, p < 0.05.

Neither of the two has a word for "same": what is no difference to them stands under "undecided". A verdict is right if
it names the longer program, or, below the margin, if it says "same"; it is false if it names the wrong one, or any
where the code is identical. Blocks are the balanced squares (Regatta), runs (hyperfine) or repetitions (Google
Benchmark) of each program that the answer took, median.
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

from tools.bars import fresh_seed, percent, table
from tools.planted import MULTIPLIES, PLANTED, multiplies, planted
from tools.regatta_process import BINARY

BENCH_PLANTED = BINARY.parent / "bench_planted"
MARGIN = math.log1p(0.01)
PROCESS_STEPS = 3000  # about 0.1 s
REPETITIONS = 12
SIGNIFICANT = 0.05
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


Tool = Callable[[float, int], list[Reading]]


def pinned(command: list[str]) -> list[str]:
    """On the core that an agent on this machine gives its workers."""
    return ["taskset", "-c", str(max(os.sched_getaffinity(0))), *command]


def regatta(effect: float, contrasts: int, seed: int, per_contrast: str) -> list[Reading]:
    measure = {"per_contrast": per_contrast}
    outcome = planted("pairs", seed, [effect] * contrasts, measure)
    each_seconds = outcome.seconds / contrasts
    return [
        Reading(each.verdict, each.estimate, each.blocks, each_seconds)
        for each in outcome.contrasts
    ]


def hyperfine(effect: float, contrasts: int) -> list[Reading]:
    return [hyperfine_once(effect) for _ in range(contrasts)]


def hyperfine_once(effect: float) -> Reading:
    start = time.monotonic()
    programs = [
        f"{PLANTED} --multiplies {count} --standalone {PROCESS_STEPS}"
        for count in (MULTIPLIES, multiplies(effect))
    ]
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        options = ["--shell=none", "--warmup", "1", "--export-json", file.name, "--style", "none"]
        subprocess.run(pinned(["hyperfine", *options, *programs]), check=True, capture_output=True)
        base, longer = json.loads(Path(file.name).read_text())["results"]
    ratio = longer["mean"] / base["mean"]
    spread = ratio * math.hypot(*(run["stddev"] / run["mean"] for run in (base, longer)))
    seconds = time.monotonic() - start
    verdict = difference(ratio, abs(ratio - 1) > spread)
    return Reading(verdict, math.log(ratio), len(base["times"]), seconds)


def difference(ratio: float, is_shown: bool) -> str:
    return ("slower" if ratio > 1 else "faster") if is_shown else "undecided"


def google_benchmark(effect: float, contrasts: int) -> list[Reading]:
    return [google_benchmark_once(effect) for _ in range(contrasts)]


def google_benchmark_once(effect: float) -> Reading:
    start = time.monotonic()
    command = [
        str(BENCH_PLANTED),
        str(MULTIPLIES),
        str(multiplies(effect)),
        "--benchmark_enable_random_interleaving=true",
        f"--benchmark_repetitions={REPETITIONS}",
        "--benchmark_min_time=0.1",
        "--benchmark_format=json",
    ]
    done = subprocess.run(pinned(command), check=True, capture_output=True)
    times: dict[str, list[float]] = {"a": [], "b": []}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            times[run["name"].partition("/")[0]].append(run["real_time"])
    ratio = statistics.mean(times["b"]) / statistics.mean(times["a"])
    p = u_test(times["a"], times["b"])
    seconds = time.monotonic() - start
    return Reading(difference(ratio, p < SIGNIFICANT), math.log(ratio), REPETITIONS, seconds)


@functools.cache
def arrangements(n: int, m: int, u: int) -> int:
    """Orders of n and m values in which u pairs stand the other way round (Mann and Whitney, 1947)."""
    if u < 0 or n < 0 or m < 0:
        return 0
    if n == 0 or m == 0:
        return int(u == 0)
    return arrangements(n - 1, m, u - m) + arrangements(n, m - 1, u)


def u_test(a: list[float], b: list[float]) -> float:
    """Exact two-sided p; ties, which times hardly have, count as in order."""
    u = sum(x > y for x in a for y in b)
    less = min(u, len(a) * len(b) - u)
    tail = sum(arrangements(len(a), len(b), k) for k in range(less + 1))
    return min(1.0, 2 * tail / math.comb(len(a) + len(b), len(a)))


def row(effect: float, tool: str, readings: list[Reading]) -> list[str]:
    errors = [abs(reading.estimate - effect) for reading in readings]
    verdicts = [reading.verdict.rstrip("?") for reading in readings]
    right = "slower" if effect > MARGIN else "same"
    false = [v == "faster" or v == "slower" and effect == 0 for v in verdicts]
    return [
        f"{math.expm1(effect):.1%}" if effect else "A/A",
        tool,
        str(len(readings)),
        *[str(verdicts.count(word)) for word in ("slower", "same", "undecided", "faster")],
        # At the margin itself both words are right.
        str(verdicts.count(right) + (verdicts.count("slower") if effect == MARGIN else 0)),
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
    }
    rows = []
    for percentage in map(float, options.effects.split(",")):
        effect = math.log1p(percentage / 100)
        for name, tool in tools.items():
            print(f"{percentage:g} %: {name}", file=sys.stderr, flush=True)
            rows.append(row(effect, name, tool(effect, options.contrasts)))
    if options.json:
        print(
            json.dumps({"seed": seed, "rows": [dict(zip(HEADINGS, r, strict=True)) for r in rows]})
        )
    else:
        print(f"seed {seed}\n{table(rows, HEADINGS)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
