"""bench/performance_page.py: what docs/background/performance.md says of recorded runs."""

import unittest
from dataclasses import dataclass

from bench import performance_page


@dataclass
class Row:
    name: str = "mlp"
    eager_missed: str = ""


def arm(seconds: float | None, ratio: float | None, verified: str = "yes") -> dict:
    found = {"seconds": seconds, "ratio": ratio, "low": None, "high": None}
    return {**found, "verified": verified, "reason": None}


def run(**parts: dict) -> dict:
    return {"rows": {"mlp": parts}}


COUNTERS = {
    "eager_ops": 18,
    "eager_overheads_per_op_seconds": [5e-8] * 9,
    "eager_seconds": 2e-6,
    "graph_seconds": 1e-6,
}


class Runs(unittest.TestCase):
    def test_of_one_machine_and_engine_are_put_together(self) -> None:
        def one(machine: str, engine: str, first_look: bool = False) -> dict:
            return {"machine": machine, "engine": engine, "first_look": first_look}

        runs = [one("a", "1"), one("b", "1"), one("a", "2"), one("a", "2", True), one("a", "2")]
        self.assertEqual(performance_page.comparable(runs), [runs[2], runs[4]])


class Answer(unittest.TestCase):
    def test_gives_the_range_of_factors_and_the_goals_that_are_met(self) -> None:
        line = ["mlp", "1 us", "numpy", "3x [2, 4]", "2x", "met", "–"]
        other = [*line[:3], "0.9x [0.8, 1]", "1x", "**missed**", "–"]
        text = performance_page.answer([line, other])
        self.assertIn("0.9 to 3 times as fast", text)
        self.assertIn("1 of 2 goals are met", text)
        self.assertEqual(performance_page.answer([[*line[:3], "–", "2x", "–", "–"]]), "")


class Planning(unittest.TestCase):
    def test_is_told_as_ranges(self) -> None:
        rows = [Row("a"), Row("b"), Row("c")]
        counters = {"plan_seconds": 2e-5, "arena_bytes": 64}
        more = {"plan_seconds": 0.2, "arena_bytes": 600 * 2**20}
        found = {"rows": {"a": {"counters": counters}, "b": {"counters": more}}}
        text = performance_page.planning_text([found], rows)
        self.assertIn("takes 20 us to 200 ms;", text)
        self.assertIn("takes 64 bytes to 600 MiB.", text)
        self.assertEqual(performance_page.planning_text([], rows), "Not measured.\n")


class Savings(unittest.TestCase):
    def test_are_shown_with_their_interval(self) -> None:
        found = {"name": "mlp", "level": "algorithm fft", "plain": 0.2, "other": 0.1, "detail": ""}
        text = performance_page.savings_text(
            [{"savings": [{**found, "ratio": 0.5, "low": 0.4, "high": 0.625}]}]
        )
        self.assertIn("| mlp | algorithm fft | 200 ms | 100 ms | 2x [1.6, 2.5] |", text)
        text = performance_page.savings_text(
            [{"savings": [{**found, "ratio": None, "low": None, "high": None, "detail": "why"}]}]
        )
        self.assertIn("| mlp | algorithm fft | – | – | why |", text)


class Eager(unittest.TestCase):
    def line(self, ratio: float | None, *overheads: float) -> list[str]:
        arms = {"native eager": arm(2e-6, 1.0)}
        if ratio:
            arms["torch eager"] = arm(90e-6, ratio)
        counters = dict(COUNTERS)
        if overheads:
            counters["eager_overheads_per_op_seconds"] = list(overheads)
        return performance_page.eager_line([run(eager=arms, counters=counters)], Row())

    def test_is_met_with_a_small_overhead_ahead_of_every_framework(self) -> None:
        self.assertEqual(self.line(45.0)[2:5], ["18", "50 ns", "2x"])
        self.assertEqual(self.line(45.0)[-1], "met")
        self.assertEqual(self.line(0.9)[-1], "**missed**")
        self.assertEqual(self.line(45.0, *[2e-7] * 9)[-1], "**missed**")

    def test_overheads_below_what_the_difference_of_times_shows_are_not_called_missed(self) -> None:
        wide = [k * 1e-6 for k in range(-7, 8)]
        self.assertEqual(self.line(45.0, *wide)[3], "below 4 us")
        self.assertEqual(self.line(45.0, *wide)[-1], "ahead")
        self.assertEqual(self.line(0.9, *wide)[-1], "**missed**")
        self.assertEqual(self.line(45.0, 3e-6)[3], "does not show")

    def test_says_why_rows_miss_their_bar(self) -> None:
        rows = [Row("a", "memory"), Row("b", "unused"), Row("c", "memory"), Row("d")]
        lines = [["**missed**"], ["met"], ["**missed**"], ["**missed**"]]
        text = performance_page.eager_reasons(rows, lines)
        self.assertEqual(text, "- a; c: memory\n- d: the reason is not known yet\n")

    def test_says_what_was_not_measured(self) -> None:
        self.assertEqual(self.line(None)[5:], ["none ran", "–", "–"])
        nothing = performance_page.eager_line([run(counters=COUNTERS)], Row())
        self.assertEqual(nothing, ["mlp", "not measured", *["–"] * 6])


class Precision(unittest.TestCase):
    def text(self, name: str, ratio: float | None) -> str:
        found = {"plain": 0.2, "other": 0.05, "ratio": ratio, "low": None, "high": None}
        return performance_page.precision_text([{"precision": {name: {**found, "detail": "why"}}}])

    def test_is_held_to_its_bar_on_one_workload(self) -> None:
        row = performance_page.PRECISION_ROW
        self.assertIn(f"| {row} | 200 ms | 50 ms | 5x | met | why |", self.text(row, 0.2))
        self.assertIn("| 3x | **missed** |", self.text(row, 1 / 3))
        self.assertIn("| mlp | 200 ms | 50 ms | 3x |  | why |", self.text("mlp", 1 / 3))

    def test_says_why_it_was_not_measured(self) -> None:
        self.assertIn("| mlp | – | – | – | – | why |", self.text("mlp", None))


class Wrapped(unittest.TestCase):
    def test_prose_alone_is_wrapped(self) -> None:
        words = "word " * 40
        kept = f"# {words}\n\n| {words} |\n\n```bash\n{words}\n```\n"
        self.assertEqual(performance_page.wrapped(kept), kept)
        page = performance_page.wrapped(f"{words}\n- {words}\n- short\n")
        self.assertLessEqual(max(map(len, page.split("\n"))), 118)
        self.assertEqual(page.split(), f"{words} - {words} - short".split())
        self.assertTrue(page.endswith("\n- short\n"))


if __name__ == "__main__":
    unittest.main()
