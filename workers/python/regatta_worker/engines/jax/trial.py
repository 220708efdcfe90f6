"""Trials of the engine `jax`: a network of layers, and steps without weights."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp

from ...arm import Arm
from ...inputs import Batches, Settings, Tensors
from ...layers import Adam, Dropout, Sgd
from ...layers_trial import LayersTrial
from .model import Forward, Weights, build, element_losses, sample_losses


def with_mode(function: Callable, settings: Settings, **options: Any) -> Callable:
    return jax.jit(function, **options) if settings.mode == "graph" else function


def from_bytes(forward: Forward, scale: float) -> Forward:
    """Samples are bytes, or float32 already."""

    def scaled(weights: Weights, key: jax.Array, x: jax.Array) -> jax.Array:
        return forward(weights, key, floats_of(x, scale) if x.dtype == np.uint8 else x)

    return scaled


def floats_of(x: Any, scale: float) -> jax.Array:
    return lax.convert_element_type(x, np.float32) * scale


# ---- optimizers: new weights and state from gradients --------------------------------------


def initial_state(options: Sgd | Adam, weights: Weights) -> dict[str, Any]:
    def zeros() -> Weights:
        return jax.tree.map(jnp.zeros_like, weights)

    if isinstance(options, Sgd):
        return {"velocity": zeros()} if options.momentum else {}
    return {"count": jnp.zeros((), jnp.float32), "first": zeros(), "second": zeros()}


def updated(
    options: Sgd | Adam, weights: Weights, gradients: Weights, state: dict, rate: Any = None
) -> tuple:
    """With another learning rate than the optimizer's own, if there is a `rate`."""
    rate = options.learning_rate if rate is None else rate
    if isinstance(options, Sgd):
        if options.momentum:
            velocity = jax.tree.map(
                lambda v, g: options.momentum * v + g, state["velocity"], gradients
            )
            return jax.tree.map(lambda w, v: w - rate * v, weights, velocity), {
                "velocity": velocity
            }
        return jax.tree.map(lambda w, g: w - rate * g, weights, gradients), state
    b1, b2 = options.beta1, options.beta2
    count = state["count"] + 1
    first = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, state["first"], gradients)
    second = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, state["second"], gradients)
    rate, correction = rate / (1 - b1**count), 1 / (1 - b2**count)

    def moved(w: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        return w - rate * m / (jnp.sqrt(v * correction) + options.epsilon)

    new = jax.tree.map(moved, weights, first, second)
    return new, {"count": count, "first": first, "second": second}


# ---- trials --------------------------------------------------------------------------------


class NetworkTrial(LayersTrial):
    def set_up(self, tensors: Tensors, batches: Batches, dropout: bool) -> None:
        network, settings = self.network, self.settings
        self.batches = list(zip(batches.xs, batches.ys))
        self.next_batch = self.feed(batches)
        self.parameters: Weights = {name: jnp.array(value) for name, value in tensors.items()}
        self.state = initial_state(network.optimizer, self.parameters)
        draws = dropout and any(isinstance(layer, Dropout) for layer in network.layers)
        self.key = jax.random.key(settings.seed) if draws else None  # None costs a step nothing
        self.forward = build(network, settings.trains, dropout, logits=settings.trains)
        if batches.scale is not None:
            self.forward = from_bytes(self.forward, batches.scale)
        self.train = with_mode(self.train_function(), settings, donate_argnums=(0, 1))
        self.infer = with_mode(self.forward, settings)
        self.gradient = with_mode(jax.grad(self.mean_loss), settings)
        self.loss_of_samples = with_mode(self.losses_of_batch, settings)
        self.result: Any = None
        self.step = self.training_step if settings.trains else self.inference_step

    def feed(self, batches: Batches) -> Callable[[], tuple[Any, Any]]:
        if self.settings.input == "loader":
            return self.from_places(batches)
        if self.settings.input == "array":
            return itertools.cycle(self.batches).__next__
        scale = batches.scale
        resident = [(x if scale is None else floats_of(x, scale), y) for x, y in self.batches]
        return itertools.cycle(jax.device_put(resident)).__next__

    def from_places(self, batches: Batches) -> Callable[[], tuple[Any, Any]]:
        """A step may read its batch after it was called: its place is given back when the step is done."""
        following, wait = self.start_feed(self.settings, batches, lambda x, y: (x, y)), self.wait

        def when_done() -> tuple[Any, Any]:
            wait()
            return following()

        return when_done

    def train_function(self) -> Callable:
        mean_loss, options = self.mean_loss, self.network.optimizer

        def train(
            weights: Weights, state: dict, key: jax.Array | None, x: jax.Array, y: jax.Array
        ) -> tuple:
            key, now = (None, None) if key is None else jax.random.split(key)
            value, gradients = jax.value_and_grad(mean_loss)(weights, now, x, y)
            weights, state = updated(options, weights, gradients, state)
            return weights, state, key, value

        return train

    def mean_loss(self, weights: Weights, key: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
        # Not the mean of the samples' means: eager that is an operation more in either direction.
        return jnp.mean(element_losses(self.network.loss, self.forward(weights, key, x), y))

    def losses_of_batch(
        self, weights: Weights, key: jax.Array, x: jax.Array, y: jax.Array
    ) -> jax.Array:
        return sample_losses(self.network.loss, self.forward(weights, key, x), y)

    def training_step(self) -> Any:
        """float64 is cast to float32 when it enters: jax computes in 32 bits. Bytes are cast within."""
        x, y = self.next_batch()
        self.parameters, self.state, self.key, self.result = self.train(
            self.parameters, self.state, self.key, x, y
        )
        return self.result

    def inference_step(self) -> Any:
        self.result = self.infer(self.parameters, self.key, self.next_batch()[0])
        return self.result

    def wait(self) -> None:
        """Steps are only started by step()."""
        jax.block_until_ready((self.parameters, self.state, self.result))

    # ---- same work ---------------------------------------------------------------------------

    def losses(self, number: int) -> list[float]:
        x, y = self.batches[number % len(self.batches)]
        losses = self.loss_of_samples(self.parameters, self.key, jnp.asarray(x), jnp.asarray(y))
        return np.asarray(losses).tolist()

    def gradients(self, number: int) -> Tensors:
        x, y = self.batches[number % len(self.batches)]
        gradients = self.gradient(self.parameters, self.key, jnp.asarray(x), jnp.asarray(y))
        return {name: np.array(gradient) for name, gradient in gradients.items()}

    def weights(self) -> Tensors:
        return {name: np.array(weight) for name, weight in self.parameters.items()}

    def replace_weights(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        def replaced(weight: jax.Array) -> jax.Array:
            is_real = jnp.issubdtype(weight.dtype, jnp.floating)
            return jnp.asarray(change(np.asarray(weight)), weight.dtype) if is_real else weight

        self.parameters = jax.tree.map(replaced, self.parameters)

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        options = self.network.optimizer
        weights = {"probe": jnp.zeros(gradients[0].shape)}
        state = initial_state(options, weights)
        move = with_mode(lambda w, g, s: updated(options, w, g, s), self.settings)
        for gradient in gradients:
            weights, state = move(weights, {"probe": jnp.asarray(gradient)}, state)
        return np.asarray(weights["probe"])


class SmallTrial(Arm):
    """A step without weights: a product, a derivative, nothing."""

    def __init__(
        self, compute: Callable[[], Any], row_values: Callable[[Any], list[float]]
    ) -> None:
        self.compute, self.row_values = compute, row_values
        self.result: Any = None

    def step(self) -> Any:
        self.result = self.compute()
        return self.result

    def wait(self) -> None:
        """Steps are only started by step()."""
        jax.block_until_ready(self.result)

    def check(self, steps: int) -> list[list[float]]:
        return [self.row_values(self.step()) for _ in range(steps)]
