"""Trials of the engine `tensorflow`: a Keras model in Keras' loops or ours, and steps without weights."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

import numpy as np
import tensorflow as tf

from ...arm import Arm
from ...errors import Unsupported
from ...inputs import Batches, Settings, Tensors, casts_in_step, needs_cast
from ...layers import Network
from ...layers_trial import LayersTrial
from ...older import zipped
from .input import (
    Stream,
    as_column,
    as_float32,
    calls_of,
    columns_of,
    dataset_of,
    endless,
    joined,
    keras_call,
)
from .model import build, keras_of, losses_of, make_optimizer, trainable_names
from .place import wait_for
from .versions import build_optimizer, compile_keras, graph_of, seed_all, sharing_tensor

TRAINING_LOOPS = ("custom", "train_on_batch", "fit")
INFERENCE_LOOPS = ("custom", "predict_on_batch", "predict")


def with_mode(function: Callable, settings: Settings) -> Callable:
    if settings.mode == "eager":
        return function
    return graph_of(function, compiles=settings.mode == "xla")


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


def check_feed(settings: Settings) -> None:
    """Raises Unsupported for a loop that Regatta's loader cannot feed."""
    if settings.input == "loader" and settings.loop in ("fit", "predict"):
        single = "train_on_batch" if settings.trains else "predict_on_batch"
        raise Unsupported(
            f"loop {settings.loop} takes a whole array or a dataset in each call, Regatta's loader gives single "
            f"batches; use loop custom or {single}, or input pipeline"
        )


def network_trial(
    network: Network, settings: Settings, tensors: Tensors, batches: Tensors, batches_path: str
) -> Arm:
    check_loop(settings)
    check_feed(settings)
    kind = OwnLoopTrial if settings.loop == "custom" else KerasLoopTrial
    return kind(network, settings, tensors, batches, batches_path)


class NetworkTrial(LayersTrial):
    """The part that both loops share; `make_step` is theirs."""

    model_scale: float | None = None  # the model reads bytes then

    def set_up(self, tensors: Tensors, batches: Batches, dropout: bool) -> None:
        network, settings = self.network, self.settings
        self.keras = keras_of(settings.api)
        seed_all(self.keras, settings.seed)
        is_keras_loop = settings.loop != "custom"
        self.model_scale = self.scale if is_keras_loop and casts_in_step(settings) else None
        self.model = build(self.keras, network, tensors, dropout, self.model_scale)
        self.optimizer = make_optimizer(self.keras, network.optimizer)
        loss, self.loss_of_samples = losses_of(self.keras, network.loss)
        self.loss = loss()
        self.batches, self.held = columns_of(batches), batches
        self.steps_per_call = settings.steps_per_call if settings.loop == "fit" else 1
        self.stream: Stream | None = None
        self.gradients_of = with_mode(self.gradient_tensors, settings)
        self.step = self.make_step()

    def feed(self) -> Callable[[], Any]:
        """The next batch: arrays, tensors that stay, or what tf.data or Regatta's loader makes of its rows."""
        settings, batches = self.settings, self.batches
        if settings.input == "array":
            return endless(batches)
        if settings.input == "resident":
            return endless([(as_float32(x, self.scale), tf.constant(y)) for x, y in batches])
        if settings.input == "loader":
            return self.from_places()
        rows = joined(batches, 0, len(batches))
        self.stream = Stream(dataset_of(*rows, len(batches[0][0]), settings, self.scale))
        return self.stream

    def from_places(self) -> Callable[[], Any]:
        if self.settings.device == "cpu":
            return self.start_feed(
                self.settings,
                self.held,
                lambda x, y: (sharing_tensor(x), sharing_tensor(as_column(y))),
            )
        following = self.start_feed(self.settings, self.held, lambda x, y: (x, as_column(y)))
        wait = self.wait

        def when_done() -> Any:
            """A GPU may read a place after the step was called, and keeps its copy of a tensor: each step makes one."""
            wait()
            x, y = following()
            return tf.convert_to_tensor(x), tf.convert_to_tensor(y)

        return when_done

    def close(self) -> None:
        super().close()
        if self.stream is not None:
            self.stream.close()

    def make_step(self) -> Callable[[], Any]:
        raise NotImplementedError

    def wait(self) -> None:
        """A CPU's step is done when it returns, a GPU's is only started."""
        wait_for(self.settings)

    # ---- same work ---------------------------------------------------------------------------

    def batch(self, number: int) -> tuple[tf.Tensor, tf.Tensor]:
        x, y = self.batches[number % len(self.batches)]
        reads_bytes = self.model_scale is not None
        return tf.constant(x) if reads_bytes else as_float32(x, self.scale), tf.constant(y)

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

    def replace_weights(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        for variable in self.model.trainable_variables:
            variable.assign(change(np.asarray(variable)).astype(np.float32))

    def named(self, values: list[np.ndarray]) -> Tensors:
        return dict(zipped(trainable_names(self.network), values))

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        kind = self.keras.Variable if self.settings.api == "keras" else tf.Variable
        variable = kind(np.zeros_like(gradients[0]))
        optimizer = make_optimizer(self.keras, self.network.optimizer)
        build_optimizer(optimizer, [variable])

        def update(gradient: tf.Tensor) -> None:
            optimizer.apply_gradients([(gradient, variable)])

        move = with_mode(update, self.settings)
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
            build_optimizer(self.optimizer, self.model.trainable_variables)

            def train() -> Any:
                x, y = following()
                return run(to_tensor(x), to_tensor(y))

            return train
        return lambda: run(to_tensor(following()[0]))

    def casts(self) -> bool:
        """Whether the step makes its samples float32."""
        needed = needs_cast(self.batches[0][0], self.scale)
        return needed and casts_in_step(self.settings)

    def training_function(self) -> Callable[[Any, Any], Any]:
        model, loss, optimizer = self.model, self.loss, self.optimizer
        weights, casts, scale = model.trainable_variables, self.casts(), self.scale

        def train(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
            if casts:
                x = as_float32(x, scale)
            with tf.GradientTape() as tape:
                value = loss(y, model(x, training=True))
            gradients = tape.gradient(value, weights)
            optimizer.apply_gradients(zip(gradients, weights))
            return value

        return train

    def inference_function(self) -> Callable[[Any], Any]:
        model, casts, scale = self.model, self.casts(), self.scale

        def infer(x: tf.Tensor) -> tf.Tensor:
            return model(as_float32(x, scale) if casts else x, training=False)

        return infer


class KerasLoopTrial(NetworkTrial):
    """Keras' own loops: train_on_batch, fit; predict_on_batch, predict. A call of fit takes `steps_per_call` batches,
    any other one."""

    def make_step(self) -> Callable[[], Any]:
        compile_keras(
            self.model,
            compiles=self.settings.mode == "xla",
            optimizer=self.optimizer,
            loss=self.loss,
            run_eagerly=self.settings.mode == "eager",
        )
        model = self.model
        if self.settings.loop in ("fit", "predict"):
            return self.step_of_many()
        following = self.feed()
        return keras_call(model, self.settings.loop, following, len(self.batches[0][0]))

    def step_of_many(self) -> Callable[[], Any]:
        """fit and predict: a call takes a whole array, or so many batches of a dataset."""
        settings = dataclasses.replace(self.settings, steps_per_call=self.steps_per_call)
        calls = calls_of(self.batches, settings, self.scale)
        following, model = endless(calls), self.model
        rows, steps = len(self.batches[0][0]), self.steps_per_call
        if self.settings.input == "pipeline":
            if self.settings.loop == "fit":
                return lambda: model.fit(
                    following(), steps_per_epoch=steps, shuffle=False, verbose=0
                )
            return lambda: model.predict(following(), steps=1, verbose=0)
        return keras_call(model, self.settings.loop, following, rows)


class SmallTrial(Arm):
    """A step without weights: a product, a derivative, nothing."""

    def __init__(
        self,
        settings: Settings,
        compute: Callable[[], Any],
        row_values: Callable[[Any], list[float]],
    ) -> None:
        self.settings, self.step, self.row_values = settings, compute, row_values

    def wait(self) -> None:
        """A CPU's step is done when it returns, a GPU's is only started."""
        wait_for(self.settings)

    def check(self, steps: int) -> list[list[float]]:
        return [self.row_values(self.step()) for _ in range(steps)]
