"""The points that a loop reported, the best of them, and whether the run is over."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from typing import Any

REACHED, STOPPED, DIVERGED = "reached", "stopped", "diverged"
MOST_NUMBERS = 150_000  # in a curve, which travels in one header
SETTLED = "settled"  # in a line of the file
OTHER_NAMES = {"loss": "train_loss", "accuracy": "train_accuracy", "acc": "train_accuracy"}
OTHER_NAMES["val_acc"] = "validation_accuracy"


def known_name(name: str) -> str:
    """Keras and Lightning say `val_loss` for `validation_loss`, and `loss` for `train_loss`."""
    other = OTHER_NAMES.get(name, name)
    return f"validation_{other[4:]}" if other.startswith("val_") else other


def as_number(what: str, value: Any) -> float:
    """A number, or an array or tensor of one element. Raises TypeError for anything else: a text or True, of which Python
    makes a number too, is rather a slip."""
    kind = type(value).__name__
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{what} is the text {value!r}; pass a number, such as float(value)")
    if isinstance(value, bool) or kind in ("bool_", "bool"):
        raise TypeError(f"{what} is {value}; pass a number, such as int(value) for 0 or 1")
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} is a {kind}, expected one number") from error


def as_values(metrics: dict[str, Any]) -> dict[str, float]:
    """Numbers, arrays and tensors of one element. Raises TypeError for anything else, ValueError for a name given twice."""
    values: dict[str, float] = {}
    for name, value in metrics.items():
        number = as_number(f"regatta.report: {name}", value)
        if known_name(name) in values:
            raise ValueError(
                f"regatta.report: {known_name(name)} is given twice ({name} is another name of it)"
            )
        values[known_name(name)] = number
    return values


@dataclass(frozen=True)
class Point:
    step: int
    samples: int
    seconds: float  # since the run began
    values: dict[str, float]  # may be NaN or infinite


@dataclass(frozen=True)
class Rule:
    """The rule for better values, and for giving up."""

    metric: str
    maximizes: bool
    patience: int | None  # reports
    min_delta: float

    def is_better(self, value: float, other: float | None, by: float = 0.0) -> bool:
        if not math.isfinite(value):
            return False
        if other is None:
            return True
        return value - other > by if self.maximizes else other - value > by

    def best(self, points: list[Point]) -> Point | None:
        """The first one with the best value."""
        best: Point | None = None
        for point in points:
            if self.is_better(
                point.values[self.metric], best.values[self.metric] if best else None
            ):
                best = point
        return best

    def end(self, points: list[Point]) -> str:
        """How a run with this curve stands."""
        known, stale = None, 0
        for point in points:
            if any(not math.isfinite(v) for name, v in point.values.items() if self.matters(name)):
                return DIVERGED
            if self.is_better(point.values[self.metric], known, self.min_delta):
                known, stale = point.values[self.metric], 0
            else:
                stale += 1
            if self.patience is not None and stale >= self.patience:
                return STOPPED
        return REACHED

    def matters(self, name: str) -> bool:
        return name == self.metric or name.endswith("_loss")


def rows_of(points: list[Point], metrics: list[str]) -> list[list[float | None]]:
    """As the protocol has them; null is what is not finite, or was not reported."""
    return [
        [p.step, p.samples, p.seconds, 0.0, *(_finite(p.values.get(name)) for name in metrics)]
        for p in points
    ]


def metrics_of(points: list[Point]) -> list[str]:
    """In the order in which they were first reported."""
    return list(dict.fromkeys(name for point in points for name in point.values))


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


# ---- the file that outlives the process ----------------------------------------------------------


def read(path: str) -> tuple[list[Point], int]:
    """Up to a line that is damaged or does not go on, with the last step that was settled (`settle`); nothing and 0 if
    there is no file."""
    points: list[Point] = []
    settled = 0
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                read_line = json.loads(line)
                if SETTLED in read_line:
                    settled = int(read_line[SETTLED])
                    continue
                point = Point(**read_line)
                if points and point.step <= points[-1].step:
                    break
                points.append(point)
    except (OSError, ValueError, TypeError):
        pass
    return points, settled


def write(path: str, points: list[Point]) -> None:
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.writelines(_line(point) for point in points)
    os.replace(f"{path}.new", path)


def append(path: str, point: Point) -> None:
    _append(path, _line(point))


def settle(path: str, step: int) -> None:
    """The loop came back after it had reported this step: what it saves of it is saved."""
    _append(path, json.dumps({SETTLED: step}) + "\n")


def _append(path: str, line: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(line)


def _line(point: Point) -> str:
    return json.dumps(vars(point)) + "\n"
