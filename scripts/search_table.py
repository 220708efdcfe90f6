"""Makes the table on which tests/search replays searches, from a sweep that trained every configuration to its end.

The sweep is sweeps/train-digits.json with 50 seeds, `"kind": "full"`, every configuration among the finalists, and a
margin that leaves nobody out: `python3 -m scripts.search_table --keep FOLDER > tests/search/digits_table.txt`.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from tools import ROOT

REGATTA = ROOT / "build" / "bin" / "regatta"
RUNGS = 3
FACTOR = 3
SEEDS = 50
METRIC = "validation_accuracy"


def sweep() -> dict:
    """The example's configurations, all of them under all seeds."""
    written = json.loads((ROOT / "sweeps" / "train-digits.json").read_text())
    written["name"] = "digits-table"
    written["train"]["seeds"] = SEEDS
    written["search"] = {"kind": "full", "at_most": written["samples"]}
    written["objective"]["margin"] = 10
    return written


def table_of(folder: Path, name: str) -> list[dict[str, str]]:
    command = [str(REGATTA), "query", str(folder / "digits-table.h5"), "--format", "csv"]
    text = subprocess.run([*command, "--table", name], check=True, capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(text.stdout)))


def rung_scores(curve: list[dict[str, str]], evaluations: int) -> list[str]:
    """The best score so far at the end of each rung; a dash once the run has diverged."""
    scores = []
    for rung in range(RUNGS):
        end = math.ceil(FACTOR ** (rung + 1 - RUNGS) * evaluations - 1e-9)
        seen = [float(row[METRIC]) for row in curve[:end] if row[METRIC]]
        scores.append(f"{max(seen):.4f}" if len(curve) >= end and seen else "-")
    return scores


def lines(folder: Path, evaluations: int) -> list[str]:
    curves: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in table_of(folder, "curves"):
        if row["purpose"] == "fresh":
            curves[row["trial_hash"], row["seed"]].append(row)
    tests = {
        (row["trial_hash"], row["seed"]): f"{float(row['test_accuracy']):.4f}"
        for row in table_of(folder, "legs")
        if row["purpose"] == "test"
    }
    trials = list(dict.fromkeys(trial for trial, _ in curves))
    seeds = sorted({seed for _, seed in curves})
    text = [f"{len(trials)} {len(seeds)} {RUNGS}"]
    for i, trial in enumerate(trials):
        for j, seed in enumerate(seeds):
            scores = rung_scores(curves[trial, seed], evaluations)
            text.append(" ".join([str(i), str(j), *scores, tests.get((trial, seed), "-")]))
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, required=True, help="folder of the sweep's results")
    keep = parser.parse_args().keep
    keep.mkdir(parents=True, exist_ok=True)
    written = sweep()
    file = keep / "digits-table.json"
    file.write_text(json.dumps(written, indent=1))
    subprocess.run(
        [str(REGATTA), "run", str(file), "--out", str(keep)], check=True, stdout=sys.stderr
    )
    print("\n".join(lines(keep, written["train"]["evaluations"])))


if __name__ == "__main__":
    main()
