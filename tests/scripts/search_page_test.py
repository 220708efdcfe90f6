"""bench/search_page.py: what docs/background/search.md says of recorded searches."""

import copy
import unittest

from bench import search_page

CONFIGURATION = {"good": {"batch": 16}, "poor": {"batch": 64}}


def regret_record(searches: int = 20) -> dict:
    """Regatta always chooses the good one and tells the truth; TPE the poor one, and flatters it by two points."""

    def choice(which: str, reported: float) -> dict:
        return {"configuration": CONFIGURATION[which], "reported": reported}

    names = [*search_page.WHOLE, *search_page.ALONE]
    choices = {name: choice("good", 0.975) for name in names} | {"TPE": choice("poor", 0.965)}
    search = {"trainings": {"regatta": 116, "halving alone": 20}, "choices": choices}
    truths = {
        search_page.key_of(CONFIGURATION["good"]): {"validation": 0.975, "test": 0.97},
        search_page.key_of(CONFIGURATION["poor"]): {"validation": 0.945, "test": 0.955},
    }
    best = {"validation": 0.98, "test": 0.972}
    return {
        "searches": {str(i): search for i in range(searches)},
        "truths": truths,
        "best": best,
    }


def live_record() -> dict:
    """Two configurations differ by two points; searches name the better one; one set of twenty lacks it."""
    good, poor = (search_page.key_of(CONFIGURATION[name]) for name in ("good", "poor"))
    seeds = range(50)
    truth = {
        good: {"validation": [0.97 + 0.001 * (i % 3) for i in seeds], "test": [0.96] * 50},
        poor: {"validation": [0.95] * 50, "test": [0.94] * 50},
    }

    def finalist(which: str, in_set: bool) -> dict:
        configuration = {**CONFIGURATION[which]}
        figures = {"searched": 0.98 if in_set else 0.97, "validation": 0.97, "test": 0.961}
        return {"configuration": configuration, "in_set": in_set, **figures}

    right = {"finalists": [finalist("good", True), finalist("poor", False)], "trainings": 116.0}
    wrong = {"finalists": [finalist("poor", True), finalist("good", False)], "trainings": 116.0}
    rated = {**right, "finalists": [dict(each) for each in right["finalists"]]}
    for each, rate in zip(rated["finalists"], (0.01, 0.001), strict=True):
        each["configuration"] = {"learning_rate": rate}
    return {
        "truth": truth,
        "planted_truth": {
            "good": {"validation": 0.97, "test": 0.96},
            "worse": {"validation": 0.95, "test": 0.94},
        },
        "searches": {str(i): wrong if i == 7 else right for i in range(20)},
        "equals": {str(i): copy.deepcopy(rated) for i in range(20)},
        "planted": {str(i): rated for i in range(20)},
    }


class Intervals(unittest.TestCase):
    def test_counts_have_that_of_clopper_and_pearson(self) -> None:
        for count, of, low, high in ((5, 10, 0.1871, 0.8129), (0, 20, 0, 0.1684), (19, 20, 0.7513, 0.9987)):  # fmt: skip
            found = search_page.clopper_pearson(count, of)
            self.assertAlmostEqual(found[0], low, 4)
            self.assertAlmostEqual(found[1], high, 4)

    def test_means_have_students(self) -> None:
        for degrees, quantile in ((11, 2.2010), (19, 2.0930), (49, 2.0096)):
            self.assertAlmostEqual(search_page.student(degrees), quantile, 2)

    def test_a_median_of_few_has_none(self) -> None:
        self.assertEqual(search_page.interval_text([0.01] * 5), "1.00 (n = 5, no interval)")
        self.assertEqual(search_page.interval_text([0.01] * 20), "1.00 [1.00, 1.00]")


class Regret(unittest.TestCase):
    def test_is_the_best_possible_less_the_truth_of_the_choice(self) -> None:
        line = search_page.regret_line(regret_record(), "TPE", "regatta")
        self.assertEqual(line[1:3], ["116", "1.70 [1.70, 1.70]"])
        self.assertIn("0 of 20", line[4])
        self.assertEqual(line[5:], ["3.50 [3.50, 3.50]", "1.50 [1.50, 1.50]", "2.00 [2.00, 2.00]"])

    def test_of_regatta_has_nothing_beside_it(self) -> None:
        line = search_page.regret_line(regret_record(), "regatta", "regatta")
        self.assertEqual(line[2], "0.20 [0.20, 0.20]")
        self.assertEqual(line[6:], ["–", "0.00 [0.00, 0.00]"])


class Live(unittest.TestCase):
    def test_sets_and_leaders_are_counted_against_the_truth(self) -> None:
        found = [line[2] for line in search_page.search_lines(live_record())]
        self.assertEqual([each.split(",")[0] for each in found], ["19 of 20"] * 3)

    def test_what_paired_seeds_do_not_tell_apart_is_as_good(self) -> None:
        record = live_record()
        best, as_good = search_page.truly(record)
        self.assertEqual(as_good, {best})
        record["truth"]["close"] = {"validation": [0.9708 + 0.002 * (i % 2) for i in range(50)]}
        record["truth"]["close"]["validation"][0] -= 0.08
        self.assertEqual(search_page.truly(record)[1], {best, "close"})

    def test_single_winners_and_planted_ones_are_counted(self) -> None:
        single, held, led = (line[2] for line in search_page.planted_lines(live_record()))
        self.assertEqual([each.split(",")[0] for each in (single, held, led)], ["20 of 20"] * 3)

    def test_reported_figures_stand_beside_the_truth(self) -> None:
        record = live_record()
        del record["searches"]["7"]
        lines = [line[2] for line in search_page.reported_lines(record)]
        self.assertEqual(lines[0], "0.10 points [0.10, 0.10]")
        self.assertEqual(lines[2], "0.00 points [0.00, 0.00]")
        for search in record["equals"].values():
            search["finalists"][0]["test"] += 0.004
        lines = [line[2] for line in search_page.reported_lines(record)]
        self.assertEqual(lines[2], "0.20 points [0.20, 0.20]")
        self.assertEqual(lines[3], "1.00 points [1.00, 1.00]")


class Page(unittest.TestCase):
    def test_has_what_was_recorded(self) -> None:
        page = search_page.page_of(None, live_record())
        self.assertNotIn("Beside random search", page)
        self.assertIn("| S2 |", page)
        self.assertIn("| Optuna's TPE |", search_page.page_of(regret_record(), None))


if __name__ == "__main__":
    unittest.main()
