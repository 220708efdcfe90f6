"""Where torch computes: this process's cores, or the GPU that it sees (CUDA_VISIBLE_DEVICES names the slot's)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...errors import Unsupported
from ...inputs import Settings

DEVICES = ["cpu", "cuda"]


def reaches_gpu() -> bool:
    return bool(torch.version.cuda) and torch.cuda.is_available()


def devices_here() -> list[str]:
    return DEVICES if reaches_gpu() else DEVICES[:1]


def take_device(settings: Settings) -> None:
    """Raises Unsupported where torch reaches no GPU."""
    if settings.device == "cpu":
        return
    if not reaches_gpu():
        cuda = torch.version.cuda
        raise Unsupported(
            f"torch reaches no GPU here ({f'built for CUDA {cuda}' if cuda else 'built without CUDA'}, "
            "torch.cuda.is_available() is false); 'regatta doctor' names what is missing"
        )
    torch.backends.cuda.matmul.allow_tf32 = (
        False  # precision fp32: products and convolutions of 24 bits
    )
    torch.backends.cudnn.allow_tf32 = False


def device_of(settings: Settings) -> torch.device:
    return torch.device(settings.device, 0) if settings.device == "cuda" else torch.device("cpu")


def wait_for(device: torch.device) -> None:
    """Until all that was started there is done; what a CPU does is done when it returns."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def begin_peak() -> None:
    torch.cuda.reset_peak_memory_stats(0)


def peak_bytes() -> int:
    """Bytes of the GPU's memory: the most that tensors took at once since `begin_peak`."""
    return torch.cuda.max_memory_allocated(0)


def held(value: torch.Tensor) -> np.ndarray:
    """Its numbers in host memory: a CPU's tensor shares them."""
    return value.detach().cpu().numpy()


def moved(part: Any, device: torch.device) -> Any:
    """A tensor, or a module with all that it holds, whose parameters stay the objects that an optimizer knows."""
    return part.to(device) if device.type == "cuda" else part
