"""bench/two_builds.py: turns and ratios."""

from __future__ import annotations

import contextlib
import io
import unittest
from pathlib import Path

from bench import two_builds


class TwoBuilds(unittest.TestCase):
    def test_builds_take_turns_at_going_first(self) -> None:
        asked: list[str] = []

        def measure(build: Path) -> dict[str, float]:
            asked.append(build.name)
            return {"step": 1.0}

        with contextlib.redirect_stdout(io.StringIO()):
            two_builds.compare(measure, Path("old"), Path("new"), 3)
        self.assertEqual(asked, ["old", "new", "new", "old", "old", "new"])

    def test_a_ratio_is_that_of_pairs_and_leaves_one_out_on_each_side(self) -> None:
        line = two_builds.ratio_line("step", [1, 2, 4, 1, 1], [2, 4, 8, 9, 0.1])
        self.assertIn("2.000 [2.000, 2.000]", line)
        self.assertIn("1 s          2 s", two_builds.ratio_line("step", [1], [2]))


if __name__ == "__main__":
    unittest.main()
