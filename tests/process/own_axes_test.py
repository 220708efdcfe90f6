"""Axes that a sweep makes itself, through the real launcher: a program reads them, and a model takes their values."""

from __future__ import annotations

import json
import subprocess
import unittest

from tools.exported_tables import rows
from tools.regatta_process import BINARY, Scratch

PROGRAM = """#!/bin/sh
echo "$1 $2 $REGATTA_FAST $REGATTA_PARAMETERS" >> "$(dirname "$0")/seen.txt"
"""

COMMANDS = {
    "regatta": 1,
    "name": "heat",
    "axes": {
        "engine": "command",
        "command": "solve",
        "n": [64, 128],
        "alg": ["explicit", "implicit"],
        "fast": [True, False],
    },
    "commands": {"solve": {"argv": ["./solve.sh", "--n={n}", "{alg}"], "reads": ["fast"]}},
    "measure": {"slices": 1, "steps": 1, "again": False},
}

TRAINING = {
    "regatta": 1,
    "name": "widths",
    "task": "train",
    "axes": {
        "model": {
            "name": "m",
            "input": [64],
            "layers": [{"dense": 8, "activation": "relu"}, {"dense": 10, "activation": "softmax"}],
            "loss": "sparse_categorical_crossentropy",
            "optimizer": {"adam": {"learning_rate": 0.01}},
        },
        "dataset": "digits",
        "layers.0.dense": [1, 32],
        "optimizer.beta1": [0.9],
    },
    "train": {"epochs": 2, "seeds": 7, "repeat": False},
}


class OwnAxes(unittest.TestCase):
    def scratch(self, sweep: dict) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        program = scratch.folder / "solve.sh"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        return scratch

    def run_sweep(self, scratch: Scratch, *options: str, code: int = 0) -> None:
        self.assertEqual(scratch.run("--ranks", "1", *options), code, scratch.output())

    def asked(self, scratch: Scratch, *words: str) -> str:
        command = [str(BINARY), *words[:1], str(scratch.results), *words[1:]]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout

    def seen(self, scratch: Scratch) -> set[tuple[str, ...]]:
        lines = (scratch.folder / "seen.txt").read_text().splitlines()
        return {tuple(line.split()) for line in lines}

    def test_a_program_gets_the_values_of_its_trial(self) -> None:
        scratch = self.scratch(COMMANDS)
        self.run_sweep(scratch)
        expected = {
            (
                f"--n={n}",
                alg,
                fast,
                json.dumps({"alg": alg, "fast": fast == "true", "n": n}, separators=(",", ":")),
            )
            for n in (64, 128)
            for alg in ("explicit", "implicit")
            for fast in ("true", "false")
        }
        self.assertEqual(self.seen(scratch), expected)
        trials = scratch.report()["trials"]
        self.assertEqual({trial["status"] for trial in trials}, {"finished"})
        self.assertEqual(
            {(t["own"]["n"], t["own"]["alg"], t["own"]["fast"]) for t in trials},
            {
                (n, alg, fast)
                for n in (64, 128)
                for alg in ("explicit", "implicit")
                for fast in (True, False)
            },
        )

    def test_its_columns_are_in_the_file_and_chosen_by(self) -> None:
        scratch = self.scratch(COMMANDS)
        self.run_sweep(scratch)
        found = self.asked(
            scratch, "query", "n=128", "fast=true", "--columns", "n,alg,m_n", "--json"
        )
        self.assertEqual(
            [(row["n"], row["alg"]) for row in json.loads(found)["rows"]],
            [(128, "explicit"), (128, "implicit")],
        )

    def test_another_level_is_measured_alone(self) -> None:
        scratch = self.scratch(COMMANDS)
        self.run_sweep(scratch)
        (scratch.folder / "seen.txt").unlink()
        self.run_sweep(scratch, "--set", "n=64,128,256")
        self.assertEqual({line[0] for line in self.seen(scratch)}, {"--n=256"})
        self.assertEqual(len(scratch.report()["trials"]), 12)

    def test_a_model_is_trained_with_each_value_of_a_place(self) -> None:
        scratch = self.scratch(TRAINING)
        self.run_sweep(scratch)
        runs: dict[int, list[float]] = {}
        for leg in rows(scratch.results, "legs"):
            accuracies = runs.setdefault(int(leg["layers.0.dense"]), [])
            accuracies.append(float(leg["validation_accuracy"]))
        self.assertEqual({width: len(found) for width, found in runs.items()}, {1: 7, 32: 7})
        self.assertLess(max(runs[1]), min(runs[32]), "one unit cannot tell ten digits apart")


if __name__ == "__main__":
    unittest.main()
