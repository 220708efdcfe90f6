"""Phase 30: native eager and graph, torch eager and compiled, JAX on the GPU, and native on a core, in turns.

One process for each engine, which holds an arm of the same trial at a time; a round is a slice of each, and the next
one begins with another. A ratio is the median over rounds of the quotient within a round. These are the times of one
run of a few seconds each: the sweeps are what answers a question.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from arms import Engine, Refused, input_of
from phase import Clock, bundle, group, is_emulated, keep, out
from trials import Trial, trials_of

SLICE_SECONDS = 0.02
ROUNDS = 15
MOST_STEPS = 20_000
# Name -> engine, levels. A worker is shared by all arms of an engine whose mode changes nothing for good.
ARMS: dict[str, tuple[str, dict[str, Any]]] = {
    "native graph": ("native", {"device": "cuda", "mode": "graph"}),
    "native eager": ("native", {"device": "cuda", "mode": "eager"}),
    "torch compiled": ("torch", {"device": "cuda", "mode": "graph"}),
    "torch eager": ("torch", {"device": "cuda", "mode": "eager"}),
    "jax": ("jax", {"device": "cuda", "mode": "graph"}),
    "native, one core": ("native", {"device": "cpu", "mode": "graph"}),
}


@dataclass
class ArmTimes:
    prepare_seconds: float = 0.0
    first_seconds: float = 0.0  # of the first step, which compiles or captures
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
        for arm in ARMS:
            self.start(arm)

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
        engine.slice(3, "warmup")
    return times


def steps_of_slice(seconds: float) -> int:
    """So that a slice takes long beside its end, where it waits for the device."""
    return max(1, min(MOST_STEPS, round(SLICE_SECONDS / max(seconds, 1e-7))))


def measure(workers: Workers, trial: Trial, rounds: int) -> dict[str, ArmTimes]:
    times: dict[str, ArmTimes] = {}
    steps: dict[str, int] = {}
    with input_of(bundle(), trial) as inputs:
        for arm, engine in list(workers.engines.items()):
            if workers.clock.left < 0:
                break
            engine.worker.socket.settimeout(max(1.0, workers.clock.left))
            try:
                times[arm] = begun(engine, trial, inputs, ARMS[arm][1])
                steps[arm] = steps_of_slice(engine.step_seconds(3))
            except Refused as refused:
                times[arm] = ArmTimes(refused=str(refused))
                if refused.kind != "unsupported":
                    workers.replace(arm)
        ready = list(steps)
        for number in range(rounds):
            turn = number % max(1, len(ready))
            if workers.clock.left < 0:
                break
            for arm in ready[turn:] + ready[:turn]:
                times[arm].slices.append(workers.engines[arm].step_seconds(steps[arm]))
        for arm in ready:
            workers.engines[arm].release()
    return times


def ratio(times: dict[str, ArmTimes], arm: str, other: str) -> float | None:
    """How many times as long as `other`; by rounds that both took."""
    pairs = zip(times[arm].slices, times[other].slices)
    quotients = [a / b for a, b in pairs]
    return statistics.median(quotients) if quotients else None


def line(name: str, times: dict[str, ArmTimes]) -> str:
    cells = []
    for arm, each in times.items():
        median = each.median
        if median is None:
            cells.append(f"{arm} – ({each.refused or 'no time left'})")
            continue
        quotient = ratio(times, arm, "native graph") if times["native graph"].slices else None
        cells.append(f"{arm} {median * 1e6:.1f} us" + (f" ({quotient:.2f})" if quotient else ""))
    return f"{name}: " + ", ".join(cells)


def crossover(workers: Workers) -> None:
    """A core against the GPU over the lengths of one model: torch and JAX are not asked."""
    for arm in list(workers.engines):
        if ARMS[arm][0] != "native":
            workers.engines.pop(arm).worker.stop()
    for trial in trials_of("crossover"):
        if workers.clock.left < 2:
            workers.found.left_out.append(trial.name)
            continue
        workers.found.trials[trial.name] = measure(workers, trial, 7)
        print(line(trial.name, workers.found.trials[trial.name]), flush=True)


def main() -> int:
    clock, found = Clock(), Found()
    workers = Workers(clock, found)
    for trial in trials_of(group()):
        if clock.left < 5:
            found.left_out.append(trial.name)
            continue
        found.trials[trial.name] = measure(workers, trial, 3 if is_emulated() else ROUNDS)
        keep("timing", asdict(found))
        print(line(trial.name, found.trials[trial.name]), flush=True)
    if not is_emulated():
        crossover(workers)
    workers.stop()
    keep("timing", asdict(found))
    for arm, reason in found.absent.items():
        print(f"not here: {arm}: {reason}")
    if found.left_out:
        print(f"no time left for {', '.join(found.left_out)}")
    measured = [
        times["native graph"].slices for times in found.trials.values() if "native graph" in times
    ]
    return 0 if measured and all(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
