"""Trains a model to the end of a leg (docs/reference/worker-protocol.md, "train"): steps, evaluations, checkpoints."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict
from functools import partial
from typing import Any, Callable, Dict

import numpy as np

from . import checkpoint as checkpoints
from . import safetensors
from .checkpoint import Checkpoint
from .curve import NUMBERS, REACHED, History, Point, Rule, best_of, check_metric, metrics_of
from .errors import Unsupported
from .fed import FedRun
from .learner import Batch, Learner
from .order import Order, split
from .schedule import Goal, evaluation_steps, horizon_of, learning_rate, step_of_fraction

CHECKPOINT_SECONDS = 5.0
TELL_SECONDS = 1.0  # at most one message in so many
SILENT_SECONDS = 30.0  # a message after so many, even without a new point
PENDING_LOSSES = 32  # steps that are started before one is waited for
MOST_HITS = 100_000  # beyond so many it is not kept which test rows were right
EVALUATED_ROWS = 256  # at once, or a batch if that is more

Tell = Callable[[Dict[str, Any]], None]


def number_in(tensors: dict[str, np.ndarray], name: str) -> int:
    """The number of a tensor (1) that counts samples; 0 if there is none of this name."""
    return int(tensors[name][0]) if name in tensors else 0


class Data:
    """The rows of a data file, and the parts that a seed makes of them."""

    def __init__(self, path: str, learner: Learner, validation: float) -> None:
        tensors = learner.samples() or safetensors.mapped(path)
        self.x, self.y = tensors["x"], tensors["y"]
        learner.check_samples(self.x, self.y)
        hyper = learner.hyper
        own = number_in(tensors, "validation_rows")
        self.training, self.validation = split(len(self.x), validation, hyper.seed, own)
        if hyper.batch > len(self.training):
            raise Unsupported(
                f"batch is {hyper.batch}, the training part has {len(self.training)} samples "
                "(a step takes a whole batch); use a smaller one"
            )
        self.order = Order(self.training, hyper.batch, hyper.seed)
        self.test_x, self.test_y = tensors.get("test_x"), tensors.get("test_y")
        self.repeated = number_in(tensors, "repeated")

    def batch(self, step: int) -> Batch:
        rows = self.order.rows_of(step)
        return self.x[rows], self.y[rows]

    def sizes(self) -> list[int]:
        tested = 0 if self.test_x is None else len(self.test_x)
        return [len(self.training), len(self.validation), tested, self.repeated]


def correct(loss: str, outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The rows whose outputs name their class, or all stand on the right side of 0.5: booleans (rows,)."""
    if loss == "binary_crossentropy":
        right = (outputs > 0.5) == (y > 0.5)
        return right.reshape(len(right), -1).all(axis=1)
    return outputs.argmax(axis=1) == y


def hits_text(right: np.ndarray) -> str:
    """Four rows for each hexadecimal digit, the first one in its highest bit."""
    return np.packbits(right).tobytes().hex()[: (len(right) + 3) // 4]


class Run:
    """One leg. `tell` is given what was learned since it was last called."""

    def __init__(self, learner: Learner, goal: Goal, tell: Tell) -> None:
        self.learner, self.goal, self.tell = learner, goal, tell
        self.data = Data(goal.data_path, learner, goal.validation)
        sizes, batch = self.data.sizes(), learner.hyper.batch
        self.horizon = horizon_of(goal, sizes[0], batch)
        self.evaluations = evaluation_steps(self.horizon, goal.evaluations)
        fraction = partial(step_of_fraction, horizon=self.horizon, evaluations=goal.evaluations)
        self.first, self.last = fraction(goal.start), fraction(goal.end)
        self.rule = Rule(goal.metric, goal.maximizes, goal.patience, goal.min_delta)
        metrics = metrics_of(learner.loss_name, sizes[1] > 0)
        check_metric(goal.metric, metrics)
        self.history = History(metrics)
        self.best_weights: dict[str, np.ndarray] = {}
        self.identity = {
            "steps": self.horizon,
            "evaluations": goal.evaluations,
            "parts": sizes[:2],
            "rule": asdict(self.rule),
            "hyperparameters": asdict(learner.hyper),
        }
        self.stretch_end = 0  # the step of the next evaluation
        self.pending: list[Any] = []  # losses that steps which are perhaps not done yet will have
        self.told_step = self.first  # step of the last point that a message held
        self.told_at = self.saved_at = self.resumed_at = time.perf_counter()
        self.prepare_seconds = 0.0  # spent on warming up

    def learn(self) -> dict[str, Any]:
        """Trains the leg; returns the contents of the message `trained`."""
        saved = checkpoints.read(self.goal.checkpoint_path, self.identity)
        if self.goal.tests:
            return self.tested(saved)
        if saved is None or not self.goes_on_from(saved):
            self.learner.start_anew()
        if self.history.end == REACHED and self.history.step < self.last:
            self.warm_up()
            with self.source() as source:
                self.train(source.batch)
            self.save()
        return self.learned(self.first, self.last)

    def warm_up(self) -> None:
        start = time.perf_counter()
        data = self.data
        rows = data.validation[: self.rows_at_once(data.validation)]
        self.learner.warm_up(data.batch(0), (data.x[rows], data.y[rows]), self.learning_rate(0))
        self.prepare_seconds = time.perf_counter() - start

    def goes_on_from(self, saved: Checkpoint) -> bool:
        try:
            self.learner.restore(saved.weights, saved.optimizer_state)
        except (ValueError, KeyError, TypeError):
            return False
        self.history, self.best_weights = saved.history, saved.best_weights
        return True

    def source(self) -> AbstractContextManager[Data | FedRun]:
        """Where steps take their batches."""
        if self.learner.settings.input != "loader":
            return nullcontext(self.data)
        return closing(FedRun(self.learner, self.goal, self.history.step))

    def train(self, batch: Callable[[int], Batch]) -> None:
        history = self.history
        for end in self.evaluations:
            if end <= history.step or end > self.last:
                continue
            self.stretch_end, self.resumed_at = end, time.perf_counter()
            steps = range(history.step, end)
            self.learner.train(steps, batch, self.learning_rate, self.step_done)
            self.pause()
            self.evaluate()
            self.tell_if_due()
            if history.end != REACHED:
                return
            if self.save_is_due():
                self.save()

    def learning_rate(self, step: int) -> np.float32:
        return learning_rate(self.learner.hyper, step, self.horizon)

    # ---- steps ------------------------------------------------------------------------------------

    def step_done(self, step: int, loss: Any) -> None:
        self.pending.append(loss)
        self.history.step = step + 1
        if len(self.pending) >= PENDING_LOSSES:
            self.read_losses()
        # The state that is saved there includes its evaluation.
        if self.history.step == self.stretch_end:
            return
        saves = self.save_is_due()
        if saves or time.perf_counter() - self.told_at >= SILENT_SECONDS:
            self.pause()
            if saves:
                self.save()
            self.tell_if_due()
            self.resumed_at = time.perf_counter()

    def save_is_due(self) -> bool:
        return time.perf_counter() - self.saved_at >= CHECKPOINT_SECONDS

    def read_losses(self) -> None:
        """One after the other, so that their sum does not depend on when it is formed."""
        for loss in self.pending:
            self.history.loss_sum += float(loss)
        self.history.loss_steps += len(self.pending)
        self.pending.clear()

    def pause(self) -> None:
        """Ends a stretch of training time, all steps of which are done."""
        self.read_losses()
        self.history.train_seconds += time.perf_counter() - self.resumed_at

    def save(self) -> None:
        learner = self.learner
        now = Checkpoint(
            self.history, learner.weights(), learner.optimizer_state(), self.best_weights
        )
        checkpoints.write(self.goal.checkpoint_path, now, self.identity)
        self.saved_at = time.perf_counter()

    # ---- evaluations ------------------------------------------------------------------------------

    def evaluate(self) -> None:
        history, rows = self.history, self.data.validation
        values = [history.loss_sum / history.loss_steps]
        history.loss_sum, history.loss_steps = 0.0, 0
        start = time.perf_counter()
        if len(rows):
            values += self.judged(self.data.x, self.data.y, rows)
        history.evaluate_seconds += time.perf_counter() - start
        samples = history.step * self.learner.hyper.batch
        point = [history.step, samples, history.train_seconds, history.evaluate_seconds, *values]
        if history.add(point, self.rule):
            self.best_weights = self.learner.weights()

    def rows_at_once(self, rows: np.ndarray) -> int:
        return min(len(rows), max(EVALUATED_ROWS, self.learner.hyper.batch))

    def judged(self, x: np.ndarray, y: np.ndarray, rows: np.ndarray) -> list[float]:
        """The mean loss over these rows, and the accuracy where there is one.

        A last piece is filled up with its first row: engines that compile see one shape.
        """
        loss = self.learner.loss_name
        has_accuracy = "validation_accuracy" in metrics_of(loss, True)
        at_once = self.rows_at_once(rows)
        losses, right = [], []
        for at in range(0, len(rows), at_once):
            piece = rows[at : at + at_once]
            missing = at_once - len(piece) if self.learner.pads else 0
            filled = np.concatenate((piece, np.repeat(piece[:1], missing)))
            some_losses, outputs = self.learner.evaluate(x[filled], y[filled])
            losses.append(some_losses[: len(piece)])
            if has_accuracy:
                right.append(correct(loss, outputs[: len(piece)], y[piece]))
            self.tell_if_due()
        means = [float(np.mean(np.concatenate(losses), dtype=np.float64))]
        self.hits = np.concatenate(right) if has_accuracy else None
        return means + ([float(np.mean(self.hits))] if self.hits is not None else [])

    def tested(self, saved: Checkpoint | None) -> dict[str, Any]:
        """The best weights on the test part; nothing is trained."""
        if saved is None or not saved.best_weights:
            raise ValueError(f"'{self.goal.checkpoint_path}' has no best weights of this run")
        if self.data.test_x is None or self.data.test_y is None or not len(self.data.test_x):
            raise ValueError(f"'{self.goal.data_path}' has no test part")
        self.history, self.told_step = saved.history, self.horizon
        self.learner.check_weights(saved.best_weights)
        self.learner.set_weights(saved.best_weights)
        rows = np.arange(len(self.data.test_x))
        judged = self.judged(self.data.test_x, self.data.test_y, rows)
        names = ("test_loss", "test_accuracy")
        keeps = self.hits is not None and len(rows) <= MOST_HITS
        kept_hits = {"test_hits": hits_text(self.hits)} if keeps else {}
        return {
            **self.learned(self.horizon, self.horizon),
            **dict(zip(names, judged)),
            **kept_hits,
        }

    # ---- what is told -----------------------------------------------------------------------------

    def learned(self, first: int, last: int) -> dict[str, Any]:
        """With the points of the steps behind `first`, up to `last`."""
        history = self.history
        best: Point | None = best_of(history.between(0, last), history.metrics, self.rule)
        return {
            "end": history.end_at(last),
            "metrics": history.metrics,
            "points": history.between(first, last),
            "best_step": best[0] if best else 0,
            "best": best[NUMBERS:] if best else [],
            "samples": self.data.sizes(),
            **({"prepare_seconds": self.prepare_seconds} if self.prepare_seconds else {}),
        }

    def tell_if_due(self) -> None:
        silent = time.perf_counter() - self.told_at
        points = self.history.between(self.told_step, self.last)
        if silent >= SILENT_SECONDS or (points and silent >= TELL_SECONDS):
            self.tell(self.learned(self.told_step, self.last))
            self.told_step = points[-1][0] if points else self.told_step
            self.told_at = time.perf_counter()
