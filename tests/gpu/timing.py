"""Phase 30: native eager and graph, torch eager, compiled and replayed, JAX on the GPU, and native on a core, in turns.

First with inputs that stay on the device (what the bars of bars.py are about), then lengths at which the GPU overtakes
a core, then with a batch that each step copies from host memory. A team is a process for each arm. Teams prepare their
trials at the same time, for frameworks compile for long; then one arm runs at a time: a round is a slice of each, and
the next one begins with another. An arm that is late is left out, and holds up no other. These are the times of one run
of a few seconds each: the sweeps are what answers a question.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import Any

from arms import Engine, Refused, input_of
from bars import bars, line
from phase import Clock, bundle, group, is_emulated, keep, log
from times import ArmTimes, Table
from trials import Trial, trials_of

SLICE_SECONDS = 0.02
SLOW_SECONDS = 0.1  # a step that takes longer has few slices
ROUNDS, SLOW_ROUNDS, EMULATED_ROUNDS = 9, 2, 3
MOST_STEPS = 20_000
ARM_SECONDS = 20.0  # until an arm is past its first steps
LEAST_ARM_SECONDS = 10.0  # frameworks need so long: with less no trial is begun
CHOOSING_SECONDS = 18.0
TEAMS = 2
ALSO_FROM_THE_HOST = 3  # trials, the first ones
COMPILING_THREADS = "4"  # torch's own, in each process
OURS = ("native graph", "native eager", "native, one core")
# Name -> engine, levels.
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
class Found:
    versions: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    bars: list[dict[str, Any]] = field(default_factory=list)


def start(arm: str, found: Found, seconds: float) -> Engine | None:
    """Nothing where the engine is not here."""
    name, _ = ARMS[arm]
    try:
        engine = Engine.start(bundle(), name, log(), seconds)
    except Refused as refused:
        found.absent[arm] = str(refused)
        return None
    found.versions[name] = engine.version
    return engine


class Team:
    """A worker for each arm."""

    def __init__(self, clock: Clock, found: Found, threads: ThreadPoolExecutor) -> None:
        self.clock, self.found, self.threads = clock, found, threads
        self.engines: dict[str, Future[Engine | None]] = {}
        for arm in ARMS:
            self.begin(arm)

    def begin(self, arm: str) -> None:
        """Nobody waits until the arm is asked for."""
        seconds = max(1.0, self.clock.left)
        self.engines[arm] = self.threads.submit(start, arm, self.found, seconds)

    def engine(self, arm: str, seconds: float = 0.0) -> Engine | None:
        """Raises TimeoutError where it is not there by then."""
        return self.engines[arm].result(seconds)

    def replace(self, arm: str, engine: Engine) -> None:
        engine.worker.stop()
        if self.clock.left > LEAST_ARM_SECONDS:
            self.begin(arm)
        else:
            self.engines[arm] = Future()
            self.engines[arm].set_result(None)

    def stop(self) -> None:
        for future in self.engines.values():
            engine = future.result() if future.done() else None
            if engine is not None:
                engine.worker.stop()


def levels_of(arm: str, trial: Trial, is_resident: bool) -> dict[str, Any]:
    """The levels of an arm for a trial; one without a network has its operands where it computes in any case."""
    name, levels = ARMS[arm]
    if not is_resident or not trial.is_network:
        return levels
    if name == "native":
        return {**levels, "intervention": "input_resident"}
    return {**levels, "input": "resident"}


def begun(
    engine: Engine, trial: Trial, inputs: dict[str, str], levels: dict[str, Any], end: float
) -> ArmTimes:
    """Prepared, and past the first steps; each answer comes before `end`, or is refused."""

    def limited() -> None:
        engine.worker.socket.settimeout(max(0.5, end - time.monotonic()))

    limited()
    times = ArmTimes(engine.prepare(trial, inputs, **levels)["seconds"])
    limited()
    times.first_seconds = engine.slice(1, "first")[0].seconds
    limited()
    times.warm_seconds = engine.step_seconds(1)
    for _ in range(2 if times.warm_seconds < SLOW_SECONDS else 0):
        limited()
        times.warm_seconds = engine.step_seconds(3)
    return times


def prepared(
    team: Team, trial: Trial, inputs: dict[str, str], arms: tuple[str, ...], is_resident: bool
) -> dict[str, ArmTimes]:
    """All arms at once: there are cores for each."""
    begin = time.monotonic()
    end = begin + min(ARM_SECONDS, max(1.0, team.clock.left - TEAMS - 1))

    def one(arm: str) -> ArmTimes | None:
        try:
            engine = team.engine(arm, max(0.5, end - time.monotonic()))
        except TimeoutError:
            return ArmTimes(refused="late: it is still starting")
        if engine is None:
            return None
        try:
            return begun(engine, trial, inputs, levels_of(arm, trial, is_resident), end)
        except (Refused, OSError) as refused:
            if not isinstance(refused, Refused) or refused.kind != "unsupported":
                team.replace(arm, engine)
            late = "timed out" in str(refused)
            return ArmTimes(
                refused=f"late: more than {end - begin:.0f} s" if late else str(refused)
            )

    with ThreadPoolExecutor(len(arms)) as threads:
        done = dict(zip(arms, threads.map(one, arms)))
    return {arm: times for arm, times in done.items() if times is not None}


def steps_of_slice(seconds: float) -> int:
    """So that a slice takes long beside its end, where it waits for the device."""
    return max(1, min(MOST_STEPS, round(SLICE_SECONDS / max(seconds, 1e-7))))


def measure(team: Team, times: dict[str, ArmTimes]) -> None:
    """In turns; an arm that fails is out, the others go on."""
    ready = [arm for arm, each in times.items() if not each.refused]
    steps = {arm: steps_of_slice(times[arm].warm_seconds) for arm in ready}
    lasts = {arm: steps[arm] * times[arm].warm_seconds for arm in ready}
    for number in range(EMULATED_ROUNDS if is_emulated() else ROUNDS):
        going = [
            arm
            for arm in ready
            if not times[arm].refused and (lasts[arm] < SLOW_SECONDS or number < SLOW_ROUNDS)
        ]
        turn = number % max(1, len(going))
        for arm in going[turn:] + going[:turn]:
            engine = team.engine(arm)
            if engine is None or team.clock.left < lasts[arm]:
                continue
            engine.worker.socket.settimeout(max(2.0, min(5 * lasts[arm] + 2, team.clock.left)))
            try:
                times[arm].slices.append(engine.step_seconds(steps[arm]))
            except (Refused, OSError) as refused:
                times[arm].refused = str(refused)
                team.replace(arm, engine)


def choose(trials: list[Trial], clock: Clock) -> None:
    """Algorithms are chosen while frameworks start: by one worker alone, for other work on the GPU would decide."""
    end = time.monotonic() + min(CHOOSING_SECONDS, clock.left / 4)
    try:
        engine = Engine.start(bundle(), "native", log(), max(1.0, clock.left))
        for trial in trials:
            with input_of(bundle(), trial) as inputs:
                for arm in ("native graph", "native eager"):
                    if time.monotonic() > end:
                        return
                    engine.prepare(trial, inputs, **ARMS[arm][1])
                    engine.slice(1, "first")
        engine.worker.stop()
    except (Refused, RuntimeError) as error:
        print(f"error: choosing algorithms: {error}", flush=True)


@dataclass
class Part:
    """One table."""

    name: str
    trials: list[Trial]
    arms: tuple[str, ...]
    is_resident: bool

    def run(self, teams: list[Team], found: Found) -> None:
        table = found.tables.setdefault(self.name, {})
        clock = teams[0].clock
        for i in range(0, len(self.trials), len(teams)):
            trials = self.trials[i : i + len(teams)]
            if clock.left < LEAST_ARM_SECONDS:
                found.left_out += [f"{trial.name} ({self.name})" for trial in trials]
                continue
            with ExitStack() as stack, ThreadPoolExecutor(len(teams)) as threads:
                ready = list(threads.map(lambda *each: self.begin(stack, *each), teams, trials))
                for team, trial, times in zip(teams, trials, ready):
                    measure(team, times)
                    table[trial.name] = times
                    print(line(trial.name, times), flush=True)
            keep("timing", asdict(found))

    def begin(self, stack: ExitStack, team: Team, trial: Trial) -> dict[str, ArmTimes]:
        try:
            inputs = stack.enter_context(input_of(bundle(), trial))
        except RuntimeError as error:
            return {arm: ArmTimes(refused=str(error)) for arm in self.arms}
        return prepared(team, trial, inputs, self.arms, self.is_resident)


def parts() -> list[Part]:
    named = trials_of(group())
    lengths = [] if is_emulated() else trials_of("crossover")
    networks = [trial for trial in named if trial.is_network]
    return [
        Part("input: resident", named, tuple(ARMS), True),
        Part("lengths, input: array", lengths, OURS, False),
        Part("input: array", networks[:ALSO_FROM_THE_HOST], tuple(ARMS), False),
    ]


def main() -> int:
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", COMPILING_THREADS)
    clock, found = Clock(), Found()
    with ThreadPoolExecutor(2 * TEAMS * len(ARMS)) as threads:
        teams = [Team(clock, found, threads) for _ in range(1 if is_emulated() else TEAMS)]
        choose(trials_of(group()), clock)
        for part in parts():
            if part.trials:
                print(f"-- {part.name}", flush=True)
                part.run(teams, found)
        for team in teams:
            team.stop()
    resident = found.tables["input: resident"]
    found.bars, told = bars(resident)
    keep("timing", asdict(found))
    for arm, reason in found.absent.items():
        print(f"not here: {arm}: {reason}")
    if found.left_out:
        print(f"no time left for {', '.join(found.left_out)}")
    print(told)
    measured = [bool(times["native graph"].slices) for times in resident.values()]
    return 0 if measured and all(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
