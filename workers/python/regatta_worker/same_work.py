"""The values that arms are compared by to show the same work (docs/reference/worker-protocol.md, "checked").

Losses alone miss much in three steps: a wrong epsilon, a bias that is never trained, a rate that is twice as large.
So an arm can be examined more closely: random projections of each parameter's gradient and of its update, and what its
optimizer does with gradients from 1e-10 to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Dict

import numpy as np

from .arm import Arm
from .errors import Unsupported
from .older import Protocol

Tensors = Dict[str, np.ndarray]

PROJECTIONS = 8
PROBE_STEPS = (1.0, 0.5, -0.25)
CHUNK = 1 << 16

TIMED, SHAKEN, SHAKEN_AGAIN, DOUBLE_PRECISION = (
    "timed",
    "shaken",
    "shaken_again",
    "double_precision",
)
DRAWS = {SHAKEN: 1, SHAKEN_AGAIN: 2}
# By how much weights are moved, relative. In fp32 eight last places: steps round often, and sums in another order move
# a result by some of them. In coarser types one: what they hold is summed in fp32 and rounded once.
SHAKES = {"fp32": 2.0**-20, "tf32": 2.0**-10, "fp16": 2.0**-10, "bf16": 2.0**-7}


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


def count_and_norm(weights: Tensors) -> dict[str, float] | None:
    """Count and norm of the weights: equal for two models of one network in whatever tensors they keep them. None if
    one is no number.
    """
    squares = sum(float(np.square(w.astype(np.float64)).sum()) for w in weights.values())
    if not np.isfinite(squares):
        return None
    return {"count": sum(w.size for w in weights.values()), "norm": squares**0.5}


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
    number_type: str | None = None  # the coarsest type of a user's own model
    own_weights: dict[str, float] | None = None  # count and norm, where the model is a user's own


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

    def replace_weights(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        """Makes each weight what `change` gives for it, in its own type."""

    def number_type(self) -> str | None:
        """The coarsest type in which a user's own model computes, as far as it can be seen; None: as declared."""

    def exact_losses(self) -> list[float]:
        """Losses of the first batch (row sums of the output) in float64, uncompiled. The twin is of no use then.
        Raises Unsupported where the engine cannot."""


class Shaking:
    """Moves each weight by random signs, so that everything after it is rounded otherwise."""

    def __init__(self, draw: int, size: float) -> None:
        self.random, self.size = np.random.default_rng(draw), size

    def __call__(self, weight: np.ndarray) -> np.ndarray:
        signs = 2 * self.random.integers(0, 2, weight.shape) - 1
        return weight.astype(np.float64) * (1 + self.size * signs)


class SameWork(Arm):
    """Gives a trial its check, by a twin that it makes."""

    trains: bool

    def twin(self, compiled: bool = True) -> Any:
        """At the initial weights. One that is not `compiled` computes operation by operation, where the engine can."""
        raise NotImplementedError

    def number_type(self) -> str | None:
        """As declared: only a user's own model has types of its own."""
        return None

    def exact_losses(self) -> list[float]:
        raise Unsupported("no step in double precision")

    def in_host_memory(self, output: Any) -> Any:
        """The output of an inference step, as NumPy can read it."""
        return output

    def check(self, steps: int) -> list[list[float]]:
        """The losses of each sample before each step; of inference, row sums of the output."""
        return self.examine(steps, with_evidence=False).losses

    def examine(self, steps: int, how: str = TIMED, with_evidence: bool = True) -> Evidence:
        """As `check`, with gradients, updates and the optimizer's probe where there is training; `how` as the messages
        name it."""
        twin = self.twin(compiled=how == TIMED)
        with closing(twin):
            if how == DOUBLE_PRECISION:
                return Evidence(losses=[twin.exact_losses()])
            if how in DRAWS:
                twin.replace_weights(Shaking(DRAWS[how], SHAKES[twin.number_type() or "fp32"]))
            evidence = Evidence()
            if how == TIMED and twin.number_type() is not None:  # nobody reads those of others
                evidence.own_weights = count_and_norm(twin.weights())
            if self.trains:
                self._train(twin, evidence, steps, with_evidence)
            else:
                for _ in range(steps):
                    evidence.losses.append(row_sums(self.in_host_memory(twin.step())))
            evidence.number_type = twin.number_type()
        return evidence

    @staticmethod
    def _train(twin: Any, evidence: Evidence, steps: int, with_evidence: bool) -> None:
        if with_evidence:
            evidence.resolution = resolutions(twin.weights())
            for number in range(steps):
                evidence.gradients.append(all_projections(twin.gradients(number)))
        for number in range(steps):
            evidence.losses.append(twin.losses(number))
            before = twin.weights() if with_evidence else {}
            twin.step()
            if with_evidence:
                after = twin.weights()
                moved = {name: after[name].astype(np.float64) - before[name] for name in before}
                evidence.updates.append(all_projections(moved))
        if with_evidence:
            evidence.probe = twin.probe(probe_gradients()).astype(np.float64).tolist()
