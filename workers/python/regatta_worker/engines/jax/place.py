"""Where JAX computes: the default device of the process, which a trial sets before its arrays are made."""

from __future__ import annotations

import jax

from ...errors import Unsupported
from ...inputs import Settings

DEVICES = ["cpu", "cuda"]


def gpus() -> list[jax.Device]:
    """NVIDIA's that this process sees: CUDA_VISIBLE_DEVICES names the slot's."""
    if jax.config.jax_platforms == "cpu":
        return []  # nothing is started to learn that
    try:
        return jax.local_devices(backend="cuda")
    except RuntimeError:
        return []


def devices_here() -> list[str]:
    return DEVICES if gpus() else DEVICES[:1]


def take_device(settings: Settings) -> None:
    """Raises Unsupported where JAX reaches no GPU."""
    if settings.device == "cpu":
        if jax.config.jax_platforms != "cpu" and jax.default_backend() != "cpu":
            jax.config.update("jax_default_device", jax.local_devices(backend="cpu")[0])
        return
    found = gpus()
    if not found:
        platforms = ", ".join(sorted({device.platform for device in jax.devices()}))
        raise Unsupported(
            f"jax reaches no GPU here (its devices are: {platforms}); install it with CUDA, pip install 'jax[cuda13]'; "
            "'regatta doctor' names what else is missing"
        )
    jax.config.update("jax_default_device", found[0])
    jax.config.update("jax_default_matmul_precision", "highest")  # precision fp32: 24 bits, no tf32


def begin_peak() -> None:
    """JAX counts from the begin of the process."""


def peak_bytes() -> int:
    """Bytes of the GPU's memory: the most that arrays took at once; 0 where the allocator does not count."""
    stats = gpus()[0].memory_stats()
    return int((stats or {}).get("peak_bytes_in_use", 0))
