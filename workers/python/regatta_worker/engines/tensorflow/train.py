"""Training in the engine `tensorflow`: a Keras model in a loop of ours, by train_on_batch, or by fit."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

import numpy as np
import tensorflow as tf

from ...errors import Unsupported
from ...inputs import Settings, Tensors, check_loss
from ...layers import BatchNorm, Dropout, Network
from ...learner import Batch, Learner
from ...older import zipped
from .input import as_column
from .model import build, keras_of, losses_of, make_optimizer, parameter_names
from .trial import with_mode

# They move towards those that normalize the batch; for images alone Keras 2 would take n / (n - 1) times the variance.
MOMENTS = ("moving_mean", "moving_variance")


def learner_of(network: Network, settings: Settings, weights: Tensors) -> Learner:
    kinds = {"custom": OwnLoopLearner, "train_on_batch": BatchLearner, "fit": FitLearner}
    return kinds[settings.loop](network, settings, weights)


@contextlib.contextmanager
def kept_random_states(keras: Any) -> Iterator[None]:
    """Layers made meanwhile draw from variables, which can be saved; those of Keras 2 would draw from the process."""
    switch = getattr(keras.backend, "experimental", None)
    if switch is None or switch.is_tf_random_generator_enabled():
        yield
        return
    switch.enable_tf_random_generator()
    try:
        yield
    finally:
        switch.disable_tf_random_generator()


def random_state(layer: Any) -> Any:
    """The variable that a dropout draws from."""
    seeds = getattr(layer, "seed_generator", None)
    return layer._random_generator._generator.state if seeds is None else seeds.state


class FallingShare:
    """Moves the moments of a batch norm by a share that falls from step to step, as all engines do. Keras keeps
    `momentum` of what they were, which is a variable here: the graph of a step reads it anew."""

    def __init__(self, layer: BatchNorm, made: Any) -> None:
        self.layer, self.told = layer, 1.0
        self.momentum = tf.Variable(0.0, trainable=False)
        # Behind the back of Keras, for which a variable would be one of the layer's weights.
        object.__setattr__(made, "momentum", self.momentum)

    def set(self, number: int) -> None:
        share = self.layer.moving_share(number)
        if share != self.told:
            self.momentum.assign(1 - share)
            self.told = share


class WaitingGradients:
    """Sums over the steps since the last update, where an update takes several; variables, which a step assigns to."""

    def __init__(self, weights: list[Any], steps: int) -> None:
        self.steps = steps
        zeros = [tf.zeros(w.shape, w.dtype) for w in weights] if steps > 1 else []
        self.sums = [tf.Variable(zero, trainable=False) for zero in zeros]

    def taken(self, gradients: list[Any]) -> list[Any]:
        """Sums with these gradients; None for a weight that has none, as Keras knows it."""
        summed = []
        for waiting, gradient in zipped(self.sums, gradients):
            none = gradient is None
            summed.append(None if none else waiting + tf.convert_to_tensor(gradient))
        return summed

    def wait(self, gradients: list[Any]) -> None:
        for waiting, total in zip(self.sums, self.taken(gradients)):
            if total is not None:
                waiting.assign(total)

    def mean(self, gradients: list[Any]) -> list[Any]:
        """With these, the last ones of an update; nothing waits then."""
        if not self.sums:
            return gradients
        totals = self.taken(gradients)
        for waiting in self.sums:
            waiting.assign(tf.zeros_like(waiting))
        return [None if total is None else total / self.steps for total in totals]

    def named(self) -> dict[str, Any]:
        return {f"sum.{i}": variable for i, variable in enumerate(self.sums)}


class NetworkLearner(Learner):
    """The part that the loops share."""

    def __init__(self, network: Network, settings: Settings, weights: Tensors) -> None:
        super().__init__(network, settings)
        check_loss(network)
        hyper = self.hyper
        self.keras = keras_of(settings.api)
        self.keras.utils.set_random_seed(hyper.seed % 2**32)
        with kept_random_states(self.keras):
            self.model = build(self.keras, network, weights, dropout=True)
        made = zipped(network.layers, self.model.layers[1:])  # behind the input
        self.layers = list(made)
        norms = [(layer, made) for layer, made in self.layers if isinstance(layer, BatchNorm)]
        for _, made in norms:
            made._bessels_correction_test_only = False  # in Keras 2: see MOMENTS
        self.shares = [FallingShare(layer, made) for layer, made in norms]
        drops = [made for layer, made in self.layers if isinstance(layer, Dropout)]
        self.random_states = [random_state(layer) for layer in drops]
        self.optimizer = make_optimizer(
            self.keras,
            network.optimizer,
            hyper.weight_decay,
            hyper.clip_norm,
            rate_changes=hyper.schedule != "constant" or hyper.warmup > 0,
        )
        loss, self.loss_of_samples = losses_of(self.keras, network.loss)
        self.loss, self.rate = loss(), None
        self.waiting = WaitingGradients(self.model.trainable_variables, hyper.accumulate)
        self.optimizer.build(self.model.trainable_variables)
        self.judge = with_mode(self.judged, settings)
        self.set_up()
        self.remember_start()

    def set_up(self) -> None:
        """The loop's own."""
        raise NotImplementedError

    def begin_step(self, number: int, rate: np.float32) -> None:
        """Tells the model and the optimizer what differs from the step before."""
        if rate != self.rate:
            self.optimizer.learning_rate = self.rate = rate
        for share in self.shares:
            share.set(number)

    def evaluate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        losses, outputs = self.judge(tf.convert_to_tensor(x), tf.convert_to_tensor(as_column(y)))
        return losses.numpy(), outputs.numpy()

    def judged(self, x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        outputs = self.model(x, training=False)
        return tf.convert_to_tensor(self.loss_of_samples(y, outputs)), outputs

    # ---- what a checkpoint holds ------------------------------------------------------------------

    def names(self, index: int) -> list[str]:
        layer = self.network.layers[index]
        moments = MOMENTS if isinstance(layer, BatchNorm) else ()
        return [f"{index}.{name}" for name in (*parameter_names(layer), *moments)]

    def weights(self) -> Tensors:
        return {
            name: np.array(value)
            for index, (_, made) in enumerate(self.layers)
            for name, value in zipped(self.names(index), made.get_weights())
        }

    def set_weights(self, weights: Tensors) -> None:
        for index, (_, made) in enumerate(self.layers):
            made.set_weights([weights[name] for name in self.names(index)])

    def kept(self) -> dict[str, Any]:
        """Variables of the optimizer, gradients that wait for it, and what dropout draws from."""
        variables = {f"variable.{i}": v for i, v in enumerate(self.optimizer.variables)}
        variables.update(self.waiting.named())
        return {**variables, **{f"random.{i}": v for i, v in enumerate(self.random_states)}}

    def optimizer_state(self) -> Tensors:
        state = {}
        for name, variable in self.kept().items():
            value = np.array(variable.numpy())
            state[name] = value if value.dtype.kind == "f" else value.astype(np.int64)
        return state

    def set_optimizer_state(self, state: Tensors) -> None:
        self.rate = None
        for name, variable in self.kept().items():
            variable.assign(state[name].astype(variable.numpy().dtype))


class OwnLoopLearner(NetworkLearner):
    """loop: custom."""

    def set_up(self) -> None:
        model, loss, optimizer, waiting = self.model, self.loss, self.optimizer, self.waiting
        weights = model.trainable_variables

        def gradients_of(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, list[Any]]:
            with tf.GradientTape() as tape:
                value = loss(y, model(x, training=True))
            return value, tape.gradient(value, weights)

        def update(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
            value, gradients = gradients_of(x, y)
            optimizer.apply_gradients(zip(waiting.mean(gradients), weights))
            return value

        def wait(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
            value, gradients = gradients_of(x, y)
            waiting.wait(gradients)
            return value

        self.run = {u: with_mode(f, self.settings) for u, f in ((True, update), (False, wait))}

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> Any:
        self.begin_step(number, rate)
        run = self.run[self.hyper.updates(number)]
        return run(tf.convert_to_tensor(x), tf.convert_to_tensor(as_column(y)))


class KerasLoopLearner(NetworkLearner):
    """Keras' loops tell a running mean: the loss of each step is kept where they compute it."""

    def set_up(self) -> None:
        if self.hyper.accumulate > 1:
            raise Unsupported(
                f"loop {self.settings.loop} updates in every step (accumulate is {self.hyper.accumulate}); take the "
                "loop custom"
            )
        last = self.last_loss = tf.Variable(0.0, trainable=False)

        class Observed(self.keras.Model):
            def compute_loss(self, *arguments: Any, **options: Any) -> Any:
                value = super().compute_loss(*arguments, **options)
                last.assign(value)
                return value

        self.trained = Observed(self.model.input, self.model.output)
        self.trained.compile(
            optimizer=self.optimizer,
            loss=self.loss,
            run_eagerly=self.settings.mode == "eager",
            jit_compile=self.settings.mode == "xla",
        )


class BatchLearner(KerasLoopLearner):
    """loop: train_on_batch."""

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> float:
        self.begin_step(number, rate)
        self.trained.train_on_batch(x, as_column(y))
        return float(self.last_loss.numpy())


class FitLearner(KerasLoopLearner):
    """loop: fit, called once from one evaluation to the next."""

    reads_late = True  # Keras draws batches ahead

    def train(
        self,
        steps: range,
        feed: Callable[[int], Batch],
        rate_of: Callable[[int], np.float32],
        done: Callable[[int, Any], None],
    ) -> None:
        def batches() -> Iterator[Batch]:
            for number in steps:
                x, y = feed(number)
                yield x, as_column(y)

        learner, numbers = self, iter(steps)

        class Steps(self.keras.callbacks.Callback):
            number = steps.start

            def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
                self.number = next(numbers)
                learner.begin_step(self.number, rate_of(self.number))

            def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
                done(self.number, float(learner.last_loss.numpy()))

        self.trained.fit(
            batches(), steps_per_epoch=len(steps), shuffle=False, verbose=0, callbacks=[Steps()]
        )
