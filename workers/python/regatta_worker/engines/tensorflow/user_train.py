"""Training a user's own Keras model to an end (docs/guide/your-model.md), in a loop of ours."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from ... import user_model
from ...errors import Unsupported
from ...inputs import Settings, Tensors
from ...layers import UserModel
from ...schedule import hyper_of
from ...user_learner import UserLearner, kept, loss_of_rows, need_loss
from .model import keras_of
from .train import WaitingGradients, kept_random_states, random_state
from .trial import with_mode
from .user import PARTS, checked_model, loss_of, loss_of_samples, mean_of, optimizer_of


class UserKerasLearner(UserLearner):
    def __init__(self, model: UserModel, settings: Settings) -> None:
        if settings.loop != "custom":
            raise Unsupported(
                f"a user's own model is trained in loop custom; {settings.loop} is a loop of your own with "
                "regatta.keras (docs/guide/your-training-loop.md)"
            )
        self.keras = keras_of(settings.api)
        self.keras.utils.set_random_seed(settings.seed % 2**32)
        with kept_random_states(self.keras):
            built = user_model.build(model, settings, "tensorflow", PARTS)
        self.model = checked_model(self.keras, settings.api, model, built["model"])
        self.optimizer = optimizer_of(self.keras, self.model, built["optimizer"])
        self.user_loss = loss_of(self.keras, model, self.model, built["loss"])
        need_loss(model, self.user_loss)
        super().__init__(model, hyper_of(dict(settings.own), self.own_rate(settings)))
        self.model(
            self.make_samples()["x"][:1], training=False
        )  # builds itself, if it knew no shape
        self.set_up_optimizer()
        flat = self.model._flatten_layers()
        drops = [layer for layer in flat if "Dropout" in type(layer).__name__]
        self.random_states = [random_state(layer) for layer in drops]
        self.run = {
            updates: with_mode(partial(self.train_function, updates), settings)
            for updates in (True, False)
        }
        self.judge = with_mode(self.judged, settings)
        self.remember_start()

    def own_rate(self, settings: Settings) -> float:
        rate = getattr(self.optimizer, "_learning_rate", self.optimizer.learning_rate)
        if isinstance(rate, self.keras.optimizers.schedules.LearningRateSchedule):
            raise Unsupported(
                "the model's optimizer has a schedule of its own; give it a number, and name a schedule in the sweep"
            )
        return float(np.array(self.optimizer.learning_rate))

    def set_up_optimizer(self) -> None:
        if self.hyper.weight_decay:
            self.optimizer.weight_decay = self.hyper.weight_decay
        if self.hyper.clip_norm:
            self.optimizer.global_clipnorm = self.hyper.clip_norm
        weights = self.model.trainable_variables
        self.optimizer.build(weights)
        self.waiting = WaitingGradients(weights, self.hyper.accumulate)
        self.loss = mean_of(self.user_loss)
        self.rate: np.float32 | None = None

    def train_function(self, updates: bool, x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        weights = self.model.trainable_variables
        with tf.GradientTape() as tape:
            value = self.loss(y, self.model(x, training=True))
        gradients = tape.gradient(value, weights)
        if updates:
            self.optimizer.apply_gradients(zip(self.waiting.mean(gradients), weights))
        else:
            self.waiting.wait(gradients)
        return value

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> Any:
        if rate != self.rate:
            self.optimizer.learning_rate = self.rate = rate
        run = self.run[self.hyper.updates(number)]
        return run(tf.convert_to_tensor(x), tf.convert_to_tensor(y))

    def evaluate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
        losses, outputs = self.judge(tf.convert_to_tensor(x), tf.convert_to_tensor(y))
        told = outputs.numpy() if isinstance(outputs, tf.Tensor) else None
        return loss_of_rows(losses.numpy(), len(x)), told

    def judged(self, x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, Any]:
        outputs = self.model(x, training=False)
        return tf.convert_to_tensor(loss_of_samples(self.user_loss)(y, outputs)), outputs

    # ---- what a checkpoint holds ------------------------------------------------------------------

    def weights(self) -> Tensors:
        return {str(i): kept(variable.numpy()) for i, variable in enumerate(self.model.weights)}

    def set_weights(self, weights: Tensors) -> None:
        for i, variable in enumerate(self.model.weights):
            variable.assign(weights[str(i)].astype(variable.numpy().dtype))

    def kept_variables(self) -> dict[str, Any]:
        """The optimizer's, gradients that wait for it, and what dropout draws from."""
        variables = {f"variable.{i}": v for i, v in enumerate(self.optimizer.variables)}
        variables.update(self.waiting.named())
        return {**variables, **{f"random.{i}": v for i, v in enumerate(self.random_states)}}

    def optimizer_state(self) -> Tensors:
        return {name: kept(variable.numpy()) for name, variable in self.kept_variables().items()}

    def set_optimizer_state(self, state: Tensors) -> None:
        self.rate = None
        for name, variable in self.kept_variables().items():
            variable.assign(state[name].astype(variable.numpy().dtype))
