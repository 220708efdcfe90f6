"""A small transformer as a user writes one: the same network for PyTorch, Keras and JAX.

PyTorch and JAX take the same weights, so that one can be held against the other.
"""

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


def drawn_weights(seed: int) -> dict[str, Any]:
    """Kernels are (inputs, outputs); `project` gives queries, keys and values side by side."""
    random = np.random.default_rng(seed)

    def dense(inputs: int, outputs: int) -> dict[str, np.ndarray]:
        bound = inputs**-0.5
        w = random.uniform(-bound, bound, (inputs, outputs)).astype(np.float32)
        return {"w": w, "b": np.zeros(outputs, np.float32)}

    def norm() -> dict[str, np.ndarray]:
        return {"scale": np.ones(WIDTH, np.float32), "shift": np.zeros(WIDTH, np.float32)}

    def layer() -> dict[str, Any]:
        attention = {"project": dense(WIDTH, 3 * WIDTH), "mix": dense(WIDTH, WIDTH)}
        ends = {"widen": dense(WIDTH, 4 * WIDTH), "narrow": dense(4 * WIDTH, WIDTH)}
        return attention | ends | {"before": norm(), "between": norm()}

    return {
        "embed": dense(FEATURES, WIDTH),
        "layers": [layer() for _ in range(LAYERS)],
        "head": dense(WIDTH, CLASSES),
    }


def torch_weights(drawn: dict[str, Any]) -> dict[str, np.ndarray]:
    """By the names of PyTorch, whose kernels are (outputs, inputs)."""
    named = {}

    def put(name: str, part: dict[str, np.ndarray]) -> None:
        first, second = part.values()
        named[f"{name}weight"], named[f"{name}bias"] = first.T, second

    put("embed.", drawn["embed"])
    put("head.", drawn["head"])
    names = (
        "self_attn.in_proj_",
        "self_attn.out_proj.",
        "linear1.",
        "linear2.",
        "norm1.",
        "norm2.",
    )
    for number, layer in enumerate(drawn["layers"]):
        for name, part in zip(names, layer.values(), strict=True):
            put(f"encoder.layers.{number}.{name}", part)
    return named


def torch_model(seed: int) -> Any:
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
    drawn = torch_weights(drawn_weights(seed))
    model.load_state_dict({name: torch.tensor(weights) for name, weights in drawn.items()})
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
        query, key, value = (y.reshape(split) for y in jnp.split(apply(part["project"], x), 3, -1))
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

    return jax.tree.map(jnp.asarray, drawn_weights(seed)), loss, descend, predict
