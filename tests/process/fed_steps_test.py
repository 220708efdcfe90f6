"""Where the time of Regatta's loader went: from the worker to the columns of the results and the report."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import unittest

from tools.regatta_process import BINARY, PATIENCE_SECONDS, SOURCE, Scratch

PARTS = ("wait", "compute", "read", "decode", "collate", "slot_wait")


def sweep() -> dict:
    return {
        "regatta": 1,
        "name": "fed",
        "axes": {
            "engine": "native",
            "model": "mlp-10",
            "batch": 256,
            "work": "infer",
            "input": ["array", "pipeline"],
        },
        "when": [
            {"if": {"input": "pipeline"}, "axes": {"loader_workers": [0, 1], "loader_depth": 4}},
        ],
        "compare": {"over": ["input", "loader_workers"], "baseline": {"input": "array"}},
        "measure": {"slices": 4, "steps": 50, "again": False},
    }


def regatta(*arguments: object) -> str:
    command = [str(BINARY), *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True
    )
    return done.stdout


class FedSteps(unittest.TestCase):
    """One run, which no test changes."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = Scratch(sweep())
        cls.addClassCleanup(cls.scratch.remove)
        if cls.scratch.run("--ranks", "1") != 0:
            raise RuntimeError(cls.scratch.output())

    def test_the_columns_tell_where_the_time_of_a_fed_step_went(self) -> None:
        text = regatta("query", self.scratch.results, "--format", "csv")
        array, alone, ahead = csv.DictReader(io.StringIO(text))
        self.assertEqual(
            {array["input_bound_by"], *(array[f"input_{part}"] for part in PARTS)}, {""}
        )
        for fed in (alone, ahead):
            self.assertIn(fed["input_bound_by"], ("consumer", "collate", "handover"))
            for part in ("compute", "collate"):
                self.assertGreater(float(fed[f"input_{part}"]), 0, part)
            for part in ("read", "decode"):  # the rows lie in memory, and are copied as they are
                self.assertEqual(fed[f"input_{part}"], "", part)
        self.assertGreater(float(alone["input_wait"]), 0)
        self.assertEqual(alone["input_slot_wait"], "", "it has no threads")

    def test_a_query_selects_by_them(self) -> None:
        condition = "input_bound_by=collate,consumer,handover"
        text = regatta("query", self.scratch.results, condition, "--columns", "input,input_compute")
        self.assertNotIn("array", text)
        self.assertEqual(text.count("pipeline"), 2, text)

    def test_the_report_says_whether_batches_were_ready(self) -> None:
        told = [trial["input_bound_by"] for trial in self.scratch.report()["trials"]]
        self.assertEqual(told[0], None)
        text = self.scratch.details()
        for bound in ("collate", "handover"):
            waiting = text.count(f"of a step for batches, bound by {bound}")
            self.assertEqual(waiting, told.count(bound), text)
        ready = "input: batches were ready (waits below 1 % of a step) in" in text
        self.assertEqual(ready, "consumer" in told, text)
        page = (self.scratch.folder / "out" / "fed.html").read_text()
        self.assertIn("Input: whether batches were ready", page)


class ToldByAnotherWorker(unittest.TestCase):
    def measured(self, *tells: dict) -> tuple[int, dict]:
        program = [sys.executable, str(SOURCE / "tests" / "support" / "fake_worker.py")]
        told = [json.dumps(each) for each in tells]
        scratch = Scratch(
            {
                "regatta": 1,
                "name": "told",
                "axes": {"engine": "native@fake", "model": "mlp-10"},
                "environments": {
                    "fake": {"engine": "native", "program": [*program, "--tells", *told]}
                },
                "limits": {"attempts": 1},
                "measure": {"slices": 4, "steps": 5},
            }
        )
        self.addCleanup(scratch.remove)
        code = scratch.run("--ranks", "1")
        return code, scratch.report()["trials"][0]

    def test_what_is_told_last_takes_the_place_of_all_that_was_told_before(self) -> None:
        first = {"input_bound_by": "storage", "input_wait": 0.5, "input_read": 0.25}
        code, trial = self.measured(first, {"input_bound_by": "decode", "input_wait": 0.125})
        self.assertEqual(code, 0, trial)
        told = [trial[name] for name in ("input_bound_by", "input_wait", "input_read")]
        self.assertEqual(told, ["decode", 0.125, None])

    def test_times_that_cannot_be_are_refused(self) -> None:
        code, trial = self.measured({"input_wait": -1})
        self.assertEqual((code, trial["status"]), (1, "failed"))
        self.assertIn("'input_wait': found -1, expected a number of at least 0", trial["reason"])


if __name__ == "__main__":
    unittest.main()
