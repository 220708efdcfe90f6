"""bench.answer_runs, early_answers and five_engines: what is right, when it was known, and which bars are met."""

import math
import unittest
from pathlib import Path
from unittest import mock

from bench import answer_runs
from bench.answer_runs import (
    NO_ANSWER,
    Answer,
    Run,
    answers_of,
    first_intervals,
    is_right,
    name_of,
    seconds_of,
    spread,
    with_kept_caches,
)
from bench.early_answers import ENGINES_OF, bars_of, comparisons_of, sweep_of, with_all
from bench.five_engines import MODE_OF, clones_sweep, same_within_resolution, share_bars

EAGER = {"engine": "torch", "mode": "eager", "batch": 32, "repeat": 0}
GRAPH = EAGER | {"mode": "graph"}
NAME = "torch graph batch 32 against torch eager batch 32"


def report(low: float | None, verdict: str = "faster") -> dict:
    high = None if low is None else 0.9
    return {
        "contrasts": [
            {
                "a": GRAPH,
                "b": EAGER,
                "ratio": 0.8,
                "low": low,
                "high": high,
                "verdict": verdict,
                "resolution": None if low is None else 0.05,
                "confirmed": False,
            }
        ]
    }


def run_of(answer: Answer, first: float, wall: float = 180, start: float = 10) -> Run:
    return Run(wall, 60, start, {NAME: answer}, {NAME: first})


FASTER = Answer("faster", 0.5, 0.45, 0.55)


class Right(unittest.TestCase):
    def test_is_what_contradicts_no_verdict_and_overlaps(self) -> None:
        self.assertTrue(is_right(Answer("undecided", 0.6, 0.4, 1.1), FASTER))
        self.assertTrue(is_right(Answer("same", 0.55, 0.54, 0.56), FASTER))
        self.assertFalse(is_right(Answer("slower", 1.2, 0.5, 2), FASTER))
        self.assertFalse(is_right(Answer("faster", 0.7, 0.6, 0.8), FASTER))

    def test_is_nothing_without_an_interval(self) -> None:
        self.assertFalse(is_right(Answer("none", None, None, None), FASTER))


class Resolution(unittest.TestCase):
    def test_is_the_reports_own_and_nothing_can_be_told_without_one(self) -> None:
        (known,) = answers_of(report(0.7)).values()
        self.assertEqual(known.resolution, 0.05)
        (unknown,) = answers_of(report(None)).values()
        self.assertEqual(unknown.resolution, math.inf)

    def test_goes_with_whether_the_answer_is_confirmed(self) -> None:
        (early,) = answers_of(report(0.7)).values()
        self.assertEqual(early.text(), "faster [0.7, 0.9], early")


class Times(unittest.TestCase):
    def test_are_of_the_first_report_with_an_interval(self) -> None:
        known = [(130.0, report(0.7)), (110.0, report(None)), (120.0, report(0.7))]
        self.assertEqual(first_intervals(known, 100.0), {NAME: 20.0})

    def test_are_read_with_their_unit(self) -> None:
        self.assertEqual([seconds_of(text) for text in ("90s", "3m", "0.5h")], [90, 180, 1800])

    def test_are_summed_up_by_median_and_range(self) -> None:
        self.assertEqual(spread([3.0, 1.0, 2.0]), "2 s (1 s to 3 s in 3)")
        self.assertEqual(spread([]), "none")


class EarlyAnswers(unittest.TestCase):
    def met(self, run: Run, reference: Answer = FASTER) -> list[bool]:
        return [bar.is_met for bar in bars_of("cold", [run], 180, run_of(reference, 30))]

    def test_meet_their_bars(self) -> None:
        good = Answer("faster", 0.5, 0.48, 0.52, 0.05)
        self.assertEqual(self.met(run_of(good, 100)), [True, True, True, True])
        self.assertEqual(self.met(run_of(good, 111)), [False, True, True, True])
        self.assertEqual(self.met(run_of(good, 100, wall=191)), [True, True, False, True])
        wide = Answer("faster", 0.5, 0.4, 0.6, 0.2)
        self.assertEqual(self.met(run_of(wide, 100)), [True, False, True, True])
        wrong = Answer("faster", 0.8, 0.78, 0.82, 0.03)
        self.assertEqual(self.met(run_of(wrong, 100)), [True, True, True, False])

    def test_miss_the_first_bar_where_a_batch_never_had_an_interval(self) -> None:
        without = Run(180, 60, 10, {NAME: Answer("none", None, None, None)}, {})
        self.assertEqual(self.met(without), [False, False, True, False])

    def test_count_what_a_run_does_not_answer(self) -> None:
        names = comparisons_of("resnet", [1, 32])
        self.assertIn(NAME, names)
        answers = with_all(run_of(FASTER, 30), names).answers
        self.assertEqual(list(answers.values()), [NO_ANSWER, FASTER])

    def test_ask_one_question_a_batch(self) -> None:
        for question in ENGINES_OF:
            sweep = sweep_of(question, [1, 32])
            self.assertEqual(sweep["axes"]["batch"], [1, 32])
            for name in sweep["compare"]["over"]:
                self.assertEqual(len(sweep["axes"][name]), 2, question)


class FiveEngines(unittest.TestCase):
    def clones(self, verdict: str, low: float | None = 0.98) -> Run:
        answers = {
            "torch eager batch 32, again against torch eager batch 32": FASTER,
            "tensorflow graph batch 32, again against tensorflow graph batch 32": FASTER,
        }
        same = {name: Answer(verdict, 1.0, low, low and 1.02) for name in answers}
        return Run(300, 100, 10, same | {"jax graph batch 32 against torch eager batch 32": FASTER})

    def test_call_clones_the_same_where_they_have_intervals_and_nobody_is_faster(self) -> None:
        self.assertTrue(same_within_resolution(self.clones("same")))
        self.assertTrue(same_within_resolution(self.clones("undecided")))
        self.assertFalse(same_within_resolution(self.clones("slower")))
        self.assertFalse(same_within_resolution(self.clones("undecided", None)))

    def test_name_both_arms_of_a_comparison(self) -> None:
        again = report(0.7)
        again["contrasts"][0]["a"] = EAGER | {"repeat": 1}
        (name,) = answers_of(again)
        self.assertEqual(name, "torch eager batch 32, again against torch eager batch 32")

    def test_have_one_mode_each_and_two_of_them_a_clone(self) -> None:
        left_out = clones_sweep(32)["exclude"]
        self.assertEqual(len([each for each in left_out if "mode" in each]), len(MODE_OF))

    def test_meet_the_bar_by_their_share_or_by_telling_all(self) -> None:
        def bar(scored: float, verdict: str) -> bool:
            answers = {NAME: Answer(verdict, 0.5, 0.4, 0.6)}
            return share_bars([Run(300, scored, 10, answers)])[0].is_met

        self.assertTrue(bar(100, "undecided"))
        self.assertTrue(bar(10, "faster"))
        self.assertFalse(bar(10, "undecided"))


class KeptCaches(unittest.TestCase):
    def test_engines_have_caches_that_outlive_a_run_and_the_names_of_before(self) -> None:
        with mock.patch.object(answer_runs, "interpreter", lambda engine: f"/{engine}/python"):
            sweep = with_kept_caches(sweep_of("transformer-jax", [1]), Path("/kept"))
        self.assertEqual(sweep["axes"]["engine"], ["jax@kept-jax", "torch@kept-torch"])
        self.assertEqual(sweep["compare"]["baseline"], {"engine": "torch@kept-torch"})
        declared = sweep["environments"]["kept-torch"]
        self.assertEqual((declared["engine"], declared["python"]), ("torch", "/torch/python"))
        self.assertEqual(declared["env"]["TORCHINDUCTOR_CACHE_DIR"], "/kept/inductor")
        self.assertEqual(
            name_of(GRAPH | {"engine": "torch@kept-torch", "batch": 1}), "torch graph batch 1"
        )


if __name__ == "__main__":
    unittest.main()
