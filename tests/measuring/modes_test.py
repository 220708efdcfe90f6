"""T8: spikes are counted and named; call times on a grid give no step-time verdict."""

from __future__ import annotations

import math

from tools import bars
from tools.bars import Bar
from tools.planted import PLAIN, Contrast, Outcome, planted

CONTRASTS = 4
MEASURE = {"per_contrast": "2s"}
SPIKES = math.log(0.95 + 0.05 * 20)  # in the mean; the median stays
LATTICE = ["--lattice", "20us", "--call-jitter", "0.4"]
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


def lattice(seed: int) -> Outcome:
    return planted("calls on a doubling grid", seed, [math.log(1.65)] * CONTRASTS, MEASURE, LATTICE)


def attempt(seed: int) -> tuple[list[Outcome], list[Bar]]:
    spiked, gridded = spikes(seed), lattice(seed + 1)
    slower = sum(each.verdict == "slower" and each.says("spikes") for each in spiked.contrasts)
    named = sum(
        each.verdict.rstrip("?") not in PLAIN and each.says(DEPENDS) for each in gridded.contrasts
    )
    return [spiked, gridded], [
        Bar(f"spikes: {slower} of {CONTRASTS} 'slower ... spikes', all", slower == CONTRASTS),
        Bar(f"grid: {named} of {CONTRASTS} '{DEPENDS}', all", named == CONTRASTS),
    ]


if __name__ == "__main__":
    bars.run("T8 spikes, lattice", attempt)
