"""Phase 22: the CUDA engine does the work of the CPU, eager and as a graph, in each precision.

fp32 is held to what arms of one comparison are held to; of tf32 and bf16 the losses may be as far apart as their
arithmetic has them. Eager and graph give the same bits.

usage: same_work.py [--smoke]     --smoke: the first trial in fp32
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field
from itertools import product

from arms import Engine, Refused, input_of
from phase import Clock, absent, bundle, group, keep, out
from regatta_worker.same_work import Evidence
from tools.same_work_judge import difference
from trials import Trial, trials_of

STEPS = 3
PRECISIONS = {"fp32": 1e-3, "tf32": 1e-2, "bf16": 1e-1}  # largest relative distance of a loss
MODES = ("eager", "graph")


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


def judged(row: Row, host: Evidence, device: Evidence) -> None:
    row.largest = largest_distance(host, device)
    if row.largest == float("inf"):
        row.largest, row.difference = None, "a loss is no finite number"
    elif row.precision == "fp32":
        row.difference = difference(host, device)
    elif not row.largest <= PRECISIONS[row.precision]:
        row.difference = f"a loss is {row.largest:.2g} apart"


def compare(
    engine: Engine, trial: Trial, precisions: list[str], clock: Clock, found: Found
) -> None:
    with input_of(bundle(), trial) as inputs:
        engine.prepare(trial, inputs)
        host = engine.evidence(STEPS)
        eager = in_fp32 = host
        for precision, mode in product(precisions, MODES):
            if clock.left < 0:
                found.left_out.append(f"{trial.name}, {precision}, {mode}")
                continue
            row = Row(trial.name, precision, mode)
            found.rows.append(row)
            engine.worker.socket.settimeout(max(1.0, clock.left))
            try:
                engine.prepare(trial, inputs, device="cuda", mode=mode, precision=precision)
                evidence = engine.evidence(STEPS)
            except Refused as refused:
                row.refused = str(refused)
                tell(row)
                if refused.kind != "unsupported":
                    raise
                continue
            judged(row, host, evidence)
            if mode == "graph":
                row.bits = bits_apart(eager, evidence)
            eager = evidence
            if precision == "fp32":
                in_fp32 = evidence
            row.is_fp32 = precision != "fp32" and evidence.losses == in_fp32.losses
            tell(row)


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
    trials = trials_of(group())[: 1 if is_smoke else None]
    precisions = ["fp32"] if is_smoke else list(PRECISIONS)
    clock, found = Clock(), Found()
    try:
        engine = Engine.start(bundle(), "native", out() / "log.txt", clock.left)
    except Refused as refused:
        absent(str(refused))
    for trial in trials:
        if clock.left < 0:
            found.left_out.append(trial.name)
            continue
        try:
            compare(engine, trial, precisions, clock, found)
        except Refused as refused:  # the worker may be gone
            print(f"{trial.name}: {refused}", flush=True)
            engine.worker.stop()
            engine = Engine.start(bundle(), "native", out() / "log.txt", max(1.0, clock.left))
        if not is_smoke:
            keep("same_work", asdict(found))
    good = sum(map(is_good, found.rows))
    print(f"{good} of {len(found.rows)} are right, {len(found.left_out)} left out for lack of time")
    engine.worker.stop()
    return 0 if found.rows and good == len(found.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
