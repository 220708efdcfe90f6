"""One name for the things that TensorFlow's versions, from 1.14 to today, call differently."""

from __future__ import annotations

import inspect
import os
import random
from typing import Any, Callable

import numpy as np
import tensorflow as tf

from ...errors import Unsupported

VERSION = tuple(int(part) for part in tf.__version__.split(".")[:2])
LEAST = PREVIEW = (1, 14)
HAS_EAGER_FROM_THE_START = VERSION >= (2, 0)
HAS_NEW_OPTIMIZERS = VERSION >= (2, 11)  # Keras rewrote them: `build` makes their variables
LAST_WITH_KERAS_2 = (2, 15)

v1 = tf.compat.v1


def check_version() -> None:
    if VERSION < LEAST:
        raise Unsupported(
            f"tensorflow {tf.__version__} is older than 1.14, which this engine needs"
        )


def begin_eager() -> None:
    """Turns eager mode on in TensorFlow 1, which takes it before its first operation only; in 1.14 all that 2.0 brought,
    of which that version was the preview."""
    if HAS_EAGER_FROM_THE_START:
        return
    try:
        if VERSION == PREVIEW:
            v1.enable_v2_behavior()
        else:
            v1.enable_eager_execution()
    except (AttributeError, ValueError):
        pass  # a session has begun: the caller sees that nothing is eager


def session_options(threads: int) -> Any:
    options = v1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1)
    options.gpu_options.allow_growth = True
    return options


def set_threads(threads: int) -> None:
    """Counts only before the first operation. Raises RuntimeError if TensorFlow does not keep to it."""
    threading = tf.config.threading
    if threading.get_intra_op_parallelism_threads() != threads:
        try:
            threading.set_intra_op_parallelism_threads(threads)
            threading.set_inter_op_parallelism_threads(1)
        except RuntimeError:
            pass  # it has computed already: judged by what it keeps to
    kept = threading.get_intra_op_parallelism_threads()
    if kept != threads:
        raise RuntimeError(
            f"tensorflow runs {kept or 'as many as cores'} threads, not the {threads} asked for: "
            "its time would not be that of the trial. It takes them before its first operation only."
        )


def physical_gpus() -> list[Any]:
    config = tf.config if hasattr(tf.config, "list_physical_devices") else tf.config.experimental
    return config.list_physical_devices("GPU")


def visible_gpus() -> list[Any]:
    config = tf.config if hasattr(tf.config, "get_visible_devices") else tf.config.experimental
    return config.get_visible_devices("GPU")


def show_gpus(gpus: list[Any]) -> None:
    config = tf.config if hasattr(tf.config, "set_visible_devices") else tf.config.experimental
    config.set_visible_devices(gpus, "GPU")


def cuda_version() -> str | None:
    """The one that it was built for, where it can be asked."""
    build = getattr(tf.sysconfig, "get_build_info", dict)()
    return build.get("cuda_version")


def graph_of(function: Callable, compiles: bool) -> Callable:
    """tf.function; `compiles`: by XLA. Raises Unsupported where that cannot be asked for."""
    if not compiles:
        return tf.function(function)
    for name in ("jit_compile", "experimental_compile"):
        if name in inspect.signature(tf.function).parameters:
            return tf.function(function, **{name: True})
    raise Unsupported(f"tensorflow {tf.__version__} has no mode xla (2.1 and newer have)")


def compile_keras(model: Any, compiles: bool, **options: Any) -> None:
    """`compiles`: by XLA. Raises Unsupported where Keras' own loops cannot."""
    if compiles and "jit_compile" not in inspect.signature(model.compile).parameters:
        raise Unsupported(
            f"Keras' loops of tensorflow {tf.__version__} have no mode xla (2.9 and newer have)"
        )
    if options["loss"] is None and VERSION < (2, 2):
        options["loss"] = (
            "mse"  # older ones compile nothing without a loss, which inference does not read
        )
    if compiles:
        options["jit_compile"] = True
    elif "jit_compile" in inspect.signature(model.compile).parameters:
        options["jit_compile"] = False
    model.compile(**options)


def seed_all(keras: Any, seed: int) -> None:
    if hasattr(keras.utils, "set_random_seed"):
        keras.utils.set_random_seed(seed)
        return
    random.seed(seed)
    np.random.seed(seed)
    v1.set_random_seed(seed)


def clear_keras() -> None:
    """Clears the state that tf.keras keeps of models that are gone."""
    if VERSION <= LAST_WITH_KERAS_2:
        tf.keras.backend.clear_session()


def autotune() -> int:
    return getattr(tf.data, "AUTOTUNE", tf.data.experimental.AUTOTUNE)


def automatic_pool_size() -> int:
    """Threads of a pool that is as large as there are cores; 0 says so from 2.4 on."""
    return 0 if VERSION >= (2, 4) else len(os.sched_getaffinity(0))


def threading_of(options: tf.data.Options) -> Any:
    return options.threading if hasattr(options, "threading") else options.experimental_threading


def sharing_tensor(array: np.ndarray) -> tf.Tensor:
    """The same memory as a tensor, which shows what is written there later, too."""
    if not hasattr(array, "__dlpack__") or not hasattr(tf.experimental, "dlpack"):
        raise Unsupported(
            f"input loader needs tensors that share memory, which tensorflow {tf.__version__} with numpy "
            f"{np.__version__} has not; use input array or pipeline"
        )
    return tf.experimental.dlpack.from_dlpack(array.__dlpack__())


def rescaling(keras: Any, scale: float) -> Any:
    """A layer that makes bytes numbers times `scale`."""
    if hasattr(keras.layers, "Rescaling"):
        return keras.layers.Rescaling(scale)
    return keras.layers.Lambda(lambda x: tf.cast(x, tf.float32) * scale)


def build_optimizer(optimizer: Any, variables: list[Any]) -> None:
    """Makes its variables, where they are not made by its first step."""
    if hasattr(optimizer, "build"):
        optimizer.build(variables)


def layers_within(model: Any) -> list[Any]:
    """All layers, those of models inside of it too."""
    if hasattr(model, "_flatten_layers"):
        return list(model._flatten_layers())
    found = [model]
    for layer in getattr(model, "layers", []):
        found += layers_within(layer)
    return found
