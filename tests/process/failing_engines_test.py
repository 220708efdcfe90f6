"""A framework that dies, lacks, hangs or takes too much is one row that says so; the others are untouched.

The worker is the real one; the framework is tests/support/fake_frameworks/torch, so this runs everywhere.
"""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from tools.regatta_process import BINARY, PATIENCE_SECONDS, SOURCE, Scratch, wait_until

PYTHON = os.environ["REGATTA_PYTHON"]
PATH = f"{SOURCE / 'tests/support/fake_frameworks'}:{BINARY.parents[1] / 'share/regatta/python'}"

# Behaviour of the framework -> status and what the reason holds.
ROWS = {
    "fine": ("finished", []),
    "dies": ("failed", ["crashed: ", "importing what it needs", "signal 11"]),
    "absent": ("skipped", ["cannot import torch: No module named 'torch'"]),
    "threads": ("failed", ["reported: ", "torch runs 64 threads, not the 1 asked for"]),
    "compile": ("failed", ["timed_out: ", "the first step, which compiles", "trial_timeout, 10 s"]),
    "memory": ("failed", ["out_of_memory: ", "no memory for this trial"]),
}


def sweep(environments: dict[str, dict]) -> dict:
    return {
        "regatta": 1,
        "name": "engines",
        "axes": {
            "engine": ["native", *(f"torch@{name}" for name in environments)],
            "model": [{"name": "small", "matmul": 64}],
        },
        "environments": environments,
        "compare": {"over": ["engine"], "baseline": {"engine": "native"}},
        "measure": {"slices": 3, "steps": 20, "again": False},
        "limits": {"trial_timeout": "10s", "attempts": 1, "memory": "1GiB"},
    }


class FailingEngines(unittest.TestCase):
    def rows(self, environments: dict[str, dict]) -> dict[str, dict]:
        """By the name of the environment; native's is empty."""
        scratch = Scratch(sweep(environments))
        self.addCleanup(scratch.remove)
        self.code = scratch.run("--ranks", "1")
        self.output = scratch.output()
        rows = {trial["engine"].partition("@")[2]: trial for trial in scratch.report()["trials"]}
        self.assertEqual(rows[""]["status"], "finished", self.output)
        self.assertTrue(
            wait_until(lambda: not scratch.processes(), PATIENCE_SECONDS), scratch.processes()
        )
        return rows

    def test_each_is_a_row_that_says_so(self) -> None:
        environments = {
            name: {
                "engine": "torch",
                "python": PYTHON,
                "env": {"PYTHONPATH": PATH, "FAKE_TORCH": name},
            }
            for name in ROWS
        }
        rows = self.rows(environments)
        self.assertEqual(self.code, 1, self.output)
        for name, (status, words) in ROWS.items():
            with self.subTest(name):
                self.assertEqual(rows[name]["status"], status, self.output)
                for word in words:
                    self.assertIn(word, rows[name]["reason"])
        self.assertEqual(rows["fine"]["verified"], "yes")

    def test_a_python_without_numpy_is_skipped(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            bare = Path(folder) / "python"
            bare.write_text(f'#!/bin/sh\nexec {PYTHON} -S "$@"\n')
            bare.chmod(0o755)
            rows = self.rows({"bare": {"engine": "torch", "python": str(bare)}})
        self.assertEqual(self.code, 0, self.output)
        self.assertEqual(rows["bare"]["status"], "skipped", self.output)
        self.assertIn("No module named 'numpy'", rows["bare"]["reason"])
        self.assertIn("install numpy", rows["bare"]["reason"])


if __name__ == "__main__":
    unittest.main()
