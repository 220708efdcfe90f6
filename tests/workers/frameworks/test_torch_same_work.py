"""Bar B5 on a small residual network: rounding is the same work, and each fault gets the answer that it owes."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

import torch
from regatta_worker.same_work import DOUBLE_PRECISION
from tools.same_work_judge import Answer, loss_apart

from same_work_cases import FAULTS, SAME, VARIANTS, answer, trial


class SameWork(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def answer(self, batch: int, **arguments: Any) -> Answer:
        return answer(self.folder, "res", batch, **arguments)

    def test_other_kernels_are_no_other_work(self) -> None:
        for batch in (1, 32, 256):
            found = self.answer(batch, **VARIANTS["channels_last"])
            with self.subTest(batch=batch):
                self.assertIn(found.verified, SAME, found)

    def test_faults_get_the_answer_that_they_owe(self) -> None:
        for text, (arguments, owed) in FAULTS.items():
            with self.subTest(text):
                found = self.answer(32, **arguments)
                self.assertIn(found.verified, owed, found)
                self.assertTrue(found.text)

    def test_double_precision_shows_which_side_rounds(self) -> None:
        plain, exact = (
            trial(self.folder, "res", 8).examine(1, how).losses[0]
            for how in ("timed", DOUBLE_PRECISION)
        )
        rough = trial(self.folder, "res", 8, digits=11).examine(1).losses[0]
        self.assertLess(loss_apart(plain, exact)[0], 2e-6)
        self.assertGreater(loss_apart(rough, exact)[0], 2e-5)

    def test_a_trial_is_left_as_it_was(self) -> None:
        plain = trial(self.folder, "res", 8)
        before = {name: weight.copy() for name, weight in plain.weights().items()}
        for how in ("shaken", DOUBLE_PRECISION):
            plain.examine(1, how)
        for name, weight in plain.weights().items():
            self.assertTrue((before[name] == weight).all(), name)
        self.assertEqual(next(plain.module.parameters()).dtype, torch.float32)


if __name__ == "__main__":
    unittest.main()
