"""Engines by name: modules `<name>.engine`, imported when first asked for."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, field
from typing import Any

from ..arm import Arm
from ..errors import Unsupported
from ..layers import Model
from ..older import Protocol

NAMES = ("numpy", "torch", "tensorflow", "jax")
WITH_RANKS = ("torch",)  # several processes share training steps


@dataclass(frozen=True)
class Description:
    """The engine's part of the message `ready`."""

    version: str
    modes: list[str]
    devices: list[str]
    details: dict[str, str] = field(default_factory=dict)
    interventions: list[str] = field(default_factory=list)


class Engine(Protocol):
    def describe(self) -> Description: ...

    def prepare(
        self, model: Model, parameters: dict[str, Any], weights_path: str, batches_path: str
    ) -> Arm:
        """Raises Unsupported for what the engine lacks.

        An engine whose description names interventions takes one of them as the keyword
        `intervention` (docs/reference/worker-protocol.md, "Interventions"). One of WITH_RANKS takes `rank`, and its arm has
        `member` and `join` then ("Ranks").
        """


class Place(Protocol):
    """Where an engine computes that reaches a GPU: its module `place`."""

    def begin_peak(self) -> None:
        """From here on the most memory counts that the engine's allocator gives out at once."""

    def peak_bytes(self) -> int:
        """How much that was; 0: it does not tell."""


def load(name: str) -> Engine:
    """Raises Unsupported if there is no such engine or it cannot be imported here."""
    if name not in NAMES:
        raise Unsupported(f"no engine '{name}' in this worker (it has {', '.join(NAMES)})")
    try:
        return importlib.import_module(f".{name}.engine", __package__)
    except ImportError as error:
        raise Unsupported(f"cannot import {name}: {error}; install it for this Python") from error


def place(name: str) -> Place:
    """The place of an engine that has prepared a trial on a GPU."""
    return importlib.import_module(f".{name}.place", __package__)


def forget_all() -> None:
    """Frees the frameworks' traces of trials that are gone. A later trial compiles as in a fresh process, and memory
    does not grow with the sweep. For a worker that holds no arms."""
    for name in NAMES:
        engine = sys.modules.get(f"{__package__}.{name}.engine")
        forget = getattr(engine, "forget_all", None)
        if forget is not None:
            forget()
