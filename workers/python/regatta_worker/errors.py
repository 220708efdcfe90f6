"""The errors that a worker answers in place of a result."""

from __future__ import annotations


class Unsupported(Exception):
    """The engine lacks what the trial names; trying again would give the same answer."""


def ran_out_of_memory(error: Exception) -> bool:
    """Whether this is an allocator's refusal, which each framework words in its own way."""
    words = (
        "can't allocate memory",
        "out of memory",
        "out_of_memory",
        "alloc_failed",
        "resource_exhausted",
        "resourceexhausted",
    )
    text = f"{type(error).__name__}: {error}".lower()
    return isinstance(error, MemoryError) or any(word in text for word in words)


def is_of_device(error: Exception) -> bool:
    """Whether a GPU answered with an error of its own: nothing that this process computes there is right any more.

    torch says "CUDA error: ...", TensorFlow and JAX give the driver's or a library's name for it.
    """
    words = ("CUDA error", "CUDA_ERROR_", "CUDNN_STATUS_", "CUBLAS_STATUS_", "cuDNN error")
    return any(word in str(error) for word in words)


def is_lost(error: Exception) -> bool:
    """Whether the process that feeds the steps was killed, so that another try may succeed (regatta.feeder)."""
    return getattr(error, "is_refused", True) is False


class StorageFailed(Exception):
    """A checkpoint cannot be written: the trial is no worse for it, and goes on when there is room."""


class LinkClosed(Exception):
    """The agent is gone: nobody is left to work for."""


class UserModelError(Exception):
    """An error in a user's own file, in words for its author."""
