"""The memory that processes really used, and its growth with their steps."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

from tools.regatta_process import SOURCE, Scratch

PACKAGE = str(SOURCE / "workers" / "python")
MIB = 1 << 20

# Keeps so many bytes with each step.
LOOP = f"""import sys
sys.path.insert(0, {PACKAGE!r})
import regatta

kept = []
for step in regatta.steps():
    kept.append(b"\\1" * (int(sys.argv[1]) + step.number % 3))
"""


class Memory(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.loop = Path(folder.name) / "loop.py"
        self.loop.write_text(LOOP, encoding="utf-8")

    def trials(self, **more: object) -> dict[str, dict]:
        def environment(kept: int) -> dict:
            return {"engine": "numpy", "program": [sys.executable, str(self.loop), str(kept)]}

        scratch = Scratch(
            {
                "regatta": 1,
                "name": "memory",
                "axes": {
                    "engine": ["numpy@tidy", "numpy@leaky"],
                    "model": {"python": str(self.loop)},
                },
                "environments": {"tidy": environment(0), "leaky": environment(MIB)},
                "measure": {"slices": 2, "steps": 40},
                **more,
            }
        )
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        return {trial["engine"]: trial for trial in scratch.report()["trials"]}

    def expect_growth(self, trials: dict[str, dict]) -> None:
        tidy, leaky = trials["numpy@tidy"], trials["numpy@leaky"]
        self.assertGreater(leaky["peak_memory"], tidy["peak_memory"] + 80 * MIB, leaky)
        self.assertAlmostEqual(leaky["memory_growth"] / MIB, 1, delta=0.1)
        self.assertLess(abs(tidy["memory_growth"]), MIB / 20)
        self.assertGreater(leaky["memory_steps"], 80)

    def test_a_loop_that_keeps_something_with_each_step_grows_by_that(self) -> None:
        self.expect_growth(self.trials())

    def test_the_same_is_seen_beside_a_baseline(self) -> None:
        compare = {"over": "engine", "baseline": {"engine": "numpy@tidy"}}
        self.expect_growth(self.trials(compare=compare))


if __name__ == "__main__":
    unittest.main()
