"""T4: of many short contrasts the intervals hold the truth as often as they promise."""

from __future__ import annotations

from tools import bars
from tools.bars import Bar
from tools.known_contrasts import CONTRASTS, short_contrasts
from tools.planted import Outcome

HELD = 181  # fewer are seen in less than 0.5 % of runs if 95 % of intervals hold the truth


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
