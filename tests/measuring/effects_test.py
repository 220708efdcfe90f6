"""T3: effects planted by count are found, and those below the margin are not."""

from __future__ import annotations

import math

from tools import bars
from tools.bars import Bar
from tools.planted import Outcome, planted

CONTRASTS = 10
EFFECTS = (0.005, 0.02, 0.05, 0.30)
TOLERANCE = 0.005
# Estimates are held to 0.5 %, the worst of forty too: the intervals have to be sharper than that, of clear effects too.
MEASURE = {"per_contrast": "12s", "half_width": "0.3%", "relative_half_width": "1%"}


def found(effect: float, seed: int, contrasts: int = CONTRASTS) -> Outcome:
    return planted(f"{effect:.1%} longer", seed, [math.log1p(effect)] * contrasts, MEASURE)


def bar(effect: float, outcome: Outcome) -> Bar:
    n = len(outcome.contrasts)
    if effect < 0.01:  # below the margin
        right = outcome.count("same", "undecided")
        return Bar(f"{outcome.name}: {right} same or undecided, all {n}", right == n)
    right, least = sum(each.is_right for each in outcome.contrasts), n if effect >= 0.05 else 8
    return Bar(f"{outcome.name}: {right} of {n} right, at least {least}", right >= least)


def attempt(seed: int) -> tuple[list[Outcome], list[Bar]]:
    outcomes = [found(effect, seed + i) for i, effect in enumerate(EFFECTS)]
    bars_met = [bar(effect, each) for effect, each in zip(EFFECTS, outcomes, strict=True)]
    worst = max(outcome.largest_error for outcome in outcomes)
    bars_met.append(Bar(f"largest error {bars.percent(worst)}, at most 0.50 %", worst <= TOLERANCE))
    return outcomes, bars_met


if __name__ == "__main__":
    bars.run("T3 planted effects", attempt)
