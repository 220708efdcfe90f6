"""An allocation that ends soon is used for short trials, and for none that would end too late."""

from __future__ import annotations

import time
import unittest

from tools import journal
from tools.regatta_process import Scratch

DRAIN_SECONDS = 180  # kept free for a drain
LONG_SECONDS = 3


def sweep() -> dict:
    """The first trial of each command tells how long it takes."""
    return {
        "regatta": 1,
        "name": "allocation",
        "axes": {"engine": ["command"], "command": ["long", "short"]},
        "repeats": 3,
        "commands": {
            "long": {"argv": ["sleep", str(LONG_SECONDS)]},
            "short": {"argv": ["sleep", "0.01"]},
        },
        "measure": {"slices": 1, "steps": 1},
    }


class Allocation(unittest.TestCase):
    def test_what_would_end_too_late_is_left_to_the_next_one(self) -> None:
        scratch = Scratch(sweep())
        self.addCleanup(scratch.remove)
        end = time.time() + DRAIN_SECONDS + 2 * LONG_SECONDS
        launched = scratch.start("--ranks", "1", SLURM_JOB_END_TIME=str(int(end)))
        self.assertEqual(launched.wait(60), 75, scratch.output())
        self.assertIn("2 blocks were not begun: the rest of the allocation", scratch.output())
        self.assertEqual(len(journal.results(scratch.journal)), 4, "one long one, all short ones")
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        self.assertEqual(len(journal.results(scratch.journal)), 6)


if __name__ == "__main__":
    unittest.main()
