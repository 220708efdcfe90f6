"""Same work, then same learning: do the frameworks' curves stay where the native engine's do (docs/training.md, "Engines")?

Trains the digits under ten seeds with every engine, from the same weights on the same batches. For each engine: the share of its
evaluations whose validation accuracy and loss lie within the range of the native engine's ten seeds at that evaluation (wanted:
95 %), and its test accuracy less the native one's by seed (wanted: within 1 point). The loader feeds Python's engines in one more
arm each, which has to give the same bits as without it.

usage: python3 -m bench.same_learning [--seeds 10] [--epochs 10] [--engines native torch jax tensorflow numpy]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from tools.exported_tables import rows
from tools.regatta_process import BINARY

METRICS = ("validation_accuracy", "validation_loss")
ROUNDING = 1e-4  # curves of one seed agree to rounding, and so may lie this far beyond the range
Arm = tuple[str, str, str]  # engine, loop, input
Table = list[dict[str, str]]


def sweep_of(engines: list[str], seeds: int, epochs: int) -> dict:
    model = {
        "name": "mlp",
        "input": [64],
        "layers": [{"dense": 64, "activation": "relu"}, {"dense": 10, "activation": "softmax"}],
        "loss": "sparse_categorical_crossentropy",
        "optimizer": {"adam": {"learning_rate": 0.003}},
    }
    return {
        "regatta": 1,
        "name": "same-learning",
        "task": "train",
        "axes": {
            "engine": engines,
            "model": model,
            "dataset": "digits",
            "loop": ["custom", "fit"],
            "input": ["array", "loader"],
        },
        "train": {"epochs": epochs, "evaluations": 10, "seeds": seeds, "repeat": False},
        "search": {"kind": "full", "at_most": 32},
        "objective": {"metric": "validation_accuracy", "margin": "1 point"},
    }


def arm_of(row: dict[str, str]) -> Arm:
    return row["engine"], row["loop"], row["input"]


def curves_of(table: Table) -> dict[Arm, dict[str, Table]]:
    """By arm and seed, in the order of evaluations."""
    curves: dict[Arm, dict[str, Table]] = defaultdict(lambda: defaultdict(list))
    for row in table:
        curves[arm_of(row)][row["seed"]].append(row)
    for of_arm in curves.values():
        for curve in of_arm.values():
            curve.sort(key=lambda row: int(row["step"]))
    return curves


def share_within(curves: dict[str, Table], native: dict[str, Table], metric: str) -> float:
    inside = total = 0
    for curve in curves.values():
        for at, row in enumerate(curve):
            values = [float(other[at][metric]) for other in native.values()]
            total += 1
            inside += min(values) - ROUNDING <= float(row[metric]) <= max(values) + ROUNDING
    return inside / total


def values_of(curves: dict[str, Table], seeds: set[str]) -> list[list[str]]:
    """As they are printed: with all digits."""
    return [[row[metric] for metric in METRICS] for seed in sorted(seeds) for row in curves[seed]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument(
        "--engines", nargs="+", default=["native", "torch", "jax", "tensorflow", "numpy"]
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "same-learning.json"
        file.write_text(json.dumps(sweep_of(options.engines, options.seeds, options.epochs)))
        command = [str(BINARY), "run", str(file), "--out", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        curves = curves_of(rows(folder / "same-learning.h5", "curves"))
        legs = rows(folder / "same-learning.h5", "legs")
    fresh = {(arm_of(leg), leg["seed"]): leg for leg in legs if leg["purpose"] == "test"}
    reference = next(arm for arm in curves if arm[0] == "native")
    for arm, of_arm in curves.items():
        shares = [share_within(of_arm, curves[reference], metric) for metric in METRICS]
        apart = [
            100 * (float(fresh[arm, seed]["test_accuracy"]) - float(leg["test_accuracy"]))
            for (other, seed), leg in fresh.items()
            if other == reference and (arm, seed) in fresh
        ]
        other = curves[(*arm[:2], "array")]
        seeds = of_arm.keys() & other.keys()  # some configurations stand twice in a search
        bits = values_of(of_arm, seeds) == values_of(other, seeds)
        print(
            f"{' '.join(word for word in arm if word):28}",
            *(f"{metric} within {share:.1%}" for metric, share in zip(METRICS, shares)),
            f"test accuracy {statistics.mean(apart):+.2f} points (at most {max(map(abs, apart)):.2f}, {len(apart)} seeds)"
            if apart
            else "no test",
            f"equal to array bit by bit: {bits}" if arm[2] == "loader" else "",
            sep="  ",
        )


if __name__ == "__main__":
    main()
