"""The installation by `cmake --install` works from any folder: nothing in it points back to where it was built."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools import regatta_process

BUILD = regatta_process.BINARY.parent.parent
SWEEP = {
    "regatta": 1,
    "name": "installed",
    "axes": {
        "engine": ["native", "numpy"],
        "model": "digits-mlp",
        "dataset": "digits",
        "batch": [32, 64],
    },
    "compare": {"over": "engine", "baseline": {"engine": "numpy"}},
    "measure": {"slices": 4, "steps": 20},
}


class Installed(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="regatta-installed-"))
        self.addCleanup(shutil.rmtree, self.root)
        first = self.root / "first"
        install = ["cmake", "--install", str(BUILD), "--prefix", str(first)]
        subprocess.run(install, check=True, capture_output=True)
        self.tree = self.root / "moved" / "tree"
        self.tree.parent.mkdir()
        first.rename(self.tree)
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.root / "cache")}

    def regatta(self, *arguments: str) -> str:
        command = [str(self.tree / "bin" / "regatta"), *arguments]
        end = subprocess.run(
            command,
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertEqual(end.returncode, 0, f"{command}\n{end.stdout}{end.stderr}")
        return end.stdout

    def test_the_doctor_finds_its_engines(self) -> None:
        engines = {
            row["name"]: row for row in json.loads(self.regatta("doctor", "--json"))["engines"]
        }
        for name in ("native", "numpy", "command"):
            self.assertEqual(engines[name]["problem"], "", name)

    def test_a_sweep_runs_on_the_data_that_was_installed(self) -> None:
        (self.root / "sweep.json").write_text(json.dumps(SWEEP))
        self.regatta("run", "sweep.json", "--ranks", "1")
        report = json.loads(self.regatta("report", "results/installed.h5", "--json"))
        states = [(row["status"], row["verified"]) for row in report["trials"]]
        self.assertEqual(states, [("finished", "yes")] * 4)

    def test_the_first_sweep_comes_along(self) -> None:
        plan = json.loads(
            self.regatta("plan", str(self.tree / "share/regatta/sweeps/quickstart.json"), "--json")
        )
        self.assertGreater(len(plan["trials"]), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
