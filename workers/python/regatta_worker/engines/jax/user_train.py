"""Training a user's own parameters and loss in JAX to an end (docs/guide/your-model.md)."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ... import user_model
from ...errors import Unsupported
from ...inputs import Settings, Tensors
from ...layers import UserModel
from ...schedule import hyper_of
from ...user_learner import UserLearner, kept, loss_of_rows, need_loss
from .train import accumulated, clipped, decayed, no_sums, with_and_without_update
from .trial import with_mode
from .user import PARTS, named, optimizer_of


class UserParamsLearner(UserLearner):
    """The user's update has its own rate: a schedule scales what it does to the parameters."""

    def __init__(self, model: UserModel, settings: Settings) -> None:
        own = dict(settings.own)
        has_rate = own.get("learning_rate") is not None
        if has_rate and not user_model.takes(model, "learning_rate"):
            raise Unsupported(
                f"the rate of a JAX model is within its update: give {model.build} a parameter learning_rate"
            )
        if own.get("weight_decay") and not has_rate:
            raise Unsupported("weight_decay goes with the rate: name a learning_rate as well")
        super().__init__(model, hyper_of(own, 1.0))
        built = user_model.build(model, settings, "jax", PARTS)
        need_loss(model, built["loss"])
        self.loss, self.predict = built["loss"], built["predict"]
        self.make_samples()
        self.parameters = jax.tree.map(jnp.array, built["params"])
        self.update, self.state = optimizer_of(model, built["optimizer"], self.parameters)
        self.sums = no_sums(self.parameters, self.hyper)
        self.moves = with_and_without_update(self.moved, settings)
        self.judge = with_mode(self.judged, settings)
        self.remember_start()

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> jax.Array:
        move = self.moves[self.hyper.updates(number)]
        self.parameters, self.state, self.sums, value = move(
            self.parameters, self.state, self.sums, x, y, rate
        )
        return value

    def moved(
        self,
        updates: bool,
        params: Any,
        state: Any,
        sums: Any,
        x: jax.Array,
        y: jax.Array,
        rate: Any,
    ) -> tuple:
        hyper = self.hyper
        value, gradients = jax.value_and_grad(self.mean_loss)(
            params, jnp.asarray(x), jnp.asarray(y)
        )
        gradients, sums = accumulated(sums, gradients, hyper, updates)
        if not updates:
            return params, state, sums, value
        gradients = clipped(gradients, hyper.clip_norm)
        params = decayed(params, rate, hyper.weight_decay)
        new, state = self.update(params, gradients, state)
        part = rate / hyper.learning_rate if hyper.learning_rate else 0.0
        if hyper.schedule != "constant" or hyper.warmup:
            new = jax.tree.map(lambda p, n: p + part * (n - p), params, new)
        return new, state, sums, value

    def mean_loss(self, params: Any, x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.mean(self.loss(params, x, y))

    def evaluate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
        losses, outputs = self.judge(self.parameters, x, y)
        return loss_of_rows(losses, len(x)), None if outputs is None else np.asarray(outputs)

    def judged(self, params: Any, x: jax.Array, y: jax.Array) -> tuple[jax.Array, Any]:
        x, y = jnp.asarray(x), jnp.asarray(y)
        outputs = None if self.predict is None else self.predict(params, x)
        return self.loss(params, x, y), outputs

    # ---- what a checkpoint holds ------------------------------------------------------------------

    def weights(self) -> Tensors:
        return {name: kept(value) for name, value in named(self.parameters).items()}

    def set_weights(self, weights: Tensors) -> None:
        names = list(named(self.parameters))
        leaves, shape = jax.tree.flatten(self.parameters)
        held = [jnp.asarray(weights[name], leaf.dtype) for name, leaf in zip(names, leaves)]
        self.parameters = jax.tree.unflatten(shape, held)

    def optimizer_state(self) -> Tensors:
        """Leaves of the state's tree, in its order; behind them gradients that wait for their update."""
        leaves = jax.tree.leaves((self.state, self.sums))
        return {str(i): kept(leaf) for i, leaf in enumerate(leaves)}

    def set_optimizer_state(self, state: Tensors) -> None:
        leaves, shape = jax.tree.flatten((self.state, self.sums))
        held = [
            jnp.asarray(state[str(i)], jnp.asarray(leaf).dtype) for i, leaf in enumerate(leaves)
        ]
        self.state, self.sums = jax.tree.unflatten(shape, held)
