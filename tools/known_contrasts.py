"""Contrasts whose truth is known: identical code, and many small effects."""

from __future__ import annotations

import random

from tools.planted import JSON, Outcome, measured, planted

SEEDS = 20  # contrasts of each engine
LARGEST = 0.03
# Short slices, about 5 ms, so that a second holds the 7 squares of an interval even where a clone takes part.
MEASURE = {"steps": 160, "half_width": "3%", "per_contrast": "1s"}
CONTRASTS = 200


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
        "compare": {"over": ["repeat"], "baseline": {"repeat": 0}, "replicates": []},
        # Processes of the smallest steps scatter by some 3 %, so that 1 % would take minutes each. A contrast ends as
        # soon as it is decided; beside a compile it takes long.
        "measure": {"per_contrast": "45s", "margin": "2%"},
    }


def aa(engine: str, seed: int, contrasts: int = SEEDS) -> Outcome:
    return measured(
        f"A/A {engine}", aa_sweep(seed, engine, contrasts), lambda _: 0.0, contrasts, timeout=2400
    )


def short_contrasts(seed: int, contrasts: int = CONTRASTS) -> Outcome:
    draw = random.Random(seed)
    effects = [draw.uniform(-LARGEST, LARGEST) for _ in range(contrasts)]
    return planted("within 3 %", seed, effects, MEASURE)
