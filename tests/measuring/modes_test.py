"""T8: spikes are counted and named; calls on a grid bound a verdict, they do not silence it."""

from __future__ import annotations

import math

from tools import bars
from tools.bars import Bar
from tools.planted import PLAIN, Contrast, Outcome, planted

CONTRASTS = 4
MEASURE = {"per_contrast": "2s"}
SPIKES = math.log(0.95 + 0.05 * 20)  # in the mean; the median stays
LATTICE = ["--lattice", "20us", "--call-jitter", "0.4"]  # hides most grid lines
DEPENDS = "depends on call length"


def spikes(seed: int) -> Outcome:
    options = ["--spikes", "0.05:20"]
    found = planted("spikes: 5 % at 20x", seed, [0.0] * CONTRASTS, MEASURE, [], options)
    return with_truth(found, SPIKES)


def with_truth(outcome: Outcome, truth: float) -> Outcome:
    """Spikes change the work by a known factor beside the multiplies."""
    fields = [{**each.__dict__, "truth": each.truth + truth} for each in outcome.contrasts]
    outcome.contrasts = [Contrast(**each) for each in fields]
    return outcome


def near_on_lattice(seed: int) -> Outcome:
    name, grid = "1.05x on a doubling grid", ["--lattice", "20us"]
    return planted(name, seed, [math.log(1.05)] * CONTRASTS, MEASURE, grid)


def far_apart_on_lattice(seed: int) -> Outcome:
    return planted("5x on a doubling grid", seed, [math.log(5)] * CONTRASTS, MEASURE, LATTICE)


def attempt(seed: int) -> tuple[list[Outcome], list[Bar]]:
    spiked, near = spikes(seed), near_on_lattice(seed + 1)
    slower = sum(each.verdict == "slower" and each.says("spikes") for each in spiked.contrasts)
    far = far_apart_on_lattice(seed + 2)
    quiet = sum(each.verdict not in PLAIN for each in near.contrasts)
    apart = sum(each.verdict == "slower" for each in far.contrasts)
    named = sum(each.says(DEPENDS) for each in [*near.contrasts, *far.contrasts])
    return [spiked, near, far], [
        Bar(f"spikes: {slower} of {CONTRASTS} 'slower ... spikes', all", slower == CONTRASTS),
        Bar(f"grid, 1.05x: {quiet} of {CONTRASTS} without a verdict, all", quiet == CONTRASTS),
        Bar(f"grid, 5x: {apart} of {CONTRASTS} 'slower', all", apart == CONTRASTS),
        Bar(f"grid: {named} '{DEPENDS}', at least {CONTRASTS}", named >= CONTRASTS),
    ]


if __name__ == "__main__":
    bars.run("T8 spikes, lattice", attempt)
