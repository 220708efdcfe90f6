"""What a trial is given: weights, batches and settings, checked and in host memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import safetensors
from .errors import Unsupported
from .layers import Network

Tensors = dict[str, np.ndarray]


@dataclass(frozen=True)
class Settings:
    """The parameters of a trial that frameworks read; what the model does not read has its default.

    What one engine alone reads has no field: the engine takes it from `own`, by its name, where the
    table of parameters says that it is read.
    """

    mode: str = "graph"
    trains: bool = True
    threads: int = 1
    seed: int = 0
    float64_input: bool = False
    input: str = "array"
    api: str = "keras"
    loop: str = "custom"
    steps_per_call: int = 1  # fit's
    operands: str = "resident"  # how a product gets them
    own: Mapping[str, Any] = field(default_factory=dict)


def settings_of(parameters: dict[str, Any]) -> Settings:
    """Raises Unsupported for a level that no framework of this version has."""
    for name, known in (("device", "cpu"), ("precision", "fp32"), ("tail", "drop")):
        if parameters.get(name) not in (None, known):
            raise Unsupported(f"{name} {parameters[name]} is not part of this version")

    def level(name: str, default: Any) -> Any:
        value = parameters.get(name)
        return default if value is None else value

    return Settings(
        mode=level("mode", "graph"),
        trains=level("work", "train") == "train",
        threads=level("threads", 1),
        seed=level("seed", 0),
        float64_input=level("host_dtype", "float32") == "float64",
        input=level("input", "array"),
        api=level("api", "keras"),
        loop=level("loop", "custom"),
        steps_per_call=level("steps_per_call", 1),
        operands=level("operands", "resident"),
        own=parameters,
    )


def trains_to_an_end(parameters: dict[str, Any]) -> bool:
    """Whether the task of the sweep is to train: no work is timed."""
    return "work" in parameters and parameters["work"] is None


def check_levels(
    engine: str, settings: Settings, modes: Sequence[str], inputs: Sequence[str]
) -> None:
    """Raises Unsupported for a mode or an input that the engine lacks."""
    for name, found, known in (
        ("mode", settings.mode, modes),
        ("input", settings.input, inputs),
    ):
        if found not in known:
            raise Unsupported(
                f"the engine {engine} has no {name} {found} (it has {', '.join(known)})"
            )


def read_tensors(path: str) -> Tensors:
    """Empty if the model reads none."""
    return safetensors.read(path) if path else {}


@dataclass(frozen=True)
class Batches:
    """Distinct batches that steps cycle over."""

    xs: list[np.ndarray]
    ys: list[np.ndarray]


def batches_of(network: Network, tensors: Tensors, settings: Settings) -> Batches:
    x = tensors["x"]
    if settings.float64_input and x.dtype == np.float32:
        x = x.astype(np.float64)
    return Batches(list(x), list(tensors["y"]))


# Loss -> the activation that it brings itself: it is computed from what stands in front of it.
OWN_ACTIVATION = {
    "mse": "none",
    "binary_crossentropy": "sigmoid",
    "sparse_categorical_crossentropy": "softmax",
}


def check_loss(network: Network) -> None:
    """Raises Unsupported if a cross-entropy does not stand behind its activation."""
    own = OWN_ACTIVATION.get(network.loss)
    if own is None:
        raise Unsupported(f"{network.name}: no loss of this version: {network.loss}")
    last = getattr(network.layers[-1], "activation", "none")
    if own != "none" and last != own:
        raise Unsupported(f"{network.name}: {network.loss} needs a last {own}")
