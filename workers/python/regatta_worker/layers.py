"""A model as plain data: the JSON of `prepare` (docs/reference/sweep-file.md) read into dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from .errors import Unsupported

# Key of a layer in JSON -> its class and the field that the key's value goes to, if any.
_KINDS: dict[str, tuple[Any, str]] = {}


class Layer:
    """A kind of layer: its class names the key, and the other fields are the other keys."""

    def __init_subclass__(cls, key: str, main: str = "") -> None:
        _KINDS[key] = (cls, main)


@dataclass(frozen=True)
class Dense(Layer, key="dense", main="units"):
    units: int
    activation: str = "none"


@dataclass(frozen=True)
class Conv1d(Layer, key="conv1d", main="filters"):
    filters: int
    kernel: int
    stride: int = 1
    padding: str = "valid"
    activation: str = "none"


@dataclass(frozen=True)
class Conv2d(Layer, key="conv2d", main="filters"):
    filters: int
    kernel: int
    stride: int = 1
    padding: str = "valid"
    activation: str = "none"


@dataclass(frozen=True)
class Lstm(Layer, key="lstm", main="units"):
    units: int
    activation: str = "tanh"
    return_sequences: bool = False


@dataclass(frozen=True)
class Bidirectional(Layer, key="bidirectional", main="inner"):
    inner: Lstm


@dataclass(frozen=True)
class MaxPool(Layer, key="max_pool", main="size"):
    size: int


@dataclass(frozen=True)
class AveragePool(Layer, key="average_pool", main="size"):
    size: int


@dataclass(frozen=True)
class GlobalAveragePool(Layer, key="global_average_pool"):
    pass


@dataclass(frozen=True)
class Flatten(Layer, key="flatten"):
    pass


@dataclass(frozen=True)
class Dropout(Layer, key="dropout", main="rate"):
    rate: float


@dataclass(frozen=True)
class BatchNorm(Layer, key="batch_norm"):
    momentum: float = 0.99
    epsilon: float = 1e-3

    def moving_share(self, number: int) -> float:
        """The share of the batch in a moving moment after the step of this number, counted from 0:
        moving = (1 - share) * moving + share * batch's. The moments are the plain mean over the first steps, until the
        smallest share makes them an exponential one."""
        return max(1 - self.momentum, 1 / (number + 1))


@dataclass(frozen=True)
class LayerNorm(Layer, key="layer_norm"):
    pass


@dataclass(frozen=True)
class Embedding(Layer, key="embedding", main="units"):
    units: int
    vocabulary: int


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
    """Functions of a user's file, "FILE.py:FUNCTION" (docs/guide/your-model.md); relative files start at `folder`."""

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
