"""The engine `tensorflow`: Keras models, eager (mode eager), tf.function (graph) or XLA (xla), in Keras' loops or ours.

Mode v1-session is in v1.py, the package keras of old environments in multi_backend.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from ...arm import Arm
from ...errors import Unsupported
from ...inputs import Settings, Tensors, check_levels, read_tensors, settings_of, trains_to_an_end
from ...layers import Matmul, Model, Network, Noop, ScalarGradient, UserModel
from ...same_work import row_sums
from .. import Description
from . import multi_backend, v1
from .multi_backend import is_multi_backend
from .place import DEVICES, devices_here, take_device
from .train import learner_of
from .trial import SmallTrial, check_loop, network_trial, square_derivative, with_mode
from .user import user_trial
from .user_train import UserKerasLearner
from .versions import (
    HAS_NEW_OPTIMIZERS,
    LAST_WITH_KERAS_2,
    VERSION,
    begin_eager,
    check_version,
    clear_keras,
    cuda_version,
    set_threads,
)

MODES = ["eager", "graph", "xla", "v1-session"]
INPUTS = ("array", "pipeline", "resident", "loader")


def describe() -> Description:
    details = {"keras": keras_version()}
    if VERSION <= LAST_WITH_KERAS_2:
        details["tf_keras"] = tf.keras.__version__
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


def prepare(model: Model, parameters: dict[str, Any], weights_path: str, batches_path: str) -> Arm:
    settings = settings_of(parameters)
    check_version()
    check_levels("tensorflow", settings, MODES, INPUTS, DEVICES)
    is_session = settings.mode == "v1-session"
    has_keras = isinstance(model, (Network, UserModel)) and not is_session
    is_apart = has_keras and is_multi_backend(settings.api)
    if not is_session and not is_apart:
        begin_eager()
    take_device(settings)
    if is_apart and isinstance(model, UserModel):
        raise Unsupported(f"Keras {keras_version()} takes no model of your own; use api tf_keras")
    if is_apart:
        return multi_backend.prepare(model, settings, weights_path, batches_path)
    if isinstance(model, Noop):
        return SmallTrial(settings, lambda: None, lambda result: [])
    if is_session:
        if isinstance(model, Network) and not batches_path:
            raise Unsupported("mode v1-session trains no model to an end (eager, graph and xla do)")
        return v1.prepare(model, settings, weights_path, batches_path)
    if not tf.executing_eagerly():
        raise RuntimeError("a trial before turned eager off in this process, for good")
    set_threads(settings.threads)
    is_to_end = isinstance(model, (Network, UserModel)) and trains_to_an_end(parameters)
    if is_to_end and not HAS_NEW_OPTIMIZERS:
        raise Unsupported(
            f"tensorflow {tf.__version__} trains no model to an end (2.11 and newer do)"
        )
    if isinstance(model, Network) and not batches_path:
        check_loop(settings)
        return learner_of(model, settings, read_tensors(weights_path))
    if isinstance(model, Network):
        weights, batches = read_tensors(weights_path), read_tensors(batches_path)
        return network_trial(model, settings, weights, batches, batches_path)
    if isinstance(model, UserModel) and is_to_end:
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
