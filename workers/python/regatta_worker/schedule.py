"""The goal of a run: its horizon, its evaluations, the learning rate of each step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import Unsupported

SCHEDULES = ("constant", "cosine", "linear", "step")
NEARLY_NONE = 1e-9  # part of an evaluation: fractions of a horizon are rounded numbers


@dataclass(frozen=True)
class Hyper:
    """Hyperparameters of a run: parameters of the trial."""

    batch: int
    seed: int
    learning_rate: float
    weight_decay: float = 0.0  # decoupled: of the weights before each step, times the rate
    clip_norm: float = 0.0  # largest norm of all gradients together; 0: not clipped
    schedule: str = "constant"
    warmup: float = 0.0  # part of the horizon
    accumulate: int = 1  # steps that make one update, with the mean of their gradients

    def updates(self, number: int) -> bool:
        """Whether the step of this number, counted from 0, makes an update."""
        return (number + 1) % self.accumulate == 0


def hyper_of(parameters: Mapping[str, Any], learning_rate: float) -> Hyper:
    """`learning_rate` is the model's own. Raises Unsupported for what this version does not know."""

    def level(name: str, default: Any) -> Any:
        value = parameters.get(name)
        return default if value is None else value

    schedule = level("schedule", "constant")
    if schedule not in SCHEDULES:
        raise Unsupported(f"no schedule {schedule} in this worker (it has {', '.join(SCHEDULES)})")
    return Hyper(
        batch=parameters["batch"],
        seed=level("seed", 0),
        learning_rate=float(level("learning_rate", learning_rate)),
        weight_decay=float(level("weight_decay", 0)),
        clip_norm=float(level("clip_norm", 0)),
        schedule=schedule,
        warmup=float(level("warmup", 0)),
        accumulate=level("accumulate", 1),
    )


@dataclass(frozen=True)
class Goal:
    """The request `train`."""

    start: float  # where the leg begins, as a fraction of the horizon
    end: float
    tests: bool
    data_path: str
    checkpoint_path: str
    epochs: float | None
    steps: int | None
    evaluations: int
    validation: float
    patience: int | None
    min_delta: float
    metric: str
    maximizes: bool


def goal_of(message: dict[str, Any]) -> Goal:
    """Raises KeyError for a field that is missing."""
    epochs, steps = message.get("epochs"), message.get("steps")
    if epochs is None and steps is None:
        raise KeyError("epochs")
    return Goal(
        start=message["from"],
        end=message["to"],
        tests=bool(message.get("tests")),
        data_path=message["data_path"],
        checkpoint_path=message["checkpoint_path"],
        epochs=epochs,
        steps=steps,
        evaluations=message["evaluations"],
        validation=message["validation"],
        patience=message.get("patience"),
        min_delta=message.get("min_delta") or 0.0,
        metric=message["metric"],
        maximizes=message["maximizes"],
    )


def horizon_of(goal: Goal, samples: int, batch: int) -> int:
    """In steps; `samples` are those of the training part."""
    if goal.steps is not None:
        return goal.steps
    assert goal.epochs is not None
    return max(1, math.floor(goal.epochs * samples / batch + 0.5))


def step_of_evaluation(number: int, horizon: int, evaluations: int) -> int:
    """Evaluations count from 1; each comes after this step, counted from 1. 0: the start."""
    return -(-number * horizon // evaluations)


def evaluation_steps(horizon: int, evaluations: int) -> list[int]:
    """Steps of all evaluations of a run; there are never two after one step."""
    steps = {step_of_evaluation(i, horizon, evaluations) for i in range(1, evaluations + 1)}
    return sorted(steps)


def step_of_fraction(fraction: float, horizon: int, evaluations: int) -> int:
    """Where a leg ends: after an evaluation."""
    number = math.ceil(fraction * evaluations - NEARLY_NONE)
    return step_of_evaluation(number, horizon, evaluations)


def _part_of_rate(schedule: str, progress: float) -> float:
    """`progress` goes from 0 to 1 behind the warm-up."""
    if schedule == "cosine":
        return 0.5 * (1 + math.cos(math.pi * progress))
    if schedule == "linear":
        return 1 - progress
    if schedule == "step":
        return 1.0 if progress < 0.5 else 0.1 if progress < 0.75 else 0.01
    return 1.0


def learning_rate(hyper: Hyper, step: int, horizon: int) -> np.float32:
    """The rate of a step counted from 0."""
    warmup = math.floor(hyper.warmup * horizon + 0.5)
    if step < warmup:
        return np.float32(hyper.learning_rate * (step + 1) / warmup)
    progress = (step - warmup) / max(1, horizon - warmup)
    return np.float32(hyper.learning_rate * _part_of_rate(hyper.schedule, progress))
