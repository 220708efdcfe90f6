"""bench/duel_vs_hyperfine.py: which program an answer is about, and what docs/background/verdicts.md says of recorded rounds."""

from __future__ import annotations

import json
import math
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench import duel_vs_hyperfine as bench
from bench import duel_vs_hyperfine_page as page

LONGER = next(pair for pair in page.PAIRS if pair.work == 2 and pair.steps)


def record(rounds: int = 3, load: float = 0.1) -> dict:
    """`duel` is right in 2 s, plus-minus never decides, the t test always says "same", in 6 s."""

    def answers(pair: page.Pair) -> dict:
        right = "same" if pair.work == 1 else "slower"
        return {
            "duel": {"seconds": 2.0, "verdict": right, "ratio": pair.work},
            "hyperfine": {"seconds": 6.0, "verdict": "undecided", "welch": "same", "ratio": 1.0},
        }

    return {
        "machine": "a machine",
        "utc": "today",
        "load": load,
        "commit": "abcdef",
        "hyperfine": "1.2",
        "seconds": 240.0,
        "rounds": [{pair.name: answers(pair) for pair in page.PAIRS} for _ in range(rounds)],
    }


class Pairs(unittest.TestCase):
    def test_ten_of_which_some_are_alike_and_others_beyond_the_margin(self) -> None:
        self.assertEqual(len({pair.name for pair in page.PAIRS}), 10)
        self.assertGreaterEqual(sum(pair.work == 1 for pair in page.PAIRS), 3)
        for pair in page.PAIRS:
            self.assertTrue(pair.work == 1 or pair.effect > page.MARGIN, pair)

    def test_the_other_program_does_the_work_that_is_told(self) -> None:
        for pair in page.PAIRS:
            if not pair.steps:
                continue
            base, other = (int(line.split()[-1]) for line in bench.command_lines(pair))
            self.assertTrue(math.isclose(other, pair.work * base), pair)


class Answers(unittest.TestCase):
    def said(self, first: bool, verdict: str, ratio: float) -> tuple[dict, list[str]]:
        """By a `duel` that says so of the first program."""
        told = json.dumps({"contrasts": [{"verdict": verdict, "ratio": ratio}]})
        done = subprocess.CompletedProcess([], 0, told, "")
        with (
            mock.patch.object(bench.random, "random", lambda: 0.0 if first else 0.9),
            mock.patch.object(bench.subprocess, "run", return_value=done) as asked,
        ):
            found = bench.duel(LONGER)
        return found, asked.call_args.args[0][2:4]

    def test_are_about_the_other_program_whichever_comes_first(self) -> None:
        base, other = bench.command_lines(LONGER)
        found, asked = self.said(True, "slower", 2.0)
        self.assertEqual((found["verdict"], found["ratio"], asked), ("slower", 2.0, [other, base]))
        found, asked = self.said(False, "faster", 0.5)
        self.assertEqual((found["verdict"], found["ratio"], asked), ("slower", 2.0, [base, other]))

    def test_of_hyperfine_are_too(self) -> None:
        base, other = bench.command_lines(LONGER)
        times = {base: [0.99, 1.0, 1.01] * 4, other: [1.99, 2.0, 2.01] * 4}
        for drawn in (0.0, 0.9):
            with (
                mock.patch.object(bench.random, "random", lambda drawn=drawn: drawn),
                mock.patch.object(bench, "hyperfine_times", lambda lines, _: [times[line] for line in lines]),
            ):  # fmt: skip
                found = bench.hyperfine(LONGER)
            self.assertEqual((found["verdict"], found["welch"]), ("slower", "slower"))
            self.assertAlmostEqual(found["ratio"], 2.0)

    def test_what_lacks_is_told_before_anything_runs(self) -> None:
        with (
            mock.patch.object(bench.shutil, "which", lambda _: None),
            mock.patch.object(bench, "BINARY", Path("/nowhere/regatta")),
        ):
            told = "; ".join(bench.missing())
        self.assertIn("apt-get install hyperfine", told)
        self.assertIn("/nowhere/regatta is not there", told)


class Page(unittest.TestCase):
    def test_right_and_false_are_counted_for_those_alike_and_those_that_differ(self) -> None:
        lines = [page.reading_line(record(), reading)[1:5] for reading in page.READINGS]
        self.assertEqual(
            lines,
            [
                ["12 of 12", "0 of 12", "18 of 18", "0 of 18"],
                ["0 of 12", "0 of 12", "0 of 18", "0 of 18"],
                ["12 of 12", "0 of 12", "0 of 18", "18 of 18"],
            ],
        )

    def test_false_verdicts_stand_out(self) -> None:
        effect = LONGER.effect
        self.assertEqual(
            page.verdict_text(["slower", "same", "slower"], effect), "2 slower, **1 same**"
        )
        self.assertEqual(
            page.verdict_text(["same", "slower", "undecided"], 0),
            "1 same, **1 slower**, 1 undecided",
        )

    def test_each_pair_has_a_line(self) -> None:
        line = page.pair_line(record(), LONGER)
        self.assertEqual(line[1:], ["slower", "3 slower", "3 undecided", "**3 same**"])
        times = [page.reading_line(record(), reading)[5] for reading in page.READINGS[:2]]
        self.assertEqual(times, ["2.0 s [2.0, 2.0]", "6.0 s [6.0, 6.0]"])

    def test_a_busy_machine_is_told(self) -> None:
        self.assertIn("3 rounds in 4 minutes, today, by commit abcdef", page.text_of(record()))
        self.assertNotIn("not idle", page.text_of(record()))
        self.assertIn("**The machine was not idle", page.text_of(record(load=2.0)))

    def test_the_page_is_that_of_the_record(self) -> None:
        told = page.PAGE.read_text()
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "verdicts.md"
            copy.write_text(told)
            page.write_page(copy, json.loads(page.RECORD.read_text()))
            self.assertEqual(copy.read_text(), told)


if __name__ == "__main__":
    unittest.main()
