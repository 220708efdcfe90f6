"""The state of a run: its curve, its best evaluation, and whether it is over."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from .errors import Unsupported

ACCURATE_LOSSES = ("sparse_categorical_crossentropy", "binary_crossentropy")
REACHED, STOPPED, DIVERGED = "reached", "stopped", "diverged"
NUMBERS = 4  # stand before the values of a point: step, samples, seconds of training, seconds of evaluation

Point = list  # [step, samples, train_seconds, evaluate_seconds, *values]


def metrics_of(loss: str, validates: bool) -> list[str]:
    names = ["train_loss", "validation_loss", "validation_accuracy"]
    if not validates:
        return names[:1]
    return names if loss in ACCURATE_LOSSES else names[:2]


@dataclass(frozen=True)
class Rule:
    """The rule for better values, and for giving up."""

    metric: str
    maximizes: bool
    patience: int | None  # evaluations
    min_delta: float

    def is_better(self, value: float, other: float | None, by: float = 0.0) -> bool:
        """Than `other`, where there is one; a number that is not finite never is."""
        if not math.isfinite(value):
            return False
        if other is None:
            return True
        return value - other > by if self.maximizes else other - value > by


def check_metric(metric: str, metrics: list[str]) -> None:
    if metric not in metrics:
        raise Unsupported(f"no metric {metric} in this run (it has {', '.join(metrics)})")


@dataclass
class History:
    """The whole run's, from its first step on; a checkpoint holds it."""

    metrics: list[str]
    points: list[Point] = field(default_factory=list)
    end: str = REACHED
    step: int = 0  # done
    loss_sum: float = 0.0  # over the steps since the last evaluation
    loss_steps: int = 0
    train_seconds: float = 0.0
    evaluate_seconds: float = 0.0
    stop_value: float | None = None  # the last one that was better by more than min_delta
    stale: int = 0  # evaluations since

    def add(self, point: Point, rule: Rule) -> bool:
        """Whether it is the best point so far."""
        values = point[NUMBERS:]
        value = values[self.metrics.index(rule.metric)]
        best = best_of(self.points, self.metrics, rule)
        self.points.append(point)
        if rule.is_better(value, self.stop_value, rule.min_delta):
            self.stop_value, self.stale = value, 0
        else:
            self.stale += 1
        losses = [v for name, v in zip(self.metrics, values) if name.endswith("_loss")]
        if not all(map(math.isfinite, losses)):
            self.end = DIVERGED
        elif rule.patience is not None and self.stale >= rule.patience:
            self.end = STOPPED
        return rule.is_better(value, best and best[NUMBERS + self.metrics.index(rule.metric)])

    def between(self, first: int, last: int) -> list[Point]:
        """Points behind step `first`, up to step `last`."""
        return [point for point in self.points if first < point[0] <= last]

    def end_at(self, step: int) -> str:
        """How a leg up to this step ended."""
        return self.end if not self.points or self.points[-1][0] <= step else REACHED


def best_of(points: list[Point], metrics: list[str], rule: Rule) -> Point | None:
    """The first one with the best value."""
    at = NUMBERS + metrics.index(rule.metric)
    best: Point | None = None
    for point in points:
        if rule.is_better(point[at], best and best[at]):
            best = point
    return best


def to_json(history: History) -> dict[str, Any]:
    """JSON lacks numbers that are not finite: they become null."""
    fields = asdict(history)
    fields["points"] = [
        [value if math.isfinite(value) else None for value in point] for point in history.points
    ]
    if not math.isfinite(history.loss_sum):
        fields["loss_sum"] = None
    return fields


def from_json(fields: dict[str, Any]) -> History:
    history = History(**fields)
    history.points = [
        [math.nan if value is None else value for value in point] for point in history.points
    ]
    if history.loss_sum is None:
        history.loss_sum = math.nan
    return history
