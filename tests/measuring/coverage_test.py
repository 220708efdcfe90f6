"""T4: of many short contrasts the intervals hold the truth as often as they promise."""

from __future__ import annotations

import random

import bars
from bars import Bar
from planted import Outcome, planted

CONTRASTS = 200
HELD = 181  # fewer are seen in less than 0.5 % of runs if 95 % of intervals hold the truth
LARGEST = 0.03
# Short slices, about 5 ms, so that a second holds the 7 squares of an interval even where a clone takes part.
MEASURE = {"steps": 160, "half_width": "3%", "per_contrast": "1s"}


def short_contrasts(seed: int, contrasts: int = CONTRASTS) -> Outcome:
    draw = random.Random(seed)
    effects = [draw.uniform(-LARGEST, LARGEST) for _ in range(contrasts)]
    return planted("within 3 %", seed, effects, MEASURE)


def attempt(seed: int) -> tuple[list[Outcome], list[Bar]]:
    outcome = short_contrasts(seed)
    held = sum(each.holds for each in outcome.contrasts)
    # An interval that holds everything holds the truth, too; that would be no measuring.
    bounded = sum(each.high < float("inf") for each in outcome.contrasts)
    return [outcome], [
        Bar(f"{held} of {CONTRASTS} intervals hold the truth, at least {HELD}", held >= HELD),
        Bar(f"{bounded} of {CONTRASTS} intervals have ends, all", bounded == CONTRASTS),
    ]


if __name__ == "__main__":
    bars.run("T4 live coverage", attempt)
