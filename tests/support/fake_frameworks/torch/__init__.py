"""Stands in for torch where a test needs a framework that misbehaves, as FAKE_TORCH says.

fine, or dies | absent (at import), threads (keeps its own number), compile (never ends), memory (takes all there is).
Products are its only arithmetic.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import types
from typing import Any, Callable

BEHAVIOUR = os.environ["FAKE_TORCH"]
if BEHAVIOUR == "dies":
    os.kill(os.getpid(), signal.SIGSEGV)
if BEHAVIOUR == "absent":
    raise ModuleNotFoundError("No module named 'torch'", name="torch")

__version__ = "0.fake"
backends = types.SimpleNamespace(cpu=types.SimpleNamespace(get_cpu_capability=lambda: "none"))


class Anything:
    """What is imported and never used."""


class Part(types.ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


def add_part(name: str) -> Part:
    part = sys.modules[f"torch.{name}"] = Part(f"torch.{name}")
    return part


nn, utils = add_part("nn"), add_part("utils")
nn.functional, utils.data = add_part("nn.functional"), add_part("utils.data")

threads = [64]


def get_num_threads() -> int:
    return threads[0]


def set_num_threads(count: int) -> None:
    if BEHAVIOUR != "threads":
        threads[0] = count


def manual_seed(seed: int) -> None:
    """Nothing is random here."""


class Tensor:
    def __init__(self, array: Any) -> None:
        self.array = array

    def detach(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        return self.array


def from_numpy(array: Any) -> Tensor:
    held = []
    while BEHAVIOUR == "memory":
        held.append(bytearray(16 << 20))
    return Tensor(array)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    return Tensor(a.array @ b.array)


def compile(function: Callable) -> Callable:
    """As torch does, at the first call."""

    def compiled(*arguments: Any) -> Any:
        while BEHAVIOUR == "compile":
            time.sleep(1)
        return function(*arguments)

    return compiled
