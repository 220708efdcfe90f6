"""Trials of the engine `numpy`: a dense network with its optimizer, a matrix product."""

from __future__ import annotations

import copy
import dataclasses
import itertools
from typing import Any, Callable, List

import numpy as np

from ...arm import Arm
from ...errors import Unsupported
from ...fed import Fed
from ...inputs import Settings, as_floats, batches_of, casts_in_step, needs_cast
from ...layers import Adam, Dense, Network, Sgd
from ...same_work import SameWork, Tensors, row_sums
from .model import ACTIVATIONS, BACKWARD, LOSSES

Arrays = List[np.ndarray]

# ---- optimizers --------------------------------------------------------------------------


class SgdState:
    def __init__(self, options: Sgd, weights: Arrays) -> None:
        self.options, self.rate = options, options.learning_rate
        self.velocities = [np.zeros_like(w) for w in weights] if options.momentum else []

    def update(self, weights: Arrays, gradients: Arrays) -> None:
        if not self.velocities:
            for w, g in zip(weights, gradients):
                w -= self.rate * g
            return
        for w, g, v in zip(weights, gradients, self.velocities):
            v *= self.options.momentum
            v += g
            w -= self.rate * v


class AdamState:
    """Kingma and Ba 2015, algorithm 1."""

    def __init__(self, options: Adam, weights: Arrays) -> None:
        self.options, self.rate = options, options.learning_rate
        self.steps = 0
        self.first = [np.zeros_like(w) for w in weights]
        self.second = [np.zeros_like(w) for w in weights]

    def update(self, weights: Arrays, gradients: Arrays) -> None:
        self.steps += 1
        o = self.options
        rate = self.rate / (1 - o.beta1**self.steps)
        correction = 1 / (1 - o.beta2**self.steps)
        for w, g, m, v in zip(weights, gradients, self.first, self.second):
            m *= o.beta1
            m += (1 - o.beta1) * g
            v *= o.beta2
            v += (1 - o.beta2) * (g * g)
            w -= rate * m / (np.sqrt(v * correction) + o.epsilon)


def make_optimizer(options: Sgd | Adam, weights: Arrays) -> SgdState | AdamState:
    return SgdState(options, weights) if isinstance(options, Sgd) else AdamState(options, weights)


# ---- trials ------------------------------------------------------------------------------


def check_supported(network: Network) -> tuple[Dense, ...]:
    last = len(network.layers) - 1
    own_activation = LOSSES[network.loss].own_activation
    for index, layer in enumerate(network.layers):
        where = f"{network.name}, layer {index}"
        if not isinstance(layer, Dense):
            kind = type(layer).__name__
            raise Unsupported(f"{where}: the engine numpy has no layer {kind} (it has Dense)")
        if layer.activation == "softmax" and (index < last or own_activation != "softmax"):
            raise Unsupported(f"{where}: softmax stands last, before its cross-entropy")
    if own_activation and network.layers[last].activation != own_activation:
        raise Unsupported(f"{network.name}: {network.loss} needs a last {own_activation}")
    if len(network.input) != 1:
        raise Unsupported(f"{network.name}: the engine numpy needs an input of one axis")
    return network.layers  # type: ignore[return-value]


class DenseTrial(Fed, SameWork):
    def __init__(
        self,
        network: Network,
        settings: Settings,
        tensors: Tensors,
        batches: Tensors,
        batches_path: str = "",
    ) -> None:
        self.layers = check_supported(network)
        names = ("kernel", "bias")
        self.weight_arrays = [
            tensors[f"{i}.{name}"] for i in range(len(self.layers)) for name in names
        ]
        self.initial = [w.copy() for w in self.weight_arrays]
        self.optimizer_options = network.optimizer
        self.optimizer = make_optimizer(network.optimizer, self.weight_arrays)
        self.loss = LOSSES[network.loss]
        self.from_logits = bool(self.loss.own_activation)
        self.trains, self.settings = settings.trains, settings
        self.held = batches_of(batches, settings, batches_path)
        self.xs, self.ys, self.scale = self.held.xs, self.held.ys, self.held.scale
        self.casts = bool(self.xs) and needs_cast(self.xs[0], self.scale)
        self.next = 0
        self.next_batch = self.feed()

    def step(self) -> float | np.ndarray:
        """The mean loss, or the output."""
        x, y = self.next_batch()
        return self.train(x, y) if self.trains else self.forward(x)[-1]

    def wait(self) -> None:
        """Nothing runs on after a step."""

    # ---- batches -----------------------------------------------------------------------------

    def feed(self) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
        if self.settings.input != "loader":
            return self.from_memory
        following = self.start_feed(self.settings, self.held, lambda x, y: (x, y))
        if not (self.casts and casts_in_step(self.settings)):
            return following
        scale = self.scale

        def cast() -> tuple[np.ndarray, np.ndarray]:
            x, y = following()
            return as_floats(x, scale), y

        return cast

    def from_memory(self) -> tuple[np.ndarray, np.ndarray]:
        at = self.next
        self.next = (at + 1) % len(self.xs)
        return as_floats(self.xs[at], self.scale) if self.casts else self.xs[at], self.ys[at]

    def batch(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        at = number % len(self.xs)
        return as_floats(self.xs[at], self.scale), self.ys[at]

    # ---- steps -------------------------------------------------------------------------------

    def forward(self, x: np.ndarray, logits: bool = False) -> Arrays:
        """The input and the output of each layer; the last without its activation if `logits`."""
        outputs = [x]
        last = len(self.layers) - 1
        for i, layer in enumerate(self.layers):
            z = outputs[-1] @ self.weight_arrays[2 * i]
            z += self.weight_arrays[2 * i + 1]
            keep = logits and i == last
            outputs.append(z if keep else ACTIVATIONS[layer.activation](z))
        return outputs

    def train(self, x: np.ndarray, y: np.ndarray) -> float:
        loss, gradients = self.loss_and_gradients(x, y)
        self.optimizer.update(self.weight_arrays, gradients)
        return loss

    def loss_and_gradients(self, x: np.ndarray, y: np.ndarray) -> tuple[float, Arrays]:
        outputs = self.forward(x, self.from_logits)
        loss, gradient = self.loss.mean_and_gradient(outputs[-1], y)
        gradients: Arrays = [np.empty(0)] * len(self.weight_arrays)
        for i in reversed(range(len(self.layers))):
            if not (self.from_logits and i == len(self.layers) - 1):
                gradient = BACKWARD[self.layers[i].activation](gradient, outputs[i + 1])
            gradients[2 * i] = outputs[i].T @ gradient
            gradients[2 * i + 1] = np.add.reduce(gradient, axis=0)
            if i > 0:
                gradient = gradient @ self.weight_arrays[2 * i].T
        return loss, gradients

    # ---- same work ---------------------------------------------------------------------------

    def twin(self, compiled: bool = True) -> DenseTrial:
        trial = copy.copy(self)
        trial.next = 0
        trial.next_batch = trial.feed()
        trial.weight_arrays = [w.copy() for w in self.initial]
        trial.optimizer = make_optimizer(self.optimizer_options, trial.weight_arrays)
        return trial

    def losses(self, number: int) -> list[float]:
        x, y = self.batch(number)
        return self.loss.of_samples(self.forward(x, self.from_logits)[-1], y).tolist()

    def gradients(self, number: int) -> Tensors:
        return self.named(self.loss_and_gradients(*self.batch(number))[1])

    def weights(self) -> Tensors:
        return self.named([w.copy() for w in self.weight_arrays])

    def replace_weights(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        for weight in self.weight_arrays:
            weight[...] = change(weight)

    def exact_losses(self) -> list[float]:
        self.weight_arrays = [weight.astype(np.float64) for weight in self.weight_arrays]
        return self.losses(0) if self.trains else row_sums(self.forward(self.batch(0)[0])[-1])

    def named(self, arrays: Arrays) -> Tensors:
        return {f"{i // 2}.{('kernel', 'bias')[i % 2]}": array for i, array in enumerate(arrays)}

    def probe(self, gradients: Arrays) -> np.ndarray:
        weights = [np.zeros_like(gradients[0])]
        optimizer = make_optimizer(self.optimizer_options, weights)
        for gradient in gradients:
            optimizer.update(weights, [gradient])
        return weights[0]


class ResidentDenseTrial(DenseTrial):
    """Every step works on the first batch, which is in place in the type that steps compute in."""

    def __init__(self, network: Network, settings: Settings, *arguments: Any) -> None:
        super().__init__(network, dataclasses.replace(settings, input="array"), *arguments)
        self.xs, self.casts = [as_floats(x, self.scale) for x in self.xs], False
        self.place(0)

    def place(self, index: int) -> None:
        self.x, self.y = self.xs[index], self.ys[index]

    def step(self) -> float | np.ndarray:
        return self.train(self.x, self.y) if self.trains else self.forward(self.x)[-1]

    def twin(self, compiled: bool = True) -> DenseTrial:
        """Works on the same batches as the trial's, each put in place before its step."""
        twin, numbers = super().twin(compiled), itertools.count()

        def step() -> np.ndarray:
            twin.place(next(numbers) % len(twin.xs))
            return ResidentDenseTrial.step(twin)

        twin.step = step
        return twin


class MatmulTrial(Arm):
    def __init__(self, batches: dict[str, np.ndarray]) -> None:
        self.a, self.b = batches["x"][0], batches["y"][0]

    def step(self) -> np.ndarray:
        return self.a @ self.b

    def wait(self) -> None:
        """Nothing runs on after a step."""

    def check(self, steps: int) -> list[list[float]]:
        return [row_sums(self.step()) for _ in range(steps)]
