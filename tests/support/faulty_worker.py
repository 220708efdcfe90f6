"""The worker of the engine numpy with one fault planted, which the same-work check must find.

usage: faulty_worker.py FAULT [--fd N]     PYTHONPATH holds regatta_worker
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from regatta_worker.__main__ import main
from regatta_worker.engines.numpy import trial

Trial = trial.DenseTrial


def with_options(**changes: Callable[[Any], Any]) -> None:
    """Every optimizer gets other options than the trial's."""
    make = trial.make_optimizer

    def wrong(options: Any, weights: list[np.ndarray]) -> Any:
        changed = {name: change(getattr(options, name)) for name, change in changes.items()}
        return make(replace(options, **changed), weights)

    trial.make_optimizer = wrong


def doubled_rate() -> None:
    with_options(learning_rate=lambda rate: 2 * rate)


def wrong_epsilon() -> None:
    with_options(epsilon=lambda epsilon: epsilon / np.sqrt(1e-3))


def transposed_kernel() -> None:
    """In the second layer, which is square."""
    forward = Trial.forward

    def wrong(self: Trial, x: np.ndarray, logits: bool = False) -> list[np.ndarray]:
        kept = self.weight_arrays
        self.weight_arrays = [w.T if i == 2 else w for i, w in enumerate(kept)]
        try:
            return forward(self, x, logits)
        finally:
            self.weight_arrays = kept

    Trial.forward = wrong


def dropped_bias() -> None:
    """Initial biases are zero, so that no loss of the first step shows it."""
    gradients = Trial.loss_and_gradients

    def wrong(self: Trial, x: np.ndarray, y: np.ndarray) -> tuple[float, list[np.ndarray]]:
        loss, found = gradients(self, x, y)
        return loss, [g * (i != 1) for i, g in enumerate(found)]

    Trial.loss_and_gradients = wrong


def shuffled_batch() -> None:
    batch = Trial.batch

    def wrong(self: Trial, number: int) -> tuple[np.ndarray, np.ndarray]:
        x, y = batch(self, number)
        order = np.random.default_rng(0).permutation(len(x))
        return x[order], y[order]

    Trial.batch = wrong


def folded_constant() -> None:
    """The first batch was taken for a constant."""
    batch = Trial.batch
    Trial.batch = lambda self, number: batch(self, 0)


def stale_output() -> None:
    """Losses are those of the step before."""
    losses = Trial.losses

    def wrong(self: Trial, number: int) -> list[float]:
        found = losses(self, number)
        stale = getattr(self, "stale", found)
        self.stale = found
        return stale

    Trial.losses = wrong


FAULTS = {
    fault.__name__: fault
    for fault in (
        doubled_rate,
        wrong_epsilon,
        transposed_kernel,
        dropped_bias,
        shuffled_batch,
        folded_constant,
        stale_output,
    )
}

if __name__ == "__main__":
    FAULTS[sys.argv.pop(1)]()
    sys.exit(main())
