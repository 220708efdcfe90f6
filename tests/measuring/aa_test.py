"""T2: identical code in processes of its own, native and NumPy, is reported as the same."""

from __future__ import annotations

import bars
from bars import Bar
from planted import JSON, Outcome, measured

SEEDS = 20  # contrasts of each engine


def aa_sweep(seed: int, engine: str, contrasts: int = SEEDS) -> JSON:
    return {
        "regatta": 1,
        "name": f"aa-{engine}",
        "axes": {
            "engine": [engine],
            "model": "mlp-10",
            "batch": 32,
            "seed": [seed + i for i in range(contrasts)],
        },
        "repeats": 2,
        "compare": {"over": ["repeat"], "baseline": {"repeat": 0}},
        # A decided contrast ends sooner; beside a compile it takes long.
        "measure": {"per_contrast": "45s"},
    }


def aa(engine: str, seed: int, contrasts: int = SEEDS) -> Outcome:
    return measured(
        f"A/A {engine}", aa_sweep(seed, engine, contrasts), lambda _: 0.0, contrasts, timeout=2400
    )


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
