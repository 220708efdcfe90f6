"""bench/other_rules.py: what other tools would say of times that are known."""

from __future__ import annotations

import math
import random
import unittest

from bench import other_rules

MARGIN = math.log1p(0.01)


def around(middle: float, spread: float, count: int, seed: int = 1) -> list[float]:
    draw = random.Random(seed)
    return [draw.gauss(middle, spread * middle) for _ in range(count)]


class OtherRules(unittest.TestCase):
    def test_hyperfine_shows_what_lies_outside_of_its_plus_minus(self) -> None:
        base = [0.99, 1.0, 1.01]  # 1 % each: 1.4 % of the ratio
        self.assertEqual(other_rules.hyperfine(base, [1.01, 1.02, 1.03]), "slower")
        self.assertEqual(other_rules.hyperfine(base, [1.0, 1.01, 1.02]), "undecided")
        self.assertEqual(other_rules.hyperfine(base, [0.49, 0.5, 0.51]), "faster")

    def test_its_t_test_counts_what_it_does_not_show_as_the_same(self) -> None:
        base = around(1, 0.01, 40)
        self.assertEqual(other_rules.hyperfine_welch(base, around(1.02, 0.01, 20, 2)), "slower")
        self.assertEqual(other_rules.hyperfine_welch(base, around(0.98, 0.01, 20, 2)), "faster")
        self.assertEqual(other_rules.hyperfine_welch(base, base[::-1]), "same")
        # t = 2 would do for a normal distribution, and does not with 8 degrees of freedom
        few, many = [0.0, 1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0, 6.0]
        self.assertEqual(other_rules.hyperfine_welch(few, many), "same")
        self.assertEqual(other_rules.hyperfine_welch(few * 3, many * 3), "slower")

    def test_the_u_test_counts_orders(self) -> None:
        self.assertAlmostEqual(other_rules.u_test([1, 2, 3], [4, 5, 6]), 2 / 20)
        self.assertEqual(other_rules.u_test([1, 4, 5], [2, 3, 6]), 1.0)
        apart = list(range(12)), list(range(20, 32))
        self.assertEqual(other_rules.google_benchmark(*apart), "slower")
        self.assertEqual(other_rules.google_benchmark([1, 2, 3], [4, 5, 6]), "undecided")

    def test_criterion_wants_significance_and_more_than_its_noise_threshold(self) -> None:
        base = around(1, 0.01, 100)
        self.assertEqual(other_rules.criterion(base, around(1.05, 0.01, 100, 2), 3), "slower")
        self.assertEqual(other_rules.criterion(base, around(0.95, 0.01, 100, 2), 3), "faster")
        self.assertEqual(other_rules.criterion(base, around(1, 0.01, 100, 2), 3), "undecided")
        below = [0.995 * each for each in around(1, 0.0001, 100, 2)]
        self.assertEqual(other_rules.criterion(around(1, 0.0001, 100), below, 3), "undecided")

    def test_nvbench_goes_on_for_half_a_second_and_ten_samples(self) -> None:
        self.assertEqual(other_rules.nvbench_samples([0.1] * 50), 10)
        self.assertEqual(other_rules.nvbench_samples([0.0099] * 100), 51)

    def test_nvbench_stops_where_noise_is_small_or_stays_as_it_is(self) -> None:
        self.assertEqual(other_rules.nvbench_samples([0.1 * x for x in around(1, 0.002, 50)]), 10)
        steady = other_rules.nvbench_samples([0.01 * x for x in around(1, 0.1, 2000)])
        self.assertGreater(steady, other_rules.NVBENCH_LEAST_WINDOW)
        self.assertEqual(steady % other_rules.NVBENCH_LOOKS, 0)
        growing = [0.01 * 1.02**i for i in range(400)]
        stopped = other_rules.nvbench_samples(growing)
        self.assertGreater(sum(growing[:stopped]), other_rules.NVBENCH_MOST_SECONDS)

    def test_nvbench_says_same_up_to_the_smaller_noise(self) -> None:
        quiet, noisy = [0.99, 1.0, 1.01], [0.8, 1.015, 1.2]
        self.assertEqual(other_rules.nvbench(quiet, noisy), "same")
        self.assertEqual(other_rules.nvbench(quiet, [1.02 * each for each in quiet]), "slower")

    def test_a_verdict_may_be_right_or_false_or_neither(self) -> None:
        def judged(verdict: str, effect: float) -> tuple[bool, bool]:
            return (
                other_rules.is_right(verdict, effect, MARGIN),
                other_rules.is_false(verdict, effect, MARGIN),
            )

        self.assertEqual(judged("same", 0), (True, False))
        self.assertEqual(judged("slower", 0), (False, True))
        self.assertEqual(judged("slower", MARGIN / 2), (False, False))
        self.assertEqual(judged("faster", MARGIN / 2), (False, True))
        self.assertEqual(judged("same", MARGIN), (True, False))
        self.assertEqual(judged("same", 2 * MARGIN), (False, True))
        self.assertEqual(judged("slower", 2 * MARGIN), (True, False))
        self.assertEqual(judged("undecided", 2 * MARGIN), (False, False))


if __name__ == "__main__":
    unittest.main()
