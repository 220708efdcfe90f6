"""scripts/second_run.py: which verdicts stayed in a second run."""

import unittest

from scripts.printed_run import END
from scripts.question_pages import MEASURED_ONCE, PAGE_OF_SWEEP, QUESTIONS
from scripts.second_run import BEGIN, Interval, Sweep, Twice, contrasts_of, page, place, rows, table


def twice(first: str, second: str) -> Twice:
    return Twice("jax", Interval(1.2, 1.1, 1.3, first), Interval(0.9, None, None, second))


class Verdicts(unittest.TestCase):
    def test_contradict_where_both_runs_told_another_thing(self) -> None:
        for first, second in (("faster", "slower"), ("same", "slower"), ("faster", "same")):
            self.assertTrue(twice(first, second).flipped, (first, second))
        for first, second in (
            ("faster", "faster"),
            ("faster", "undecided"),
            ("undecided", "faster"),
        ):
            self.assertFalse(twice(first, second).flipped, (first, second))

    def test_are_told_once_where_the_other_run_left_them_open(self) -> None:
        for first, second in (
            ("faster", "undecided"),
            ("undecided", "slower"),
            ("undecided", "same"),
        ):
            self.assertTrue(twice(first, second).moved, (first, second))
        for first, second in (("faster", "slower"), ("undecided", "undecided"), ("same", "same")):
            self.assertFalse(twice(first, second).moved, (first, second))

    def test_are_counted_and_marked(self) -> None:
        contrasts = [
            twice("faster", "slower"),
            twice("same", "undecided"),
            twice("slower", "slower"),
        ]
        sweep = Sweep("small", 2.5, contrasts, 4, 1)
        self.assertEqual(table([sweep]).splitlines()[1].split(), "small 2.5 3 1 1 4 1".split())
        self.assertEqual(table([sweep, sweep]).splitlines()[-2].split(), "all 6 2 2 8 2".split())
        self.assertEqual(
            table([sweep, sweep]).splitlines()[-1],
            "one run only: 2 of 6; 2 of them are not known yet in the other",
        )
        marks = [line[0] for line in rows([sweep]).splitlines() if line.endswith("jax")]
        self.assertEqual(marks, ["!", "~", " "])
        self.assertIn("0.9 [no interval] not known yet", rows([sweep]))
        self.assertIn("1.2 [1.1, 1.3] same", rows([sweep]))

    def test_say_faster_and_slower_by_the_ratio_alone(self) -> None:
        for verdict, text in (("slower", "1.2 [1.1, 1.3]"), ("slower?", "1.2 [1.1, 1.3] slower?")):
            self.assertEqual(Interval(1.2, 1.1, 1.3, verdict).text(), text)


class Reports(unittest.TestCase):
    def test_are_read_by_the_label_of_what_is_compared(self) -> None:
        trials = [
            {"engine": "a", "batch": 1, "label": "A 1"},
            {"engine": "a", "batch": 2, "label": "A 2"},
        ]
        contrast = {"a": {"engine": "a", "batch": 2}, "ratio": 2.0, "low": 1.5, "high": 3.0}
        found = contrasts_of({"trials": trials, "contrasts": [contrast | {"verdict": "slower"}]})
        self.assertEqual(found, {"A 2": Interval(2.0, 1.5, 3.0, "slower")})


TWICE = set(PAGE_OF_SWEEP) - MEASURED_ONCE


class Page(unittest.TestCase):
    def test_holds_both_runs_of_every_sweep(self) -> None:
        text = (QUESTIONS / "second-run.md").read_text(encoding="utf-8")
        printed = text.partition(BEGIN)[2].partition(END)[0]
        for sweep in TWICE:
            self.assertRegex(printed, rf"(?m)^{sweep} +[0-9.]+ ")

    def test_runs_lie_at_least_two_hours_apart(self) -> None:
        text = (QUESTIONS / "second-run.md").read_text(encoding="utf-8")
        lines = text.partition(BEGIN)[2].partition(END)[0].splitlines()[2 : 2 + len(TWICE)]
        for line in lines:
            self.assertGreaterEqual(float(line.split()[1]), 2.0, line)

    def test_draws_a_ring_where_nothing_was_told_and_keeps_far_ratios_inside(self) -> None:
        drawn = page([Sweep("small", 2.5, [twice("faster", "undecided")], 1, 0)])
        self.assertEqual(drawn.count('fill="white"'), 1)
        self.assertEqual(place(1e9), place(256.0))
        self.assertEqual(place(1e-9), 0.0)


if __name__ == "__main__":
    unittest.main()
