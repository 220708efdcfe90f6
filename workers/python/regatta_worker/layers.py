"""A model as plain data: the JSON of `prepare` (docs/sweep-file.md) read into dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from .errors import Unsupported


@dataclass(frozen=True)
class Dense:
    units: int
    activation: str = "none"


@dataclass(frozen=True)
class Conv1d:
    filters: int
    kernel: int
    stride: int = 1
    padding: str = "valid"
    activation: str = "none"


@dataclass(frozen=True)
class Conv2d:
    filters: int
    kernel: int
    stride: int = 1
    padding: str = "valid"
    activation: str = "none"


@dataclass(frozen=True)
class Lstm:
    units: int
    activation: str = "tanh"
    return_sequences: bool = False


@dataclass(frozen=True)
class Bidirectional:
    inner: Lstm


@dataclass(frozen=True)
class MaxPool:
    size: int


@dataclass(frozen=True)
class AveragePool:
    size: int


@dataclass(frozen=True)
class GlobalAveragePool:
    pass


@dataclass(frozen=True)
class Flatten:
    pass


@dataclass(frozen=True)
class Dropout:
    rate: float


@dataclass(frozen=True)
class BatchNorm:
    pass


@dataclass(frozen=True)
class LayerNorm:
    pass


@dataclass(frozen=True)
class Embedding:
    units: int
    vocabulary: int


Layer = Union[
    Dense,
    Conv1d,
    Conv2d,
    Lstm,
    Bidirectional,
    MaxPool,
    AveragePool,
    GlobalAveragePool,
    Flatten,
    Dropout,
    BatchNorm,
    LayerNorm,
    Embedding,
]

# Key of a layer in JSON -> its class and the field that the key's value goes to, if any.
_KINDS: dict[str, tuple[Any, str]] = {
    "dense": (Dense, "units"),
    "conv1d": (Conv1d, "filters"),
    "conv2d": (Conv2d, "filters"),
    "lstm": (Lstm, "units"),
    "bidirectional": (Bidirectional, "inner"),
    "max_pool": (MaxPool, "size"),
    "average_pool": (AveragePool, "size"),
    "global_average_pool": (GlobalAveragePool, ""),
    "flatten": (Flatten, ""),
    "dropout": (Dropout, "rate"),
    "batch_norm": (BatchNorm, ""),
    "layer_norm": (LayerNorm, ""),
    "embedding": (Embedding, "units"),
}


@dataclass(frozen=True)
class Sgd:
    learning_rate: float
    momentum: float = 0.0


@dataclass(frozen=True)
class Adam:
    learning_rate: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-7


@dataclass(frozen=True)
class Network:
    name: str
    input: tuple[int, ...]
    layers: tuple[Layer, ...]
    loss: str
    optimizer: Sgd | Adam


@dataclass(frozen=True)
class Matmul:
    name: str
    size: int


@dataclass(frozen=True)
class ScalarGradient:
    name: str


@dataclass(frozen=True)
class Noop:
    name: str


@dataclass(frozen=True)
class UserModel:
    """Functions of a user's file, "FILE.py:FUNCTION" (docs/your-model.md); relative files start at `folder`."""

    name: str
    build: str
    batch: str
    arguments: dict[str, Any]
    sources: dict[str, str]  # file, SHA-256 of its text
    folder: str


Model = Union[Network, Matmul, ScalarGradient, Noop, UserModel]


def parse_layer(json: dict[str, Any]) -> Layer:
    """Raises Unsupported for a layer of a later version."""
    kind = next((key for key in json if key in _KINDS), None)
    if kind is None:
        raise Unsupported(f"no layer of this version: {json}")
    layer, main = _KINDS[kind]
    options = {key: value for key, value in json.items() if key != kind}
    if main:
        options[main] = parse_layer(json[kind]) if main == "inner" else json[kind]
    try:
        return layer(**options)
    except TypeError as error:
        raise Unsupported(f"layer {json}: {error}") from error


def parse_optimizer(json: dict[str, Any]) -> Sgd | Adam:
    ((name, options),) = json.items()
    if name not in ("sgd", "adam"):
        raise Unsupported(f"no optimizer of this version: {name}")
    return Sgd(**options) if name == "sgd" else Adam(**options)


def parse_user_model(json: dict[str, Any]) -> UserModel:
    if "batch" not in json:
        raise Unsupported(
            f"{json['name']} is a loop of its own: it runs in an environment with a program, not with a Python"
        )
    sources, folder = json.get("sources", {}), json.get("folder", "")
    return UserModel(json["name"], json["python"], json["batch"], json["args"], sources, folder)


def parse_model(json: dict[str, Any]) -> Model:
    """The model of `prepare`. Raises Unsupported for what this version does not know."""
    name = json["name"]
    if "matmul" in json:
        return Matmul(name, json["matmul"])
    if "scalar_gradient" in json:
        return ScalarGradient(name)
    if "noop" in json:
        return Noop(name)
    if "python" in json:
        return parse_user_model(json)
    layers = tuple(parse_layer(layer) for layer in json["layers"])
    optimizer = parse_optimizer(json["optimizer"])
    return Network(name, tuple(json["input"]), layers, json["loss"], optimizer)
