"""Stands in for torch where a test needs a framework that misbehaves, as FAKE_TORCH says.

fine, or dies | absent (at import), threads (keeps its own number), compile (never ends), memory (takes all there is),
lost (its GPU fails at the first wait). Products are its only arithmetic. FAKE_TORCH_GPU=1 has it reach a GPU: what was
not copied there is no operand there, and what is there cannot be read. Its allocator counts what is there.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import types
from collections.abc import Callable
from typing import Any

BEHAVIOUR = os.environ["FAKE_TORCH"]
if BEHAVIOUR == "dies":
    os.kill(os.getpid(), signal.SIGSEGV)
if BEHAVIOUR == "absent":
    raise ModuleNotFoundError("No module named 'torch'", name="torch")

__version__ = "2.0.fake"
HAS_GPU = os.environ.get("FAKE_TORCH_GPU") == "1"
backends = types.SimpleNamespace(
    cpu=types.SimpleNamespace(get_cpu_capability=lambda: "none"),
    cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=True)),
    cudnn=types.SimpleNamespace(allow_tf32=True),
)
tf32 = (backends.cuda.matmul, backends.cudnn)
version = types.SimpleNamespace(cuda="0.fake" if HAS_GPU else None)


class Anything:
    """Stands for names that are imported and never used."""


bfloat16, float16, float32 = "bfloat16", "float16", "float32"


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


class device:
    def __init__(self, type: str, index: int = 0) -> None:
        self.type = type


def synchronize(_: device) -> None:
    if BEHAVIOUR == "lost":
        raise RuntimeError("CUDA error: unspecified launch failure")


class Allocator:
    """Counts the GPU's memory."""

    def __init__(self) -> None:
        self.taken = self.peak = 0

    def take(self, count: int) -> None:
        self.taken += count
        self.peak = max(self.peak, self.taken)

    def max_memory_allocated(self, _: int) -> int:
        return self.peak

    def reset_peak_memory_stats(self, _: int) -> None:
        self.peak = self.taken


allocator = Allocator()
cuda = types.SimpleNamespace(
    is_available=lambda: HAS_GPU,
    synchronize=synchronize,
    max_memory_allocated=allocator.max_memory_allocated,
    reset_peak_memory_stats=allocator.reset_peak_memory_stats,
)


class Tensor:
    def __init__(self, array: Any, type: str = "cpu") -> None:
        self.array, self.type = array, type
        if type == "cuda":
            allocator.take(array.nbytes)

    def __del__(self) -> None:
        if self.type == "cuda":
            allocator.take(-self.array.nbytes)

    def detach(self) -> Tensor:
        return self

    def to(self, where: device) -> Tensor:
        return Tensor(self.array.copy(), where.type)

    def cpu(self) -> Tensor:
        return Tensor(self.array)

    def numpy(self) -> Any:
        if self.type != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy")
        return self.array


def from_numpy(array: Any) -> Tensor:
    held = []
    while BEHAVIOUR == "memory":
        held.append(bytearray(16 << 20))
    return Tensor(array)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    if a.type != b.type or (a.type == "cuda" and any(backend.allow_tf32 for backend in tf32)):
        raise RuntimeError("operands on two devices, or rounded to tf32")
    return Tensor(a.array @ b.array, a.type)


def compile(function: Callable) -> Callable:
    """As torch does, at the first call."""

    def compiled(*arguments: Any) -> Any:
        while BEHAVIOUR == "compile":
            time.sleep(1)
        return function(*arguments)

    return compiled
