"""The part of docs/background/performance.md on whole trainings, from the rounds that training_times.py recorded."""

from __future__ import annotations

import math
import statistics
from typing import Any

from bench.performance_page import table, time_text
from bench.search_page import MARGIN, student_mean
from tools import ROOT

JSON = dict[str, Any]
TIMES_RECORD = ROOT / "bench" / "records" / "training_times.json"
ALPHA = 0.05
MARGIN_OF_TIMES = math.log(1.02)  # margin of a sweep that names none
NETWORKS = {
    "mlp": "MLP: 64 inputs, 128 ReLU, 10 classes",
    "cnn": "CNN: 16 kernels of 3 x 3, maxima of 2 x 2, 64 ReLU, 10 classes",
}
FEWEST_SEEDS = 7

INTRODUCTION = """## Training to the end

Every arm trains on the digits for 30 epochs with batches of 32 and Adam, on one core. It reads the validation part after
every epoch and the test part once. In each round every arm trains once, in a fresh process and a drawn order.
`bench/training_times.py` writes this section.

- *Scripts* are the framework's own loop and loader as documented, with its own initial weights
  (`bench/training_scripts.py`). All other arms are Regatta's workers, with the native engine's batches and weights.
- Whole: the process from start to end. Training: epochs 2 to 30 with their evaluations, scaled to 30.
- Ratios are to the native engine by round (its own row has its time): median with the interval of
  [signs](measuring.md#r3-looking-at-any-time). Native is faster where no verdict stands. The margin is 2 %, or what "native again" differs by if that is more.
- Test accuracy: the difference to native in points, mean with Student's 95 % interval; "same" lies within 1 point.
"""


def sign_e_value(below: int, n: int) -> float:
    """As regatta/stats/confidence_sequence.hpp has it."""
    gammas = math.lgamma(below + 0.5) + math.lgamma(n - below + 0.5) - math.lgamma(n + 1)
    return math.exp(n * math.log(2) + gammas) / math.pi


def sign_rank(n: int) -> int:
    """The interval is from the value of this rank to that of this rank from above; 0: there is none."""
    outside = [k for k in range(n // 2 + 1) if sign_e_value(k, n) >= 1 / ALPHA]
    return max(outside, default=-1) + 1


def interval(values: list[float]) -> tuple[float, float]:
    """The interval over every number of rounds so far, intersected: infinite below 7."""
    low, high = -math.inf, math.inf
    for n in range(1, len(values) + 1):
        rank, ordered = sign_rank(n), sorted(values[:n])
        if rank:
            low, high = max(low, ordered[rank - 1]), min(high, ordered[-rank])
    return low, high


def verdict(low: float, high: float, delta: float) -> str:
    """The verdict on the native engine, by the interval of log(other / native)."""
    if low > high:
        return "drifting"
    if low >= delta:
        return "native faster"
    if high <= -delta:
        return "native slower"
    return "same" if -delta < low and high < delta else "undecided"


def log_ratios(others: list[float], natives: list[float]) -> list[float]:
    return [math.log(other / native) for other, native in zip(others, natives, strict=True)]


def ratio_text(logs: list[float], floor: float) -> str:
    """`floor`: what identical code is seen to differ by."""
    center = f"{math.exp(statistics.median(logs)):.3g}x"
    low, high = interval(logs)
    if not math.isfinite(low):
        return f"{center} (n = {len(logs)}, no interval)"
    word = verdict(low, high, max(MARGIN_OF_TIMES, floor))
    said = "" if word == "native faster" else f", {word}"
    return f"{center} [{math.exp(low):.3g}, {math.exp(high):.3g}]{said}"


def accuracy_text(others: list[float], natives: list[float]) -> str:
    differences = [other - native for other, native in zip(others, natives, strict=True)]
    if len(differences) < FEWEST_SEEDS:
        return f"{100 * statistics.fmean(differences):+.2f} (n = {len(differences)}, no interval)"
    center, low, high = student_mean(differences)
    if low == high == 0:
        return "equal in every round"
    word = "same" if low > -MARGIN and high < MARGIN else "not known yet"
    if low >= MARGIN or high <= -MARGIN:
        word = "different"
    return f"{100 * center:+.2f} [{100 * low:+.2f}, {100 * high:+.2f}], {word}"


def network_table(rounds: list[JSON]) -> str:
    def figures(arm: str, name: str) -> list[float]:
        return [each["arms"][arm][name] for each in rounds]

    lines = []
    for arm in sorted(rounds[0]["arms"], key=lambda arm: statistics.median(figures(arm, "whole"))):
        line = [arm]
        for clock in ("whole", "epochs"):
            time = time_text(statistics.median(figures(arm, clock)))
            if clock == "whole" or arm == "native":
                line.append(time)
            natives = figures("native", clock)
            floor = abs(statistics.median(log_ratios(figures("native again", clock), natives)))
            ratio = ratio_text(log_ratios(figures(arm, clock), natives), floor)
            if arm != "native":
                line.append(ratio)
            elif clock == "whole":
                line.append("–")
        test = figures(arm, "test")
        own = f"{100 * statistics.fmean(test):.1f} %"
        line.append(own if arm == "native" else accuracy_text(test, figures("native", "test")))
        lines.append(line)
    return table(["arm", "whole", "whole / native", "training / native", "test accuracy"], lines)


def training_text(record: JSON | None) -> str:
    """Nothing as long as nothing was measured."""
    if not record or not record["rounds"]:
        return ""
    parts = [INTRODUCTION]
    for network, rounds in record["rounds"].items():
        loads = [each["load"] for each in rounds]
        head = (
            f"{NETWORKS[network]}; {len(rounds)} rounds, load {min(loads):.2f} to {max(loads):.2f}"
        )
        parts += [f"{head}, {record['machine']}, {record['utc']}:\n", network_table(rounds)]
    parts.append(
        '"native again" is the native engine once more. Repeat it on an idle machine by '
        "`python3 -m bench.training_times --fresh`.\n"
    )
    return "\n".join(parts)
