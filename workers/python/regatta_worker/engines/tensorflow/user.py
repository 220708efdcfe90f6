"""A user's own Keras model (docs/guide/your-model.md), in the steps and loops of trial.py."""

from __future__ import annotations

import copy
from typing import Any, Callable

import numpy as np
import tensorflow as tf

from ... import user_model
from ...errors import Unsupported, UserModelError
from ...inputs import Settings
from ...layers import UserModel
from ...older import zipped
from .input import as_float32
from .model import keras_of
from .trial import KerasLoopTrial, NetworkTrial, OwnLoopTrial, with_mode
from .versions import PREVIEW, VERSION, build_optimizer, layers_within, seed_all

PARTS = ("model", "loss", "optimizer")
COARSE_TYPES = (("bfloat16", "bf16"), ("float16", "fp16"))


class UserParts(NetworkTrial):
    """The parts that the user's function gives, in place of those that the layers give."""

    def __init__(
        self, model: UserModel, settings: Settings, rows: int, dropout: bool = True
    ) -> None:
        self.arguments = (model, settings, rows)
        self.settings, self.trains, self.rows = settings, settings.trains, rows
        self.keras = keras_of(settings.api)
        seed_all(self.keras, settings.seed)
        built = user_model.build(model, settings, "tensorflow", PARTS)
        self.model = checked_model(self.keras, settings.api, model, built["model"])
        self.optimizer = optimizer_of(self.keras, self.model, built["optimizer"])
        self.user_loss = loss_of(self.keras, model, self.model, built["loss"])
        if self.trains:
            user_model.need(
                model, self.user_loss, "loss", "compile the model with one, or return one"
            )
        self.loss = mean_of(self.user_loss)
        if not dropout:
            switch_dropout_off(self.model)
        self.batches = user_model.make_batches(model, settings, rows)
        # A model that was given no shape of its input builds itself here.
        self.model(as_float32(self.batches[0][0], None), training=False)
        self.names = unique([variable.name for variable in self.model.trainable_variables])
        self.steps_per_call = settings.steps_per_call if settings.loop == "fit" else 1
        self.stream = None
        self.gradients_of = with_mode(self.gradient_tensors, settings)
        self.step = self.make_step()

    def losses(self, number: int) -> list[float]:
        x, y = self.batch(number)
        losses = loss_of_samples(self.user_loss)(y, self.model(x, training=True))
        return user_model.values_of(np.asarray(losses), self.rows)

    def gradient_tensors(self, x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
        """Zeros for what the loss does not depend on."""
        gradients = super().gradient_tensors(x, y)
        variables = self.model.trainable_variables
        return [tf.zeros(v.shape) if g is None else g for g, v in zip(gradients, variables)]

    def number_type(self) -> str | None:
        """The coarsest type that a layer computes in; mixed precision lets it differ from that of the weights."""
        types = {str(getattr(layer, "compute_dtype", "")) for layer in layers_within(self.model)}
        return next((name for dtype, name in COARSE_TYPES if dtype in types), "fp32")

    def named(self, values: list[np.ndarray]) -> dict[str, np.ndarray]:
        return dict(zipped(self.names, values))

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        is_keras3 = self.settings.api == "keras"
        variable = (self.keras.Variable if is_keras3 else tf.Variable)(np.zeros_like(gradients[0]))
        optimizer = fresh(self.optimizer)
        build_optimizer(optimizer, [variable])

        def update(gradient: tf.Tensor) -> None:
            optimizer.apply_gradients([(gradient, variable)])

        move = with_mode(update, self.settings)
        for gradient in gradients:
            move(tf.constant(gradient))
        return np.array(variable.numpy())


class UserOwnLoopTrial(UserParts, OwnLoopTrial):
    """loop: custom."""


class UserKerasLoopTrial(UserParts, KerasLoopTrial):
    """Keras' own loops."""


def checked_model(keras: Any, api: str, model: UserModel, built: Any) -> Any:
    if isinstance(built, keras.Model):
        return built
    kind = f"{type(built).__module__}.{type(built).__qualname__}"
    raise UserModelError(
        f"{model.build} gives a {kind} as model, expected a Model of {keras.__name__} (api {api})"
    )


def fresh(optimizer: Any) -> Any:
    """One with the same settings that has seen no variable yet."""
    return type(optimizer).from_config(optimizer.get_config())


def optimizer_of(keras: Any, model: Any, given: Any) -> Any:
    """Given, or compiled into the model; else plain SGD."""
    optimizer = given if given is not None else getattr(model, "optimizer", None)
    return (
        keras.optimizers.SGD(user_model.DEFAULT_RATE)
        if optimizer is None
        else keras.optimizers.get(optimizer)
    )


def loss_of(keras: Any, user: UserModel, model: Any, given: Any) -> Any:
    """Given, or compiled into the model; by name as well."""
    loss = given if given is not None else getattr(model, "loss", None)
    if isinstance(loss, (dict, list, tuple)):
        raise UserModelError(f"{user.build} gives several losses, expected one of one output")
    return None if loss is None else keras.losses.get(loss)


def mean_of(loss: Any) -> Callable | None:
    """Keras' functions give the loss of each sample, its classes the mean."""
    if loss is None or hasattr(loss, "reduction"):
        return loss
    return lambda y, output: tf.reduce_mean(loss(beside(y, output), output))


def beside(y: Any, output: Any) -> Any:
    """Labels (n) beside outputs (n, 1), as Keras' own loops do: else both would be spread to (n, n)."""
    is_flat = len(y.shape) == len(output.shape) - 1 and output.shape[-1] == 1
    return tf.expand_dims(y, -1) if is_flat else y


def loss_of_samples(loss: Any) -> Callable:
    if not hasattr(loss, "reduction"):
        return lambda y, output: loss(beside(y, output), output)
    loss = copy.copy(loss)
    loss.reduction = "none"
    return loss


def switch_dropout_off(model: Any) -> None:
    """In all layers that have it as a setting."""
    for layer in layers_within(model):
        if "Dropout" in type(layer).__name__ and hasattr(layer, "rate"):
            layer.rate = 0.0


def unique(names: list[str]) -> list[str]:
    """Keras 3 calls every kernel "kernel", Keras 2 the second model's first "dense_2/kernel:0"."""
    lasts = (name.split("/")[-1].split(":")[0] for name in names)
    return [f"{number}.{last}" for number, last in enumerate(lasts)]


def user_trial(model: UserModel, settings: Settings, rows: int) -> NetworkTrial:
    if VERSION == PREVIEW and settings.loop != "custom":
        raise Unsupported(
            f"tensorflow {tf.__version__} takes a model of your own in the loop custom only"
        )
    kind = UserOwnLoopTrial if settings.loop == "custom" else UserKerasLoopTrial
    return kind(model, settings, rows)
