"""Trials of two ranks whose steps exchange eight buckets."""

from __future__ import annotations

LAYERS = 8
BUCKETS = LAYERS  # a layer's kernel, and the bias of the one before it
TIMEOUT_SECONDS = 4.0  # limits.trial_timeout
MODEL = {
    "name": "deep",
    "input": [256],
    "layers": [
        *[{"dense": 256, "activation": "relu"}] * (LAYERS - 1),
        {"dense": 256, "activation": "softmax"},
    ],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"sgd": {"learning_rate": 0.001}},
}


def sweep(trials: int, attempts: int = 1) -> dict:
    return {
        "regatta": 1,
        "name": "faults",
        "axes": {
            "model": [MODEL],
            "batch": [256],
            "shards": [2],
            "ranks": [2],
            # One layer's kernel, and a bias; all of them: what a trial reads is there when it begins.
            "bucket_bytes": [300_000 + 4 * trial for trial in range(trials)],
        },
        "measure": {"slices": 60, "steps": 40},
        "limits": {"attempts": attempts, "trial_timeout": f"{TIMEOUT_SECONDS:g}s"},
    }
