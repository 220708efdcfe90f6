"""The engine `tensorflow`: Keras models, eager (mode eager), tf.function (graph) or XLA (xla), in Keras' loops or ours.

Mode v1-session is in v1.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from ...errors import Unsupported
from ...inputs import Settings, Tensors, check_levels, read_tensors, settings_of, trains_to_an_end
from ...layers import Matmul, Model, Network, Noop, ScalarGradient, UserModel
from ...same_work import row_sums
from .. import Description, PreparedArm
from . import v1
from .place import DEVICES, devices_here, take_device
from .train import learner_of
from .trial import SmallTrial, check_loop, network_trial, square_derivative, with_mode
from .user import user_trial
from .user_train import UserKerasLearner
from .versions import (
    HAS_NEW_OPTIMIZERS,
    begin_eager,
    check_version,
    clear_keras,
    cuda_version,
)

MODES = ["eager", "graph", "xla", "v1-session"]
INPUTS = ("array", "pipeline", "resident", "loader")


def describe() -> Description:
    details = {"keras": keras_version()}
    cuda = cuda_version()
    if cuda:
        details["cuda"] = cuda
    return Description(tf.__version__, MODES, devices_here(), details)


def keras_version() -> str:
    try:
        import keras
    except ImportError:
        return str(getattr(tf.keras, "__version__", "none"))
    return keras.__version__


def prepare(
    model: Model, parameters: dict[str, Any], weights_path: str, batches_path: str
) -> PreparedArm:
    settings = settings_of(parameters)
    check_version()
    check_levels("tensorflow", settings, MODES, INPUTS, DEVICES)
    if settings.mode != "v1-session":
        begin_eager()
    take_device(settings)
    if isinstance(model, Noop):
        return SmallTrial(settings, lambda: None, lambda result: [])
    if settings.mode == "v1-session":
        if isinstance(model, Network) and not batches_path:
            raise Unsupported("mode v1-session trains no model to an end (eager, graph and xla do)")
        return v1.prepare(model, settings, weights_path, batches_path)
    if not tf.executing_eagerly():
        raise RuntimeError("a trial of mode v1-session turned eager off in this process, for good")
    set_threads(settings.threads)
    if trains_to_an_end(parameters) and not HAS_NEW_OPTIMIZERS:
        raise Unsupported(
            f"tensorflow {tf.__version__} trains no model to an end (2.11 and newer do)"
        )
    if isinstance(model, Network) and not batches_path:
        check_loop(settings)
        return learner_of(model, settings, read_tensors(weights_path))
    if isinstance(model, Network):
        weights, batches = read_tensors(weights_path), read_tensors(batches_path)
        return network_trial(model, settings, weights, batches, batches_path)
    if isinstance(model, UserModel) and trains_to_an_end(parameters):
        return UserKerasLearner(model, settings)
    if isinstance(model, UserModel):
        check_loop(settings)
        return user_trial(model, settings, parameters["batch"])
    tensors = read_tensors(batches_path)
    if isinstance(model, Matmul):
        return SmallTrial(settings, product_of(tensors, settings), lambda c: row_sums(c.numpy()))
    if isinstance(model, ScalarGradient):
        derivative = with_mode(square_derivative, settings)
        fed = tf.constant(tensors["x"].reshape(-1)[0])
        return SmallTrial(
            settings, lambda: derivative(fed), lambda d: row_sums(d.numpy().reshape(1, 1))
        )
    raise Unsupported(f"the engine tensorflow has no {model.name}")


def product_of(tensors: Tensors, settings: Settings) -> Callable[[], tf.Tensor]:
    """The product as a step, its operands taken as the trial says."""
    a, b = tensors["x"][0], tensors["y"][0]
    if settings.operands == "fed":  # each step copies both from host memory
        product = with_mode(tf.matmul, settings)
        return lambda: product(tf.constant(a), tf.constant(b))
    left, right = tf.constant(a), tf.constant(b)
    if settings.operands == "constant":  # a graph may compute it once and for all
        return with_mode(lambda: tf.matmul(left, right), settings)
    product = with_mode(tf.matmul, settings)
    return lambda: product(left, right)


def forget_all() -> None:
    for name in ("keras", "tf_keras"):
        if name in sys.modules:
            sys.modules[name].backend.clear_session()
    clear_keras()


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
            "its time would not be that of the trial; it takes them before its first operation only"
        )
