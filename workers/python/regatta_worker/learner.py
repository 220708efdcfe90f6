"""The interface that training needs of an engine."""

from __future__ import annotations

from typing import Any, Callable, Tuple

import numpy as np

from .arm import Arm
from .errors import Unsupported
from .inputs import Settings, Tensors
from .layers import Network
from .schedule import Hyper, hyper_of

Batch = Tuple[np.ndarray, np.ndarray]
WARM_UP_UPDATES = 2  # JAX may compile again after the first one, for other types of state
INPUTS = ("array", "loader")


class Learner(Arm):
    """A model with its optimizer, prepared to be trained: an arm without batches of its own.

    Weights have the names and shapes of the weights' file; `N.moving_mean` and `N.moving_variance` of a batch_norm
    stand beside them. The state of the optimizer is the engine's own. Both are copies, of F32, F64, I32 or I64.
    """

    pads = True  # all calls of `evaluate` have as many rows
    reads_late = False  # a step may still read its batch when the next one is asked for
    settings = Settings()
    hyper: Hyper

    def __init__(self, network: Network, settings: Settings) -> None:
        if settings.input not in INPUTS:
            raise Unsupported(
                f"training to an end has no input {settings.input} (it has {', '.join(INPUTS)})"
            )
        self.network, self.settings = network, settings
        self.hyper = hyper_of(settings.own, network.optimizer.learning_rate)
        self.loss_name = network.loss  # says whether there is an accuracy
        self.initial: tuple[Tensors, Tensors] = ({}, {})

    def remember_start(self) -> None:
        """To be called when all is built."""
        self.initial = (self.weights(), self.optimizer_state())

    def start_anew(self) -> None:
        self.set_weights(self.initial[0])
        self.set_optimizer_state(self.initial[1])

    def restore(self, weights: Tensors, optimizer_state: Tensors) -> None:
        """Raises ValueError or KeyError for what was saved of another model."""
        self.check_weights(weights)
        self.set_weights(weights)
        self.set_optimizer_state(optimizer_state)

    def check_weights(self, weights: Tensors) -> None:
        known = {name: tensor.shape for name, tensor in self.initial[0].items()}
        if {name: tensor.shape for name, tensor in weights.items()} != known:
            raise ValueError("its weights are those of another model")

    def samples(self) -> Tensors | None:
        """x, y, test_x and test_y of its own; None: those of the data file."""
        return None

    def check_samples(self, x: np.ndarray, y: np.ndarray) -> None:
        """Raises ValueError for what the model cannot read."""
        if tuple(x.shape[1:]) != self.network.input or len(x) != len(y):
            raise ValueError(
                f"the data have x {x.shape} and y {y.shape}; the model reads rows of {self.network.input}"
            )

    def warm_up(self, batch: Batch, judged: Batch, rate: np.float32) -> None:
        """Compiles and sets up what the first steps and evaluations would, on state that is put back."""
        weights, state = self.weights(), self.optimizer_state()
        steps = range(WARM_UP_UPDATES * self.hyper.accumulate)
        self.train(
            steps, lambda number: batch, lambda number: rate, lambda number, loss: float(loss)
        )
        if len(judged[0]):
            self.evaluate(*judged)
        self.set_weights(weights)
        self.set_optimizer_state(state)

    def train(
        self,
        steps: range,
        feed: Callable[[int], Batch],
        rate_of: Callable[[int], np.float32],
        done: Callable[[int, Any], None],
    ) -> None:
        """Takes these steps in order, and tells the mean loss of each once it is started; float() of it waits."""
        for number in steps:
            x, y = feed(number)
            done(number, self.step(number, x, y, rate_of(number)))

    # ---- what engines have ------------------------------------------------------------------------

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> Any:
        """One step; dropout is a function of the seed and `number`. Its mean loss."""
        raise NotImplementedError

    def evaluate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Losses (rows,) and outputs (rows, outputs) as in inference."""
        raise NotImplementedError

    def weights(self) -> Tensors:
        raise NotImplementedError

    def set_weights(self, weights: Tensors) -> None:
        raise NotImplementedError

    def optimizer_state(self) -> Tensors:
        raise NotImplementedError

    def set_optimizer_state(self, state: Tensors) -> None:
        raise NotImplementedError

    # ---- what the other requests find ---------------------------------------------------------------

    def wait(self) -> None:
        """Nothing of it is timed by slices."""

    def check(self, steps: int) -> list[list[float]]:
        """It has no batches whose losses could be compared."""
        return []
