"""The package keras up to 2.3, which was a library beside tf.keras: a graph of its own, run by a session in
TensorFlow 1 and as a function in TensorFlow 2."""

from __future__ import annotations

import contextlib
from typing import Any, Callable

import numpy as np
import tensorflow as tf

from ...errors import Unsupported
from ...inputs import Batches, Settings, Tensors, read_tensors
from ...layers import Adam, Network, Sgd
from ...layers_trial import LayersTrial
from ...older import zipped
from .input import calls_of, columns_of, endless, keras_call
from .model import build, installed_keras, losses_of, trainable_names
from .v1 import open_session
from .versions import HAS_EAGER_FROM_THE_START, seed_all, set_threads

LAST_MULTI_BACKEND = (2, 3)
LOOPS = ("train_on_batch", "fit", "predict_on_batch", "predict")


def is_multi_backend(api: str) -> bool:
    """Whether `api` means this library here. Raises Unsupported where `api` is keras and there is none."""
    if api != "keras":
        return False
    version = installed_keras().__version__
    return tuple(int(part) for part in version.split(".")[:2]) <= LAST_MULTI_BACKEND


def check_multi_backend(settings: Settings) -> None:
    """Raises Unsupported for what it does not do."""
    name = f"api keras is Keras {installed_keras().__version__} here, which"
    if settings.mode != "graph":
        raise Unsupported(f"{name} has no mode {settings.mode} (it has graph); use api tf_keras")
    if settings.loop not in LOOPS:
        raise Unsupported(
            f"{name} has no loop {settings.loop} (it has {', '.join(LOOPS)}); use api tf_keras"
        )
    if settings.input != "array":
        raise Unsupported(f"{name} has no input {settings.input} (it has array); use api tf_keras")


def prepare(
    network: Network, settings: Settings, weights_path: str, batches_path: str
) -> MultiBackendTrial:
    check_multi_backend(settings)
    if not batches_path:
        raise Unsupported("Keras up to 2.3 trains no model to an end here; use api tf_keras")
    if HAS_EAGER_FROM_THE_START:
        set_threads(settings.threads)
    weights, batches = read_tensors(weights_path), read_tensors(batches_path)
    return MultiBackendTrial(network, settings, weights, batches, batches_path)


def adam_class(keras: Any) -> type:
    """The place of Adam's epsilon is that of model.adam_class, for the same reason. And steps are counted once all else
    has read the count: Keras orders neither, so that its first step in TensorFlow 1 is taken as the second one."""

    class AdamOfThePaper(keras.optimizers.Adam):
        @keras.backend.symbolic
        def get_updates(self, loss: Any, params: Any) -> Any:
            epsilon, k = self.epsilon, keras.backend
            count = k.cast(self.iterations, k.floatx()) + 1
            self.epsilon = epsilon * k.sqrt(1 - k.pow(self.beta_2, count))
            try:
                _, *moves = super().get_updates(loss, params)
            finally:
                self.epsilon = epsilon
            with tf.control_dependencies(moves):
                self.updates = [k.update_add(self.iterations, 1), *moves]
            return self.updates

    return AdamOfThePaper


def make_optimizer(keras: Any, options: Sgd | Adam) -> Any:
    if isinstance(options, Sgd):
        return keras.optimizers.SGD(options.learning_rate, momentum=options.momentum)
    return adam_class(keras)(
        options.learning_rate,
        beta_1=options.beta1,
        beta_2=options.beta2,
        epsilon=options.epsilon,
    )


class MultiBackendTrial(LayersTrial):
    """A Keras loop: each step a call, `fit` of several."""

    def set_up(self, tensors: Tensors, batches: Batches, dropout: bool) -> None:
        self.keras = installed_keras()
        if not HAS_EAGER_FROM_THE_START and tf.executing_eagerly():
            raise RuntimeError("a trial before turned eager on in this process, for good")
        self.contexts = contextlib.ExitStack()
        if not HAS_EAGER_FROM_THE_START:
            self.enter_session()
        try:
            self.set_up_model(tensors, batches, dropout)
        except BaseException:
            self.contexts.close()
            raise

    def enter_session(self) -> None:
        """With a graph of its own, until `close`: entered once, so that no step has to. A process has one such arm (and,
        while that is checked, its twin, which ends before the arm goes on)."""
        tf.compat.v1.get_default_graph()  # once it is there, nobody can turn eager on
        session = self.contexts.enter_context(open_session(self.settings))
        self.contexts.enter_context(session.graph.as_default())

    def close(self) -> None:
        super().close()
        self.contexts.close()

    def set_up_model(self, tensors: Tensors, batches: Batches, dropout: bool) -> None:
        seed_all(self.keras, self.settings.seed)
        self.model = build(self.keras, self.network, tensors, dropout, self.scale)
        loss, self.loss_of_samples = losses_of(self.keras, self.network.loss)
        self.loss = loss()
        self.batches = columns_of(batches)
        self.judge: Callable[[list[Any]], list[Any]] | None = None
        self.step = self.make_step()

    def make_step(self) -> Callable[[], Any]:
        settings, model = self.settings, self.model
        if self.trains:
            optimizer = make_optimizer(self.keras, self.network.optimizer)
            model.compile(optimizer=optimizer, loss=self.loss)
        self.steps_per_call = settings.steps_per_call if settings.loop == "fit" else 1
        calls = calls_of(self.batches, settings, self.scale)
        return keras_call(model, settings.loop, endless(calls), len(self.batches[0][0]))

    def wait(self) -> None:
        """A call returns a number or the outputs; a GPU's updates are done when a weight can be read behind them."""
        if self.settings.device == "cuda":
            self.keras.backend.get_value(self.model.trainable_weights[0])

    # ---- same work ---------------------------------------------------------------------------

    def judged(self, number: int) -> list[Any]:
        """The loss of each sample, and the gradient of each weight."""
        if self.judge is None:
            self.judge = self.keras.backend.symbolic(self.make_judge)()
        return self.judge([*self.batches[number % len(self.batches)], 1])

    def make_judge(self) -> Callable[[list[Any]], list[Any]]:
        k, model = self.keras.backend, self.model
        y = k.placeholder(shape=self.batches[0][1].shape, dtype=self.batches[0][1].dtype.name)
        losses = self.loss_of_samples(y, model.output)
        gradients = k.gradients(self.loss(y, model.output), model.trainable_weights)
        dense = [tf.convert_to_tensor(gradient) for gradient in gradients]
        return k.function([model.input, y, k.learning_phase()], [losses, *dense])

    def losses(self, number: int) -> list[float]:
        return np.asarray(self.judged(number)[0]).tolist()

    def gradients(self, number: int) -> Tensors:
        return self.named([np.asarray(value) for value in self.judged(number)[1:]])

    def weights(self) -> Tensors:
        return self.named(self.keras.backend.batch_get_value(self.model.trainable_weights))

    def replace_weights(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        weights, k = self.model.trainable_weights, self.keras.backend
        values = k.batch_get_value(weights)
        k.batch_set_value(list(zip(weights, [change(v).astype(v.dtype) for v in values])))

    def named(self, values: list[np.ndarray]) -> Tensors:
        return dict(zipped(trainable_names(self.network), values))

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        k = self.keras.backend
        variable = k.variable(np.zeros_like(gradients[0]))
        optimizer = make_optimizer(self.keras, self.network.optimizer)

        def make_move() -> Callable[[list[Any]], Any]:
            fed = k.placeholder(shape=gradients[0].shape)
            optimizer.get_gradients = lambda loss, params: [fed]
            updates = optimizer.get_updates(loss=None, params=[variable])
            return k.function([fed], [k.identity(fed)], updates=updates)

        move = k.symbolic(make_move)()
        for gradient in gradients:
            move([gradient])
        return np.asarray(k.get_value(variable))
