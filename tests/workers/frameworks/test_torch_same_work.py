"""Bar B5 on a small residual network: rounding is the same work, and each fault gets the answer that it owes."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

import torch
from regatta_worker.same_work import DOUBLE_PRECISION
from same_work_cases import FAULTS, SAME, VARIANTS, answer, residual, trial
from tools.same_work_judge import Answer, compared, judged, loss_apart

HALF = """
import numpy as np
import torch
from torch import nn


class Half(nn.Module):
    def __init__(self, fused, bits):
        super().__init__()
        self.inner = nn.Sequential(*(nn.Linear(64, 64) for _ in range(4))).to(torch.bfloat16)
        self.fused, self.factor = fused, 1 + bits

    def forward(self, x):
        x = x.to(torch.bfloat16)
        for part in self.inner:
            y = part(x) if self.fused else x @ part.weight.T + part.bias  # one rounding, or two
            x = nn.functional.gelu(y * self.factor)
        return x.float()


def build(fused=True, bits=0.0):
    return Half(fused, bits), nn.MSELoss()


def make_batch(n, seed=0):
    x = np.random.default_rng(seed).standard_normal((n, 64)).astype("float32")
    return x, np.zeros((n, 64), "float32")
"""


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

    def test_half_precision_is_judged_by_what_its_type_rounds(self) -> None:
        plain, other, wrong = (
            trial(self.folder, 32, HALF, args=args)
            for args in ({}, {"fused": False}, {"bits": 0.25})
        )
        self.assertEqual(plain.examine(1).number_type, "bf16")
        self.assertEqual(compared(plain.examine(1), other.examine(1)).verified, "no", "as fp32")
        self.assertIn(judged(plain, other, 3).verified, SAME)
        self.assertEqual(judged(plain, wrong, 3).verified, "no")

    def test_double_precision_shows_which_side_rounds(self) -> None:
        plain, exact = (
            residual(self.folder, "res", 8).examine(1, how).losses[0]
            for how in ("timed", DOUBLE_PRECISION)
        )
        rough = residual(self.folder, "res", 8, digits=11).examine(1).losses[0]
        self.assertLess(loss_apart(plain, exact)[0], 2e-6)
        self.assertGreater(loss_apart(rough, exact)[0], 2e-5)

    def test_a_trial_is_left_as_it_was(self) -> None:
        plain = residual(self.folder, "res", 8)
        before = {name: weight.copy() for name, weight in plain.weights().items()}
        for how in ("shaken", DOUBLE_PRECISION):
            plain.examine(1, how)
        for name, weight in plain.weights().items():
            self.assertTrue((before[name] == weight).all(), name)
        self.assertEqual(next(plain.module.parameters()).dtype, torch.float32)


if __name__ == "__main__":
    unittest.main()
