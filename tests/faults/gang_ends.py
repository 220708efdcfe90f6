"""Agents of a gang that are killed, or hang for good, at a bucket of a step: the job ends, and the same command ends
what it began. Each is a job of its own."""

from __future__ import annotations

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from gang import begun, brought_to, let_go
from gang_sweep import TIMEOUT_SECONDS, sweep

from tools.regatta_process import PATIENCE_SECONDS, Scratch

WORK_LEFT = 75
TRIALS = 2
SILENCE_SECONDS = TIMEOUT_SECONDS + 30  # after which an agent is taken for cut off
AT_ONCE = 4  # jobs that wait for a silent agent


@dataclass(frozen=True)
class End:
    name: str
    number: signal.Signals
    rows: range  # allowed numbers of failed rows


ENDS = (
    End("has an agent that is killed", signal.SIGKILL, range(1)),
    End("has an agent that hangs", signal.SIGSTOP, range(2)),
)


@dataclass
class Ended:
    end: End
    bucket: int
    seconds: float = float("nan")  # until the job had ended
    problems: list[str] = field(default_factory=list)


def check(scratch: Scratch, ended: Ended) -> None:
    """The same command ends it; what failed stays a row."""
    failed = [row["reason"] for row in scratch.collect()["trials"] if row["status"] == "failed"]
    if len(failed) not in ended.end.rows:
        ended.problems.append(f"{len(failed)} failed rows: {failed}")
    code = scratch.run("--ranks", "2", timeout=PATIENCE_SECONDS * 3)
    rows = scratch.report()["trials"]
    finished = sum(row["status"] == "finished" for row in rows)
    if (len(rows), finished) != (TRIALS, TRIALS - len(failed)):
        ended.problems.append(f"{finished} of {len(rows)} rows finished: {scratch.output()}")
    if code != min(len(failed), 1):
        ended.problems.append(f"the run that goes on ended with {code}")
    if scratch.processes() or scratch.temporary_files():
        ended.problems.append(f"left behind: {scratch.processes()}, {scratch.temporary_files()}")


def job(end: End, bucket: int, chance: random.Random) -> Ended:
    ended = Ended(end, bucket)
    scratch = Scratch(sweep(TRIALS, attempts=2))  # a death of its agent counts against a trial
    try:
        process = scratch.start("--ranks", "2")
        gang = begun(scratch, [])
        rank = chance.randrange(2)
        step = brought_to(gang, rank, bucket, chance)
        began = time.monotonic()
        os.kill(gang.agents[rank], end.number)
        let_go(gang.pids[rank])
        code = process.wait(SILENCE_SECONDS + PATIENCE_SECONDS)
        ended.seconds = time.monotonic() - began
        print(
            f"rank {rank} {end.name} at bucket {bucket} of step {step}: {code} after {ended.seconds:.1f} s",
            flush=True,
        )
        if code != WORK_LEFT:
            ended.problems.append(f"the job ended with {code}: {scratch.output()}")
        scratch.kill_all()  # the agent that hangs still
        check(scratch, ended)
    finally:
        scratch.remove()
    return ended


def run(ends: list[tuple[End, int]], seed: int) -> list[Ended]:
    """Some jobs at a time: most of them wait."""
    with ThreadPoolExecutor(AT_ONCE) as several:
        return list(several.map(lambda cell: job(*cell, random.Random(f"{seed} {cell}")), ends))
