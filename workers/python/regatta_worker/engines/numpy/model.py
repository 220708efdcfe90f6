"""Activations and losses in NumPy, with their derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np


def relu(z: np.ndarray) -> np.ndarray:
    return np.maximum(z, 0)


def sigmoid(z: np.ndarray) -> np.ndarray:
    small = np.exp(-np.abs(z))  # never overflows
    return np.where(z >= 0, 1, small) / (1 + small)


def softmax(z: np.ndarray) -> np.ndarray:
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "none": lambda z: z,
    "relu": relu,
    "sigmoid": sigmoid,
    "tanh": np.tanh,
    "softmax": softmax,
}

# Gradient of the input from that of the output (dh) and the output (h).
BACKWARD: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "none": lambda dh, h: dh,
    "relu": lambda dh, h: dh * (h > 0),
    "sigmoid": lambda dh, h: dh * h * (1 - h),
    "tanh": lambda dh, h: dh * (1 - h * h),
}


# Each loss twice: for each sample; and the mean over the batch with its gradient, which is what a step needs.


def mse_of_samples(prediction: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.mean((prediction - y) ** 2, axis=1)


def mse(prediction: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    difference = prediction - y
    loss = np.vdot(difference, difference) / difference.size
    difference *= 2 / difference.size
    return loss, difference


def binary_crossentropy_of_samples(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """From logits: max(z, 0) - z y + log(1 + exp(-|z|))."""
    return np.mean(np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z))), axis=1)


def binary_crossentropy(z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    return binary_crossentropy_of_samples(z, y).mean(), (sigmoid(z) - y) / z.size


def sparse_categorical_crossentropy_of_samples(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """From logits: log(sum exp z) - z[class]."""
    z = z - z.max(axis=1, keepdims=True)
    return np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(z)), y]


def sparse_categorical_crossentropy(z: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    rows = np.arange(len(z))
    z = z - z.max(axis=1, keepdims=True)
    powers = np.exp(z)
    sums = powers.sum(axis=1)
    gradient = powers / sums[:, None]
    gradient[rows, y] -= 1
    gradient /= len(z)
    return (np.log(sums) - z[rows, y]).mean(), gradient


@dataclass(frozen=True)
class Loss:
    of_samples: Callable[[np.ndarray, np.ndarray], np.ndarray]
    mean_and_gradient: Callable[[np.ndarray, np.ndarray], tuple[float, np.ndarray]]
    own_activation: str = ""  # the last one, which the loss brings itself: it starts from logits


LOSSES = {
    "mse": Loss(mse_of_samples, mse),
    "binary_crossentropy": Loss(binary_crossentropy_of_samples, binary_crossentropy, "sigmoid"),
    "sparse_categorical_crossentropy": Loss(
        sparse_categorical_crossentropy_of_samples, sparse_categorical_crossentropy, "softmax"
    ),
}
