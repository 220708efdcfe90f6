"""T2: identical code in processes of its own, native and NumPy, is reported as the same within 2 %."""

from __future__ import annotations

from tools import bars
from tools.bars import Bar
from tools.known_contrasts import SEEDS, aa
from tools.planted import Outcome


def attempt(seed: int) -> tuple[list[Outcome], list[Bar]]:
    outcomes = [aa("native", seed), aa("numpy", seed)]
    not_same = sum(len(outcome.contrasts) - outcome.count("same") for outcome in outcomes)
    false = sum(outcome.false for outcome in outcomes)
    return outcomes, [
        Bar(f"not 'same': {not_same} of {2 * SEEDS}, at most 4", not_same <= 4),
        Bar(f"false differences: {false}, at most 1", false <= 1),
    ]


if __name__ == "__main__":
    bars.run("T2 live A/A", attempt)
