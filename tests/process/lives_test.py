"""A run over the lives of its batch job: what failed is tried again once, and a life that begins says so."""

from __future__ import annotations

import signal
import unittest
from pathlib import Path

from tools.regatta_process import PATIENCE_SECONDS, Scratch, wait_until

TRIALS = 6


class Lives(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = Scratch(
            {
                "regatta": 1,
                "name": "lives",
                "axes": {"engine": ["command"], "command": ["fails"]},
                "repeats": TRIALS,
                "commands": {"fails": {"argv": ["sh", "-c", "placeholder"]}},
                "measure": {"slices": 1, "steps": 1},
            }
        )
        self.addCleanup(self.scratch.remove)
        self.runs = self.scratch.folder / "runs"
        script = f"echo >> {self.runs}; sleep 0.5; exit 1"
        text = self.scratch.sweep_file.read_text().replace("placeholder", script)
        self.scratch.sweep_file.write_text(text)

    def count(self) -> int:
        return len(self.runs.read_text().splitlines()) if self.runs.exists() else 0

    def test_each_failed_trial_is_tried_again_once_over_all_lives(self) -> None:
        self.assertEqual(self.scratch.run("--ranks", "1"), 1, self.scratch.output())
        self.assertEqual(self.count(), TRIALS)
        first_life = self.scratch.start("--ranks", "1", "--rerun", "failed")
        self.assertTrue(wait_until(lambda: self.count() >= TRIALS + 2, PATIENCE_SECONDS))
        first_life.send_signal(signal.SIGUSR1)
        self.assertEqual(first_life.wait(PATIENCE_SECONDS), 75, self.scratch.output())
        tried = self.count()
        self.assertLess(tried, 2 * TRIALS)
        code = self.scratch.run("--ranks", "1", "--rerun", "failed")
        self.assertEqual(code, 1, self.scratch.output())
        # The one that the drain interrupted may begin again.
        self.assertIn(self.count() - tried, range(2 * TRIALS - tried, 2 * TRIALS - tried + 2))
        code = self.scratch.run("--ranks", "1", "--rerun", "failed")
        self.assertEqual(code, 1, self.scratch.output())
        self.assertGreaterEqual(self.count(), 3 * TRIALS, "a new run tries all of them")

    def test_a_batch_script_hears_that_a_run_began_and_how_it_ended(self) -> None:
        word = Path(self.scratch.folder / "word")
        run = self.scratch.start("--ranks", "1", "--exit-code-to", str(word))
        self.assertTrue(wait_until(lambda: self.count() > 0, PATIENCE_SECONDS))
        self.assertEqual(word.read_text(), "begun\n")
        self.assertEqual(run.wait(PATIENCE_SECONDS), 1, self.scratch.output())
        self.assertEqual(word.read_text(), "1\n")


if __name__ == "__main__":
    unittest.main()
