"""How the measuring tests count: verdicts against the truth, bars, and the repeat under a fresh seed."""

from __future__ import annotations

import contextlib
import io
import math
import sys
import unittest
from unittest import mock

from tools import bars, planted
from tools.bars import Bar
from tools.planted import Contrast, MeasuringError, Outcome


def contrast(truth: float, verdict: str, estimate: float = 0.0, half: float = 0.01) -> Contrast:
    return Contrast(
        truth=truth,
        estimate=estimate,
        low=estimate - half,
        high=estimate + half,
        verdict=verdict,
        flags=("carry-over",),
        blocks=7,
        processes=14,
        resolution=0.02,
        why_stopped="decided",
        text="a takes 1.000x the time of b, in order",
        repeat=0,
    )


class Judging(unittest.TestCase):
    def test_a_winner_is_false_where_there_is_none_or_another(self) -> None:
        self.assertTrue(contrast(0, "faster").is_false)
        self.assertTrue(contrast(0, "slower").is_false)
        self.assertTrue(contrast(0.05, "faster").is_false)
        self.assertFalse(contrast(0.05, "slower").is_false)
        self.assertFalse(contrast(0, "same").is_false)
        self.assertFalse(contrast(0.05, "undecided").is_false)

    def test_an_interval_holds_the_truth_or_not(self) -> None:
        self.assertTrue(contrast(0.02, "slower", 0.02).holds)
        self.assertFalse(contrast(0.02, "slower", 0.04).holds)
        self.assertAlmostEqual(contrast(0.02, "slower", 0.05).error, 0.03)

    def test_planted_multiplies_have_the_ratio_that_was_asked_for(self) -> None:
        longer = planted.multiplies(math.log1p(0.005))
        self.assertEqual(longer, 40_200)


class Attempts(unittest.TestCase):
    def run_with(self, *met: bool) -> tuple[int, list[int], str]:
        """Exit code, seeds and output of a test whose attempts meet their bars as told."""
        seeds: list[int] = []

        def attempt(seed: int) -> tuple[list[Outcome], list[Bar]]:
            seeds.append(seed)
            is_met = met[len(seeds) - 1]
            return [Outcome("pairs", [contrast(0, "same")], 1.0)], [Bar("a bar", is_met)]

        return self.ended(attempt, seeds)

    def ended(self, attempt: bars.Attempt, seeds: list[int]) -> tuple[int, list[int], str]:
        output = io.StringIO()
        with (
            mock.patch.object(sys, "argv", ["test", "--seed", "5"]),
            contextlib.redirect_stdout(output),
            self.assertRaises(SystemExit) as ended,
        ):
            bars.run("a test", attempt)
        return ended.exception.code, seeds, output.getvalue()

    def test_bars_that_are_met_need_no_repeat(self) -> None:
        code, seeds, output = self.run_with(True)
        self.assertEqual((code, seeds), (0, [5]))
        self.assertNotIn("REPEATED", output)

    def test_a_missed_bar_is_repeated_once_in_the_open(self) -> None:
        code, seeds, output = self.run_with(False, True)
        self.assertEqual((code, len(seeds)), (0, 2))
        self.assertNotEqual(seeds[0], seeds[1])
        self.assertIn("MISSED a bar", output)
        self.assertIn(f"REPEATED under a fresh seed, {seeds[1]}", output)

    def test_a_bar_missed_twice_fails(self) -> None:
        code, seeds, _ = self.run_with(False, False)
        self.assertEqual((code, len(seeds)), (1, 2))

    def test_a_run_without_figures_fails_and_is_shown(self) -> None:
        def attempt(_: int) -> tuple[list[Outcome], list[Bar]]:
            raise MeasuringError("no contrasts, expected 4")

        code, _, output = self.ended(attempt, [])
        self.assertEqual(code, 1)
        self.assertEqual(output.count("no contrasts, expected 4"), 2)

    def test_the_table_counts_verdicts_and_errors(self) -> None:
        found = [contrast(0, "same"), contrast(0, "faster", -0.02), contrast(0, "undecided", -0.02)]
        cells = dict(zip(bars.HEADINGS, bars.row(Outcome("pairs", found, 2.5)), strict=True))
        self.assertEqual((cells["n"], cells["same"], cells["faster"]), ("3", "1", "1"))
        self.assertEqual((cells["false"], cells["held"]), ("1", "1"))
        self.assertEqual((cells["error max"], cells["seconds"]), ("2.00 %", "2.5"))


if __name__ == "__main__":
    unittest.main()
