"""Mode v1-session of the engine `tensorflow`: tf.compat.v1 without eager, a graph that a Session runs.

Eager is off for good in a process, so these trials have one of their own. The layers are those of Keras 2: Keras 3 does
not build such graphs.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, Callable

import numpy as np
import tensorflow as tf

from ...arm import Arm
from ...errors import Unsupported
from ...inputs import Batches, Settings, Tensors, as_floats, casts_in_step, read_tensors
from ...layers import Adam, Matmul, Model, Network, ScalarGradient, Sgd
from ...layers_trial import LayersTrial
from ...older import zipped
from ...same_work import row_sums
from .input import (
    as_column,
    as_float32,
    calls_of,
    columns_of,
    dataset_of,
    endless,
    joined,
    keras_call,
)
from .model import build, keras_of, losses_of, old_adam_class, trainable_names
from .versions import session_options

v1 = tf.compat.v1


def prepare(model: Model, settings: Settings, weights_path: str, batches_path: str) -> Arm:
    v1.disable_eager_execution()
    if hasattr(v1.experimental, "output_all_intermediates"):
        v1.experimental.output_all_intermediates(
            True
        )  # else Keras' second loop over an LSTM finds no gradient
    tensors = read_tensors(batches_path)
    if isinstance(model, Network):
        inputs = ("array", "pipeline", "loader") if settings.loop == "custom" else ("array",)
        if settings.input not in inputs:
            raise Unsupported(
                f"mode v1-session has no input {settings.input} in the loop {settings.loop} "
                f"(it has {', '.join(inputs)})"
            )
        kind = OwnLoopTrial if settings.loop == "custom" else KerasLoopTrial
        return kind(model, settings, read_tensors(weights_path), tensors, batches_path)
    if isinstance(model, Matmul):
        return SmallTrial(settings, lambda: product(tensors, settings.operands), row_sums)
    if isinstance(model, ScalarGradient):
        return SmallTrial(
            settings, lambda: derivative(tensors), lambda d: row_sums(np.reshape(d, (1, 1)))
        )
    raise Unsupported(f"the engine tensorflow has no {model.name}")


def open_session(settings: Settings) -> v1.Session:
    """With a graph of its own."""
    return v1.Session(graph=tf.Graph(), config=session_options(settings.threads))


# ---- optimizers: the place of Adam's epsilon is that of model.adam_class, for the same reason ---------------


class AdamOfThePaper(v1.train.AdamOptimizer):
    def _prepare(self) -> None:
        super()._prepare()
        beta2_power = self._get_beta_accumulators()[1]
        self._epsilon_t = self._epsilon_t * tf.sqrt(1 - beta2_power)


def own_optimizer(options: Sgd | Adam) -> v1.train.Optimizer:
    if isinstance(options, Adam):
        return AdamOfThePaper(options.learning_rate, options.beta1, options.beta2, options.epsilon)
    if options.momentum:
        return v1.train.MomentumOptimizer(options.learning_rate, options.momentum)
    return v1.train.GradientDescentOptimizer(options.learning_rate)


def keras_optimizer(options: Sgd | Adam) -> Any:
    """Keras' newer optimizers need eager."""
    optimizers = keras_of("tf_keras").optimizers
    optimizers = getattr(optimizers, "legacy", optimizers)
    if isinstance(options, Sgd):
        return optimizers.SGD(options.learning_rate, momentum=options.momentum)
    adam = old_adam_class(optimizers)
    return adam(options.learning_rate, options.beta1, options.beta2, options.epsilon)


# ---- networks ------------------------------------------------------------------------------


class NetworkTrial(LayersTrial):
    """The part that both loops share; `make_optimizer` and `make_step` are theirs."""

    model_scale: float | None = None  # the model reads bytes then

    def set_up(self, tensors: Tensors, batches: Batches, dropout: bool) -> None:
        settings = self.settings
        self.batches, self.held = columns_of(batches), batches
        self.session = open_session(settings)
        self.contexts = contextlib.ExitStack()
        with self.session.graph.as_default(), self.session.as_default():
            v1.set_random_seed(settings.seed)
            self.x, self.y = self.inputs()
            self.build_graph(tensors, dropout)
            self.step = self.make_step()
        self.begin()

    def begin(self) -> None:
        """Enters the contexts that hold until `close`."""

    def make_optimizer(self) -> Any:
        raise NotImplementedError

    def make_step(self) -> Callable[[], Any]:
        raise NotImplementedError

    def inputs(self) -> tuple[tf.Tensor, tf.Tensor]:
        """The tensors that a step reads; a feed may take their place."""
        if self.settings.input != "pipeline":
            x, y = self.entering(0)
            return v1.placeholder(x.dtype, x.shape), v1.placeholder(y.dtype, y.shape)
        rows = joined(self.batches, 0, len(self.batches))
        fed = [v1.placeholder(array.dtype, array.shape) for array in rows]
        dataset = dataset_of(*fed, len(self.batches[0][0]), self.settings, self.scale)
        iterator = v1.data.make_initializable_iterator(dataset)
        self.session.run(iterator.initializer, dict(zip(fed, rows)))
        return iterator.get_next()

    def entering(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """A batch in the type in which it reaches the step."""
        x, y = self.batches[number % len(self.batches)]
        return x if casts_in_step(self.settings) else as_floats(x, self.scale), y

    def build_graph(self, tensors: Tensors, dropout: bool) -> None:
        keras = keras_of("tf_keras")
        self.model = build(keras, self.network, tensors, dropout, self.model_scale)
        self.variables = self.model.trainable_variables
        self.smallest = min(self.variables, key=lambda variable: variable.shape.num_elements())
        reads_bytes = self.model_scale is not None
        self.model_input = self.x if reads_bytes else as_float32(self.x, self.scale)
        self.output = self.model(self.model_input, training=self.trains)
        if not self.trains:
            return
        loss, loss_of_samples = losses_of(keras, self.network.loss)
        self.loss = loss()
        self.value = self.loss(self.y, self.output)
        self.sample_losses = loss_of_samples(self.y, self.output)
        self.gradient_tensors = tf.gradients(self.value, self.variables)

    def wait(self) -> None:
        """A session's step is done when it returns; a GPU's updates are when a weight can be read behind them."""
        if self.settings.device == "cuda":
            self.session.run(self.smallest)

    def close(self) -> None:
        super().close()
        self.contexts.close()
        self.session.close()

    # ---- same work ---------------------------------------------------------------------------

    def of_batch(self, fetches: Any, number: int) -> Any:
        x, y = self.entering(number)
        return self.session.run(fetches, {self.x: x, self.y: y})

    def losses(self, number: int) -> list[float]:
        return self.of_batch(self.sample_losses, number).tolist()

    def gradients(self, number: int) -> Tensors:
        with self.session.graph.as_default():
            dense = [tf.convert_to_tensor(gradient) for gradient in self.gradient_tensors]
        return self.named(self.of_batch(dense, number))

    def weights(self) -> Tensors:
        return self.named(self.session.run(self.variables))

    def replace_weights(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        for variable, value in zip(self.variables, self.session.run(self.variables)):
            variable.load(change(value).astype(value.dtype), self.session)

    def named(self, values: list[np.ndarray]) -> Tensors:
        return dict(zipped(trainable_names(self.network), values))

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        with open_session(self.settings) as session, session.graph.as_default():
            variable = v1.Variable(np.zeros_like(gradients[0]), use_resource=True)
            fed = v1.placeholder(tf.float32, variable.shape)
            move = self.make_optimizer().apply_gradients([(fed, variable)])
            session.run(v1.global_variables_initializer())
            for gradient in gradients:
                session.run(move, {fed: gradient})
            return session.run(variable)


class OwnLoopTrial(NetworkTrial):
    """loop: custom. A session runs the update, fed with arrays or by an iterator of the graph."""

    def make_optimizer(self) -> v1.train.Optimizer:
        return own_optimizer(self.network.optimizer)

    def make_step(self) -> Callable[[], Any]:
        fetches = self.update() if self.trains else self.output
        run, x_place, y_place = self.session.run, self.x, self.y
        if self.settings.input == "pipeline":
            return lambda: run(fetches)
        following = self.feed()
        if not self.trains:
            return lambda: run(fetches, {x_place: following()[0]})

        def train() -> Any:
            x, y = following()
            return run(fetches, {x_place: x, y_place: y})

        return train

    def feed(self) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
        if self.settings.input == "array":
            return itertools.cycle(self.batches).__next__
        return self.start_feed(self.settings, self.held, lambda x, y: (x, as_column(y)))

    def update(self) -> tuple[tf.Operation, tf.Tensor]:
        optimizer = self.make_optimizer()
        move = optimizer.apply_gradients(zip(self.gradient_tensors, self.variables))
        self.session.run(v1.variables_initializer(optimizer.variables()))
        moving_moments = self.model.get_updates_for([self.model_input])  # batch_norm's
        return tf.group(move, *moving_moments), self.value


class KerasLoopTrial(NetworkTrial):
    """Keras 2's own loops, which run a session themselves where eager is off: that of the context they are called in."""

    def build_graph(self, tensors: Tensors, dropout: bool) -> None:
        self.model_scale = self.scale
        super().build_graph(tensors, dropout)

    def begin(self) -> None:
        """Entered once, so that no step has to: a process has one such arm (and, while that is checked, its twin, which
        ends before the arm goes on)."""
        self.contexts.enter_context(self.session.graph.as_default())
        self.contexts.enter_context(self.session.as_default())

    def make_optimizer(self) -> Any:
        return keras_optimizer(self.network.optimizer)

    def make_step(self) -> Callable[[], Any]:
        if self.trains:
            self.model.compile(optimizer=self.make_optimizer(), loss=self.loss)
        self.steps_per_call = self.settings.steps_per_call if self.settings.loop == "fit" else 1
        calls = calls_of(self.batches, self.settings, self.scale)
        return keras_call(self.model, self.settings.loop, endless(calls), len(self.batches[0][0]))


# ---- a product, a derivative ---------------------------------------------------------------


def product(tensors: Tensors, operands: str) -> tuple[tf.Tensor, dict]:
    """The product of variables, of what is fed, or of constants: that may be computed once and for all."""
    arrays = [tensors[name][0] for name in "xy"]
    if operands == "fed":
        a, b = (v1.placeholder(tf.float32, array.shape) for array in arrays)
        return tf.matmul(a, b), {a: arrays[0], b: arrays[1]}
    if operands == "constant":
        return tf.matmul(*(tf.constant(array) for array in arrays)), {}
    a, b = (v1.Variable(array, trainable=False, use_resource=True) for array in arrays)
    return tf.matmul(a, b), {}


def derivative(tensors: Tensors) -> tuple[tf.Tensor, dict]:
    x = v1.placeholder(tf.float32, ())
    return tf.gradients(x * x, x)[0], {x: tensors["x"].reshape(-1)[0]}


class SmallTrial(Arm):
    """A step without weights: a product, a derivative."""

    def __init__(
        self,
        settings: Settings,
        build_graph: Callable[[], tuple[Any, dict]],
        row_values: Callable[[Any], list[float]],
    ) -> None:
        self.session, self.row_values = open_session(settings), row_values
        with self.session.graph.as_default():
            fetch, feed = build_graph()
            self.session.run(v1.global_variables_initializer())
        run = self.session.run
        self.step = lambda: run(fetch, feed)

    def wait(self) -> None:
        """A session's step is done when it returns: its result is in host memory then."""

    def close(self) -> None:
        self.session.close()

    def check(self, steps: int) -> list[list[float]]:
        return [self.row_values(self.step()) for _ in range(steps)]
