"""Phase 32: what Nsight Compute says of each kernel of the last of a few eager steps, where each is seen by itself.

A worker for each trial. First how long kernels take, which is one pass over each; then, in what time is left, how busy
they keep the device, which is several passes.
"""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from arms import Engine, Refused, input_of
from phase import Clock, absent, bundle, group, keep, log
from trials import Trial, trials_of

COUNTED = ("conv1d-small, 140", "mlp-784", "cnn-28", "conv1d-medium, 140")
KERNELS = 400  # more of one worker are not looked at
STEPS = 2  # beside the first
FIRST_OF_STEP = "advance_state"  # each training step begins with it
DURATION = "gpu__time_duration.sum"
SM = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
PASSES = ((DURATION, "launch__grid_size", "launch__block_size"), (DURATION, SM, DRAM))
END_SECONDS = 15  # for a worker whose link has ended, and ncu's report
MICROSECONDS = {"n": 1e-3, "u": 1.0, "m": 1e3, "s": 1e6}  # by the first letter of a unit
SHOWN_NAME = 100
SHOWN_LOG = 3000
PLAIN = ("void ", "regatta::engine::cuda::", "<unnamed>::", "(anonymous namespace)::")


@dataclass
class Kernel:
    kernel: str
    grid: str
    block: str
    us: float
    sm_percent: float | None = None
    dram_percent: float | None = None

    @property
    def shown(self) -> str:
        name = self.kernel
        for part in PLAIN:
            name = name.replace(part, "")
        return name[:SHOWN_NAME]


def number(text: str | None) -> float | None:
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return None


def kernels_in(report: str) -> list[Kernel]:
    """Read from ncu's table: a row of names, a row of units, a row for each kernel."""
    lines = report.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    units, *rows = list(csv.DictReader(line for line in lines[begin:] if line[:1] == '"')) or [{}]
    scale = MICROSECONDS.get((units.get(DURATION) or "n")[0], 1e-3)
    return [
        Kernel(
            row["Kernel Name"],
            row.get("Grid Size") or row.get("launch__grid_size") or "",
            row.get("Block Size") or row.get("launch__block_size") or "",
            (number(row.get(DURATION)) or 0.0) * scale,
            number(row.get(SM)),
            number(row.get(DRAM)),
        )
        for row in rows
    ]


def last_step(kernels: list[Kernel]) -> list[Kernel]:
    """The last one that was seen whole; all of them where no step shows where it begins."""
    begins = [i for i, each in enumerate(kernels) if FIRST_OF_STEP in each.kernel]
    if not begins:
        return kernels
    if len(kernels) >= KERNELS and len(begins) > 1:
        return kernels[begins[-2] : begins[-1]]
    return kernels[begins[-1] :]


def profiled(folder: Path, metrics: tuple[str, ...]) -> None:
    """A folder whose worker runs under ncu; it keeps the descriptor of its link, and says its process id."""
    (folder / "bin").mkdir()
    worker = folder / "bin" / "regatta-worker"
    ncu = f"ncu --clock-control none --target-processes all -c {KERNELS} --metrics {','.join(metrics)}"
    ncu += f" --csv --page raw --print-units base --log-file {folder}/report.txt"
    inner = f'echo $$ >{folder}/pid; exec {bundle()}/bin/regatta-worker "$@"'
    worker.write_text(f"#!/bin/sh\nexec {ncu} sh -c '{inner}' worker \"$@\"\n")
    worker.chmod(0o755)


def ended(engine: Engine, folder: Path, seconds: float) -> None:
    """ncu writes its report when its program ends: the end of its link ends it, else a signal does."""
    engine.hang_up()
    for patience, what in ((seconds, signal.SIGTERM), (3.0, signal.SIGKILL)):
        try:
            engine.worker.process.wait(max(1.0, patience))
            return
        except subprocess.TimeoutExpired:
            with suppress(OSError, ValueError):
                os.kill(int((folder / "pid").read_text()), what)
    engine.worker.stop()


def counted(trial: Trial, metrics: tuple[str, ...], seconds: float) -> list[Kernel]:
    """By a worker that has so much time."""
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name, input_of(bundle(), trial) as inputs:
        folder = Path(name)
        profiled(folder, metrics)
        engine = Engine.start(folder, "native", log(), seconds)
        try:
            engine.prepare(trial, inputs, device="cuda", mode="eager")
            engine.slice(1, "first")
            engine.slice(STEPS)
        finally:
            ended(engine, folder, min(END_SECONDS, end - time.monotonic()))
        report = folder / "report.txt"
        text = report.read_text(errors="replace") if report.exists() else ""
    found = kernels_in(text)
    if not found:
        raise Refused({"kind": "ncu", "message": f"no kernel was counted: {text[-SHOWN_LOG:]}"})
    return last_step(found)


def chosen(trials: list[Trial], clock: Clock) -> None:
    """A worker without ncu chooses algorithms first: under ncu each takes longer than it does, and would be kept."""
    engine = Engine.start(bundle(), "native", log(), max(1.0, clock.left))
    for trial in trials:
        with input_of(bundle(), trial) as inputs:
            engine.prepare(trial, inputs, device="cuda", mode="eager")
            engine.slice(1, "first")
    engine.worker.stop()


def show(name: str, kernels: list[Kernel]) -> None:
    total = sum(each.us for each in kernels)
    print(f"-- {name}: {len(kernels)} kernels in a step, {total:.1f} us in all")
    for each in kernels:
        busy = [
            f"{what} {percent:.0f} %"
            for what, percent in (("sm", each.sm_percent), ("dram", each.dram_percent))
            if percent is not None
        ]
        print(f"{each.us:9.2f} us  {each.grid:>16}  {each.shown}  {', '.join(busy)}".rstrip())


def main() -> int:
    if shutil.which("ncu") is None:
        absent("ncu")
    clock, all_trials = Clock(), trials_of(group())
    trials = [each for each in all_trials if each.name in COUNTED] or all_trials[:1]
    found: dict[str, list[Kernel]] = defaultdict(list)
    chosen(trials, clock)
    longest = 0.0
    for metrics in PASSES:
        for trial in trials:
            if clock.left < max(5.0, longest):
                print(f"no time left for {trial.name}, {metrics[1]}")
                continue
            begin = time.monotonic()
            try:
                kernels = counted(trial, metrics, clock.left)
            except Refused as error:
                print(f"error: {trial.name}: {error}", flush=True)
                continue
            longest = max(longest, time.monotonic() - begin)
            # Times are those of the first look: several passes slow a kernel.
            old = found[trial.name]
            for before, after in zip(old, kernels if len(old) == len(kernels) else []):
                before.sm_percent, before.dram_percent = after.sm_percent, after.dram_percent
            found[trial.name] = old or kernels
            keep("counters", {name: [asdict(e) for e in each] for name, each in found.items()})
            if not old:
                show(trial.name, kernels)
    for name, kernels in found.items():
        if any(each.sm_percent is not None for each in kernels):
            show(name, kernels)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
