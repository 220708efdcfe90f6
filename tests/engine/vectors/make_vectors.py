#!/usr/bin/env python3
"""Writes the vectors beside it: five training steps of small variants of the named models, by PyTorch in float64.

Layers are torch.nn's, and nothing of Regatta's own engines or workers is used: no mistake can be made twice. For each
model NAME.json holds it as Regatta reads it, NAME.safetensors (fp32) "initial.P", "gradient.P" (of the first step) and
"final.P" for every parameter P, the batches "x" and "y" (2, batch, ...; taken in turn) and "losses" (5, batch). Dropout is
off.

usage: PYTHON make_vectors.py            with the Python of scripts/setup-engines.sh torch
       PYTHON make_vectors.py --check    compares with what is stored, writes nothing
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

HERE = Path(__file__).resolve().parent
STEPS = 5
BATCHES = 2  # taken in turn
NORM_EPSILON = 1e-3
SPARSE, BINARY = "sparse_categorical_crossentropy", "binary_crossentropy"
JSON = dict[str, Any]
Arrays = dict[str, np.ndarray]

torch.set_default_dtype(torch.float64)


def dense(units: int, activation: str = "none") -> JSON:
    return {"dense": units, "activation": activation}


def conv(kind: str, filters: int, kernel: int, activation: str = "none", **more: object) -> JSON:
    return {kind: filters, "kernel": kernel, "activation": activation, **more}


def lstm(units: int, activation: str, return_sequences: bool = False) -> JSON:
    return {"lstm": units, "activation": activation, "return_sequences": return_sequences}


def adam(learning_rate: float, **more: float) -> JSON:
    return {"adam": {"learning_rate": learning_rate, **more}}


# Name: batch, input, layers, loss, optimizer.
MODELS: dict[str, tuple[int, list[int], list[JSON], str, JSON]] = {
    "mlp-10": (
        32,
        [10],
        [dense(50, "relu"), dense(1)],
        "mse",
        {"sgd": {"learning_rate": 0.01}},
    ),
    "digits-mlp": (
        16,
        [36],
        [dense(24, "relu"), dense(10, "softmax")],
        SPARSE,
        adam(0.01),
    ),
    "adam-epsilon": (  # as large as gradients: its place decides
        8,
        [12],
        [dense(17, "tanh"), dense(9, "sigmoid"), dense(3)],
        "mse",
        adam(0.02, beta1=0.8, beta2=0.95, epsilon=0.05),
    ),
    "conv1d-small": (
        4,
        [35, 6],
        [
            conv("conv1d", 16, 10, stride=4, padding="same"),
            {"global_average_pool": True},
            {"dropout": 0.5},
            dense(8, "relu"),
            dense(1, "sigmoid"),
        ],
        BINARY,
        adam(1e-3),
    ),
    "conv1d-medium": (
        3,
        [32, 5],
        [
            *(conv("conv1d", filters, 5) for filters in (8, 12, 20, 8)),
            {"global_average_pool": True},
            dense(16, "relu"),
            {"dropout": 0.5},
            dense(1, "sigmoid"),
        ],
        BINARY,
        adam(1e-3),
    ),
    "conv1d-large": (
        3,
        [50, 3],
        [
            conv("conv1d", 6, 20, stride=2),
            *(conv("conv1d", 9, 6, padding="same") for _ in range(2)),
            conv("conv1d", 17, 5, stride=2),
            conv("conv1d", 8, 1),
            {"global_average_pool": True},
            dense(8, "relu"),
            dense(1, "sigmoid"),
        ],
        BINARY,
        adam(1e-3),
    ),
    "conv1d-question": (
        3,
        [25, 4],
        [
            conv("conv1d", 12, 25, stride=4, padding="same"),
            {"flatten": True},
            {"dropout": 0.5},
            dense(8, "relu"),
            dense(1, "sigmoid"),
        ],
        BINARY,
        adam(1e-3),
    ),
    "conv1d-pools": (
        4,
        [31, 3],
        [
            conv("conv1d", 8, 3, "relu", padding="same"),
            {"max_pool": 2},
            conv("conv1d", 10, 4, "tanh"),
            {"average_pool": 3},
            {"flatten": True},
            dense(4, "softmax"),
        ],
        SPARSE,
        {"sgd": {"learning_rate": 0.1, "momentum": 0.9}},
    ),
    "cnn-28": (
        4,
        [14, 14, 1],
        [
            conv("conv2d", 8, 3, "relu"),
            {"max_pool": 2},
            conv("conv2d", 12, 3, "relu"),
            {"max_pool": 2},
            {"flatten": True},
            {"dropout": 0.5},
            dense(10, "softmax"),
        ],
        SPARSE,
        adam(1e-3),
    ),
    "bilstm-question": (
        3,
        [12, 4],
        [
            {"bidirectional": lstm(7, "relu", True)},
            lstm(6, "relu", True),
            conv("conv1d", 6, 12, stride=4, padding="same"),
            {"flatten": True},
            dense(12, "relu"),
            {"dropout": 0.5},
            dense(8, "relu"),
            dense(1, "sigmoid"),
        ],
        BINARY,
        adam(1e-3),
    ),
    "norm": (
        6,
        [9, 7, 2],
        [
            conv("conv2d", 6, 3, stride=2, padding="same"),
            {"batch_norm": True},
            {"average_pool": 2},
            {"flatten": True},
            {"layer_norm": True},
            dense(3, "softmax"),
        ],
        SPARSE,
        {"sgd": {"learning_rate": 0.1}},
    ),
    "embedding": (
        5,
        [7],
        [
            {"embedding": 6, "vocabulary": 11},
            {"bidirectional": lstm(5, "tanh", True)},
            lstm(9, "tanh"),
            dense(1, "sigmoid"),
        ],
        BINARY,
        {"sgd": {"learning_rate": 0.2, "momentum": 0.5}},
    ),
}


class Parameters:
    """Torch's parameters by Regatta's names, and the order of axes that turns one into the other's."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.held: dict[str, tuple[nn.Parameter, tuple[int, ...]]] = {}

    def add(self, name: str, parameter: nn.Parameter, order: tuple[int, ...], offset=0.0) -> None:
        """Draws its values anew, in fp32; nothing is zero, so that nothing can be left out unseen."""
        size = 0.6 / np.sqrt(parameter[0].numel()) if parameter.dim() > 1 else 0.15
        drawn = offset + size * self.random.standard_normal(tuple(parameter.shape))
        parameter.data = torch.from_numpy(drawn.astype(np.float32).astype(np.float64))
        self.held[name] = (parameter, order)

    def arrays(self, prefix: str, gradients: bool = False) -> Arrays:
        return {
            f"{prefix}.{name}": (p.grad if gradients else p.data).permute(order).numpy().copy()
            for name, (p, order) in self.held.items()
        }


def activate(name: str, z: Tensor) -> Tensor:
    functions = {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}
    if name == "softmax":
        return torch.softmax(z, -1)
    return z if name == "none" else functions[name](z)


def dense_layer(at: str, layer: JSON, shape: torch.Size, parameters: Parameters):
    module = nn.Linear(shape[-1], layer["dense"])
    parameters.add(f"{at}.kernel", module.weight, (1, 0))
    parameters.add(f"{at}.bias", module.bias, (0,))
    return lambda x: activate(layer["activation"], module(x))


def convolution(at: str, layer: JSON, shape: torch.Size, parameters: Parameters):
    axes = len(shape) - 2
    kernel, stride = layer["kernel"], layer.get("stride", 1)
    filters = layer["conv1d" if axes == 1 else "conv2d"]
    module = (nn.Conv1d if axes == 1 else nn.Conv2d)(shape[-1], filters, kernel, stride)
    parameters.add(f"{at}.kernel", module.weight, (*range(2, 2 + axes), 1, 0))
    parameters.add(f"{at}.bias", module.bias, (0,))
    pads: list[int] = []
    for size in reversed(shape[1:-1]):  # functional.pad begins with the last axis
        total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        pads += [total // 2, total - total // 2] if layer.get("padding") == "same" else [0, 0]
    return lambda x: activate(
        layer["activation"], module(functional.pad(x.movedim(-1, 1), pads)).movedim(1, -1)
    )


def pooling(at: str, layer: JSON, shape: torch.Size, parameters: Parameters):
    name, size = next(iter(layer.items()))
    modules = {
        ("max_pool", 3): nn.MaxPool1d,
        ("max_pool", 4): nn.MaxPool2d,
        ("average_pool", 3): nn.AvgPool1d,
        ("average_pool", 4): nn.AvgPool2d,
    }
    module = modules[name, len(shape)](size)
    return lambda x: module(x.movedim(-1, 1)).movedim(1, -1)


def normalization(at: str, layer: JSON, shape: torch.Size, parameters: Parameters):
    if "layer_norm" in layer:
        module: nn.Module = nn.LayerNorm(shape[-1], eps=NORM_EPSILON)
    else:
        kinds = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d}
        module = kinds[len(shape)](shape[-1], eps=NORM_EPSILON)
    parameters.add(f"{at}.gamma", module.weight, (0,), offset=1.0)
    parameters.add(f"{at}.beta", module.bias, (0,))
    if "layer_norm" in layer:
        return module
    return lambda x: module(x.movedim(-1, 1)).movedim(1, -1)


def relu_lstm(cell: nn.LSTM, x: Tensor) -> Tensor:
    """torch.nn has no LSTM with relu in place of tanh: its weights, step by step."""
    h = c = x.new_zeros(len(x), cell.hidden_size)
    outputs = []
    for at in range(x.shape[1]):
        z = functional.linear(x[:, at], cell.weight_ih_l0, cell.bias_ih_l0)
        i, f, g, o = (z + functional.linear(h, cell.weight_hh_l0)).chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.relu(g)
        h = torch.sigmoid(o) * torch.relu(c)
        outputs.append(h)
    return torch.stack(outputs, dim=1)


def recurrent(at: str, layer: JSON, shape: torch.Size, parameters: Parameters):
    module = nn.LSTM(shape[-1], layer["lstm"], batch_first=True)
    nn.init.zeros_(module.bias_hh_l0)  # one bias is enough
    parameters.add(f"{at}.kernel", module.weight_ih_l0, (1, 0))
    parameters.add(f"{at}.recurrent_kernel", module.weight_hh_l0, (1, 0))
    parameters.add(f"{at}.bias", module.bias_ih_l0, (0,))
    if layer["activation"] == "relu":
        return lambda x: relu_lstm(module, x)
    return lambda x: module(x)[0]


def lstm_layer(at: str, layer: JSON, shape: torch.Size, parameters: Parameters):
    run = recurrent(at, layer, shape, parameters)
    return run if layer["return_sequences"] else lambda x: run(x)[:, -1]


def bidirectional(at: str, layer: JSON, shape: torch.Size, parameters: Parameters):
    inner = layer["bidirectional"]
    forward = recurrent(f"{at}.forward", inner, shape, parameters)
    backward = recurrent(f"{at}.backward", inner, shape, parameters)
    assert inner["return_sequences"]
    return lambda x: torch.cat((forward(x), backward(x.flip(1)).flip(1)), dim=-1)


def embedding(at: str, layer: JSON, shape: torch.Size, parameters: Parameters):
    module = nn.Embedding(layer["vocabulary"], layer["embedding"])
    parameters.add(f"{at}.kernel", module.weight, (0, 1))
    return module


def plain(function):
    return lambda at, layer, shape, parameters: function


MAKERS = {
    "dense": dense_layer,
    "conv1d": convolution,
    "conv2d": convolution,
    "max_pool": pooling,
    "average_pool": pooling,
    "global_average_pool": plain(lambda x: x.mean(dim=tuple(range(1, x.dim() - 1)))),
    "flatten": plain(lambda x: x.flatten(1)),
    "dropout": plain(lambda x: x),
    "batch_norm": normalization,
    "layer_norm": normalization,
    "lstm": lstm_layer,
    "bidirectional": bidirectional,
    "embedding": embedding,
}


def sample_losses(loss: str, output: Tensor, y: Tensor) -> Tensor:
    if loss == SPARSE:
        return functional.nll_loss(output.log(), y.long(), reduction="none")
    kinds = {"mse": functional.mse_loss, BINARY: functional.binary_cross_entropy}
    return kinds[loss](output, y, reduction="none").mean(1)


def optimizer_of(options: JSON, parameters: Parameters) -> torch.optim.Optimizer:
    ((name, given),) = options.items()
    trained = [parameter for parameter, _ in parameters.held.values()]
    if name == "sgd":
        return torch.optim.SGD(trained, given["learning_rate"], given.get("momentum", 0))
    betas = (given.get("beta1", 0.9), given.get("beta2", 0.999))
    return torch.optim.Adam(trained, given["learning_rate"], betas, given.get("epsilon", 1e-7))


def make_batches(name: str, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    batch, inputs, layers, loss, _ = MODELS[name]
    shape = (BATCHES, batch, *inputs)
    if "embedding" in layers[0]:
        x = random.integers(0, layers[0]["vocabulary"], shape, dtype=np.int32)
    else:
        x = random.standard_normal(shape, dtype=np.float32)
    outputs = layers[-1]["dense"]
    if loss == SPARSE:
        return x, random.integers(0, outputs, shape[:2], dtype=np.int32)
    if loss == BINARY:
        return x, random.integers(0, 2, (*shape[:2], outputs)).astype(np.float32)
    return x, random.standard_normal((*shape[:2], outputs), dtype=np.float32)


def as_tensor(array: np.ndarray) -> Tensor:
    tensor = torch.from_numpy(array)
    return tensor if array.dtype == np.int32 else tensor.double()


def vectors_of(name: str) -> Arrays:
    _batch, _, layers, loss, options = MODELS[name]
    random = np.random.default_rng(list(name.encode()))
    x, y = make_batches(name, random)
    parameters = Parameters(random)
    functions, seen = [], as_tensor(x[0])
    for index, layer in enumerate(layers):
        make = MAKERS[next(iter(layer))]
        functions.append(make(str(index), layer, seen.shape, parameters))
        seen = functions[-1](seen).detach()
    found = {"x": x, "y": y, **parameters.arrays("initial")}
    optimizer, losses = optimizer_of(options, parameters), []
    for step in range(STEPS):
        output = as_tensor(x[step % BATCHES])
        for function in functions:
            output = function(output)
        each = sample_losses(loss, output, as_tensor(y[step % BATCHES]))
        losses.append(each.detach().numpy())
        optimizer.zero_grad()
        each.mean().backward()
        if step == 0:
            found.update(parameters.arrays("gradient", gradients=True))
        optimizer.step()
    return {**found, **parameters.arrays("final"), "losses": np.array(losses)}


def model_text(name: str) -> str:
    _batch, inputs, layers, loss, optimizer = MODELS[name]
    model = {"name": name, "input": inputs, "layers": layers, "loss": loss, "optimizer": optimizer}
    return json.dumps(model) + "\n"


def safetensors(arrays: Arrays) -> bytes:
    """Format: https://github.com/huggingface/safetensors, section Format."""
    header, data = {}, b""
    for name, array in arrays.items():
        integers = array.dtype == np.int32
        piece = np.ascontiguousarray(array, dtype="<i4" if integers else "<f4").tobytes()
        offsets = [len(data), len(data) + len(piece)]
        kind = "I32" if integers else "F32"
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": offsets}
        data += piece
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def stored(file: Path) -> Arrays:
    data = file.read_bytes()
    start = 8 + struct.unpack_from("<Q", data)[0]
    found = {}
    for name, entry in json.loads(data[8:start]).items():
        begin, end = entry["data_offsets"]
        dtype = "<i4" if entry["dtype"] == "I32" else "<f4"
        piece = np.frombuffer(data[start + begin : start + end], dtype)
        found[name] = piece.reshape(entry["shape"])
    return found


def is_stored(name: str, arrays: Arrays) -> bool:
    """Up to the last bits, in which processors differ."""
    kept = stored(HERE / f"{name}.safetensors")
    return (
        (HERE / f"{name}.json").read_text() == model_text(name)
        and kept.keys() == arrays.keys()
        and all(kept[each].shape == arrays[each].shape for each in kept)
        and all(np.allclose(kept[each], arrays[each], rtol=1e-6, atol=1e-9) for each in kept)
    )


def main() -> int:
    changed = []
    for name in MODELS:
        arrays = vectors_of(name)
        if "--check" not in sys.argv:
            (HERE / f"{name}.json").write_text(model_text(name))
            (HERE / f"{name}.safetensors").write_bytes(safetensors(arrays))
        elif not is_stored(name, arrays):
            changed.append(name)
    for name in changed:
        print(f"{name}: not what PyTorch {torch.__version__} gives")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
