"""Trials of the engine `tensorflow`: a Keras model in Keras' loops or ours, and steps without weights."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

import numpy as np
import tensorflow as tf

from ...errors import Unsupported
from ...inputs import Batches, Settings, Tensors
from ...layers import Network
from ...layers_trial import LayersTrial
from .. import PreparedArm
from .input import Stream, as_float32, calls_of, columns_of, dataset_of, endless, joined
from .model import build, keras_of, losses_of, make_optimizer, trainable_names

TRAINING_LOOPS = ("custom", "train_on_batch", "fit")
INFERENCE_LOOPS = ("custom", "predict_on_batch", "predict")


def with_mode(function: Callable, settings: Settings) -> Callable:
    if settings.mode == "eager":
        return function
    return tf.function(function, jit_compile=True if settings.mode == "xla" else None)


def square_derivative(x: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def check_loop(settings: Settings) -> None:
    """Raises Unsupported for a loop of other work."""
    loops = TRAINING_LOOPS if settings.trains else INFERENCE_LOOPS
    if settings.loop not in loops:
        work = "training" if settings.trains else "inference"
        raise Unsupported(
            f"{settings.loop} is no loop of {work} (tensorflow has {', '.join(loops)})"
        )


def network_trial(
    network: Network, settings: Settings, tensors: Tensors, batches: Tensors
) -> PreparedArm:
    check_loop(settings)
    kind = OwnLoopTrial if settings.loop == "custom" else KerasLoopTrial
    return kind(network, settings, tensors, batches)


class NetworkTrial(LayersTrial):
    """What both loops share; `make_step` is theirs."""

    def set_up(self, tensors: Tensors, batches: Batches, dropout: bool) -> None:
        network, settings = self.network, self.settings
        self.keras = keras_of(settings.api)
        self.keras.utils.set_random_seed(settings.seed)
        self.model = build(self.keras, network, tensors, dropout)
        self.optimizer = make_optimizer(self.keras, network.optimizer)
        loss, self.loss_of_samples = losses_of(self.keras, network.loss)
        self.loss = loss()
        self.batches = columns_of(batches)
        self.steps_per_call = settings.steps_per_call if settings.loop == "fit" else 1
        self.stream: Stream | None = None
        self.gradients_of = with_mode(self.gradient_tensors, settings)
        self.step = self.make_step()

    def feed(self) -> Callable[[], Any]:
        """The next batch: arrays, tensors that stay, or what tf.data makes of its rows."""
        if self.settings.input == "array":
            return endless(self.batches)
        if self.settings.input == "resident":
            return endless([(as_float32(x), tf.constant(y)) for x, y in self.batches])
        rows = joined(self.batches, 0, len(self.batches))
        self.stream = Stream(dataset_of(*rows, len(self.batches[0][0]), self.settings))
        return self.stream

    def close(self) -> None:
        if self.stream is not None:
            self.stream.close()

    def make_step(self) -> Callable[[], Any]:
        raise NotImplementedError

    def wait(self) -> None:
        """A CPU's step is done when it returns."""

    # ---- same work ---------------------------------------------------------------------------

    def batch(self, number: int) -> tuple[tf.Tensor, tf.Tensor]:
        x, y = self.batches[number % len(self.batches)]
        return as_float32(x), tf.constant(y)

    def losses(self, number: int) -> list[float]:
        x, y = self.batch(number)
        return np.asarray(self.loss_of_samples(y, self.model(x, training=True))).tolist()

    def gradients(self, number: int) -> Tensors:
        gradients = self.gradients_of(*self.batch(number))
        return self.named([tf.convert_to_tensor(gradient).numpy() for gradient in gradients])

    def gradient_tensors(self, x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            value = self.loss(y, self.model(x, training=True))
        return tape.gradient(value, self.model.trainable_variables)

    def weights(self) -> Tensors:
        return self.named([variable.numpy().copy() for variable in self.model.trainable_variables])

    def named(self, values: list[np.ndarray]) -> Tensors:
        return dict(zip(trainable_names(self.network), values, strict=True))

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        kind = self.keras.Variable if self.settings.api == "keras" else tf.Variable
        variable = kind(np.zeros_like(gradients[0]))
        optimizer = make_optimizer(self.keras, self.network.optimizer)
        optimizer.build([variable])
        move = with_mode(
            lambda gradient: optimizer.apply_gradients([(gradient, variable)]), self.settings
        )
        for gradient in gradients:
            move(tf.constant(gradient))
        return np.array(variable.numpy())


class OwnLoopTrial(NetworkTrial):
    """loop: custom. A gradient tape, or the model called."""

    def make_step(self) -> Callable[[], Any]:
        to_tensor = (
            tf.convert_to_tensor if self.settings.input == "array" else lambda tensor: tensor
        )
        following = self.feed()
        function = self.training_function() if self.settings.trains else self.inference_function()
        run = with_mode(function, self.settings)
        if self.settings.trains:
            self.optimizer.build(self.model.trainable_variables)

            def train() -> Any:
                x, y = following()
                return run(to_tensor(x), to_tensor(y))

            return train
        return lambda: run(to_tensor(following()[0]))

    def training_function(self) -> Callable[[Any, Any], Any]:
        model, loss, optimizer = self.model, self.loss, self.optimizer
        weights, cast = model.trainable_variables, self.settings.float64_input

        def train(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
            if cast:
                x = tf.cast(x, tf.float32)
            with tf.GradientTape() as tape:
                value = loss(y, model(x, training=True))
            gradients = tape.gradient(value, weights)
            optimizer.apply_gradients(zip(gradients, weights))
            return value

        return train

    def inference_function(self) -> Callable[[Any], Any]:
        model, cast = self.model, self.settings.float64_input

        def infer(x: tf.Tensor) -> tf.Tensor:
            return model(tf.cast(x, tf.float32) if cast else x, training=False)

        return infer


class KerasLoopTrial(NetworkTrial):
    """Keras' own loops: train_on_batch, fit; predict_on_batch, predict. A call of fit takes `steps_per_call` batches,
    any other one."""

    def make_step(self) -> Callable[[], Any]:
        self.model.compile(
            optimizer=self.optimizer,
            loss=self.loss,
            run_eagerly=self.settings.mode == "eager",
            jit_compile=self.settings.mode == "xla",
        )
        model = self.model
        if self.settings.loop in ("fit", "predict"):
            return self.step_of_many()
        following = self.feed()
        if self.settings.loop == "train_on_batch":
            return lambda: model.train_on_batch(*following())
        return lambda: model.predict_on_batch(following()[0])

    def step_of_many(self) -> Callable[[], Any]:
        """fit and predict: a call takes a whole array, or so many batches of a dataset."""
        settings = dataclasses.replace(self.settings, steps_per_call=self.steps_per_call)
        following, model = endless(calls_of(self.batches, settings)), self.model
        rows, steps = len(self.batches[0][0]), self.steps_per_call
        if self.settings.input == "pipeline":
            if self.settings.loop == "fit":
                return lambda: model.fit(
                    following(), steps_per_epoch=steps, shuffle=False, verbose=0
                )
            return lambda: model.predict(following(), steps=1, verbose=0)
        if self.settings.loop == "fit":
            return lambda: model.fit(*following(), batch_size=rows, shuffle=False, verbose=0)
        return lambda: model.predict(following()[0], batch_size=rows, verbose=0)


class SmallTrial:
    """A step without weights: a product, a derivative, nothing."""

    def __init__(
        self, compute: Callable[[], Any], row_values: Callable[[Any], list[float]]
    ) -> None:
        self.step, self.row_values = compute, row_values

    def wait(self) -> None:
        """A CPU's step is done when it returns."""

    def check(self, steps: int) -> list[list[float]]:
        return [self.row_values(self.step()) for _ in range(steps)]
