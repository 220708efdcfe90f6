"""Sweeps whose true answers are known, run by the real `regatta`, and what it says about them."""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tools.regatta_process import BINARY, Scratch

PLANTED = str(BINARY.parent / "planted-worker")
MULTIPLIES = 40_000  # in the baseline's step: about 30 us, longer than the shortest stamp
PLAIN = ("faster", "slower", "same")  # verdicts that say something
JSON = dict[str, object]


def multiplies(effect: float, base: int = MULTIPLIES) -> int:
    """How many a step has that lasts exp(effect) as long."""
    return round(base * math.exp(effect))


def counts(values: list[int]) -> list[str]:
    """The option that gives repetition i the multiplies values[i]."""
    return ["--multiplies", ",".join(map(str, values))]


def planted_sweep(
    seed: int,
    contrasts: int,
    base: list[str],
    planted: list[str],
    measure: JSON,
    **changes: object,
) -> JSON:
    """`contrasts` independent comparisons of two planted workers, told apart by `repeat`.

    The seed stands in the trials, so that another one shuffles the order of slices, too.
    """
    programs = {"base": base, "planted": planted}
    sweep = {
        "regatta": 1,
        "name": "planted",
        "axes": {
            "engine": ["native@base", "native@planted"],
            "model": "mlp-10",
            "batch": 1,
            "seed": [seed],
        },
        "repeats": contrasts,
        "environments": {
            name: {"engine": "native", "program": [PLANTED, "--seed", str(seed), *options]}
            for name, options in programs.items()
        },
        "compare": {
            "over": ["engine"],
            "baseline": {"engine": "native@base"},
            "replicates": [],  # each is one contrast
        },
        "measure": measure,
    }
    return {**sweep, **changes}


@dataclass(frozen=True)
class Contrast:
    """One entry of `regatta report --json`, beside the truth."""

    truth: float  # log(time a / time b) by count
    estimate: float  # the same as measured
    low: float
    high: float
    verdict: str
    flags: tuple[str, ...]
    blocks: int
    processes: int
    resolution: float  # infinite without an interval
    why_stopped: str
    text: str
    repeat: int

    @property
    def error(self) -> float:
        return abs(self.estimate - self.truth)

    @property
    def holds(self) -> bool:
        """The interval holds the truth."""
        return self.low <= self.truth <= self.high

    @property
    def is_false(self) -> bool:
        """The verdict names a winner, and the wrong one."""
        return (self.verdict == "faster" and self.truth >= 0) or (
            self.verdict == "slower" and self.truth <= 0
        )

    @property
    def is_right(self) -> bool:
        return self.verdict == ("faster" if self.truth < 0 else "slower")

    def says(self, words: str) -> bool:
        return any(words in part for part in (*self.flags, self.text))


@dataclass
class Outcome:
    """The contrasts of one run, and its time."""

    name: str
    contrasts: list[Contrast]
    seconds: float
    report: dict = field(default_factory=dict)

    def count(self, *verdicts: str) -> int:
        return sum(each.verdict in verdicts for each in self.contrasts)

    @property
    def false(self) -> int:
        return sum(each.is_false for each in self.contrasts)

    @property
    def largest_error(self) -> float:
        return max(each.error for each in self.contrasts)

    @property
    def median_blocks(self) -> float:
        return statistics.median(each.blocks for each in self.contrasts)


class MeasuringError(Exception):
    """The run gave nothing that could be judged."""


def _log(value: object, otherwise: float) -> float:
    return math.log(value) if isinstance(value, int | float) and value > 0 else otherwise


def _contrast(found: dict, truth: Callable[[dict], float]) -> Contrast:
    return Contrast(
        truth=truth(found["a"]),
        estimate=_log(found["ratio"], math.nan),
        low=_log(found["low"], -math.inf),
        high=_log(found["high"], math.inf),
        verdict=found["verdict"] or "none",
        flags=tuple(found["flags"]),
        blocks=found["blocks"] or 0,
        processes=found["processes"] or 0,
        resolution=found["resolution"] or math.inf,
        why_stopped=found["why_stopped"] or "",
        text=found["text"],
        repeat=found["a"]["repeat"] or 0,
    )


def measured(
    name: str,
    sweep: JSON,
    truth: Callable[[dict], float],
    expected: int | None,
    beside: Callable[[Scratch], None] | None = None,
    timeout: float = 600,
) -> Outcome:
    """Runs the sweep; `truth` tells the log ratio of arm a, `beside` is called with the running sweep."""
    scratch = Scratch(sweep)
    try:
        start = time.monotonic()
        process = scratch.start("--ranks", "1")
        if beside:
            beside(scratch)
        code = process.wait(timeout)
        seconds = time.monotonic() - start
        if code != 0:
            raise MeasuringError(f"{name}: regatta exited with {code}:\n{scratch.output()}")
        report = scratch.report()
    finally:
        scratch.remove()
    found = [_contrast(each, truth) for each in report["contrasts"]]
    if expected is not None and len(found) != expected:
        raise MeasuringError(f"{name}: {len(found)} contrasts, expected {expected}")
    return Outcome(name, sorted(found, key=lambda each: each.repeat), seconds, report)


def planted(
    name: str,
    seed: int,
    effects: list[float],
    measure: JSON,
    options: list[str] | None = None,
    planted_options: list[str] | None = None,
    base: int = MULTIPLIES,
    beside: Callable[[Scratch], None] | None = None,
    **changes: object,
) -> Outcome:
    """One contrast for each effect (log of the factor by which the planted arm is longer).

    `options` go to both workers, `planted_options` to the planted one alone.
    """
    both = options or []
    long = [multiplies(effect, base) for effect in effects]
    sweep = planted_sweep(
        seed,
        len(effects),
        [*counts([base]), *both],
        [*counts(long), *both, *(planted_options or [])],
        measure,
        **changes,
    )

    def truth(arm: dict) -> float:
        return math.log(long[arm["repeat"] or 0] / base)

    return measured(name, sweep, truth, len(effects), beside)


def temporary_file(name: str) -> Path:
    return Path(tempfile.mkdtemp(prefix="regatta-test-")) / name
