"""Ranks of a trial that die, crash or stop at each bucket of a step: one failed row each, and the run goes on.

    PYTHONPATH=. python3 tests/faults/gang_faults.py --faults 3 --seed 7
    PYTHONPATH=. python3 tests/faults/gang_faults.py --write docs/ranks.md

A rank is stopped again and again until it stands at the wanted bucket, which its memory shows; then it is dealt with.
Without --faults every fault is tried at every bucket, in a rank that a seed draws.
"""

from __future__ import annotations

import argparse
import mmap
import os
import random
import re
import signal
import statistics
import struct
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tools import page_part
from tools.regatta_process import PATIENCE_SECONDS, Process, Scratch, rank_number, wait_until

LAYERS = 8
BUCKETS = LAYERS  # a layer's kernel, and the bias of the one before it
TIMEOUT_SECONDS = 4.0  # limits.trial_timeout
LINE_BYTES = 64  # a bucket's progress: the last steps that were written and summed
TRIES = 3000
MODEL = {
    "name": "deep",
    "input": [256],
    "layers": [
        *[{"dense": 256, "activation": "relu"}] * (LAYERS - 1),
        {"dense": 256, "activation": "softmax"},
    ],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"sgd": {"learning_rate": 0.001}},
}


@dataclass(frozen=True)
class Fault:
    name: str
    number: signal.Signals
    reason: str  # what its row says of the rank


FAULTS = (
    Fault("killed", signal.SIGKILL, "killed by signal 9"),
    Fault("crashes", signal.SIGSEGV, "killed by signal 11|Segmentation"),
    Fault("stops", signal.SIGSTOP, "has not (written|summed)|no answer|within"),
)


def sweep(trials: int) -> dict:
    return {
        "regatta": 1,
        "name": "faults",
        "axes": {
            "model": [MODEL],
            "batch": [256],
            "shards": [2],
            "ranks": [2],
            "bucket_bytes": [300_000],  # one layer's kernel, and a bias
            "seed": list(range(trials)),
        },
        "measure": {"slices": 60, "steps": 40},
        "limits": {"attempts": 1, "trial_timeout": f"{TIMEOUT_SECONDS:g}s"},
    }


def shared_memory(pid: int, name: str) -> str:
    """The descriptor's path, of the newest one; empty if the process has none."""
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if os.readlink(entry).startswith(f"/memfd:{name} "):
                found.append(entry)
        except OSError:
            continue
    return str(max(found, key=lambda path: int(path.name))) if found else ""


class Memory:
    """What others may read of a process."""

    def __init__(self, path: str) -> None:
        descriptor = os.open(path, os.O_RDONLY)
        self.inode = os.fstat(descriptor).st_ino
        self.bytes = mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)
        os.close(descriptor)

    def word(self, at: int) -> int:
        return struct.unpack_from("<Q", self.bytes, at)[0]


def bucket_at(member: Memory) -> tuple[int, int]:
    """(step, bucket) that the rank writes next."""
    written = [member.word(bucket * LINE_BYTES) for bucket in range(BUCKETS)]
    step = max(written)
    at = sum(each == step for each in written)
    return (step + 1, 0) if at == BUCKETS else (step, at)


def is_stopped(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "T"


@dataclass
class Gang:
    """The workers of a trial that runs, by rank."""

    pids: list[int]
    members: list[Memory]
    stop: Memory

    @property
    def inodes(self) -> list[int]:
        return [member.inode for member in self.members]


def gang_of(scratch: Scratch) -> Gang | None:
    """Nothing until both ranks have exchanged gradients."""
    try:
        return seen_gang(scratch)
    except (OSError, KeyError):  # a process ended while it was looked at
        return None


def seen_gang(scratch: Scratch) -> Gang | None:
    processes = scratch.processes()
    workers = [each for each in processes if each.role == "worker"]
    paths = {each.pid: shared_memory(each.pid, "regatta-gradients") for each in workers}
    stops = [shared_memory(each.pid, "regatta-stop") for each in processes if each.role == "rank"]
    if len(workers) != 2 or not all(paths.values()) or not any(stops):
        return None
    by_rank = sorted(workers, key=lambda worker: agent_of(worker, processes))
    members = [Memory(paths[worker.pid]) for worker in by_rank]
    if not all(member.word(0) > 0 for member in members):
        return None
    return Gang([each.pid for each in by_rank], members, Memory(next(filter(None, stops))))


def agent_of(worker: Process, processes: list[Process]) -> int:
    """The number of the agent that started it; the lowest one leads."""
    by_pid = {each.pid: each for each in processes}
    at = worker
    while at.role != "rank":
        at = by_pid[at.parent]
    return rank_number(at)


def brought_to(gang: Gang, rank: int, bucket: int, chance: random.Random) -> int:
    """Stops the rank where it writes this bucket next; the step."""
    pid, member = gang.pids[rank], gang.members[rank]
    for _ in range(TRIES):
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: is_stopped(pid), 1, pause=0)
        step, at = bucket_at(member)
        if at == bucket:
            return step
        os.kill(pid, signal.SIGCONT)
        time.sleep(chance.uniform(0, 0.004))
    raise RuntimeError(f"rank {rank} was never seen at bucket {bucket}")


@dataclass
class Seen:
    fault: Fault
    bucket: int
    rank: int
    step: int
    told_seconds: float  # until the others were told to stop
    ready_seconds: float  # from then until both ranks of the next trial exchange
    stays_warm: bool  # the other rank's process


@dataclass
class Tally:
    seen: list[Seen] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def strike(scratch: Scratch, gang: Gang, fault: Fault, bucket: int, chance: random.Random) -> Seen:
    rank = chance.randrange(2)
    step = brought_to(gang, rank, bucket, chance)
    began = time.monotonic()
    os.kill(gang.pids[rank], fault.number)
    if fault.number == signal.SIGSEGV:
        os.kill(gang.pids[rank], signal.SIGCONT)  # it is stopped, and would not take it
    if not wait_until(lambda: gang.stop.word(0) != 0, PATIENCE_SECONDS, pause=0.0005):
        raise RuntimeError("the other rank was never told to stop")
    told = time.monotonic()
    following: list[Gang] = []

    def is_ready() -> bool:
        found = gang_of(scratch)
        if found is not None and not set(found.inodes) & set(gang.inodes):
            following.append(found)
        return bool(following)

    if not wait_until(is_ready, PATIENCE_SECONDS, pause=0.001):
        raise RuntimeError("the next trial never began")
    ready = time.monotonic()
    other = gang.pids[1 - rank]
    warm = other in following[0].pids
    return Seen(fault, bucket, rank, step, told - began, ready - told, warm)


def check_rows(scratch: Scratch, tally: Tally, trials: int) -> None:
    rows = scratch.report()["trials"]
    failed = [row["reason"] for row in rows if row["status"] == "failed"]
    finished = sum(row["status"] == "finished" for row in rows)
    if (len(failed), finished) != (len(tally.seen), trials - len(tally.seen)):
        tally.problems.append(f"{len(failed)} rows failed, {finished} finished of {trials}")
    for seen in tally.seen:
        place = rf"in its step {seen.step}, before bucket {seen.bucket} of {BUCKETS}"
        named = rf"rank {seen.rank}: .*({seen.fault.reason}).*{place}"
        match = next((reason for reason in failed if re.search(named, reason)), None)
        if match is None:
            tally.problems.append(f"no row says {named!r}")
        else:
            failed.remove(match)
    tally.problems += [f"a row that nothing was done to: {reason}" for reason in failed]


def run(cells: list[tuple[Fault, int]], chance: random.Random) -> Tally:
    tally = Tally()
    trials = len(cells) + 1
    scratch = Scratch(sweep(trials))
    try:
        process = scratch.start("--ranks", "2")
        for fault, bucket in cells:
            found: list[Gang] = []

            def begun() -> bool:
                gang = gang_of(scratch)
                if gang is not None:
                    found.append(gang)
                return bool(found)

            if not wait_until(begun, PATIENCE_SECONDS):
                raise RuntimeError(f"no trial runs:\n{scratch.output()}")
            seen = strike(scratch, found[0], fault, bucket, chance)
            tally.seen.append(seen)
            print(
                f"rank {seen.rank} {fault.name} at bucket {bucket} of step {seen.step}: told after"
                f" {1e3 * seen.told_seconds:.1f} ms, ready {1e3 * seen.ready_seconds:.0f} ms later",
                flush=True,
            )
        process.wait(PATIENCE_SECONDS * 3)
        check_rows(scratch, tally, trials)
        if scratch.processes() or scratch.temporary_files():
            tally.problems.append(
                f"left behind: {scratch.processes()}, {scratch.temporary_files()}"
            )
    finally:
        scratch.remove()
    return tally


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(tally: Tally) -> str:
    head = ["a rank", *(str(bucket) for bucket in range(BUCKETS)), "told after", "ready after"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for fault in FAULTS:
        own = [seen for seen in tally.seen if seen.fault is fault]
        counts = [str(sum(seen.bucket == bucket for seen in own)) for bucket in range(BUCKETS)]
        told = [1e3 * seen.told_seconds for seen in own] or [float("nan")]
        ready = [1e3 * seen.ready_seconds for seen in own] or [float("nan")]
        times = [
            f"{statistics.median(each):.1f} ms ({percentile(each, 0.99):.1f})"
            for each in (told, ready)
        ]
        lines.append("| " + " | ".join([fault.name, *counts, *times]) + " |")
    held = (
        "each is one failed row that names the rank" if not tally.problems else "**not all held**"
    )
    warm = sum(seen.stays_warm for seen in tally.seen)
    return "\n".join(
        [
            *lines,
            "",
            f"{len(tally.seen)} faults in one run of two ranks: {held}; the other rank's process stayed in"
            f" {warm}.",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--faults", type=int, help="try so many, drawn by the seed")
    parser.add_argument("--write", type=Path, help="the page whose table is replaced")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    cells = [(fault, bucket) for fault in FAULTS for bucket in range(BUCKETS)]
    chance.shuffle(cells)
    tally = run(cells[: options.faults], chance)
    text = table(tally)
    print(text)
    for problem in tally.problems:
        print(f"BROKEN: {problem}")
    if options.write:
        page_part.write(options.write, "gang_faults.py", text)
    return min(len(tally.problems), 1)


if __name__ == "__main__":
    sys.exit(main())
