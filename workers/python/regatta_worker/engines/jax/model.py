"""A network as a pure function of its weights and a batch, built from the layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax import lax
from jax import numpy as jnp

from ... import layers as spec
from ...errors import Unsupported
from ...inputs import OWN_ACTIVATION

Weights = dict[str, jax.Array]
Forward = Callable[[Weights, jax.Array, jax.Array], jax.Array]  # weights, key for dropout, x

LAYER_NORM_EPSILON = 1e-3
MOMENTS = ("moving_mean", "moving_variance")

ACTIVATIONS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "none": lambda z: z,
    "relu": jax.nn.relu,
    "sigmoid": jax.nn.sigmoid,
    "tanh": jnp.tanh,
    "softmax": jax.nn.softmax,
}


def convolution(at: str, layer: spec.Conv1d | spec.Conv2d) -> Forward:
    letters = "H" if isinstance(layer, spec.Conv1d) else "HW"
    numbers = (f"N{letters}C", f"{letters}IO", f"N{letters}C")
    strides = (layer.stride,) * len(letters)

    def forward(weights: Weights, key: jax.Array, x: jax.Array) -> jax.Array:
        padding = layer.padding.upper()
        y = lax.conv_general_dilated(
            x, weights[f"{at}.kernel"], strides, padding, dimension_numbers=numbers
        )
        return y + weights[f"{at}.bias"]

    return forward


def pool(size: int, average: bool) -> Forward:
    def forward(weights: Weights, key: jax.Array, x: jax.Array) -> jax.Array:
        window = (1, *(size,) * (x.ndim - 2), 1)
        if average:
            return lax.reduce_window(x, 0.0, lax.add, window, window, "VALID") / size ** (
                x.ndim - 2
            )
        return lax.reduce_window(x, -jnp.inf, lax.max, window, window, "VALID")

    return forward


def dropout(rate: float, index: int) -> Forward:
    def forward(weights: Weights, key: jax.Array, x: jax.Array) -> jax.Array:
        kept = jax.random.bernoulli(jax.random.fold_in(key, index), 1 - rate, x.shape)
        return jnp.where(kept, x / (1 - rate), 0)

    return forward


def batch_norm(at: str, layer: spec.BatchNorm, trains: bool) -> Forward:
    """While training by the batch's own moments; else by the moving ones, which are 0 and 1 if there are none.

    Where `weights` hold moving moments, training leaves the batch's in their place.
    """
    names = [f"{at}.{name}" for name in MOMENTS]

    def forward(weights: Weights, key: jax.Array, x: jax.Array) -> jax.Array:
        axes = tuple(range(x.ndim - 1))
        moving = [weights.get(name, start) for name, start in zip(names, (0.0, 1.0))]
        mean, variance = (x.mean(axes), x.var(axes)) if trains else moving
        if trains and names[0] in weights:
            weights.update(zip(names, (mean, variance)))
        scale = lax.rsqrt(jnp.asarray(variance + layer.epsilon))
        return (x - mean) * scale * weights[f"{at}.gamma"] + weights[f"{at}.beta"]

    return forward


def layer_norm(at: str) -> Forward:
    def forward(weights: Weights, key: jax.Array, x: jax.Array) -> jax.Array:
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        scale = lax.rsqrt(variance + LAYER_NORM_EPSILON)
        return (x - mean) * scale * weights[f"{at}.gamma"] + weights[f"{at}.beta"]

    return forward


def lstm(at: str, layer: spec.Lstm, backward: bool = False) -> Forward:
    """Gates stand in the order i, f, g, o."""
    activation = ACTIVATIONS[layer.activation]

    def forward(weights: Weights, key: jax.Array, x: jax.Array) -> jax.Array:
        inputs = x @ weights[f"{at}.kernel"] + weights[f"{at}.bias"]
        recurrent = weights[f"{at}.recurrent_kernel"]

        def position(state: tuple, gates: jax.Array) -> tuple:
            h, c = state
            i, f, g, o = jnp.split(gates + h @ recurrent, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * activation(g)
            h = jax.nn.sigmoid(o) * activation(c)
            return (h, c), h

        zeros = jnp.zeros((x.shape[0], layer.units), x.dtype)
        (h, _), outputs = lax.scan(
            position, (zeros, zeros), inputs.swapaxes(0, 1), reverse=backward
        )
        return outputs.swapaxes(0, 1) if layer.return_sequences else h

    return forward


def both_directions(at: str, layer: spec.Lstm) -> Forward:
    forwards, backwards = lstm(f"{at}.forward", layer), lstm(f"{at}.backward", layer, backward=True)
    return lambda weights, key, x: jnp.concatenate(
        (forwards(weights, key, x), backwards(weights, key, x)), axis=-1
    )


def forward_of(layer: spec.Layer, index: int, trains: bool) -> Forward:
    at = str(index)
    match layer:
        case spec.Dense():
            return lambda weights, key, x: x @ weights[f"{at}.kernel"] + weights[f"{at}.bias"]
        case spec.Conv1d() | spec.Conv2d():
            return convolution(at, layer)
        case spec.MaxPool(size):
            return pool(size, average=False)
        case spec.AveragePool(size):
            return pool(size, average=True)
        case spec.GlobalAveragePool():
            return lambda weights, key, x: x.mean(tuple(range(1, x.ndim - 1)))
        case spec.Flatten():
            return lambda weights, key, x: x.reshape(x.shape[0], -1)
        case spec.Dropout(rate):
            return dropout(rate, index)
        case spec.BatchNorm():
            return batch_norm(at, layer, trains)
        case spec.LayerNorm():
            return layer_norm(at)
        case spec.Embedding():
            return lambda weights, key, x: weights[f"{at}.kernel"][x]
        case spec.Lstm():
            return lstm(at, layer)
        case spec.Bidirectional(inner):
            return both_directions(at, inner)
    raise Unsupported(f"layer {index}: jax has no layer {type(layer).__name__}")


def build(network: spec.Network, trains: bool, dropout_on: bool, logits: bool) -> Forward:
    """With `logits` up to the activation that the loss brings itself. Raises Unsupported."""
    parts: list[tuple[Forward, Callable]] = []
    last = len(network.layers) - 1
    for index, layer in enumerate(network.layers):
        if isinstance(layer, spec.Dropout) and not (trains and dropout_on):
            continue
        is_recurrent = isinstance(layer, spec.Lstm)  # its activation belongs inside
        activation = "none" if is_recurrent else getattr(layer, "activation", "none")
        if logits and index == last and OWN_ACTIVATION[network.loss] != "none":
            activation = "none"
        parts.append((forward_of(layer, index, trains), ACTIVATIONS[activation]))

    def forward(weights: Weights, key: jax.Array, x: jax.Array) -> jax.Array:
        for part, activation in parts:
            x = activation(part(weights, key, x))
        return x

    return forward


def element_losses(loss: str, z: jax.Array, y: jax.Array) -> Any:
    """One loss for each output of each sample, from logits: their mean is the loss of the batch."""
    if loss == "mse":
        return jnp.square(z - y)
    if loss == "binary_crossentropy":
        return jnp.maximum(z, 0) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z)))
    return -jnp.take_along_axis(jax.nn.log_softmax(z), y[:, None], axis=1)


def sample_losses(loss: str, z: jax.Array, y: jax.Array) -> Any:
    """One loss for each sample, from logits."""
    return jnp.mean(element_losses(loss, z, y), axis=1)
