"""The results that every engine should compute: layers, losses and optimizers in float64, one formula after the other.

Gradients are central differences of the loss, so that no derivative is written down twice.
"""

from __future__ import annotations

from typing import Any, Dict

import numpy as np
from regatta_worker.same_work import (
    Evidence,
    all_projections,
    probe_gradients,
    resolutions,
    row_sums,
)

Tensors = Dict[str, np.ndarray]
EPSILON = 1e-3  # in normalizations


def activate(name: str, z: np.ndarray) -> np.ndarray:
    if name == "softmax":
        powers = np.exp(z - z.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)
    functions = {
        "none": lambda v: v,
        "relu": lambda v: v * (v > 0),
        "tanh": np.tanh,
        "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
    }
    return functions[name](z)


class Textbook:
    """Makes its own random weights while it first runs forward; `weights` holds them as float32 then."""

    def __init__(self, model: dict[str, Any], batches: Tensors, zero_biases: bool = False) -> None:
        self.model, self.batches, self.zero_biases = model, batches, zero_biases
        self.random = np.random.default_rng(3)
        self.values: Tensors = {}
        self.trains = True
        self.forward(batches["x"][0])
        self.weights = {name: v.astype(np.float32) for name, v in self.values.items()}
        self.values = {name: v.astype(np.float64) for name, v in self.weights.items()}

    def get(self, name: str, *shape: int) -> np.ndarray:
        if name not in self.values:
            value = self.random.standard_normal(shape) * 0.5
            if name.endswith("gamma"):
                value = 1 + value / 4
            if name.endswith("bias"):  # above zero, so that no relu is dead
                value = np.zeros(shape) if self.zero_biases else np.abs(value)
            self.values[name] = value
        return self.values[name]

    # ---- layers ------------------------------------------------------------------------------

    def forward(self, x: np.ndarray) -> np.ndarray:
        x = x.astype(np.float64) if x.dtype != np.int32 else x
        for index, layer in enumerate(self.model["layers"]):
            kind = next(iter(layer))
            x = getattr(self, kind)(str(index), layer, x)
        return x

    def dense(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        units = layer["dense"]
        z = x @ self.get(f"{at}.kernel", x.shape[-1], units) + self.get(f"{at}.bias", units)
        return activate(layer.get("activation", "none"), z)

    def convolve(self, at: str, layer: dict, filters: int, x: np.ndarray) -> np.ndarray:
        taps, stride = layer["kernel"], layer.get("stride", 1)
        axes = list(range(1, x.ndim - 1))
        kernel = self.get(f"{at}.kernel", *[taps] * len(axes), x.shape[-1], filters)
        sizes = []
        for axis in axes:
            size = x.shape[axis]
            sizes.append((size - taps) // stride + 1)
            if layer.get("padding") == "same":
                sizes[-1] = -(-size // stride)
                total = max((sizes[-1] - 1) * stride + taps - size, 0)
                sides = [(0, 0)] * x.ndim
                sides[axis] = (total // 2, total - total // 2)
                x = np.pad(x, sides)
        out = np.empty((len(x), *sizes, filters))
        for place in np.ndindex(*sizes):
            window = x[(slice(None), *(slice(p * stride, p * stride + taps) for p in place))]
            summed = [*axes, x.ndim - 1]
            out[(slice(None), *place)] = np.tensordot(
                window, kernel, (summed, list(range(len(summed))))
            )
        return activate(layer.get("activation", "none"), out + self.get(f"{at}.bias", filters))

    def conv1d(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        return self.convolve(at, layer, layer["conv1d"], x)

    def conv2d(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        return self.convolve(at, layer, layer["conv2d"], x)

    @staticmethod
    def pooled(x: np.ndarray, size: int, reduce: Any) -> np.ndarray:
        for axis in range(1, x.ndim - 1):
            count = x.shape[axis] // size
            x = np.take(x, range(count * size), axis)
            x = reduce(x.reshape(*x.shape[:axis], count, size, *x.shape[axis + 1 :]), axis=axis + 1)
        return x

    def max_pool(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        return self.pooled(x, layer["max_pool"], np.max)

    def average_pool(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        return self.pooled(x, layer["average_pool"], np.mean)

    def global_average_pool(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        return x.mean(axis=tuple(range(1, x.ndim - 1)))

    def flatten(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        return x.reshape(len(x), -1)

    def dropout(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        return x  # off in every check

    def batch_norm(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        axes = tuple(range(x.ndim - 1))
        mean, variance = (x.mean(axes), x.var(axes)) if self.trains else (0.0, 1.0)
        return self.scaled(at, (x - mean) / np.sqrt(variance + layer.get("epsilon", EPSILON)))

    def layer_norm(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return self.scaled(at, (x - mean) / np.sqrt(variance + EPSILON))

    def scaled(self, at: str, x: np.ndarray) -> np.ndarray:
        return x * self.get(f"{at}.gamma", x.shape[-1]) + self.get(f"{at}.beta", x.shape[-1])

    def embedding(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        return self.get(f"{at}.kernel", layer["vocabulary"], layer["embedding"])[x]

    def lstm(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        units, activation = layer["lstm"], layer.get("activation", "tanh")
        kernel = self.get(f"{at}.kernel", x.shape[-1], 4 * units)
        recurrent = self.get(f"{at}.recurrent_kernel", units, 4 * units)
        bias = self.get(f"{at}.bias", 4 * units)
        h = c = np.zeros((len(x), units))
        outputs = []
        for position in range(x.shape[1]):
            z = x[:, position] @ kernel + h @ recurrent + bias
            i, f, g, o = np.split(z, 4, axis=1)
            c = activate("sigmoid", f) * c + activate("sigmoid", i) * activate(activation, g)
            h = activate("sigmoid", o) * activate(activation, c)
            outputs.append(h)
        return np.stack(outputs, axis=1) if layer.get("return_sequences") else h

    def bidirectional(self, at: str, layer: dict, x: np.ndarray) -> np.ndarray:
        inner = layer["bidirectional"]
        forwards = self.lstm(f"{at}.forward", inner, x)
        backwards = self.lstm(f"{at}.backward", inner, x[:, ::-1])
        if inner.get("return_sequences"):
            backwards = backwards[:, ::-1]
        return np.concatenate((forwards, backwards), axis=-1)

    # ---- training ----------------------------------------------------------------------------

    def losses(self, number: int) -> np.ndarray:
        at = number % len(self.batches["x"])
        p, y = self.forward(self.batches["x"][at]), self.batches["y"][at]
        if self.model["loss"] == "mse":
            return np.mean((p - y) ** 2, axis=1)
        if self.model["loss"] == "binary_crossentropy":
            return np.mean(-y * np.log(p) - (1 - y) * np.log(1 - p), axis=1)
        return -np.log(p[np.arange(len(p)), y])

    def gradients(self, number: int) -> Tensors:
        gradients = {}
        for name, w in self.values.items():
            gradients[name] = np.empty_like(w)
            for at in np.ndindex(w.shape):
                kept, step = w[at], 1e-6
                w[at] = kept + step
                above = self.losses(number).mean()
                w[at] = kept - step
                gradients[name][at] = (above - self.losses(number).mean()) / (2 * step)
                w[at] = kept
        return gradients

    def evidence(self, steps: int) -> Evidence:
        """As an engine's trial gives it; the weights are left as they were."""
        kept = {name: w.copy() for name, w in self.values.items()}
        evidence = Evidence(resolution=resolutions(self.weights))
        state = Optimizer(self.model["optimizer"])
        evidence.gradients = [all_projections(self.gradients(number)) for number in range(steps)]
        for number in range(steps):
            evidence.losses.append(self.losses(number).tolist())
            updates = state.updates(self.gradients(number))
            evidence.updates.append(all_projections(updates))
            for name, update in updates.items():
                self.values[name] += update
        self.values, state = kept, Optimizer(self.model["optimizer"])
        moved = sum(state.updates({"": g.astype(np.float64)})[""] for g in probe_gradients())
        evidence.probe = moved.tolist()
        return evidence

    def outputs(self, steps: int) -> Evidence:
        """The results of inference."""
        self.trains, x = False, self.batches["x"]
        sums = [row_sums(self.forward(x[number % len(x)])) for number in range(steps)]
        self.trains = True
        return Evidence(losses=sums)


class Optimizer:
    """SGD with momentum; Adam as in Kingma and Ba 2015, algorithm 1."""

    def __init__(self, options: dict[str, Any]) -> None:
        ((self.kind, self.options),) = options.items()
        self.count = 0
        self.first: Tensors = {}
        self.second: Tensors = {}

    def updates(self, gradients: Tensors) -> Tensors:
        self.count += 1
        return {name: self.update(name, g) for name, g in gradients.items()}

    def update(self, name: str, g: np.ndarray) -> np.ndarray:
        rate = self.options["learning_rate"]
        if self.kind == "sgd":
            velocity = self.options.get("momentum", 0) * self.first.get(name, 0) + g
            self.first[name] = velocity
            return -rate * velocity
        b1, b2 = self.options.get("beta1", 0.9), self.options.get("beta2", 0.999)
        m = self.first[name] = b1 * self.first.get(name, 0) + (1 - b1) * g
        v = self.second[name] = b2 * self.second.get(name, 0) + (1 - b2) * g * g
        m, v = m / (1 - b1**self.count), v / (1 - b2**self.count)
        return -rate * m / (np.sqrt(v) + self.options.get("epsilon", 1e-7))
