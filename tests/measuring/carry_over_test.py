"""T7: what one arm leaves to the next, order, and work done ahead do not enter the ratio, or are named."""

from __future__ import annotations

import math

from tools import bars
from tools.bars import Bar
from tools.planted import MULTIPLIES, Outcome, planted, temporary_file

CONTRASTS = 4
EFFECT = math.log(1.05)
TOLERANCE = 0.005
MEASURE = {"per_contrast": "8s", "half_width": "0.5%"}
LONG_STEP = 80 * MULTIPLIES  # about 2 ms: a re-entry of 10 ms holds fewer of them than are free
NAMES = ("carry-over", "position", "order", "reentry", "re-entry")


def slow_after_resume(seed: int) -> Outcome:
    slow = ["--slow-after-resume", "5ms"]
    return planted("slow for 5 ms after a resume", seed, [EFFECT] * CONTRASTS, MEASURE, [], slow)


def slow_when_first(seed: int) -> Outcome:
    mark = temporary_file("first")
    slow = ["--slow-first", f"1.05:{mark}"]
    try:
        return planted("slow when first in a block", seed, [EFFECT] * CONTRASTS, MEASURE, slow)
    finally:
        mark.unlink(missing_ok=True)
        mark.parent.rmdir()


def free_steps(seed: int, name: str, base: int) -> Outcome:
    free = ["--free-steps", "8"]
    return planted(name, seed, [EFFECT] * CONTRASTS, MEASURE, [], free, base)


def bar(outcome: Outcome) -> Bar:
    """Each contrast is near the truth, or says by name what is wrong with it."""
    near = sum(each.error <= TOLERANCE for each in outcome.contrasts)
    named = sum(
        each.error > TOLERANCE and any(name in flag for name in NAMES for flag in each.flags)
        for each in outcome.contrasts
    )
    text = f"{outcome.name}: {near} within 0.5 % and {named} others flagged by name"
    return Bar(f"{text}, of {CONTRASTS}", near + named == CONTRASTS)


def attempt(seed: int) -> tuple[list[Outcome], list[Bar]]:
    outcomes = [
        slow_after_resume(seed),
        slow_when_first(seed + 1),
        free_steps(seed + 2, "8 free steps of 30 us", MULTIPLIES),
        free_steps(seed + 3, "8 free steps of 2 ms", LONG_STEP),
    ]
    return outcomes, [bar(outcome) for outcome in outcomes]


if __name__ == "__main__":
    bars.run("T7 carry-over, order, prefetch", attempt)
