"""Phase 30: native eager and graph, torch eager, compiled and replayed, JAX on the GPU, and native on a core, in turns.

One process for each engine, which holds an arm of the same trial at a time; a round is a slice of each, and the next
one begins with another. A ratio is the median over rounds of the quotient within a round. These are the times of one
run of a few seconds each: the sweeps are what answers a question.
"""

from __future__ import annotations

import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

from arms import Engine, Refused, input_of
from phase import Clock, bundle, group, is_emulated, keep, out
from trials import Trial, trials_of

SLICE_SECONDS = 0.02
ROUNDS = 15
MOST_STEPS = 20_000
LEAST_SECONDS = 5  # for a trial
OURS = ("native graph", "native eager", "native, one core")
# Name -> engine, levels. A worker is shared by all arms of an engine whose mode changes nothing for good.
ARMS: dict[str, tuple[str, dict[str, Any]]] = {
    "native graph": ("native", {"device": "cuda", "mode": "graph"}),
    "native eager": ("native", {"device": "cuda", "mode": "eager"}),
    "torch replayed": ("torch", {"device": "cuda", "mode": "reduce-overhead"}),
    "torch compiled": ("torch", {"device": "cuda", "mode": "graph"}),
    "torch eager": ("torch", {"device": "cuda", "mode": "eager"}),
    "jax": ("jax", {"device": "cuda", "mode": "graph"}),
    "native, one core": ("native", {"device": "cpu", "mode": "graph"}),
}


@dataclass
class ArmTimes:
    prepare_seconds: float = 0.0
    first_seconds: float = 0.0  # the first step compiles or captures, beside those of other arms
    warm_seconds: float = 0.0  # a step behind those
    slices: list[float] = field(default_factory=list)  # seconds of a step, by round
    refused: str = ""

    @property
    def median(self) -> float | None:
        return statistics.median(self.slices) if self.slices else None


@dataclass
class Found:
    versions: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    trials: dict[str, dict[str, ArmTimes]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


class Workers:
    def __init__(self, clock: Clock, found: Found) -> None:
        self.clock, self.found = clock, found
        self.engines: dict[str, Engine] = {}
        with ThreadPoolExecutor(len(ARMS)) as threads:
            list(threads.map(self.start, ARMS))

    def start(self, arm: str) -> None:
        name, _ = ARMS[arm]
        try:
            engine = Engine.start(bundle(), name, out() / "log.txt", max(1.0, self.clock.left))
        except Refused as refused:
            self.found.absent[arm] = str(refused)
            return
        self.engines[arm] = engine
        self.found.versions[name] = engine.version

    def replace(self, arm: str) -> None:
        self.engines.pop(arm).worker.stop()
        self.start(arm)

    def stop(self) -> None:
        for engine in self.engines.values():
            engine.worker.stop()


def begun(engine: Engine, trial: Trial, inputs: dict[str, str], levels: dict[str, Any]) -> ArmTimes:
    """Prepared, and past the first step and a few more."""
    times = ArmTimes(engine.prepare(trial, inputs, **levels)["seconds"])
    times.first_seconds = engine.slice(1, "first")[0].seconds
    for _ in range(2):
        times.warm_seconds = engine.step_seconds(3)
    return times


def steps_of_slice(seconds: float) -> int:
    """So that a slice takes long beside its end, where it waits for the device."""
    return max(1, min(MOST_STEPS, round(SLICE_SECONDS / max(seconds, 1e-7))))


def prepared(
    workers: Workers, trial: Trial, inputs: dict[str, str], arms: list[str]
) -> dict[str, ArmTimes]:
    """All arms at once: frameworks compile for long, and there are cores for each."""

    def one(arm: str) -> ArmTimes:
        engine = workers.engines[arm]
        engine.worker.socket.settimeout(max(1.0, workers.clock.left))
        try:
            return begun(engine, trial, inputs, ARMS[arm][1])
        except Refused as refused:
            if refused.kind != "unsupported":
                workers.replace(arm)
            return ArmTimes(refused=str(refused))

    with ThreadPoolExecutor(len(ARMS)) as threads:
        return dict(zip(arms, threads.map(one, arms)))


def measure(
    workers: Workers, trial: Trial, rounds: int, among: tuple[str, ...] = tuple(ARMS)
) -> dict[str, ArmTimes]:
    with input_of(bundle(), trial) as inputs:
        times = prepared(workers, trial, inputs, [arm for arm in among if arm in workers.engines])
        ready = [arm for arm, each in times.items() if not each.refused]
        steps = {arm: steps_of_slice(times[arm].warm_seconds) for arm in ready}
        for number in range(rounds):
            turn = number % max(1, len(ready))
            if workers.clock.left < 0:
                break
            for arm in ready[turn:] + ready[:turn]:
                times[arm].slices.append(workers.engines[arm].step_seconds(steps[arm]))
    return times


def ratio(times: dict[str, ArmTimes], arm: str, other: str) -> float | None:
    """How many times as long as `other`; by rounds that both took."""
    pairs = zip(times[arm].slices, times[other].slices)
    quotients = [a / b for a, b in pairs]
    return statistics.median(quotients) if quotients else None


def line(name: str, times: dict[str, ArmTimes]) -> str:
    cells = []
    ours = times.get("native graph", ArmTimes())
    for arm, each in times.items():
        median = each.median
        if median is None:
            cells.append(f"{arm} – ({each.refused or 'no time left'})")
            continue
        quotient = ratio(times, arm, "native graph") if ours.slices else None
        cells.append(f"{arm} {median * 1e6:.1f} us" + (f" ({quotient:.2f})" if quotient else ""))
    return f"{name}: " + ", ".join(cells)


def main() -> int:
    clock, found = Clock(), Found()
    workers = Workers(clock, found)
    first, *others = trials_of(group())
    lengths = [] if is_emulated() else trials_of("crossover")
    for trial in (first, *lengths, *others):
        if clock.left < LEAST_SECONDS:
            found.left_out.append(trial.name)
            continue
        among, rounds = (tuple(ARMS), ROUNDS) if trial not in lengths else (OURS, 7)
        try:
            times = measure(workers, trial, 3 if is_emulated() else rounds, among)
        except (Refused, RuntimeError) as error:
            print(f"error: {trial.name}: {error}")
            found.left_out.append(trial.name)
            continue
        found.trials[trial.name] = times
        keep("timing", asdict(found))
        print(line(trial.name, found.trials[trial.name]), flush=True)
    workers.stop()
    keep("timing", asdict(found))
    for arm, reason in found.absent.items():
        print(f"not here: {arm}: {reason}")
    if found.left_out:
        print(f"no time left for {', '.join(found.left_out)}")
    ours = [times.get("native graph", ArmTimes()) for times in found.trials.values()]
    measured = [each.slices for each in ours]
    return 0 if measured and all(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
