"""Where TensorFlow computes: it takes the first GPU that it sees for everything, unless none is shown to it."""

from __future__ import annotations

from typing import Any, Callable

import tensorflow as tf

from ...errors import Unsupported
from ...inputs import Settings
from .versions import physical_gpus, show_gpus, visible_gpus

DEVICES = ["cpu", "cuda"]


def devices_here() -> list[str]:
    return DEVICES if reaches_gpu() else DEVICES[:1]


def reaches_gpu() -> bool:
    return tf.test.is_built_with_cuda() and bool(physical_gpus())


def take_device(settings: Settings) -> None:
    """Counts only before the first operation. Raises Unsupported where TensorFlow reaches no GPU, RuntimeError if it
    does not keep to what it is shown."""
    if settings.device == "cpu":
        show([])
        return
    if not reaches_gpu():
        built = "built with CUDA" if tf.test.is_built_with_cuda() else "built without CUDA"
        raise Unsupported(
            f"tensorflow reaches no GPU here ({built}, tf.config.list_physical_devices('GPU') is empty); "
            "'regatta doctor' names what is missing"
        )
    show(physical_gpus()[:1])
    tf.config.experimental.enable_tensor_float_32_execution(False)  # precision fp32: 24 bits


def show(gpus: list[Any]) -> None:
    if visible_gpus() == gpus:
        return
    try:
        show_gpus(gpus)
    except RuntimeError as error:
        raise RuntimeError(
            "tensorflow chose its devices for another trial of this process, and it chooses once. "
            "Its time would not be that of the device asked for."
        ) from error


def wait_for(settings: Settings) -> None:
    """Until all that was started on the GPU is done; what a CPU does is done when it returns."""
    if settings.device == "cuda":
        tf.test.experimental.sync_devices()


def begin_peak() -> None:
    reset = getattr(tf.config.experimental, "reset_memory_stats", None)  # 2.6 and newer
    if reset is not None:
        ask_allocator(lambda: reset("GPU:0"))


def peak_bytes() -> int:
    """Bytes of the GPU's memory: the most that tensors took at once since `begin_peak`; 0 where TensorFlow does not tell."""
    info = getattr(tf.config.experimental, "get_memory_info", None)  # 2.5 and newer
    told = None if info is None else ask_allocator(lambda: info("GPU:0"))
    return 0 if told is None else int(told["peak"])


def ask_allocator(question: Callable[[], Any]) -> Any:
    """Nothing where this GPU's allocator does not count."""
    try:
        return question()
    except ValueError:
        return None
