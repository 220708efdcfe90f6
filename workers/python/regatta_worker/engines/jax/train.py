"""Training in the engine `jax`: one jitted step, or operation by operation (mode eager)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...inputs import OWN_ACTIVATION, Settings, Tensors, check_loss
from ...layers import BatchNorm, Dropout, Network
from ...learner import Learner
from ...schedule import Hyper
from .model import ACTIVATIONS, MOMENTS, Weights, build, element_losses, sample_losses
from .trial import initial_state, updated, with_mode

CLIP_EPSILON = 1e-6  # torch's: no gradient is divided by 0


def no_sums(weights: Any, hyper: Hyper) -> Any:
    """Zeros in the place of waiting gradients; None if each step makes an update."""
    return jax.tree.map(jnp.zeros_like, weights) if hyper.accumulate > 1 else None


def accumulated(sums: Any, gradients: Any, hyper: Hyper, updates: bool) -> tuple[Any, Any]:
    """The gradients of an update, which are the mean over its steps, and what waits then; before it, None and the sums
    so far."""
    if sums is None:
        return gradients, None
    sums = jax.tree.map(jnp.add, sums, gradients)
    if not updates:
        return None, sums
    mean = jax.tree.map(lambda s: s / hyper.accumulate, sums)
    return mean, jax.tree.map(jnp.zeros_like, sums)


def with_and_without_update(
    moved: Callable, settings: Settings, **options: Any
) -> dict[bool, Callable]:
    """`moved(updates, ...)`; what is never called is never compiled."""
    return {
        updates: with_mode(partial(moved, updates), settings, **options)
        for updates in (True, False)
    }


def clipped(gradients: Any, clip_norm: float) -> Any:
    """By their common norm, unless that is 0."""
    if not clip_norm:
        return gradients
    norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(gradients)))
    scale = jnp.minimum(1, clip_norm / (norm + CLIP_EPSILON))
    return jax.tree.map(lambda g: g * scale, gradients)


def decayed(weights: Any, rate: Any, decay: float) -> Any:
    """Decoupled (Loshchilov and Hutter 2019): not through the optimizer's moments."""
    if not decay:
        return weights
    return jax.tree.map(lambda w: w * (1 - rate * decay), weights)


def moments_of(network: Network, weights: Tensors) -> Tensors:
    """Moving moments of batch norms where training begins."""
    moments = {}
    for index, layer in enumerate(network.layers):
        if isinstance(layer, BatchNorm):
            shape = weights[f"{index}.gamma"].shape
            for name, start in zip(MOMENTS, (0, 1)):
                moments[f"{index}.{name}"] = np.full(shape, start, dtype=np.float32)
    return moments


class NetworkLearner(Learner):
    reads_late = True  # steps are only started

    def __init__(self, network: Network, settings: Settings, weights: Tensors) -> None:
        super().__init__(network, settings)
        check_loss(network)
        self.parameters: Weights = {name: jnp.array(value) for name, value in weights.items()}
        moments = moments_of(network, weights)
        self.moments: Weights = {name: jnp.array(value) for name, value in moments.items()}
        self.state = initial_state(network.optimizer, self.parameters)
        self.sums = no_sums(self.parameters, self.hyper)
        self.forward = build(network, trains=True, dropout_on=True, logits=True)
        self.infer = build(network, trains=False, dropout_on=False, logits=True)
        draws = any(isinstance(layer, Dropout) for layer in network.layers)
        self.key = jax.random.key(self.hyper.seed) if draws else None
        self.moves = with_and_without_update(self.moved, settings, donate_argnums=(0, 1, 2, 3))
        self.judge = with_mode(self.judged, settings)
        self.remember_start()

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> jax.Array:
        move = self.moves[self.hyper.updates(number)]
        self.parameters, self.moments, self.state, self.sums, value = move(
            self.parameters, self.moments, self.state, self.sums, np.uint32(number), x, y, rate
        )
        return value

    def moved(
        self,
        updates: bool,
        weights: Weights,
        moments: Weights,
        state: dict,
        sums: Weights | None,
        number: jax.Array,
        x: jax.Array,
        y: jax.Array,
        rate: jax.Array,
    ) -> tuple:
        hyper = self.hyper
        key = None if self.key is None else jax.random.fold_in(self.key, number)
        loss = jax.value_and_grad(self.mean_loss, has_aux=True)
        (value, of_batch), gradients = loss(weights, moments, key, x, y)
        moments = self.moving(moments, of_batch, number)
        gradients, sums = accumulated(sums, gradients, hyper, updates)
        if updates:
            gradients = clipped(gradients, hyper.clip_norm)
            weights = decayed(weights, rate, hyper.weight_decay)
            weights, state = updated(self.network.optimizer, weights, gradients, state, rate)
        return weights, moments, state, sums, value

    def mean_loss(
        self, weights: Weights, moments: Weights, key: Any, x: jax.Array, y: jax.Array
    ) -> tuple[jax.Array, Weights]:
        """With the batch's own moments, which batch norms leave in the place of the moving ones."""
        held = {**weights, **moments}
        value = jnp.mean(element_losses(self.network.loss, self.forward(held, key, x), y))
        return value, {name: held[name] for name in moments}

    def moving(self, moments: Weights, of_batch: Weights, number: jax.Array) -> Weights:
        """The moving moments after the step of this number (BatchNorm.moving_share)."""
        of_mean = 1 / (number.astype(jnp.float32) + 1)
        after = {}
        for name, old in moments.items():
            layer = self.network.layers[int(name.partition(".")[0])]
            share = jnp.maximum(np.float32(1 - layer.momentum), of_mean)
            after[name] = (1 - share) * old + share * of_batch[name]
        return after

    def evaluate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        losses, outputs = self.judge({**self.parameters, **self.moments}, x, y)
        return np.asarray(losses), np.asarray(outputs)

    def judged(self, held: Weights, x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        loss = self.network.loss
        z = self.infer(held, self.key, jnp.asarray(x))
        return sample_losses(loss, z, jnp.asarray(y)), ACTIVATIONS[OWN_ACTIVATION[loss]](z)

    # ---- what a checkpoint holds ------------------------------------------------------------------

    def weights(self) -> Tensors:
        held = {**self.parameters, **self.moments}
        return {name: np.array(value) for name, value in held.items()}

    def set_weights(self, weights: Tensors) -> None:
        self.parameters = {name: jnp.array(weights[name]) for name in self.parameters}
        self.moments = {name: jnp.array(weights[name]) for name in self.moments}

    def optimizer_state(self) -> Tensors:
        """Leaves of the state's tree, in its order; behind them gradients that wait for their update."""
        leaves = jax.tree.leaves((self.state, self.sums))
        return {str(i): np.array(leaf) for i, leaf in enumerate(leaves)}

    def set_optimizer_state(self, state: Tensors) -> None:
        leaves, shape = jax.tree.flatten((self.state, self.sums))
        held = [jnp.array(state[str(i)]) for i in range(len(leaves))]
        self.state, self.sums = jax.tree.unflatten(shape, held)
