"""An arm that does other work than the baseline says so, and is not compared; planted faults are found one by one."""

from __future__ import annotations

import os
import unittest

from tools.regatta_process import SOURCE, Scratch

FAULTY = str(SOURCE / "tests" / "support" / "faulty_worker.py")
PYTHON = os.environ["REGATTA_PYTHON"]
PACKAGE = str(SOURCE / "workers" / "python")

# A fault, and what the row says of it. Gradients are judged at the batch that rounding moves least.
FAULTS = {
    "doubled_rate": "the optimizer makes ",
    "wrong_epsilon": "the optimizer makes ",
    "transposed_kernel": "step 1, row [0-9]+: ",
    "dropped_bias": "step [123], gradient: 0.bias is 1(\.\d)?e[+]02 % apart",
    "shuffled_batch": "step 1, row [0-9]+: ",
    "folded_constant": "step [23], (row [0-9]+: |gradient: )",
    "stale_output": "step 2, row [0-9]+: ",
}
MODEL = {
    "name": "square",
    "input": [6],
    "layers": [
        {"dense": 12, "activation": "tanh"},
        {"dense": 12, "activation": "tanh"},
        {"dense": 3, "activation": "softmax"},
    ],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"adam": {"learning_rate": 0.00002}},
}


def sweep() -> dict:
    program = {"engine": "numpy", "env": {"PYTHONPATH": PACKAGE}}
    return {
        "regatta": 1,
        "name": "faults",
        "axes": {
            "engine": ["native", "numpy", *[f"numpy@{name}" for name in FAULTS]],
            "model": [MODEL],
        },
        "environments": {name: {**program, "program": [PYTHON, FAULTY, name]} for name in FAULTS},
        "compare": {"over": ["engine"], "baseline": {"engine": "native"}},
        "measure": {"slices": 12, "steps": 20, "again": False},
    }


class SameWork(unittest.TestCase):
    def test_finds_planted_faults_and_refuses_to_compare_them(self) -> None:
        scratch = Scratch(sweep())
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        report = scratch.report()
        rows = {trial["engine"]: trial for trial in report["trials"]}
        self.assertEqual(rows["native"]["verified"], "yes")
        self.assertEqual(rows["numpy"]["verified"], "yes", rows["numpy"])
        for name, text in FAULTS.items():
            row = rows[f"numpy@{name}"]
            with self.subTest(fault=name):
                self.assertEqual(row["verified"], "no")
                self.assertRegex(row["verified_detail"], "^" + text)
        compared = {each["a"]["engine"] for each in report["contrasts"]}
        self.assertEqual(compared, {"numpy"})


if __name__ == "__main__":
    unittest.main()
