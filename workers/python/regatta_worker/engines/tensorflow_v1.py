"""Mode v1-session of the engine `tensorflow`: tf.compat.v1 without eager, a graph that a Session runs.

Eager is off for good in a process, so these trials have one of their own. The layers are those of Keras 2: Keras 3 does
not build such graphs.
"""

from __future__ import annotations

import itertools
from typing import Any, Callable

import numpy as np
import tensorflow as tf

from ..errors import Unsupported
from ..inputs import Settings, Tensors, batches_of, check_loss, read_tensors
from ..layers import Adam, Matmul, Model, Network, ScalarGradient, Sgd
from ..same_work import SameWork, row_sums
from . import Trial
from .keras_model import build, keras_of, losses_of, trainable_names
from .tensorflow_input import as_float32, dataset_of, joined

v1 = tf.compat.v1


def prepare(model: Model, settings: Settings, weights_path: str, batches_path: str) -> Trial:
    v1.disable_eager_execution()
    if settings.input not in ("array", "pipeline"):
        raise Unsupported(f"mode v1-session has no input {settings.input} (it has array, pipeline)")
    tensors = read_tensors(batches_path)
    if isinstance(model, Network):
        return NetworkTrial(model, settings, read_tensors(weights_path), tensors)
    if isinstance(model, Matmul):
        return SmallTrial(settings, lambda: product(tensors), row_sums)
    if isinstance(model, ScalarGradient):
        return SmallTrial(
            settings, lambda: derivative(tensors), lambda d: row_sums(np.reshape(d, (1, 1)))
        )
    raise Unsupported(f"the engine tensorflow has no {model.name}")


def open_session(settings: Settings) -> v1.Session:
    """With a graph of its own."""
    config = v1.ConfigProto(
        intra_op_parallelism_threads=settings.threads, inter_op_parallelism_threads=1
    )
    return v1.Session(graph=tf.Graph(), config=config)


# ---- networks ------------------------------------------------------------------------------


class AdamOfThePaper(v1.train.AdamOptimizer):
    """The place of epsilon is that of keras_model.adam_class, for the same reason."""

    def _prepare(self) -> None:
        super()._prepare()
        beta2_power = self._get_beta_accumulators()[1]
        self._epsilon_t = self._epsilon_t * tf.sqrt(1 - beta2_power)


def make_optimizer(options: Sgd | Adam) -> v1.train.Optimizer:
    if isinstance(options, Adam):
        return AdamOfThePaper(
            options.learning_rate, options.beta1, options.beta2, options.epsilon
        )
    if options.momentum:
        return v1.train.MomentumOptimizer(options.learning_rate, options.momentum)
    return v1.train.GradientDescentOptimizer(options.learning_rate)


class NetworkTrial(SameWork):
    """loop: custom. A session runs the update, fed with arrays or by an iterator of the graph."""

    def __init__(
        self,
        network: Network,
        settings: Settings,
        tensors: Tensors,
        batches: Tensors,
        dropout: bool = True,
    ) -> None:
        check_loss(network)
        if settings.loop != "custom":
            raise Unsupported(f"mode v1-session has the loop custom only, not {settings.loop}")
        self.arguments = (network, settings, tensors, batches)
        self.network, self.settings, self.trains = network, settings, settings.trains
        host = batches_of(network, batches, settings)
        ys = [y[:, None] if y.ndim == 1 else y for y in host.ys]
        self.batches = list(zip(host.xs, ys))
        self.session = open_session(settings)
        with self.session.graph.as_default(), self.session.as_default():
            v1.set_random_seed(settings.seed)
            self.x, self.y = self.inputs()
            self.fetches = self.build_graph(tensors, dropout)
        self.step = self.make_step()

    def inputs(self) -> tuple[tf.Tensor, tf.Tensor]:
        """What a step reads; a feed may take its place."""
        x, y = self.batches[0]
        if self.settings.input == "array":
            return v1.placeholder(x.dtype, x.shape), v1.placeholder(y.dtype, y.shape)
        rows = joined(self.batches, 0, len(self.batches))
        fed = [v1.placeholder(array.dtype, array.shape) for array in rows]
        iterator = v1.data.make_initializable_iterator(dataset_of(*fed, len(x), self.settings))
        self.session.run(iterator.initializer, dict(zip(fed, rows)))
        return iterator.get_next()

    def build_graph(self, tensors: Tensors, dropout: bool) -> Any:
        """What a step fetches."""
        keras = keras_of("tf_keras")
        model = build(keras, self.network, tensors, dropout)
        self.variables = model.trainable_variables
        x = as_float32(self.x)
        output = model(x, training=self.trains)
        if not self.trains:
            return output
        loss, loss_of_samples = losses_of(keras, self.network.loss)
        value, self.sample_losses = loss()(self.y, output), loss_of_samples(self.y, output)
        gradients = tf.gradients(value, self.variables)
        self.gradient_tensors = [tf.convert_to_tensor(gradient) for gradient in gradients]
        optimizer = make_optimizer(self.network.optimizer)
        update = optimizer.apply_gradients(zip(gradients, self.variables))
        self.session.run(v1.variables_initializer(optimizer.variables()))
        moving_moments = model.get_updates_for([x])  # of batch_norm, which Session users run too
        return tf.group(update, *moving_moments), value

    def make_step(self) -> Callable[[], Any]:
        run, fetches, x_place, y_place = self.session.run, self.fetches, self.x, self.y
        if self.settings.input == "pipeline":
            return lambda: run(fetches)
        following = itertools.cycle(self.batches).__next__
        if not self.trains:
            return lambda: run(fetches, {x_place: following()[0]})

        def train() -> Any:
            x, y = following()
            return run(fetches, {x_place: x, y_place: y})

        return train

    def wait(self) -> None:
        """A session's step is done when it returns."""

    def close(self) -> None:
        self.session.close()

    # ---- same work ---------------------------------------------------------------------------

    def twin(self) -> NetworkTrial:
        return type(self)(*self.arguments, dropout=False)

    def of_batch(self, fetches: Any, number: int) -> Any:
        x, y = self.batches[number % len(self.batches)]
        return self.session.run(fetches, {self.x: x, self.y: y})

    def losses(self, number: int) -> list[float]:
        return self.of_batch(self.sample_losses, number).tolist()

    def gradients(self, number: int) -> Tensors:
        return self.named(self.of_batch(self.gradient_tensors, number))

    def weights(self) -> Tensors:
        return self.named(self.session.run(self.variables))

    def named(self, values: list[np.ndarray]) -> Tensors:
        return dict(zip(trainable_names(self.network), values, strict=True))

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        with open_session(self.settings) as session, session.graph.as_default():
            variable = v1.Variable(np.zeros_like(gradients[0]), use_resource=True)
            fed = v1.placeholder(tf.float32, variable.shape)
            move = make_optimizer(self.network.optimizer).apply_gradients([(fed, variable)])
            session.run(v1.global_variables_initializer())
            for gradient in gradients:
                session.run(move, {fed: gradient})
            return session.run(variable)


# ---- a product, a derivative ---------------------------------------------------------------


def product(tensors: Tensors) -> tuple[tf.Tensor, dict]:
    """Of variables: the product of constants would be computed once and for all."""
    a, b = (v1.Variable(tensors[name][0], trainable=False, use_resource=True) for name in "xy")
    return tf.matmul(a, b), {}


def derivative(tensors: Tensors) -> tuple[tf.Tensor, dict]:
    x = v1.placeholder(tf.float32, ())
    return tf.gradients(x * x, x)[0], {x: tensors["x"].reshape(-1)[0]}


class SmallTrial:
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
        """A session's step is done when it returns."""

    def close(self) -> None:
        self.session.close()

    def check(self, steps: int) -> list[list[float]]:
        return [self.row_values(self.step()) for _ in range(steps)]
