"""One name for the things that torch's versions, from 1.4 to today, call differently."""

from __future__ import annotations

from typing import Any, Callable

import torch

from ...errors import Unsupported

VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])
LEAST = (1, 4)
MODES = ["eager", "graph", "reduce-overhead"]
TAKES_INT32_WORDS = VERSION >= (1, 8)  # in an embedding
HAS_SAME_PADDING = VERSION >= (1, 9)  # by name, in a convolution


def check_version() -> None:
    if VERSION < LEAST:
        raise Unsupported(f"torch {torch.__version__} is older than 1.4, which this engine needs")


def modes_here() -> list[str]:
    """Before 2.0 nothing is compiled."""
    return MODES if hasattr(torch, "compile") else MODES[:1]


def check_mode(mode: str) -> None:
    """Raises Unsupported for what this version does not compile."""
    if mode not in modes_here():
        raise Unsupported(
            f"torch {torch.__version__} has no mode {mode} (2.0 and newer have torch.compile)"
        )


def forget_compiled() -> None:
    """Graphs are found again by their code: the next trial would be given that of another batch size, or none."""
    if hasattr(torch, "compile"):
        torch._dynamo.reset()


def instruction_set() -> str:
    """The instruction set that its kernels use; empty where it does not say."""
    ask = getattr(torch.backends, "cpu", None)
    return str(ask.get_cpu_capability()) if hasattr(ask, "get_cpu_capability") else ""


def without_gradients() -> Callable[[Callable], Callable]:
    """A decorator: steps that nobody derives."""
    made: Any = getattr(torch, "inference_mode", torch.no_grad)
    return made()


def axis_moved(x: torch.Tensor, source: int, target: int) -> torch.Tensor:
    """A view with one axis in another place."""
    if hasattr(x, "movedim"):
        return x.movedim(source, target)
    order = list(range(x.dim()))
    order.insert(target if target >= 0 else x.dim() - 1, order.pop(source))
    return x.permute(order)
