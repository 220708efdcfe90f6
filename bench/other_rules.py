"""How other tools decide that two programs differ, from the times of their runs alone.

Each rule follows what the tool documents, with its defaults. Regatta's own rules are not among them: they are asked as
shipped. `base` is the program that the other one is compared with; a verdict is about the other one.
"""

from __future__ import annotations

import functools
import math
import random
import statistics
from collections.abc import Sequence

from bench.search_page import student

Times = Sequence[float]

SIGNIFICANT = 0.05  # to compare.py of Google Benchmark and to criterion.rs
CRITERION_SAMPLES = 100
CRITERION_NOISE = 0.01  # its noise threshold: smaller changes are not reported
RESAMPLES = 1000  # criterion.rs takes 100,000, and warns below 1,000
NVBENCH_NOISE = 0.005  # relative standard deviation at which it stops
NVBENCH_SECONDS = 0.5  # least time measured
NVBENCH_MOST_SECONDS = 15.0  # its timeout
NVBENCH_SAMPLES = 10  # least number
NVBENCH_FIRST_NOISE = 5  # samples before there is a noise
NVBENCH_WINDOW = 512  # latest noises that must agree
NVBENCH_LEAST_WINDOW = 64
NVBENCH_LOOKS = 16  # they are looked at after every so many samples
NVBENCH_STABLE = 0.05  # relative standard deviation of noises that agree


def is_right(verdict: str, effect: float, margin: float) -> bool:
    """The other program is longer by `effect` (log). At the margin itself both words are right."""
    if math.isclose(effect, margin):
        return verdict in ("slower", "same")
    return verdict == ("slower" if effect > margin else "same")


def is_false(verdict: str, effect: float, margin: float) -> bool:
    """Below the margin, where there is a difference, "slower" is neither right nor false."""
    if verdict == "same":
        return effect > margin and not math.isclose(effect, margin)
    return verdict == "faster" or (verdict == "slower" and effect == 0)


def difference(ratio: float, is_shown: bool) -> str:
    return ("slower" if ratio > 1 else "faster") if is_shown else "undecided"


def relative_spread(times: Times) -> float:
    return statistics.stdev(times) / statistics.fmean(times)


def hyperfine(base: Times, other: Times) -> str:
    """It names a faster command each time, with a relative speed and its +-: a difference if 1 lies outside."""
    ratio = statistics.fmean(other) / statistics.fmean(base)
    spread = ratio * math.hypot(relative_spread(base), relative_spread(other))
    return difference(ratio, abs(ratio - 1) > spread)


def hyperfine_welch(base: Times, other: Times) -> str:
    """Its scripts/welch_ttest.py, about the times it exports: what is no difference is "almost the same"."""
    errors = [variance(times) / (len(times) - 1) for times in (base, other)]
    parts = [
        error**2 / (len(times) - 1) for error, times in zip(errors, (base, other), strict=True)
    ]
    degrees = sum(errors) ** 2 / sum(parts)
    if abs(t_value(other, base)) <= student(degrees):
        return "same"
    return difference(statistics.fmean(other) / statistics.fmean(base), True)


def google_benchmark(base: Times, other: Times) -> str:
    """The U test of its compare.py, which is about ranks: so is the direction."""
    ratio = statistics.median(other) / statistics.median(base)
    return difference(ratio, u_test(base, other) < SIGNIFICANT)


@functools.cache
def arrangements(n: int, m: int, u: int) -> int:
    """Orders of n and m values in which u pairs stand the other way round (Mann and Whitney, 1947)."""
    if u < 0 or n < 0 or m < 0:
        return 0
    if n == 0 or m == 0:
        return int(u == 0)
    return arrangements(n - 1, m, u - m) + arrangements(n, m - 1, u)


def u_test(a: Times, b: Times) -> float:
    """Exact two-sided p; ties, which times hardly have, count as in order."""
    u = sum(x > y for x in a for y in b)
    less = min(u, len(a) * len(b) - u)
    tail = sum(arrangements(len(a), len(b), k) for k in range(less + 1))
    return min(1.0, 2 * tail / math.comb(len(a) + len(b), len(a)))


def criterion(base: Times, other: Times, seed: int) -> str:
    """criterion.rs: a t test whose distribution is resampled from both programs' samples thrown together; where it is
    significant, the resampled interval of the relative change of the mean must lie beyond the noise threshold."""
    draw = random.Random(seed)
    found = t_value(other, base)
    pooled = [*base, *other]
    below = 0
    for _ in range(RESAMPLES):
        resample = draw.choices(pooled, k=len(pooled))
        below += t_value(resample[: len(other)], resample[len(other) :]) < found
    p = 2 * min(below, RESAMPLES - below) / RESAMPLES
    if p >= SIGNIFICANT:
        return "undecided"
    scale = len(base) / len(other)
    changes = sorted(
        scale * sum(draw.choices(other, k=len(other))) / sum(draw.choices(base, k=len(base))) - 1
        for _ in range(RESAMPLES)
    )
    low, high = changes[round(0.025 * RESAMPLES)], changes[round(0.975 * RESAMPLES) - 1]
    if high < -CRITERION_NOISE:
        return "faster"
    return "slower" if low > CRITERION_NOISE else "undecided"


def t_value(a: Times, b: Times) -> float:
    """Without a common variance."""
    error = math.sqrt(variance(a) / (len(a) - 1) + variance(b) / (len(b) - 1))
    return (sum(a) / len(a) - sum(b) / len(b)) / error


def variance(values: Times) -> float:
    """About the mean of all; far quicker than that of `statistics`, which counts in fractions."""
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / len(values)


def nvbench_samples(times: Times) -> int:
    """After how many samples nvbench stops (its criterion "stdrel"): when their relative standard deviation is small
    enough, or has not changed for a while."""
    noises: list[float] = []
    mean = squares = seconds = 0.0
    for count, value in enumerate(times, 1):
        seconds += value
        step = value - mean
        mean += step / count
        squares += step * (value - mean)
        if count >= NVBENCH_FIRST_NOISE:
            noises.append(math.sqrt(squares / (count - 1)) / mean)
        if seconds > NVBENCH_MOST_SECONDS:
            return count
        if count < NVBENCH_SAMPLES or seconds <= NVBENCH_SECONDS:
            continue
        if noises[-1] < NVBENCH_NOISE:
            return count
        window = noises[-NVBENCH_WINDOW:]
        looks = len(window) > NVBENCH_LEAST_WINDOW and count % NVBENCH_LOOKS == 0
        if looks and math.sqrt(variance(window)) < NVBENCH_STABLE * statistics.fmean(window):
            return count
    return len(times)


def nvbench(base: Times, other: Times) -> str:
    """nvbench_compare.py: the same up to the smaller of both relative standard deviations."""
    ratio = statistics.fmean(other) / statistics.fmean(base)
    noise = min(relative_spread(base), relative_spread(other))
    return "same" if abs(ratio - 1) <= noise else difference(ratio, True)
