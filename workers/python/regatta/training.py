"""A loop that trains: what it reports becomes the curve of a leg (docs/guide/training.md, docs/reference/worker-protocol.md)."""

from __future__ import annotations

import atexit
import functools
import math
import operator
import os
import resource
import shutil
import sys
import tempfile
import time
from typing import Any

from . import curve, ranks
from .curve import REACHED, Point, Rule
from .worker import REPORTED_NOTHING, Message, Worker, current

TESTS = ("test_loss", "test_accuracy")
COLUMNS: tuple[str, ...] = (
    "trial_hash",
    "purpose",
    "seed",
    "rung",
    "from",
    "to",
    "status",
    "reason",
    "end",
    "best_step",
)
COLUMNS += ("step", "samples", "train_time", "evaluate_time", "t_start", "t_end")
TELL_SECONDS = 1.0  # at most one message in so many
SILENT_SECONDS = 30.0  # a message after so many, even without a new point
NEARLY_NONE = 1e-9  # part of a step: fractions of a horizon are rounded numbers


# ---- what scripts call ---------------------------------------------------------------------------


@ranks.shared
def horizon(by_hand: int = 10) -> int:
    """How long a run is: "steps" of the sweep's "train", or its "epochs". Run by hand: `by_hand`."""
    return _run().horizon(by_hand)


@ranks.shared
def report(step: int, samples: int | None = None, **metrics: Any) -> bool:
    """A point of the learning curve, after `step` steps (or epochs, as the sweep's "train" counts). Whether it is the
    best one so far, by the sweep's objective, which must be among the metrics.

    `samples` trained on so far: unless given, steps times batch, or epochs times parts(training=...).
    """
    return _run().report(_as_step(step), samples, curve.as_values(metrics))


@ranks.shared
def should_stop() -> bool:
    """Whether what was reported reaches the end of what is asked for, gives up early, or is not finite."""
    return _run().should_stop()


@ranks.shared
def checkpoint_dir() -> str:
    """A folder of this configuration under this seed alone. It outlives the process: go on from what you put there."""
    return _run().folder


@ranks.shared
def opens_test() -> bool:
    """Whether the best weights are to meet the test part now: report(step, test_loss=..., test_accuracy=...)."""
    return _run().tests


@ranks.shared
def parts(training: int = 0, validation: int = 0, test: int = 0) -> None:
    """How many samples each part has, for the report."""
    _run().sizes = [training, validation, test]


def _as_step(step: Any) -> int:
    try:
        number = operator.index(step)
    except TypeError as error:
        raise TypeError(f"regatta.report: the step is {step!r}, expected a whole number") from error
    if number < 1:
        raise ValueError(
            f"regatta.report: step {number}: steps count from 1 (how many are done); add 1 to an index"
        )
    return number


def is_over() -> bool:
    """should_stop() of this process alone."""
    return _run().should_stop()


@functools.lru_cache(maxsize=None)
def _run() -> Run:
    worker = current()
    if worker is None:
        return Run(shows=True)
    if not worker.trains():
        return Run(shows=False)
    worker.prepared()
    for message in iter(worker.next_work, None):
        if message["type"] == "train":
            return Leg(worker, message)
        worker.fail(f"this loop trains, it cannot answer {message['type']}")
    sys.exit(0)


class Run:
    """By hand, and while steps are timed: nobody asks for a curve."""

    tests = False

    def __init__(self, shows: bool) -> None:
        self.shows, self.steps, self.last = shows, 10, 0
        self.sizes = [0, 0, 0]
        self._folder = ""

    def horizon(self, by_hand: int) -> int:
        self.steps = by_hand
        return by_hand

    def report(self, step: int, samples: int | None, values: dict[str, float]) -> bool:
        if step <= self.last:
            raise ValueError(_out_of_order(step, self.last))
        self.last = step
        if self.shows and ranks.number() == 0:
            print(f"step {step}: " + ", ".join(f"{name} {v:.6g}" for name, v in values.items()))
        return False

    def should_stop(self) -> bool:
        return self.shows and self.last >= self.steps

    @property
    def folder(self) -> str:
        if not self._folder:
            self._folder = tempfile.mkdtemp(prefix="regatta-")
            atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder


def _out_of_order(step: int, last: int) -> str:
    return f"regatta.report: step {step} after step {last}: steps grow from report to report"


class Leg(Run):
    """A stretch of the run's horizon, which Regatta asked for; the script's end is its end."""

    def __init__(self, worker: Worker, asked: Message) -> None:
        super().__init__(shows=False)
        self.worker, self.asked = worker, asked
        self.parameters = worker.request()["parameters"]
        steps = asked.get("steps")
        self.steps = steps if steps is not None else max(1, math.floor(asked["epochs"] + 0.5))
        self.counts_epochs = steps is None
        self.first, self.end = (
            math.ceil(asked[name] * self.steps - NEARLY_NONE) for name in ("from", "to")
        )
        self.tests = bool(asked.get("tests"))
        patience = asked.get("patience")
        metric = curve.known_name(asked["metric"])
        self.rule = Rule(metric, asked["maximizes"], patience, asked.get("min_delta") or 0.0)
        base = os.path.splitext(asked["checkpoint_path"])[0]
        self._folder, self.history = f"{base}.own", f"{base}.jsonl"
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        self.points, self.settled = curve.read(self.history)
        self.tested: dict[str, float] = {}
        self.is_resumed, self.seconds_before = False, 0.0
        self.begin = self.told_at = time.perf_counter()
        self.told = self.first  # step of the last point that a message held
        worker.at_end = self.finish

    def horizon(self, by_hand: int) -> int:
        return self.steps

    # ---- reports ---------------------------------------------------------------------------------

    def report(self, step: int, samples: int | None, values: dict[str, float]) -> bool:
        if self.tests:
            self.keep_test(values)
            return False
        self.check(step, values)
        if not self.is_resumed:
            self.leave_if_over(step)
            self.resume_before(step)
        seconds = self.seconds_before + time.perf_counter() - self.begin
        point = Point(
            step, self.samples_of(step) if samples is None else int(samples), seconds, values
        )
        known = self.rule.best(self.points)
        self.points.append(point)
        curve.append(self.history, point)
        self.last = step
        self.tell_if_due()
        value = values[self.rule.metric]
        return self.rule.is_better(value, known.values[self.rule.metric] if known else None)

    def check(self, step: int, values: dict[str, float]) -> None:
        if step <= self.last:
            raise ValueError(_out_of_order(step, self.last))
        early = [name for name in TESTS if name in values]
        if early:
            raise ValueError(
                f"regatta.report: {early[0]} before the test part is opened (nothing is chosen by it); "
                "report it where regatta.opens_test() says so"
            )
        if self.rule.metric not in values:
            raise ValueError(
                f"regatta.report: the objective of the sweep is {self.rule.metric}, which is not among "
                f"{', '.join(values) or 'no metrics'}; report it each time, or change the objective"
            )
        taken = [name for name in values if name in COLUMNS or name in self.parameters]
        if taken:
            raise ValueError(
                f"regatta.report: {taken[0]} is the name of another column of the results; report it under another one"
            )
        if len(self.points) * (len(values) + 4) > curve.MOST_NUMBERS:
            raise ValueError(
                f"regatta.report: more than {len(self.points)} reports in one run; report less often"
            )

    def resume_before(self, step: int) -> None:
        """The loop goes on from its own checkpoint; what it said beyond that, before it was killed, it says again."""
        self.points = [point for point in self.points if point.step < step]
        curve.write(self.history, self.points)
        self.seconds_before = self.points[-1].seconds if self.points else 0.0
        self.is_resumed = True

    def keep_test(self, values: dict[str, float]) -> None:
        unknown = [name for name in values if name not in TESTS]
        if unknown:
            raise ValueError(
                f"regatta.report: {unknown[0]} while the test part is open; it takes {' and '.join(TESTS)}"
            )
        self.tested.update(values)

    def samples_of(self, step: int) -> int:
        each = self.sizes[0] if self.counts_epochs else self.parameters.get("batch")
        return step * (each or 0)

    # ---- what is known ---------------------------------------------------------------------------

    def points_until(self, step: int) -> list[Point]:
        return [point for point in self.points if point.step <= step]

    def is_over(self) -> bool:
        reached = bool(self.points) and self.points[-1].step >= self.end
        return reached or self.rule.end(self.points) != REACHED

    def should_stop(self) -> bool:
        if self.tests:
            return True
        if not self.is_over():
            self.tell_if_due()
            return False
        self.settle()
        return self.is_settled()

    def settle(self) -> None:
        """A loop that comes back after its last report saved what it saves of it."""
        if self.last == self.points[-1].step and not self.is_settled():
            self.settled = self.last
            curve.settle(self.history, self.settled)

    def is_settled(self) -> bool:
        """An earlier process may have been killed between its last report and what the loop saves behind it, the best
        weights perhaps: its last step is then taken again."""
        return self.settled >= self.points[-1].step

    def leave_if_over(self, step: int) -> None:
        """The step was saved after all before the kill: this one lies behind the end, and nothing of it is kept."""
        if self.points and step > self.points[-1].step and self.is_over():
            curve.settle(self.history, self.points[-1].step)
            sys.exit(0)

    def learned(self, after: int) -> dict[str, Any]:
        """With the points behind step `after`."""
        points = self.points_until(self.end)
        metrics = curve.metrics_of(points)
        best = self.rule.best(points)
        own = self.asked["metric"]  # the sweep's name for the objective
        return {
            "end": self.rule.end(points),
            "metrics": [own if name == self.rule.metric else name for name in metrics],
            "points": curve.rows_of([p for p in points if p.step > after], metrics),
            "best_step": best.step if best else 0,
            "best": curve.rows_of([best], metrics)[0][4:] if best else [],
            "samples": self.sizes,
            **self.memory(),
        }

    def memory(self) -> dict[str, int]:
        """The one who runs this script sees the memory of a kept process, but not that of the child that trains."""
        if not self.worker.is_child():
            return {}
        return {"peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}

    def tell_if_due(self) -> None:
        silent = time.perf_counter() - self.told_at
        newest = self.points[-1].step if self.points else 0
        if silent >= SILENT_SECONDS or (newest > self.told and silent >= TELL_SECONDS):
            arm = self.asked["arm"]
            self.worker.reply("progress", arm=arm, learned=self.learned(self.told))
            self.told, self.told_at = max(self.told, newest), time.perf_counter()

    # ---- the end ---------------------------------------------------------------------------------

    def finish(self, raised: str | None) -> None:
        """Answers, and waits for what is asked next, which a fresh run of the script answers."""
        worker = self.worker
        if worker.pending is not None:
            problem = raised or self.problem()
            if problem:
                worker.fail(problem)
            else:
                tested = {name: v for name, v in self.tested.items() if math.isfinite(v)}
                worker.answer("trained", learned={**self.learned(self.first), **tested})
        while worker.next_work() is not None:
            worker.fail("this leg is over, and nothing else is prepared")

    def problem(self) -> str | None:
        """Why this is not the leg that was asked for."""
        points = self.points_until(self.end)
        if self.tests or self.rule.end(points) != REACHED:
            return None
        if not self.points:
            return REPORTED_NOTHING
        if self.points[-1].step < self.end:
            return (
                f"the script ended after step {self.points[-1].step}, before step {self.end} where this leg ends; "
                "go on until regatta.should_stop()"
            )
        if not points:
            return (
                f"nothing was reported up to step {self.end}, where this leg ends (first after step "
                f"{self.points[0].step}); report more often, or search with fewer rungs"
            )
        return None
