"""Code that frameworks compile stays in the run: the first process of a trial compiles, the others start warm."""

from __future__ import annotations

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from tools.regatta_process import SOURCE, Scratch

FAKE = SOURCE / "tests" / "support" / "fake_worker.py"

# Takes long to start where its cache is empty, and notes where that is.
COMPILING = f"""#!/bin/sh
echo "$TORCHINDUCTOR_CACHE_DIR" >> "$0.notes"
if [ ! -e "$TORCHINDUCTOR_CACHE_DIR/$1" ]; then
  mkdir -p "$TORCHINDUCTOR_CACHE_DIR"
  sleep 1
  touch "$TORCHINDUCTOR_CACHE_DIR/$1"
fi
exec "{sys.executable}" "{FAKE}" --step-us "$2"
"""


class CompileCaches(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.program = self.folder / "compiling"
        self.program.write_text(COMPILING, encoding="utf-8")
        self.program.chmod(0o755)

    def run_with(self, environment: dict[str, str]) -> Scratch:
        def arm(name: str, step_us: int) -> dict:
            program = [str(self.program), name, str(step_us)]
            return {"engine": "torch", "program": program, "env": environment}

        scratch = Scratch(
            {
                "regatta": 1,
                "name": "caches",
                "axes": {"engine": ["torch@a", "torch@b"], "model": ["mlp-10"]},
                "environments": {"a": arm("a", 200), "b": arm("b", 400)},
                "compare": {"over": ["engine"], "baseline": {"engine": "torch@a"}},
                # Each start counts by this metric: none is beside another one.
                "measure": {
                    "again": False,
                    "metric": "time_to_n",
                    "n": 20,
                    "slices": 6,
                    "steps": 20,
                },
            }
        )
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        return scratch

    def noted(self) -> set[str]:
        return set(Path(f"{self.program}.notes").read_text(encoding="utf-8").split())

    def test_the_first_process_of_a_trial_compiles_and_the_others_start_warm(self) -> None:
        scratch = self.run_with({})
        for trial in scratch.report()["trials"]:
            self.assertGreater(trial["cold_start"], 1, trial)
            self.assertLess(trial["warm_start"], trial["cold_start"] - 0.5, trial)
        [cache] = {str(Path(noted).parent) for noted in self.noted()}
        self.assertEqual(Path(cache).resolve(), (scratch.run_folder / "cache").resolve())
        self.assertFalse(Path(cache).exists(), "the run is over")

    def test_the_env_of_an_environment_goes_before(self) -> None:
        own = str(self.folder / "own")
        self.run_with({"TORCHINDUCTOR_CACHE_DIR": own})
        self.assertEqual(self.noted(), {own})


if __name__ == "__main__":
    unittest.main()
