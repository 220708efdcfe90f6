"""A user's own parameters and loss in JAX (docs/guide/your-model.md), in the steps of trial.py."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ... import user_model
from ...errors import UserModelError
from ...inputs import Settings, Tensors
from ...layers import UserModel
from .trial import NetworkTrial, with_mode

PARTS = ("params", "loss", "optimizer", "predict")

COARSE_TYPES = (("bfloat16", "bf16"), ("float16", "fp16"))

Update = Callable[[Any, Any, Any], tuple[Any, Any]]  # params, gradients, state -> params, state


class UserTrial(NetworkTrial):
    def __init__(
        self, model: UserModel, settings: Settings, rows: int, dropout: bool = True
    ) -> None:
        """JAX has no dropout of its own: what the user's loss does is on in steps and in checks."""
        self.arguments = (model, settings, rows)
        self.settings, self.trains, self.rows = settings, settings.trains, rows
        built = user_model.build(model, settings, "jax", PARTS)
        self.optimizer = built["optimizer"]
        name, takes = ("loss", "params, x, y") if self.trains else ("predict", "params, x")
        user_model.need(model, built[name], name, f"this work takes it: {name}({takes})")
        self.loss, self.predict = built["loss"], built["predict"]
        self.batches = user_model.make_batches(model, settings, rows)
        fed = jax.device_put(self.batches) if settings.input == "resident" else self.batches
        self.next_batch = itertools.cycle(fed).__next__
        self.parameters = jax.tree.map(jnp.array, built["params"])
        self.update, self.state = optimizer_of(model, self.optimizer, self.parameters)
        self.key = None
        self.train = with_mode(self.train_function(), settings, donate_argnums=(0, 1))
        self.infer = with_mode(lambda params, key, x: self.predict(params, x), settings)
        self.gradient = with_mode(jax.grad(self.mean_loss), settings)
        self.loss_of_samples = with_mode(self.losses_of_batch, settings)
        self.result: Any = None
        self.step = self.training_step if settings.trains else self.inference_step

    def train_function(self) -> Callable:
        mean_loss, update = self.mean_loss, self.update

        def train(params: Any, state: Any, key: jax.Array, x: jax.Array, y: jax.Array) -> tuple:
            value, gradients = jax.value_and_grad(mean_loss)(params, key, x, y)
            params, state = update(params, gradients, state)
            return params, state, key, value

        return train

    def losses_of_batch(self, params: Any, key: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
        return self.loss(params, x, y)

    def mean_loss(self, params: Any, key: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.mean(self.loss(params, x, y))

    def losses(self, number: int) -> list[float]:
        x, y = self.batches[number % len(self.batches)]
        losses = self.loss_of_samples(self.parameters, self.key, jnp.asarray(x), jnp.asarray(y))
        return user_model.values_of(np.asarray(losses), self.rows)

    def gradients(self, number: int) -> Tensors:
        x, y = self.batches[number % len(self.batches)]
        return named(self.gradient(self.parameters, self.key, jnp.asarray(x), jnp.asarray(y)))

    def weights(self) -> Tensors:
        return named(self.parameters)

    def number_type(self) -> str | None:
        types = {str(leaf.dtype) for leaf in jax.tree.leaves(self.parameters)}
        return next((name for dtype, name in COARSE_TYPES if dtype in types), "fp32")

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        """Nothing if the user's update reads the structure of his own parameters."""
        weights: Any = jnp.zeros(gradients[0].shape)
        try:
            update, state = optimizer_of(self.arguments[0], self.optimizer, weights)
            move = with_mode(update, self.settings)
            for gradient in gradients:
                weights, state = move(weights, jnp.asarray(gradient), state)
            return np.asarray(weights)
        except (TypeError, KeyError, IndexError, AttributeError, ValueError):
            return np.zeros(0)


def named(tree: Any) -> Tensors:
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {jax.tree_util.keystr(path): np.array(leaf) for path, leaf in leaves}


def optimizer_of(model: UserModel, optimizer: Any, params: Any) -> tuple[Update, Any]:
    """A function update(params, gradients) -> params, or a pair init, update as optax has them."""
    if optimizer is None:

        def descend(params: Any, gradients: Any, state: Any) -> tuple[Any, Any]:
            return jax.tree.map(
                lambda p, g: p - user_model.DEFAULT_RATE * g, params, gradients
            ), state

        return descend, ()
    if hasattr(optimizer, "init") and hasattr(optimizer, "update"):

        def apply(params: Any, gradients: Any, state: Any) -> tuple[Any, Any]:
            updates, state = optimizer.update(gradients, state, params)
            return jax.tree.map(lambda p, u: p + u, params, updates), state

        return apply, optimizer.init(params)
    if callable(optimizer):
        return lambda params, gradients, state: (optimizer(params, gradients), state), ()
    raise UserModelError(
        f"{model.build} gives a {type(optimizer).__name__} as optimizer, expected a function "
        f"(params, gradients) -> params, or an object with init and update as optax has them"
    )
