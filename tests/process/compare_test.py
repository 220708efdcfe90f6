"""`regatta compare`: two sessions of one sweep, what is refused, what is remembered, exit codes.

The times stand in planted result files (planted_session.cpp): how busy the machine is changes none of them. Real
sessions are compared once, for what holds whatever they measured.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools.regatta_process import BINARY, Scratch

PLANTED = str(BINARY.parent / "planted-session")
STEP_SECONDS = 30e-6
BATCHES = range(1, 9)
REGRESSION = 3


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
        "measure": {"slices": 30, "steps": 50},
    }


class Compare(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.planted = 0

    def plant(self, factor: float = 1, cores: str = "cores 0-1", batches=BATCHES) -> Path:
        """A session after all others, whose steps last so many times as long."""
        self.planted += 1
        file = self.folder / f"planted-{self.planted}.h5"
        numbers = [str(1000 * self.planted), str(STEP_SECONDS * factor), cores]
        command = [PLANTED, str(file), *numbers, *map(str, batches)]
        subprocess.run(command, timeout=60, check=True)
        return file

    def session(self) -> Path:
        scratch = Scratch(native_sweep())
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

    def check_cells(self, found: dict, cells: int) -> None:
        self.assertEqual(len(found["cells"]), cells)
        self.assertEqual(found["same_code"]["false"], 0)
        self.assertTrue(found["all_same_version"])
        for cell in found["cells"]:
            self.assertEqual(cell["indifference"], max(0.1, cell["session_floor"]))
            self.assertLessEqual(cell["low"], cell["ratio"])

    def test_the_same_sweep_twice_has_nothing_slower(self) -> None:
        done = self.compare(self.plant(), self.plant(1.04), "--threshold", "10%", "--json")
        self.assertEqual(done.returncode, 0, done.stdout)
        found = json.loads(done.stdout)
        self.check_cells(found, len(BATCHES))
        self.assertFalse(found["regressed"])
        self.assertEqual({cell["verdict"] for cell in found["cells"]}, {"same"})

    def test_two_real_sessions_are_compared_cell_by_cell(self) -> None:
        done = self.compare(self.session(), self.session(), "--threshold", "10%", "--json")
        found = json.loads(done.stdout)
        self.check_cells(found, 6)
        self.assertEqual(done.returncode, REGRESSION if found["regressed"] else 0)

    def test_thirty_percent_more_work_is_a_regression(self) -> None:
        old, new = self.plant(), self.plant(1.3)
        done = self.compare(old, new, "--threshold", "10%")
        self.assertEqual(done.returncode, REGRESSION, done.stdout)
        self.assertIn("NEW is slower in 8 of 8 trials", done.stdout.splitlines()[0])
        self.assertIn("cannot be told from a rebuild", " ".join(done.stdout.split()))
        self.assertEqual(self.remembered(), [], "a regression is no floor")
        self.assertEqual(self.compare(new, old, "--threshold", "10%").returncode, 0)

    def test_identical_code_teaches_the_floor(self) -> None:
        old, new = self.plant(), self.plant(1.02)
        done = self.compare(old, new, "--threshold", "60%", "--json")
        self.assertEqual(done.returncode, 0, done.stdout)
        floor = json.loads(done.stdout)["pair_floor"]
        self.assertAlmostEqual(floor, 0.02, 3)
        known = self.remembered()
        self.assertEqual([entry["engine"] for entry in known], ["native"])
        self.assertEqual(known[0]["pairs"][0]["floor"], floor)
        again = json.loads(self.compare(old, new, "--json").stdout)
        self.assertEqual(again["cells"][0]["session_floor_from"], "assumed")
        later = json.loads(self.compare(old, self.plant(), "--json").stdout)
        self.assertEqual(later["cells"][0]["session_floor_from"], "stored")
        self.assertEqual(later["cells"][0]["session_floor"], floor)

    def test_refuses_what_says_nothing(self) -> None:
        old, other = self.plant(), self.plant(batches=[9])
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
        sessions = [self.plant(cores=cores) for cores in ("cores 0-1", "cores 2-3")]
        done = self.compare(*sessions)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("--across", done.stderr)
        done = self.compare(*sessions, "--across")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("hosts or devices differ", done.stdout)
        same = self.compare(sessions[0], self.plant())
        self.assertEqual(same.returncode, 0, same.stderr)
        self.assertNotIn("hosts or devices differ", same.stdout)


if __name__ == "__main__":
    unittest.main()
