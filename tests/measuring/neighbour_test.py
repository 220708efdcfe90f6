"""T6: a neighbour that comes and goes on the measured core is noticed and gives no false verdicts."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools import bars
from tools.bars import Bar
from tools.planted import MeasuringError, Outcome, planted
from tools.regatta_process import Scratch, wait_until

TIME = "10s"  # for a contrast
LONG = "20s"  # where all have to be decided
SPINNER = Path(__file__).with_name("spinner.py")
DISTURBANCES = ("disturb", "preempted", "throttled", "migrated", "stolen", "clock", "canary")


def measured_core(scratch: Scratch) -> int:
    """The core that the run's workers are bound to."""
    cores: set[int] = set()

    def found() -> bool:
        for process in scratch.processes():
            if process.name.startswith("planted-worker"):
                try:
                    cores.update(os.sched_getaffinity(process.pid))
                except ProcessLookupError:
                    continue
        return bool(cores)

    if not wait_until(found, 30):
        raise MeasuringError(f"no planted worker was started:\n{scratch.output()}")
    if len(cores) != 1:
        raise MeasuringError(f"the worker may use the cores {cores}, expected one")
    return cores.pop()


class Neighbour:
    """Starts the spinner on the measured core once that is known."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.process: subprocess.Popen[bytes] | None = None

    def __call__(self, scratch: Scratch) -> None:
        core = measured_core(scratch)
        self.process = subprocess.Popen([sys.executable, str(SPINNER), str(core), str(self.seed)])


@contextmanager
def neighbour(seed: int) -> Iterator[Neighbour]:
    spinner = Neighbour(seed)
    try:
        yield spinner
        if spinner.process is None or spinner.process.poll() is not None:
            raise MeasuringError("the spinner did not last as long as the run")
    finally:
        if spinner.process is not None:
            spinner.process.kill()
            spinner.process.wait()


def beside_spinner(name: str, seed: int, effects: list[float], time: str) -> Outcome:
    with neighbour(seed) as spinner:
        return planted(name, seed, effects, {"per_contrast": time}, beside=spinner)


def disturbed(outcome: Outcome) -> int:
    return sum(any(each.says(word) for word in DISTURBANCES) for each in outcome.contrasts)


def attempt(seed: int) -> tuple[list[Outcome], list[Bar]]:
    same = beside_spinner("A/A beside a spinner", seed, [0.0] * 20, TIME)
    longer = beside_spinner("30 % beside a spinner", seed + 1, [math.log(1.3)] * 10, LONG)
    found = sum(each.is_right for each in longer.contrasts)
    flagged = disturbed(same) + disturbed(longer)
    return [same, longer], [
        Bar(f"A/A false: {same.false} of 20, at most 1", same.false <= 1),
        Bar(f"30 %: {found} of 10 right, all", found == 10),
        Bar(f"flagged as disturbed: {flagged} of 30 contrasts, at least 1", flagged > 0),
    ]


if __name__ == "__main__":
    bars.run("T6 hostile neighbour", attempt)
