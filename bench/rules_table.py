"""Verdicts of Regatta's rules and of four other tools' on the same draws of noise, without a machine.

    python3 -m bench.rules_table [--contrasts 100] [--effects 0,0.5,1,2,5,30] [--noises A,B] [--seed N] [--json]

For each noise and each planted effect as many comparisons are drawn: what each program would take in slice 0, 1, 2, ...
of a machine's time. Every rule gets the slices of the same machine, in the order in which its tool runs programs:

- Regatta: its balanced squares and its own judge, fresh processes for each square;
- hyperfine: 30 runs of one program, then 30 of the other, each in a process of its own;
- Google Benchmark: 12 repetitions of each at random in one process for each program, U test;
- criterion: 100 samples of one program, then 100 of the other;
- nvbench: one program until its samples scatter as little as it wants, or evenly, then the other.

A slice is one run, repetition or sample of each tool and takes 12 ms. A verdict is right if it names the longer
program, or, below the margin, if it says "same"; it is false if it names the wrong one, or any where both are alike, or
says "same" where they differ by more than the margin. Cells are per cent right / per cent false; n is the median
number of slices of one program where the rule chooses it.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from bench import other_rules
from tools.bars import fresh_seed, table
from tools.regatta_process import BINARY

KNOWN_DRAWS = BINARY.parent / "bench_known_draws"
NOISES = ("iid", "process N(0, 0.5 %)", "AR(1) 0.9", "5 % of slices 2x", "step at half", "recorded")
MARGIN = math.log1p(0.01)
SLICE_SECONDS = 0.012
SLICES = 2 * round(other_rules.NVBENCH_MOST_SECONDS / SLICE_SECONDS)
RUNS = 30  # hyperfine goes on for 3 s, and a run takes 0.1 s
REPETITIONS = 12


@dataclass(frozen=True)
class Said:
    verdict: str
    slices: int  # slices that one program took


@dataclass(frozen=True)
class Draws:
    """One comparison; a is the program that is longer by the planted effect."""

    number: int
    regatta: Said
    a: list[float]
    b: list[float]
    fresh_a: list[float]
    fresh_b: list[float]


def regatta(draws: Draws) -> Said:
    return draws.regatta


def hyperfine(draws: Draws) -> Said:
    base, other = draws.fresh_b[:RUNS], draws.fresh_a[RUNS : 2 * RUNS]
    return Said(other_rules.hyperfine(base, other), RUNS)


def google_benchmark(draws: Draws) -> Said:
    order = ["a", "b"] * REPETITIONS
    random.Random(draws.number).shuffle(order)
    a = [draws.a[i] for i, arm in enumerate(order) if arm == "a"]
    b = [draws.b[i] for i, arm in enumerate(order) if arm == "b"]
    return Said(other_rules.google_benchmark(b, a), REPETITIONS)


def criterion(draws: Draws) -> Said:
    n = other_rules.CRITERION_SAMPLES
    return Said(other_rules.criterion(draws.b[:n], draws.a[n : 2 * n], draws.number), n)


def nvbench(draws: Draws) -> Said:
    unit = SLICE_SECONDS / statistics.median(draws.b)  # recorded noise is in microseconds
    first = other_rules.nvbench_samples([unit * time for time in draws.b])
    rest = draws.a[first:]
    second = other_rules.nvbench_samples([unit * time for time in rest])
    return Said(other_rules.nvbench(draws.b[:first], rest[:second]), (first + second) // 2)


RULES: dict[str, Callable[[Draws], Said]] = {
    "regatta": regatta,
    "hyperfine": hyperfine,
    "google": google_benchmark,
    "criterion": criterion,
    "nvbench": nvbench,
}
CHOOSES = ("regatta", "nvbench")  # when to stop


def drawn(noise: str, effect: float, contrasts: int, seed: int) -> list[Draws]:
    command = [str(KNOWN_DRAWS), noise, repr(effect), str(contrasts), str(SLICES), str(seed)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = []
    for number, line in enumerate(lines):
        each = json.loads(line)
        said = Said(each.pop("verdict"), 2 * each.pop("squares"))
        found.append(Draws(number=number, regatta=said, **each))
    return found


def cells(tool: str, said: list[Said], effect: float) -> list[str]:
    right = sum(other_rules.is_right(each.verdict, effect, MARGIN) for each in said)
    false = sum(other_rules.is_false(each.verdict, effect, MARGIN) for each in said)
    median = statistics.median(each.slices for each in said)
    share = f"{100 * right / len(said):.0f} / {100 * false / len(said):.0f}"
    return [share, f"{median:.0f}"] if tool in CHOOSES else [share]


def headings() -> tuple[str, ...]:
    return (
        "noise",
        "effect",
        *(word for tool in RULES for word in ((tool, "n") if tool in CHOOSES else (tool,))),
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--contrasts", type=int, default=100)
    parser.add_argument("--effects", default="0,0.5,1,2,5,30", help="per cent")
    parser.add_argument("--noises", default=";".join(NOISES), help="separated by ;")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not KNOWN_DRAWS.exists():
        print(
            f"{KNOWN_DRAWS} does not exist; build with REGATTA_BUILD_TESTS and REGATTA_BUILD_BENCH on",
            file=sys.stderr,
        )
        return 2
    seed = fresh_seed() if options.seed is None else options.seed
    rows = []
    for noise in options.noises.split(";"):
        for percentage in map(float, options.effects.split(",")):
            effect = math.log1p(percentage / 100)
            all_draws = drawn(noise, effect, options.contrasts, seed)
            row = [noise, f"{percentage:g} %" if effect else "A/A"]
            for tool, rule in RULES.items():
                row += cells(tool, [rule(draws) for draws in all_draws], effect)
            rows.append(row)
            print(f"{noise}, {percentage:g} %", file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps({"seed": seed, "headings": headings(), "rows": rows}))
    else:
        print(f"seed {seed}, {options.contrasts} each\n{table(rows, headings())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
