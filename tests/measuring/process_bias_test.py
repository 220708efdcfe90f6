"""T5: processes that differ in speed by chance are not taken for a difference of the code."""

from __future__ import annotations

from tools import bars
from tools.bars import Bar
from tools.planted import Outcome, planted

CONTRASTS = 20
SIGMA = "0.01"
MEASURE = {"per_contrast": "2s"}


def attempt(seed: int) -> tuple[list[Outcome], list[Bar]]:
    speeds = ["--speed-sigma", SIGMA]
    outcome = planted("A/A, speeds N(0, 1 %)", seed, [0.0] * CONTRASTS, MEASURE, speeds)
    return [outcome], [
        Bar(f"false differences: {outcome.false} of {CONTRASTS}, none", outcome.false == 0)
    ]


if __name__ == "__main__":
    bars.run("T5 process bias", attempt)
