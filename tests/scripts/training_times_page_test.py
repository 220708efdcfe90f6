"""bench/training_times_page.py: what docs/background/performance.md says of recorded trainings."""

import unittest

from bench import training_times_page as page


def record(rounds: int, factor: float = 5.0, test: float = 0.95, again: float = 1.0) -> dict:
    def arm(times: float, accuracy: float) -> dict:
        return {"whole": times, "epochs": 0.1 * times, "validation": 0.96, "test": accuracy}

    def one(i: int) -> dict:
        native = 0.1 * (1 + 0.01 * (i % 3))
        arms = {"native": arm(native, 0.95), "native again": arm(again * native, 0.95)}
        return {"load": 0.5, "arms": {**arms, "JAX": arm(factor * native, test + 0.001 * (i % 2))}}

    return {"machine": "a machine", "utc": "today", "rounds": {"mlp": [one(i) for i in range(rounds)]}}  # fmt: skip


class Rule(unittest.TestCase):
    def test_ranks_are_those_of_the_confidence_sequence(self) -> None:
        ranks = [page.sign_rank(n) for n in (6, 7, 12, 16, 24, 32, 48, 64)]
        self.assertEqual(ranks, [0, 1, 2, 3, 5, 8, 14, 20])

    def test_intervals_are_intersected_over_rounds(self) -> None:
        self.assertEqual(page.interval([0.0] * 6 + [1.0]), (0.0, 1.0))
        values = [0.4, 0.5, 0.6, 0.45, 0.55, 0.5, 0.5, 9.0, -9.0, 9.0, -9.0, 0.5]
        self.assertEqual(page.interval(values), (0.4, 0.6))
        low, high = page.interval([0.1 * i for i in range(7)] + [5.0] * 40)
        self.assertGreater(low, high)
        self.assertEqual(page.verdict(low, high, 0.02), "drifting")

    def test_a_verdict_needs_more_than_what_identical_code_differs_by(self) -> None:
        self.assertEqual(page.verdict(0.03, 0.05, 0.02), "native faster")
        self.assertEqual(page.verdict(0.03, 0.05, 0.04), "undecided")
        self.assertEqual(page.verdict(-0.05, -0.03, 0.02), "native slower")
        self.assertEqual(page.verdict(-0.01, 0.01, 0.02), "same")


class Text(unittest.TestCase):
    def test_nothing_is_said_before_anything_is_measured(self) -> None:
        self.assertEqual(page.training_text(None), "")
        self.assertEqual(page.training_text({"rounds": {}}), "")

    def test_few_rounds_have_no_interval(self) -> None:
        self.assertIn("5x (n = 2, no interval)", page.training_text(record(2)))

    def test_times_and_accuracies_have_a_verdict(self) -> None:
        text = page.training_text(record(12))
        self.assertIn("| JAX | 505 ms | 5x [5, 5] |", text)
        self.assertIn("| +0.05 [+0.02, +0.08], same |", text)
        self.assertIn("| native again | 101 ms | 1x [1, 1], same | 1x [1, 1], same |", text)
        noisy = page.training_text(record(12, factor=1.1, again=1.2))
        self.assertIn("1.1x [1.1, 1.1], same |", noisy)
        self.assertIn("], different |", page.training_text(record(12, test=0.93)))
        self.assertIn("], not known yet |", page.training_text(record(12, test=0.9597)))


if __name__ == "__main__":
    unittest.main()
