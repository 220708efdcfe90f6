"""scripts/second_run.py: which verdicts stayed in a second run."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from scripts import second_run
from scripts.question_pages import PAGE_OF_SWEEP
from scripts.second_run import (
    Contrast,
    Interval,
    Run,
    Sweep,
    contrasts_of,
    kept,
    page,
    place,
    rows,
    table,
    with_run,
)

HOURS_APART = 2.0


def interval(verdict: str, ratio: float | None = 1.2, early: bool = False) -> Interval:
    return Interval(ratio, 1.1, 1.3, verdict, early)


def told(*verdicts: str) -> Contrast:
    return Contrast("jax", [interval(verdict) for verdict in verdicts])


def sweep(*contrasts: Contrast) -> Sweep:
    runs = [Run(0.0, 60.0), Run(2.5, None), Run(None, 61.0)]
    return Sweep("small", runs[: len(contrasts[0].runs)], list(contrasts), 4, 1)


class Verdicts(unittest.TestCase):
    def test_contradict_where_two_runs_decided_another_thing(self) -> None:
        for verdicts in (("faster", "slower"), ("same", "slower"), ("faster", "undecided", "same")):
            self.assertTrue(told(*verdicts).contradicts, verdicts)
        for verdicts in (("faster", "faster"), ("faster", "undecided"), ("undecided", "faster")):
            self.assertFalse(told(*verdicts).contradicts, verdicts)

    def test_are_not_in_all_runs_where_one_left_them_open(self) -> None:
        for verdicts in (("faster", "undecided"), ("slower", "slower", "undecided")):
            self.assertTrue(told(*verdicts).not_in_all, verdicts)
        for verdicts in (("faster", "slower"), ("undecided", "undecided"), ("same", "same")):
            self.assertFalse(told(*verdicts).not_in_all, verdicts)

    def test_lie_apart_where_two_intervals_do_not_meet(self) -> None:
        near, far = Interval(1.0, 0.9, 1.1, "same"), Interval(1.3, 1.2, 1.4, "slower")
        self.assertTrue(Contrast("jax", [near, None, far]).apart)
        self.assertFalse(Contrast("jax", [near, near, None]).apart)
        self.assertFalse(Contrast("jax", [near, Interval(2.0, None, None, "slower")]).apart)

    def test_are_counted_and_marked(self) -> None:
        apart = Contrast("jax", [interval("slower"), Interval(2.0, 1.9, 2.1, "slower")])
        small = sweep(
            told("faster", "slower"), told("same", "undecided"), told("slower", "slower"), apart
        )
        self.assertEqual(table([small]).splitlines()[1].split(), "small 2 4 1 1 1 4 1".split())
        self.assertEqual(table([small, small]).splitlines()[-1].split(), "all 8 2 2 2 8 2".split())
        marks = [line[0] for line in rows(small, "torch").splitlines() if line.endswith("jax")]
        self.assertEqual(marks, ["!", "~", " ", "^"])
        both = Contrast(
            "jax",
            [
                Interval(1.0, 0.9, 1.1, "undecided"),
                interval("slower"),
                Interval(2.0, 1.9, 2.1, "slower"),
            ],
        )
        self.assertIn("\n~^  jax\n", rows(sweep(both), "torch"))

    def test_of_one_run_alone_are_no_repeated_comparison(self) -> None:
        only = Contrast("new", [None, interval("slower")])
        self.assertEqual(table([sweep(told("same", "same"), only)]).splitlines()[1].split()[2], "1")
        self.assertIn("–", rows(sweep(only), "torch"))
        self.assertTrue(rows(sweep(only), "torch").startswith("times as long as torch\n"))

    def test_say_faster_and_slower_by_the_ratio_alone(self) -> None:
        self.assertEqual(interval("slower").text(), "1.20 [1.10, 1.30]")
        self.assertEqual(interval("faster", early=True).text(), "1.20* [1.10, 1.30]")
        self.assertEqual(interval("same").text(), "1.20 [1.10, 1.30] same")
        self.assertEqual(interval("undecided", None).text(), "[1.10, 1.30] not known yet")
        self.assertEqual(
            Interval(0.9, None, None, "undecided").text(), "0.900 [no interval] not known yet"
        )


class Runs(unittest.TestCase):
    def test_are_added_behind_those_that_are_known(self) -> None:
        known = sweep(told("same", "same"))
        added = with_run(known, Run(5.0, 60.0), {"new": interval("slower")})
        self.assertEqual(len(added.runs), 3)
        gap = {each.label: [run is None for run in each.runs] for each in added.contrasts}
        self.assertEqual(gap, {"jax": [False, False, True], "new": [True, True, False]})

    def test_are_the_same_once_they_were_kept(self) -> None:
        known = [
            sweep(told("same", "undecided")),
            replace(sweep(told("slower", "same")), name="other"),
        ]
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.object(second_run, "KEPT", Path(folder) / "kept.json"):
                second_run.keep(known)
                self.assertEqual(list(kept().values()), known)


class Reports(unittest.TestCase):
    def test_are_read_by_the_label_of_what_is_compared(self) -> None:
        trials = [
            {"engine": "a", "batch": 1, "label": "A 1"},
            {"engine": "a", "batch": 2, "label": "A 2"},
        ]
        contrast = {
            "a": {"engine": "a", "batch": 2},
            "ratio": 2.0,
            "low": 1.5,
            "high": 3.0,
            "confirmed": False,
        }
        found = contrasts_of({"trials": trials, "contrasts": [contrast | {"verdict": "slower"}]})
        self.assertEqual(found, {"A 2": Interval(2.0, 1.5, 3.0, "slower", early=True)})


class Page(unittest.TestCase):
    def test_holds_at_least_two_runs_of_every_sweep_some_hours_apart(self) -> None:
        known = kept()
        self.assertEqual(set(known), set(PAGE_OF_SWEEP))
        for each in known.values():
            self.assertGreaterEqual(len(each.runs), 2, each.name)
            self.assertGreaterEqual(each.runs[1].hours or 0.0, HOURS_APART, each.name)

    def test_draws_a_ring_where_nothing_was_decided_and_keeps_far_ratios_inside(self) -> None:
        self.assertEqual(page([sweep(told("faster", "undecided"))]).count('fill="white"'), 1)
        self.assertEqual(place(1e9), place(256.0))
        self.assertEqual(place(1e-9), 0.0)


if __name__ == "__main__":
    unittest.main()
