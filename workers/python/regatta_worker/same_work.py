"""What arms are compared by, to show that they do the same work (docs/worker-protocol.md, "checked").

Losses alone miss much in three steps: a wrong epsilon, a bias that is never trained, a rate that is twice as large.
So an arm can be examined more closely: random projections of each parameter's gradient and of its update, and what its
optimizer does with gradients from 1e-10 to 1.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

Tensors = dict[str, np.ndarray]

PROJECTIONS = 8
PROBE_STEPS = (1.0, 0.5, -0.25)
CHUNK = 1 << 16


def row_sums(output: np.ndarray) -> list[float]:
    """The sum of each row of |output j| / (j + 1), negative outputs counted twice.

    Compared where there is no loss: nothing cancels in it, and a wrong sign shows.
    """
    output = np.asarray(output, dtype=np.float64)
    output = output.reshape(len(output), -1)
    weights = np.where(output < 0, -2.0, 1.0) / np.arange(1, output.shape[1] + 1)
    return (weights * output).sum(axis=1).tolist()


def random_bits(seed: int, counters: np.ndarray) -> np.ndarray:
    """64 bits for each counter, those of regatta/base/random.hpp (SplitMix64)."""
    mask = (1 << 64) - 1
    start = np.uint64(seed * 0xD1342543DE82EF95 & mask)
    z = start + (counters.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def projections(tensor: np.ndarray, seed: int) -> list[float]:
    """The norm, and sums with random signs: bit k of byte i % 8 of random_bits(seed, i // 8) is the
    sign of element i in sum k (set: plus)."""
    flat = np.ascontiguousarray(tensor, dtype=np.float64).reshape(-1)
    sums = np.zeros(PROJECTIONS)
    for at in range(0, flat.size, CHUNK):
        piece = flat[at : at + CHUNK]
        words = random_bits(seed, np.arange(at // 8, -(-(at + piece.size) // 8))).astype("<u8")
        signs = np.unpackbits(words.view(np.uint8), bitorder="little").reshape(-1, PROJECTIONS)
        sums += 2 * (piece @ signs[: piece.size]) - piece.sum()
    return [float(np.linalg.norm(flat)), *sums.tolist()]


def all_projections(tensors: Tensors) -> dict[str, list[float]]:
    return {name: projections(tensors[name], seed) for seed, name in enumerate(sorted(tensors))}


def resolutions(weights: Tensors) -> dict[str, float]:
    """How far a projection of an update may be off because weights are rounded to float32."""
    return {name: float(np.linalg.norm(w)) * 2.0**-22 for name, w in weights.items()}


def probe_gradients() -> list[np.ndarray]:
    """Three steps of gradients from 1e-10 to 1 with both signs."""
    sizes = np.logspace(-10, 0, 21) * np.where(np.arange(21) % 2, -1, 1)
    return [(factor * sizes).astype(np.float32) for factor in PROBE_STEPS]


@dataclass
class Evidence:
    losses: list[list[float]] = field(default_factory=list)
    gradients: list[dict[str, list[float]]] = field(default_factory=list)
    updates: list[dict[str, list[float]]] = field(default_factory=list)
    resolution: dict[str, float] = field(
        default_factory=dict
    )  # by which updates may be off: they are differences of rounded weights
    probe: list[float] = field(default_factory=list)  # weights that began at 0


class Twin(Protocol):
    """An arm without dropout, at its initial weights, whose steps are those that are timed."""

    def step(self) -> Any: ...

    def losses(self, number: int) -> list[float]:
        """One for each sample of batch `number`, with the weights as they are."""

    def gradients(self, number: int) -> Tensors:
        """Gradients of the mean loss of batch `number`, by the names and shapes of the weights' file."""

    def weights(self) -> Tensors:
        """By the names and shapes of the weights' file; copies."""

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        """A vector that starts at 0 after one step of the arm's optimizer with each of these gradients."""


class SameWork:
    """Gives a trial its check, by a twin that it makes."""

    trains: bool

    def twin(self) -> Any:
        raise NotImplementedError

    def in_host_memory(self, output: Any) -> Any:
        """What a step of inference gives, as NumPy can read it."""
        return output

    def close(self) -> None:
        """Ends the threads and processes that the arm started; it takes no step any more."""

    def check(self, steps: int) -> list[list[float]]:
        """The losses of each sample before each step; of inference, row sums of the output."""
        twin, results = self.twin(), []
        with closing(twin):
            for number in range(steps):
                if self.trains:
                    results.append(twin.losses(number))
                    twin.step()
                else:
                    results.append(row_sums(self.in_host_memory(twin.step())))
        return results

    def examine(self, steps: int) -> Evidence:
        """As `check`, with gradients, updates and the optimizer's probe where there is training."""
        if not self.trains:
            return Evidence(losses=self.check(steps))
        twin, evidence = self.twin(), Evidence()
        with closing(twin):
            evidence.resolution = resolutions(twin.weights())
            for number in range(steps):
                evidence.losses.append(twin.losses(number))
                evidence.gradients.append(all_projections(twin.gradients(number)))
                before = twin.weights()
                twin.step()
                after = twin.weights()
                moved = {name: after[name].astype(np.float64) - before[name] for name in before}
                evidence.updates.append(all_projections(moved))
            evidence.probe = twin.probe(probe_gradients()).astype(np.float64).tolist()
        return evidence
