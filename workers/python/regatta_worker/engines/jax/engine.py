"""The engine `jax`: jitted (mode graph) or operation by operation (mode eager)."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import metadata
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...arm import Arm
from ...errors import Unsupported
from ...inputs import Settings, Tensors, check_levels, read_tensors, settings_of, trains_to_an_end
from ...layers import Matmul, Model, Network, Noop, ScalarGradient, UserModel
from ...same_work import row_sums
from .. import Description
from .place import DEVICES, devices_here, take_device
from .train import NetworkLearner
from .trial import NetworkTrial, SmallTrial, with_mode
from .user import UserTrial
from .user_train import UserParamsLearner

MODES = ["eager", "graph"]
INPUTS = ("array", "resident", "loader")


def describe() -> Description:
    return Description(
        jax.__version__, MODES, devices_here(), {"jaxlib": metadata.version("jaxlib")}
    )


def forget_all() -> None:
    jax.clear_caches()


def prepare(model: Model, parameters: dict[str, Any], weights_path: str, batches_path: str) -> Arm:
    settings = settings_of(parameters)
    check_levels("jax", settings, MODES, INPUTS, DEVICES)
    take_device(settings)
    check_threads(settings.threads)
    if isinstance(model, Network) and not batches_path:
        return NetworkLearner(model, settings, read_tensors(weights_path))
    if isinstance(model, Network):
        weights, batches = read_tensors(weights_path), read_tensors(batches_path)
        return NetworkTrial(model, settings, weights, batches, batches_path)
    if isinstance(model, UserModel) and trains_to_an_end(parameters):
        return UserParamsLearner(model, settings)
    if isinstance(model, UserModel):
        return UserTrial(model, settings, parameters["batch"])
    if isinstance(model, Noop):
        return SmallTrial(lambda: None, lambda result: [])
    tensors = read_tensors(batches_path)
    if isinstance(model, Matmul):
        return SmallTrial(product_of(tensors, settings), row_sums)
    if isinstance(model, ScalarGradient):
        derivative = with_mode(jax.grad(lambda x: x * x), settings)
        fed = np.float32(tensors["x"].reshape(-1)[0])
        if settings.device != "cpu":  # there before the first step, as other operands
            fed = jax.device_put(fed)
        return SmallTrial(lambda: derivative(fed), lambda d: row_sums(np.reshape(d, (1, 1))))
    raise Unsupported(f"the engine jax has no {model.name}")


def product_of(tensors: Tensors, settings: Settings) -> Callable[[], jax.Array]:
    """The product as a step, its operands taken as the trial says."""
    a, b = tensors["x"][0], tensors["y"][0]
    if settings.operands == "fed":  # each step copies both from host memory
        product = with_mode(jnp.matmul, settings)
        return lambda: product(jnp.array(a), jnp.array(b))
    left, right = jnp.asarray(a), jnp.asarray(b)
    if settings.operands == "constant":  # a graph may compute it once and for all
        return with_mode(lambda: jnp.matmul(left, right), settings)
    product = with_mode(jnp.matmul, settings)
    return lambda: product(left, right)


def check_threads(threads: int) -> None:
    """XLA takes as many threads as this process may use cores, once and for all."""
    cores = len(os.sched_getaffinity(0))
    if cores < threads:
        raise Unsupported(
            f"jax computes on the {cores} cores that it is bound to; threads: {threads} needs more"
        )
