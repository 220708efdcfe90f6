"""Two programs compared over seeds, repeats or instances: one comparison, one figure, one interval."""

from __future__ import annotations

import json
import math
import re
import subprocess
import unittest
from collections import Counter

from tools.regatta_process import BINARY, Scratch

SEEDS = 10
ALGORITHM = """import random
import sys

algorithm, seed, gain = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with open("{log}", "a") as file:
    file.write(algorithm + " " + str(seed) + "\\n")
hard = random.Random(seed).gauss(20, 5)  # common to both
own = random.Random(algorithm + str(seed)).gauss(0, 0.1)
print('{"score": %.6f}' % (hard + own + (gain if algorithm == "new" else 0)))
"""
METRIC = {"result": "score", "goal": "higher", "margin": "1%"}


class Replicates(unittest.TestCase):
    def compared(self, axis: str, gain: float, **more: object) -> Scratch:
        """The sweep of old and new, whose seed is this axis."""
        sweep = {
            "regatta": 1,
            "name": "seeds",
            "axes": {"engine": "command", "command": "p", "alg": ["old", "new"]},
            "commands": {"p": {"argv": []}},
            "compare": {"over": "alg", "baseline": {"alg": "old"}},
            "measure": {"metric": METRIC, "per_contrast": "1s"},
            **more,
        }
        if axis == "repeat":
            sweep["repeats"] = SEEDS
        else:
            sweep["axes"][axis] = {"linear": [0, SEEDS - 1]}
            sweep["compare"]["replicates"] = axis
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        script, self.log = scratch.folder / "algorithm.py", scratch.folder / "runs.txt"
        script.write_text(ALGORITHM.replace("{log}", str(self.log)))
        sweep["commands"]["p"]["argv"] = [
            *("python3", str(script), "{alg}", f"{{{axis}}}", str(gain))
        ]
        scratch.sweep_file.write_text(json.dumps(sweep))
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        return scratch

    def asked(self, scratch: Scratch, *words: str) -> str:
        command = [str(BINARY), *words[:1], str(scratch.results), *words[1:]]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout

    def expect_one_run_each(self) -> None:
        runs = Counter(self.log.read_text().splitlines())
        self.assertEqual(len(runs), 2 * SEEDS)
        self.assertEqual(set(runs.values()), {1}, runs)

    def truth(self, scratch: Scratch) -> float:
        """The mean of the log ratios, which are functions of the seeds."""
        columns = ("--columns", "alg,score", "--json")
        rows = json.loads(self.asked(scratch, "query", *columns))["rows"]
        by_arm: dict[str, float] = {"old": 0, "new": 0}
        for row in rows:
            by_arm[row["alg"]] += math.log(row["score"]) / SEEDS
        return math.exp(by_arm["new"] - by_arm["old"])

    def test_repeats_and_instances_give_one_comparison(self) -> None:
        for axis in ("repeat", "instance"):
            with self.subTest(axis=axis):
                scratch = self.compared(axis, gain=2)
                self.expect_one_run_each()
                [contrast] = scratch.report()["contrasts"]
                self.assertEqual(contrast["verdict"], "higher")
                self.assertTrue(contrast["confirmed"])
                self.assertEqual(contrast["replicates"], {"count": SEEDS, "axes": [axis]})
                self.assertEqual(contrast["why_stopped"], "one pair of each replicate")
                self.assertEqual(contrast["processes"], 2 * SEEDS)
                truth = self.truth(scratch)
                self.assertAlmostEqual(contrast["ratio"], truth, places=6)
                self.assertLess(contrast["low"], truth)
                self.assertGreater(contrast["high"], truth)
                self.assertGreater(contrast["low"], 1.01)
                self.expect_one_row(scratch, axis)

    def expect_one_row(self, scratch: Scratch, axis: str) -> None:
        """Report, query and export show the comparison once, and all trials."""
        words = re.sub(r"\s+", " ", self.asked(scratch, "report"))
        self.assertRegex(
            words,
            rf"alg new is 1\.\d+x higher \[.*\] in score than alg old, over 10 {axis}s: better",
        )
        self.assertNotIn("not known yet", words)
        rows = json.loads(self.asked(scratch, "query", "--table", "contrasts", "--json"))["rows"]
        self.assertEqual([row["replicates"] for row in rows], [f"{SEEDS} {axis}s"])
        exported = self.asked(scratch, "query", "--table", "contrasts", "--format", "csv")
        self.assertEqual(len(exported.splitlines()), 2)
        self.assertEqual(len(scratch.report()["trials"]), 2 * SEEDS)
        self.assertIn(f"over 10 {axis}s", scratch.results.with_suffix(".html").read_text())

    def test_what_is_not_known_takes_more_seeds_and_no_time(self) -> None:
        scratch = self.compared("repeat", gain=0.2)
        [contrast] = scratch.report()["contrasts"]
        self.assertEqual(contrast["verdict"], "undecided", contrast)
        words = re.sub(r"\s+", " ", self.asked(scratch, "report"))
        self.assertIn("name more of them in the sweep file", words)
        self.assertNotIn("--rerun undecided", words)
        self.assertNotIn("--rerun undecided", scratch.output())
        self.assertEqual(scratch.run("--ranks", "1", "--rerun", "undecided"), 0, scratch.output())
        self.expect_one_run_each()

    def test_nothing_but_noise_below_the_margin_is_the_same(self) -> None:
        metric = {**METRIC, "margin": "5%"}
        scratch = self.compared("repeat", gain=0, measure={"metric": metric})
        [contrast] = scratch.report()["contrasts"]
        self.assertEqual(contrast["verdict"], "same", contrast)
        self.expect_one_run_each()


if __name__ == "__main__":
    unittest.main()
