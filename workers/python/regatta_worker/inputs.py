"""The inputs of a trial: weights, batches and settings, checked and in host memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Dict

import numpy as np

from . import safetensors
from .errors import Unsupported
from .layers import Network

Tensors = Dict[str, np.ndarray]


@dataclass(frozen=True)
class Settings:
    """The parameters of a trial that frameworks read; what the model does not read has its default.

    What one engine alone reads has no field: the engine takes it from `own`, by its name, where the
    table of parameters says that it is read.
    """

    mode: str = "graph"
    device: str = "cpu"
    trains: bool = True
    threads: int = 1
    seed: int = 0
    host_dtype: str = "float32"
    input: str = "array"
    transform: str | None = None  # None: where users of the framework do it
    loader_workers: int = 0
    loader_depth: int = 0
    api: str = "keras"
    loop: str = "custom"
    steps_per_call: int = 1  # fit's
    operands: str = "resident"  # how a product gets them
    own: Mapping[str, Any] = field(default_factory=dict)


def settings_of(parameters: dict[str, Any]) -> Settings:
    """Raises Unsupported for a level that no framework of this version has."""
    for name, known in (("precision", "fp32"), ("tail", "drop")):
        if parameters.get(name) not in (None, known):
            raise Unsupported(f"{name} {parameters[name]} is not part of this version")

    def level(name: str, default: Any) -> Any:
        value = parameters.get(name)
        return default if value is None else value

    return Settings(
        mode=level("mode", "graph"),
        device=level("device", "cpu"),
        trains=level("work", "train") == "train",
        threads=level("threads", 1),
        seed=level("seed", 0),
        host_dtype=level("host_dtype", "float32"),
        input=level("input", "array"),
        transform=parameters.get("transform"),
        loader_workers=level("loader_workers", 0),
        loader_depth=level("loader_depth", 0),
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
    engine: str,
    settings: Settings,
    modes: Sequence[str],
    inputs: Sequence[str],
    devices: Sequence[str] = ("cpu",),
) -> None:
    """Raises Unsupported for a mode, a device or an input that the engine lacks."""
    for name, found, known in (
        ("mode", settings.mode, modes),
        ("device", settings.device, devices),
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
    scale: float | None = None  # a sample that is held as a byte is float32(byte) * scale
    path: str = ""  # where they were read


def batches_of(tensors: Tensors, settings: Settings, path: str = "") -> Batches:
    """Samples as the trial holds them. Raises Unsupported for bytes where they are none."""
    x, scale = tensors["x"], None
    if settings.host_dtype == "uint8":
        x, scale = bytes_of(x, tensors.get("x_scale"))
    elif settings.host_dtype == "float64" and x.dtype == np.float32:
        x = x.astype(np.float64)
    return Batches(list(x), list(tensors["y"]), scale, path)


def bytes_of(x: np.ndarray, scales: np.ndarray | None) -> tuple[np.ndarray, float]:
    """The bytes that are exactly these samples, and their scale."""
    if scales is not None and x.dtype == np.float32:
        scale = np.float32(scales.reshape(-1)[0])
        with np.errstate(all="ignore"):
            nearest = np.clip(np.rint(x / scale), 0, 255)
            held = nearest.astype(np.uint8)
        if np.array_equal(held.astype(np.float32) * scale, x):
            return held, float(scale)
    raise Unsupported("the samples are no bytes times a scale; use host_dtype float32")


def needs_cast(x: np.ndarray, scale: float | None) -> bool:
    """Whether it is to become float32: float64 and, where there is a scale, bytes. Other whole numbers stay."""
    return x.dtype == np.float64 or (scale is not None and x.dtype == np.uint8)


def as_floats(x: np.ndarray, scale: float | None) -> np.ndarray:
    """For engines that compute on arrays. A copy, where it is another type."""
    if not needs_cast(x, scale):
        return x
    x = x.astype(np.float32)
    if scale is not None:
        x *= scale
    return x


def casts_in_step(settings: Settings, piped: str = "pipeline") -> bool:
    """Whether samples of another type become float32 in the step, not before it. `piped` says where users of the
    framework do it who have a pipeline of its own."""
    if settings.input not in ("pipeline", "loader"):
        return settings.input == "array"
    usual = piped if settings.input == "pipeline" else "pipeline"
    return (settings.transform or usual) == "step"


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
