"""Phase 22: the CUDA engine does the work of the CPU, eager and as a graph, in each precision.

fp32 is held to what arms of one comparison are held to; of tf32 and bf16 the losses may be as far apart as their
arithmetic has them. Eager and graph give the same bits. Lanes take trials side by side, the cheap ones first; in each
of them one worker computes the reference on its share of the cores (their number changes no bit) while another one
computes on the GPU.

usage: same_work.py [--smoke]     --smoke: one trial in fp32
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from queue import Empty, Queue
from threading import Lock
from typing import Any

from arms import Engine, Refused, input_of
from phase import Clock, absent, bundle, group, is_emulated, keep, log
from regatta_worker.same_work import Evidence
from trials import Trial, trials_of

from tools.same_work_judge import difference

STEPS = 3
PRECISIONS = {"fp32": 1e-3, "tf32": 1e-2, "bf16": 1e-1}  # largest relative distance of a loss
# Tensor cores drop what stands behind 10 bits of both operands, always towards zero: what passes through many layers
# shrinks in each.
TF32_OF_A_LAYER = 2.0**-9
MODES = ("eager", "graph")
MOST_THREADS = 16  # all references together
LANES = 3
LARGE_BYTES = (
    40_000_000  # weights; from here on what is told of their gradients takes longer than steps
)
LARGE_STEPS = 2
ROW_SECONDS = 20.0  # a row that takes longer is left out
LEAST_SECONDS = 1.0


@dataclass
class Row:
    trial: str
    precision: str
    mode: str
    difference: str = ""  # from the CPU in fp32; empty: none
    largest: float | None = None  # relative distance of a loss
    is_fp32: bool = False  # in another precision: the losses have the bits of fp32
    bits: str = ""  # where graph's differ from eager's; empty: nowhere
    refused: str = ""


@dataclass
class Found:
    rows: list[Row] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def largest_distance(a: Evidence, b: Evidence) -> float:
    pairs = [pair for steps in zip(a.losses, b.losses) for pair in zip(*steps)]
    if any(x is None or y is None for x, y in pairs):  # no finite number
        return float("inf")
    return max((abs(x - y) / max(abs(x), abs(y), 1e-3) for x, y in pairs), default=0.0)


def bits_apart(a: Evidence, b: Evidence) -> str:
    """The first part of the evidence that is not the same to the last bit."""
    for name, first in asdict(a).items():
        if first != asdict(b)[name]:
            return name
    return ""


def allowed(precision: str, layers: int) -> float:
    of_layers = TF32_OF_A_LAYER * layers if precision == "tf32" else 0.0
    return max(PRECISIONS[precision], of_layers)


def judged(row: Row, host: Evidence, device: Evidence, layers: int) -> None:
    row.largest = largest_distance(host, device)
    if row.largest == float("inf"):
        row.largest, row.difference = None, "a loss is no finite number"
    elif row.precision == "fp32":
        row.difference = difference(host, device)
    elif not row.largest <= allowed(row.precision, layers):
        row.difference = f"a loss is {row.largest:.2g} apart"


class Worker:
    """One that failed is replaced: what comes after it is asked of a fresh one."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.engine = self.started()

    def started(self) -> Engine:
        seconds = max(LEAST_SECONDS, self.clock.left)
        return Engine.start(bundle(), "native", log(), seconds)

    def evidence(
        self, trial: Trial, inputs: dict[str, str], most_seconds: float, **levels: Any
    ) -> Evidence:
        """Raises Refused. Large models in other precisions than fp32 give the losses alone, which are judged."""
        seconds = max(LEAST_SECONDS, min(most_seconds, self.clock.left))
        self.engine.worker.socket.settimeout(seconds)
        weights = inputs["weights_path"]
        is_large = bool(weights) and Path(weights).stat().st_size > LARGE_BYTES
        steps = LARGE_STEPS if is_large else STEPS
        whole = not is_large or levels.get("precision", "fp32") == "fp32"
        try:
            self.engine.prepare(trial, inputs, **levels)
            return self.engine.evidence(steps, whole)
        except Refused as refused:
            if refused.kind != "unsupported":
                self.engine.worker.stop()
                self.engine = self.started()
            raise


class Lane:
    def __init__(self, clock: Clock, threads: int) -> None:
        self.clock, self.threads = clock, threads
        self.host, self.device = Worker(clock), Worker(clock)

    def compare(self, trial: Trial, precisions: list[str], found: Found) -> list[Row]:
        clock = self.clock
        with input_of(bundle(), trial) as inputs, ThreadPoolExecutor(1) as thread:
            reference = thread.submit(
                self.host.evidence, trial, inputs, clock.left, threads=self.threads
            )
            rows: list[tuple[Row, Evidence | None]] = []
            for precision, mode in product(precisions, MODES):
                row, evidence = Row(trial.name, precision, mode), None
                if clock.left < LEAST_SECONDS:
                    found.left_out.append(f"{trial.name}, {precision}, {mode}")
                    continue
                levels = {"device": "cuda", "mode": mode, "precision": precision}
                try:
                    evidence = self.device.evidence(trial, inputs, ROW_SECONDS, **levels)
                except Refused as refused:
                    row.refused = str(refused)
                rows.append((row, evidence))
            try:
                judge(rows, reference.result(), len(trial.model.get("layers", [])))
            except Refused as refused:
                found.left_out.append(f"{trial.name}: no reference from the CPU: {refused}")
                return []
        return [row for row, _ in rows]

    def stop(self) -> None:
        for worker in (self.host, self.device):
            worker.engine.worker.stop()


def run(lane: Lane, waiting: Queue[Trial], precisions: list[str], found: Found, lock: Lock) -> None:
    """Trials as they come, until none is left."""
    while True:
        try:
            trial = waiting.get_nowait()
        except Empty:
            return
        if lane.clock.left < LEAST_SECONDS:
            found.left_out.append(trial.name)
            continue
        try:
            rows = lane.compare(trial, precisions, found)
        except (Refused, RuntimeError) as error:
            print(f"error: {trial.name}: {error}", flush=True)
            found.left_out.append(trial.name)
            continue
        with lock:
            found.rows += rows
            for row in rows:
                tell(row)
            if len(precisions) > 1:
                keep("same_work", asdict(found))


def judge(rows: list[tuple[Row, Evidence | None]], host: Evidence, layers: int) -> None:
    """The rows of a trial, eager in front of graph in each precision, fp32 first."""
    eager: Evidence | None = None
    in_fp32: Evidence | None = None
    for row, evidence in rows:
        if evidence is None:
            eager = None if row.mode == "eager" else eager
            continue
        judged(row, host, evidence, layers)
        if row.mode == "graph" and eager is not None:
            row.bits = bits_apart(eager, evidence)
        eager = evidence
        if row.precision == "fp32":
            in_fp32 = evidence
        elif in_fp32 is not None:
            row.is_fp32 = evidence.losses == in_fp32.losses


def is_good(row: Row) -> bool:
    may_lack = row.precision != "fp32" and row.refused.startswith("unsupported")
    return not row.difference and not row.bits and (not row.refused or may_lack)


def tell(row: Row) -> None:
    told = row.refused or row.difference or (row.bits and f"other bits than eager: {row.bits}")
    told = told or f"{row.largest:.1e} apart" + (", the bits of fp32" if row.is_fp32 else "")
    mark = "ok " if is_good(row) else "BAD"
    print(f"{mark} {row.trial}, {row.precision}, {row.mode}: {told}", flush=True)


def main() -> int:
    is_smoke = "--smoke" in sys.argv
    trials = trials_of(group() if is_smoke or is_emulated() else "same work")
    trials = trials[: 1 if is_smoke else None]
    precisions = ["fp32"] if is_smoke else list(PRECISIONS)
    clock, found = Clock(), Found()
    count = min(LANES, len(trials), len(os.sched_getaffinity(0)))
    cores = min(MOST_THREADS, len(os.sched_getaffinity(0))) // count
    try:
        lanes = [Lane(clock, cores) for _ in range(count)]
    except Refused as refused:
        absent(str(refused))
    waiting: Queue[Trial] = Queue()
    for trial in trials:
        waiting.put(trial)
    lock = Lock()
    with ThreadPoolExecutor(count) as threads:
        list(threads.map(lambda lane: run(lane, waiting, precisions, found, lock), lanes))
    for lane in lanes:
        lane.stop()
    if not is_smoke:
        keep("same_work", asdict(found))
    good = sum(map(is_good, found.rows))
    for name in found.left_out:
        print(f"left out: {name}")
    print(f"{good} of {len(found.rows)} are right, {len(found.left_out)} left out for lack of time")
    return 0 if found.rows and good == len(found.rows) and not found.left_out else 1


if __name__ == "__main__":
    sys.exit(main())
