"""`regatta compare`: two sessions of one sweep, what is refused, what is remembered, exit codes.

Times are real, so that a neighbour may slow one session down: each finding may be looked for in two pairs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from regatta_process import BINARY, Scratch

PLANTED = str(BINARY.parent / "planted-worker")
MULTIPLIES = 40_000  # about 30 us a step
REGRESSION = 3
ATTEMPTS = 2


def planted_sweep(multiplies: int, **changes: object) -> dict:
    """Eight trials of one known length."""
    sweep = {
        "regatta": 1,
        "name": "planted",
        "axes": {
            "engine": ["native@planted"],
            "model": "mlp-10",
            "batch": [1, 2, 3, 4, 5, 6, 7, 8],
        },
        "environments": {
            "planted": {"engine": "native", "program": [PLANTED, "--multiplies", str(multiplies)]}
        },
        "measure": {"slices": 12, "steps": 200},
    }
    return {**sweep, **changes}


def native_sweep() -> dict:
    return {
        "regatta": 1,
        "name": "small",
        "axes": {
            "engine": ["native"],
            "mode": ["eager", "graph"],
            "model": "mlp-10",
            "batch": [32, 128, 512],
        },
        "compare": {"over": ["mode"], "baseline": {"mode": "graph"}},
        "measure": {"slices": 30, "steps": 500},
    }


class Compare(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def session(self, sweep: dict) -> Path:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        return scratch.results

    def compare(self, old: Path, new: Path, *options: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder)}
        command = [str(BINARY), "compare", str(old), str(new), *options]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    def remembered(self) -> list[dict]:
        file = self.folder / "regatta" / "session-floors.json"
        return json.loads(file.read_text())["floors"] if file.exists() else []

    def test_the_same_sweep_twice_has_nothing_slower(self) -> None:
        for _ in range(ATTEMPTS):
            old, new = self.session(native_sweep()), self.session(native_sweep())
            done = self.compare(old, new, "--threshold", "10%", "--json")
            found = json.loads(done.stdout)
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(found["cells"]), 6)
        self.assertEqual(found["same_code"]["false"], 0)
        self.assertTrue(found["all_same_version"])
        self.assertFalse(found["regressed"])
        for cell in found["cells"]:
            self.assertEqual(cell["indifference"], max(0.1, cell["floor"]))
            self.assertLessEqual(cell["low"], cell["ratio"])

    def test_thirty_percent_more_work_is_a_regression(self) -> None:
        for _ in range(ATTEMPTS):
            old = self.session(planted_sweep(MULTIPLIES))
            new = self.session(planted_sweep(MULTIPLIES * 13 // 10))
            done = self.compare(old, new, "--threshold", "10%")
            if done.returncode == REGRESSION:
                break
        self.assertEqual(done.returncode, REGRESSION, done.stdout)
        self.assertIn("NEW is slower in ", done.stdout.splitlines()[0])
        self.assertIn("cannot be told from a rebuild", " ".join(done.stdout.split()))
        self.assertEqual(self.remembered(), [], "a regression is no floor")
        self.assertEqual(self.compare(new, old, "--threshold", "10%").returncode, 0)

    def test_identical_code_teaches_the_floor(self) -> None:
        old = self.session(planted_sweep(MULTIPLIES))
        new = self.session(planted_sweep(MULTIPLIES))
        done = self.compare(old, new, "--threshold", "60%", "--json")
        self.assertEqual(done.returncode, 0, done.stdout)
        floor = json.loads(done.stdout)["pair_floor"]
        known = self.remembered()
        self.assertEqual([entry["engine"] for entry in known], ["native"])
        self.assertEqual(known[0]["pairs"][0]["floor"], floor)
        again = json.loads(self.compare(old, new, "--json").stdout)
        self.assertEqual(again["cells"][0]["session_floor_from"], "assumed")
        other = self.session(planted_sweep(MULTIPLIES))
        later = json.loads(self.compare(old, other, "--json").stdout)
        self.assertEqual(later["cells"][0]["session_floor_from"], "stored")
        self.assertEqual(later["cells"][0]["session_floor"], floor)

    def test_refuses_what_says_nothing(self) -> None:
        quick = {"measure": {"slices": 2, "steps": 50}}
        old = self.session(planted_sweep(MULTIPLIES, **quick))
        axes = {"engine": ["native@planted"], "model": "mlp-10", "batch": [9]}
        other = self.session(planted_sweep(MULTIPLIES, axes=axes, **quick))
        for new, options, words in (
            (old, [], "the same session"),
            (other, [], "no trial stands in both"),
            (other, ["--threshold", "much"], "such as 3%"),
            (self.folder / "none.h5", [], "none.h5"),
        ):
            done = self.compare(old, new, *options)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stderr)

    def test_other_devices_want_across(self) -> None:
        sessions = []
        for ranks in ("1", "2"):  # two slots, where there are two cores
            scratch = Scratch(planted_sweep(MULTIPLIES, measure={"slices": 2, "steps": 50}))
            self.addCleanup(scratch.remove)
            self.assertEqual(scratch.run("--ranks", ranks), 0, scratch.output())
            sessions.append(scratch.results)
        differ = len(os.sched_getaffinity(0)) > 1
        done = self.compare(*sessions)
        self.assertEqual(done.returncode, 2 if differ else 0, done.stdout)
        self.assertEqual("--across" in done.stderr, differ)
        done = self.compare(*sessions, "--across")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual("hosts or devices differ" in done.stdout, differ)


if __name__ == "__main__":
    unittest.main()
