"""The loop that is timed: each turn is a step that Regatta asked for."""

from __future__ import annotations

import math
import statistics
import time
from typing import Any, Callable, Generator, Iterator

from . import ranks, told, training, wire
from .worker import Message, Worker, current

KEPT_LOSSES = 8  # first steps, for the check
MAX_VALUES = 4096  # more losses of one step become their mean


class Step:
    """One turn of the loop."""

    __slots__ = ("loss", "number")

    def __init__(self) -> None:
        self.number = 0  # from 0 on
        self.loss: Any = None  # a number, or one for each sample; tensors and arrays will do


class TimedStep(Step):
    """One whose other attributes are results of the trial: step.accuracy = 0.9."""


def _tell_attributes(step: Step) -> None:
    for name, value in vars(step).items():
        told.result(name, value)


def settings(**defaults: Any) -> dict[str, Any]:
    """The trial's settings over `defaults`: its parameters, the files of weights and batches if its model has any, and
    the "args" of the model. Run by hand: `defaults`."""
    given = _settings()
    return {**defaults, **{name: value for name, value in given.items() if value is not None}}


@ranks.shared
def _settings() -> dict[str, Any]:
    worker = current()
    if worker is None:
        return {}
    request = worker.request()
    files = {name: request[name] or None for name in ("weights_path", "batches_path")}
    arguments = (request["model"] or {}).get("args", {})
    return {**request["parameters"], **files, **arguments}


def steps(
    wait: Callable[[], object] | None = None,
    count: int = 1000,
    seconds: float = 5.0,
    start: int = 0,
) -> Iterator[Step]:
    """Yields once for each step. `wait` returns when all steps are done, for devices that only start them.

    `count` and `seconds` bound a loop that is run by hand. In a sweep that trains, the loop ends when should_stop()
    says so; `start` is then how many steps are done already, by what lies in checkpoint_dir().
    """
    other = ranks.listener()
    if other is not None:
        return other.steps(Step())
    own = _own_steps(wait, count, seconds, start)
    speaker = ranks.teller()
    return own if speaker is None else speaker.steps(own)


def _own_steps(
    wait: Callable[[], object] | None, count: int, seconds: float, start: int
) -> Generator[Step, None, None]:
    worker = current()
    if worker is None:
        # Ranks that are started by hand end after the same number of steps, not at the same time.
        return _by_hand(wait, count, seconds if ranks.count() == 1 else math.inf)
    if worker.trains():
        return _to_the_end(start)
    return Loop(worker, TimedStep(), wait).serve()


def _to_the_end(start: int) -> Generator[Step, None, None]:
    step = Step()
    step.number = start
    while not training.is_over():
        yield step
        step.number += 1


# ---- run by hand ---------------------------------------------------------------------------------


def _by_hand(
    wait: Callable[[], object] | None, count: int, seconds: float
) -> Generator[Step, None, None]:
    step, now = TimedStep(), time.perf_counter
    times: list[float] = []
    end = now() + seconds
    while len(times) < count and (not times or now() < end):
        start = now()
        yield step
        if wait is not None:
            wait()
        times.append(now() - start)
        step.number += 1
    if times:
        _tell_attributes(step)
        print(f"{len(times)} steps by hand: median {_as_text(statistics.median(times))}")


def _as_text(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


# ---- under Regatta -------------------------------------------------------------------------------


class Loop:
    def __init__(self, worker: Worker, step: Step, wait: Callable[[], object] | None) -> None:
        self.worker, self.step, self.wait = worker, step, wait
        self.losses: list[list[float] | None] = []

    def serve(self) -> Generator[Step, None, None]:
        worker = self.worker
        worker.prepared()
        try:
            for message in iter(worker.next_work, None):
                if message["type"] == "slice":
                    samples = yield from self.slice(message)
                    self.send(samples)
                elif message["type"] == "check":
                    if message.get("as", "timed") == "timed":
                        yield from self.check(message["steps"])
                    else:  # a loop runs as it is: its weights are the user's
                        worker.answer("checked", losses=[])
                else:
                    worker.fail(f"no request of this version: {message['type']}")
        except GeneratorExit:  # by an error, too: its hook then says which
            worker.reason = "the loop was left before Regatta was done with it (break, return?)"
            raise

    def slice(self, message: Message) -> Generator[Step, None, bytes]:
        """Re-entry steps, then the others; packed samples of all of them."""
        reentry, group = message["reentry_steps"], message["group"]
        parts = [
            ("reentry", reentry, max(group, -(-reentry // wire.REENTRY_SAMPLES))),
            (message["phase"], message["steps"], group),
        ]
        records = []
        for phase, count, size in parts:
            whole, rest = divmod(count, size)
            sizes = [size] * whole + [rest] * bool(rest)
            stamps = yield from self.timed(sizes, bool(message.get("wait_each")))
            for covered, start, end in zip(sizes, stamps, stamps[1:]):
                records.append(
                    wire.pack_sample(message["slice"], message["arm"], phase, covered, start, end)
                )
        return b"".join(records)

    def timed(self, sizes: list[int], wait_each: bool) -> Generator[Step, None, list[int]]:
        """Nanoseconds on the steady clock: before the first group of steps, and after each."""
        step, wait = self.step, self.wait
        stamps, now = [0] * (len(sizes) + 1), time.perf_counter_ns
        stamps[0] = now()
        for i, size in enumerate(sizes, 1):
            for _ in range(size):
                yield step
                step.number += 1
                if step.number <= KEPT_LOSSES:
                    self.keep()
            if wait_each and wait is not None:
                wait()
            stamps[i] = now()
        if sizes and wait is not None:
            wait()
            stamps[-1] = now()
        return stamps

    def keep(self) -> None:
        """The first steps of all began at the initial weights: their losses answer the check."""
        self.losses.append(_floats(self.step.loss))
        self.step.loss = None

    def check(self, count: int) -> Generator[Step, None, None]:
        """No losses if the loop sets none: its arm is then unchecked."""
        if len(self.losses) < min(count, KEPT_LOSSES):
            yield from self.timed([count - len(self.losses)], False)
        losses = self.losses[:count]
        known = len(losses) == count and all(loss is not None for loss in losses)
        self.worker.answer("checked", losses=losses if known else [])

    def send(self, samples: bytes) -> None:
        arm = (self.worker.pending or {})["arm"]
        _tell_attributes(self.step)
        for piece, last in wire.pieces(samples):
            results = told.told() if last else ""
            more = {"results": results} if results else {}
            self.worker.reply("samples", piece, arm=arm, last=last, **more)


def _floats(loss: Any) -> list[float] | None:
    """From a number, a list, an array or a tensor of any framework; None for JSON's lack of infinities."""
    if loss is None:
        return None
    for convert in ("detach", "numpy", "tolist"):
        if hasattr(loss, convert):
            loss = getattr(loss, convert)()
    values, rest = [], [loss]
    while rest:
        value = rest.pop()
        if isinstance(value, (list, tuple)):
            rest.extend(reversed(value))
        else:
            values.append(float(value))
    if len(values) > MAX_VALUES:
        values = [math.fsum(values) / len(values)]
    return [value if math.isfinite(value) else None for value in values]  # type: ignore[misc]
