"""A small transformer as a user writes one: the same network for PyTorch, Keras and JAX."""

from __future__ import annotations

from typing import Any

import numpy as np

LENGTH = 32
FEATURES = 16
WIDTH = 64
HEADS = 4
LAYERS = 2
CLASSES = 5
RATE = 0.01


def build(engine: str, seed: int = 0) -> Any:
    return {"torch": torch_model, "tensorflow": keras_model, "jax": jax_model}[engine](seed)


def make_batch(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.standard_normal((n, LENGTH, FEATURES)), random.integers(0, CLASSES, n)


def torch_model(_seed: int) -> Any:
    import torch
    from torch import nn

    layer = nn.TransformerEncoderLayer(
        WIDTH, HEADS, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )

    class Classifier(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Linear(FEATURES, WIDTH)
            self.encoder = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
            self.head = nn.Linear(WIDTH, CLASSES)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(self.encoder(self.embed(x)).mean(dim=1))

    model = Classifier()
    return model, nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), lr=RATE)


def keras_model(_seed: int) -> Any:
    import keras
    from keras import layers

    x = inputs = layers.Input((LENGTH, FEATURES))
    x = layers.Dense(WIDTH)(x)
    for _ in range(LAYERS):
        y = layers.LayerNormalization(epsilon=1e-5)(x)
        x = x + layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(y, y)
        y = layers.LayerNormalization(epsilon=1e-5)(x)
        x = x + layers.Dense(WIDTH)(layers.Dense(4 * WIDTH, activation="gelu")(y))
    outputs = layers.Dense(CLASSES)(layers.GlobalAveragePooling1D()(x))
    model = keras.Model(inputs, outputs)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.SGD(RATE), loss=loss)
    return model


def jax_model(seed: int) -> Any:
    import jax
    from jax import numpy as jnp

    def apply(part: dict[str, Any], x: Any) -> Any:
        return x @ part["w"] + part["b"]

    def normed(part: dict[str, Any], x: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        deviation = jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)
        return part["scale"] * centred * deviation + part["shift"]

    def attend(part: dict[str, Any], x: Any) -> Any:
        split = (*x.shape[:2], HEADS, WIDTH // HEADS)
        names = ("query", "key", "value")
        query, key, value = (apply(part[name], x).reshape(split) for name in names)
        scores = jnp.einsum("nqhd,nkhd->nhqk", query, key) * (WIDTH // HEADS) ** -0.5
        mixed = jnp.einsum("nhqk,nkhd->nqhd", jax.nn.softmax(scores), value)
        return apply(part["mix"], mixed.reshape(x.shape))

    def predict(params: dict[str, Any], x: Any) -> Any:
        x = apply(params["embed"], x)
        for part in params["layers"]:
            x = x + attend(part, normed(part["before"], x))
            hidden = apply(part["widen"], normed(part["between"], x))
            x = x + apply(part["narrow"], jax.nn.gelu(hidden, approximate=False))
        return apply(params["head"], x.mean(axis=1))

    def loss(params: dict[str, Any], x: Any, y: Any) -> Any:
        logs = jax.nn.log_softmax(predict(params, x))
        return -jnp.take_along_axis(logs, y.astype(int)[:, None], axis=1)[:, 0]

    def descend(params: Any, gradients: Any) -> Any:
        return jax.tree.map(lambda p, g: p - RATE * g, params, gradients)

    return jax_weights(seed), loss, descend, predict


def jax_weights(seed: int) -> dict[str, Any]:
    import jax
    from jax import numpy as jnp

    keys = iter(jax.random.split(jax.random.key(seed), 2 + 6 * LAYERS))

    def dense(inputs: int, outputs: int) -> dict[str, Any]:
        bound = inputs**-0.5
        w = jax.random.uniform(next(keys), (inputs, outputs), minval=-bound, maxval=bound)
        return {"w": w, "b": jnp.zeros(outputs)}

    def norm() -> dict[str, Any]:
        return {"scale": jnp.ones(WIDTH), "shift": jnp.zeros(WIDTH)}

    def layer() -> dict[str, Any]:
        parts = {name: dense(WIDTH, WIDTH) for name in ("query", "key", "value", "mix")}
        ends = {"widen": dense(WIDTH, 4 * WIDTH), "narrow": dense(4 * WIDTH, WIDTH)}
        return parts | ends | {"before": norm(), "between": norm()}

    return {
        "embed": dense(FEATURES, WIDTH),
        "layers": [layer() for _ in range(LAYERS)],
        "head": dense(WIDTH, CLASSES),
    }
