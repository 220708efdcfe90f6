"""Trains the digits as the documentation of a framework has it, with its own layers, loop and loader, in one thread.

usage: python training_scripts.py torch|keras|tensorflow|jax mlp|cnn DATA SEED EPOCHS BATCH
DATA: an NPZ file of x, y, test_x and test_y. A fifth of the rows is drawn as the validation part; the best epoch's weights meet the test
part. Prints JSON: seconds from the first step to the end of each epoch with its evaluation, best validation accuracy, test accuracy.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

EVALUATED_ROWS = 256  # at once


@dataclass
class Parts:
    """Rows to train on and to choose the epoch by; those to test on come last."""

    x: np.ndarray
    y: np.ndarray
    validation_x: np.ndarray
    validation_y: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray


@dataclass
class Told:
    start: float = 0.0
    seconds: list[float] = field(default_factory=list)
    validation: float = -1.0
    test: float = 0.0

    def epoch(self, accuracy: float) -> bool:
        """Whether it is the best so far."""
        self.seconds.append(time.perf_counter() - self.start)
        is_best = accuracy > self.validation
        self.validation = max(self.validation, accuracy)
        return is_best


def parts_of(path: str, network: str, seed: int) -> Parts:
    data = np.load(path)
    x, y, test_x, test_y = (data[name] for name in ("x", "y", "test_x", "test_y"))
    if network == "cnn":
        x, test_x = x.reshape(-1, 8, 8, 1), test_x.reshape(-1, 8, 8, 1)
    rows = np.random.default_rng(seed).permutation(len(x))
    held, rest = rows[: len(x) // 5], rows[len(x) // 5 :]
    return Parts(x[rest], y[rest], x[held], y[held], test_x, test_y)


def train_torch(network: str, parts: Parts, seed: int, epochs: int, batch: int) -> Told:
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    torch.set_num_threads(1)
    torch.manual_seed(seed)

    def tensors(x: np.ndarray, y: np.ndarray) -> TensorDataset:
        channels_first = np.moveaxis(x, -1, 1).copy() if network == "cnn" else x
        return TensorDataset(torch.from_numpy(channels_first), torch.from_numpy(y).long())

    head = [nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)]
    if network == "cnn":
        head = [nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
        head += [nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 10)]
    model = nn.Sequential(*head)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_of = nn.CrossEntropyLoss()
    loader = DataLoader(tensors(parts.x, parts.y), batch, shuffle=True, drop_last=True)

    def accuracy(loaded: DataLoader) -> float:
        model.eval()
        with torch.no_grad():
            right = sum(int((model(x).argmax(1) == y).sum()) for x, y in loaded)
        return right / len(loaded.dataset)

    validation = DataLoader(tensors(parts.validation_x, parts.validation_y), EVALUATED_ROWS)
    test = DataLoader(tensors(parts.test_x, parts.test_y), EVALUATED_ROWS)
    told, best = Told(time.perf_counter()), model.state_dict()
    for _ in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss_of(model(x), y).backward()
            optimizer.step()
        if told.epoch(accuracy(validation)):
            best = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model.load_state_dict(best)
    told.test = accuracy(test)
    return told


def keras_model(network: str, seed: int) -> Any:
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.keras.utils.set_random_seed(seed)
    layers = tf.keras.layers
    if network == "mlp":
        stack = [layers.Input((64,)), layers.Dense(128, "relu"), layers.Dense(10, "softmax")]
    else:
        stack = [layers.Input((8, 8, 1)), layers.Conv2D(16, 3, activation="relu")]
        stack += [layers.MaxPooling2D(2), layers.Flatten()]
        stack += [layers.Dense(64, "relu"), layers.Dense(10, "softmax")]
    return tf.keras.Sequential(stack)


def tf_data(x: np.ndarray, y: np.ndarray, batch: int, seed: int | None) -> Any:
    import tensorflow as tf

    rows = tf.data.Dataset.from_tensor_slices((x, y))
    if seed is not None:
        rows = rows.cache().shuffle(len(x), seed=seed)
    return rows.batch(batch, drop_remainder=seed is not None).prefetch(tf.data.AUTOTUNE)


def train_keras(network: str, parts: Parts, seed: int, epochs: int, batch: int) -> Told:
    import tensorflow as tf

    model = keras_model(network, seed)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(1e-3),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    training = tf_data(parts.x, parts.y, batch, seed)
    validation = tf_data(parts.validation_x, parts.validation_y, EVALUATED_ROWS, None)
    told, best = Told(), model.get_weights()

    class Watch(tf.keras.callbacks.Callback):
        def on_train_begin(self, logs: Any = None) -> None:
            told.start = time.perf_counter()

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            nonlocal best
            if told.epoch(float(logs["val_accuracy"])):
                best = model.get_weights()

    watch = [Watch()]
    model.fit(training, epochs=epochs, validation_data=validation, callbacks=watch, verbose=0)
    model.set_weights(best)
    test = tf_data(parts.test_x, parts.test_y, EVALUATED_ROWS, None)
    told.test = float(model.evaluate(test, verbose=0)[1])
    return told


def train_tensorflow(network: str, parts: Parts, seed: int, epochs: int, batch: int) -> Told:
    import tensorflow as tf

    model = keras_model(network, seed)
    optimizer = tf.keras.optimizers.Adam(1e-3)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy()
    training = tf_data(parts.x, parts.y, batch, seed)
    validation = tf_data(parts.validation_x, parts.validation_y, EVALUATED_ROWS, None)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    @tf.function
    def correct(x: Any, y: Any) -> Any:
        named = tf.argmax(model(x, training=False), 1, tf.int32)
        return tf.reduce_sum(tf.cast(named == y, tf.int32))

    def accuracy(rows: Any, count: int) -> float:
        return sum(int(correct(x, y)) for x, y in rows) / count

    told, best = Told(time.perf_counter()), model.get_weights()
    for _ in range(epochs):
        for x, y in training:
            step(x, y)
        if told.epoch(accuracy(validation, len(parts.validation_y))):
            best = model.get_weights()
    model.set_weights(best)
    test = tf_data(parts.test_x, parts.test_y, EVALUATED_ROWS, None)
    told.test = accuracy(test, len(parts.test_y))
    return told


def jax_weights(network: str, seed: int) -> Any:
    import jax

    shapes = [(64, 128), (128, 10)] if network == "mlp" else [(3, 3, 1, 16), (144, 64), (64, 10)]
    keys = jax.random.split(jax.random.key(seed), len(shapes))
    glorot = jax.nn.initializers.glorot_uniform()
    return [
        (glorot(key, shape), np.zeros(shape[-1], np.float32))
        for key, shape in zip(keys, shapes, strict=True)
    ]


def train_jax(network: str, parts: Parts, seed: int, epochs: int, batch: int) -> Told:
    import jax
    import jax.numpy as jnp
    from jax import lax

    def logits(weights: Any, x: Any) -> Any:
        if network == "cnn":
            (kernel, bias), *weights = weights
            x = lax.conv_general_dilated(
                x, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            window = (1, 2, 2, 1)
            x = lax.reduce_window(jax.nn.relu(x + bias), -jnp.inf, lax.max, window, window, "VALID")
            x = x.reshape(len(x), -1)
        for kernel, bias in weights[:-1]:
            x = jax.nn.relu(x @ kernel + bias)
        kernel, bias = weights[-1]
        return x @ kernel + bias

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits(weights, x)), y[:, None], 1)
        return -chosen.mean()

    @jax.jit
    def step(state: Any, x: Any, y: Any) -> Any:
        weights, first, second, number = state
        gradients = jax.grad(loss_of)(weights, x, y)
        number = number + 1
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
        rate = 1e-3 * jnp.sqrt(1 - 0.999**number) / (1 - 0.9**number)
        weights = jax.tree.map(
            lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-7), weights, first, second
        )
        return weights, first, second, number

    @jax.jit
    def correct(weights: Any, x: Any, y: Any) -> Any:
        return (logits(weights, x).argmax(1) == y).sum()

    weights = jax_weights(network, seed)
    zeros = jax.tree.map(jnp.zeros_like, weights)
    state, best = (weights, zeros, zeros, 0.0), weights
    random = np.random.default_rng(seed)
    told = Told(time.perf_counter())
    for _ in range(epochs):
        rows = random.permutation(len(parts.x))
        for i in range(0, len(rows) - batch + 1, batch):
            state = step(state, parts.x[rows[i : i + batch]], parts.y[rows[i : i + batch]])
        right = int(correct(state[0], parts.validation_x, parts.validation_y))
        if told.epoch(right / len(parts.validation_y)):
            best = state[0]
    told.test = int(correct(best, parts.test_x, parts.test_y)) / len(parts.test_y)
    return told


TRAIN = {
    "torch": train_torch,
    "keras": train_keras,
    "tensorflow": train_tensorflow,
    "jax": train_jax,
}


def main() -> None:
    framework, network, path, seed, epochs, batch = sys.argv[1:]
    parts = parts_of(path, network, int(seed))
    told = TRAIN[framework](network, parts, int(seed), int(epochs), int(batch))
    print(json.dumps({"seconds": told.seconds, "validation": told.validation, "test": told.test}))


if __name__ == "__main__":
    main()
