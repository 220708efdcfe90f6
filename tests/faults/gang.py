"""The visible state of the ranks of a running trial, and the means to bring one of them to a bucket of its step."""

from __future__ import annotations

import mmap
import os
import random
import re
import signal
import struct
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tools.regatta_process import PATIENCE_SECONDS, Scratch, rank_number, wait_until

PAGE_BYTES = 4096
LINE_BYTES = 64  # a bucket's progress: the last steps that were written and summed
TRIES = 3000


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
    """The memory of a process that others may read."""

    def __init__(self, path: str) -> None:
        descriptor = os.open(path, os.O_RDONLY)
        self.inode = os.fstat(descriptor).st_ino
        self.bytes = mmap.mmap(descriptor, 0, prot=mmap.PROT_READ)
        os.close(descriptor)

    def word(self, at: int) -> int:
        return struct.unpack_from("<Q", self.bytes, at)[0]

    def buckets(self) -> list[tuple[int, int, int]]:
        """(first element, elements, those of a rank's slice) of each, as they stand at the end of the memory."""
        count = self.word(len(self.bytes) - 16)
        at = len(self.bytes) - -(-(24 * count + 32) // PAGE_BYTES) * PAGE_BYTES
        return [struct.unpack_from("<3Q", self.bytes, at + 24 * bucket) for bucket in range(count)]


def is_stopped(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "T"


def write_into(pid: int, inode: int, at: int, data: bytes) -> None:
    """As a wild store of the process itself would: nobody else can write to its shared memory."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    match = re.search(rf"^([0-9a-f]+)-\S+ rw-s 0+ \S+ {inode} ", maps, re.MULTILINE)
    if match is None:
        raise RuntimeError(f"process {pid} has no memory {inode} that it writes to")
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        memory.seek(int(match.group(1), 16) + at)
        memory.write(data)


@dataclass
class Gang:
    """The workers of a trial that runs, by rank."""

    pids: list[int]
    agents: list[int]
    members: list[Memory]
    stop: Memory
    buckets: int

    @property
    def inodes(self) -> list[int]:
        return [member.inode for member in self.members]

    def standing(self, rank: int) -> tuple[int, int]:
        """(step, bucket) that the rank writes next."""
        written = [self.members[rank].word(bucket * LINE_BYTES) for bucket in range(self.buckets)]
        step = max(written)
        at = sum(each == step for each in written)
        return (step + 1, 0) if at == self.buckets else (step, at)

    def owes_sums(self, rank: int, step: int) -> bool:
        """Whether it has slices of this step to sum."""
        summed = (self.members[rank].word(at * LINE_BYTES + 8) for at in range(self.buckets))
        return any(each < step for each in summed)


def gang_of(agents: list[int]) -> Gang | None:
    """Workers of these agents, in the order of ranks; nothing until all have exchanged gradients."""
    try:
        return _seen_gang(agents)
    except (OSError, KeyError, ValueError):  # a process ended while it was looked at
        return None


def _seen_gang(agents: list[int]) -> Gang | None:
    workers = [_worker_below(agent) for agent in agents]
    if len(workers) != 2 or None in workers:
        return None
    pids = [worker for worker in workers if worker is not None]
    paths = [shared_memory(pid, "regatta-gradients") for pid in pids]
    stops = [shared_memory(agent, "regatta-stop") for agent in agents]
    if not all(paths) or not any(stops):
        return None
    members = [Memory(path) for path in paths]
    if not all(member.word(0) > 0 for member in members):
        return None
    stop = Memory(next(filter(None, stops)))
    return Gang(pids, agents, members, stop, len(members[0].buckets()))


def _worker_below(process: int) -> int | None:
    """A look at few processes takes no time from those that are measured."""
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            if Path(f"/proc/{child}/comm").read_text().startswith("regatta-worker"):
                return child
            found = _worker_below(child)
            if found is not None:
                return found
    return None


def agents_of(scratch: Scratch) -> list[int]:
    """In the order of ranks; the lowest one leads."""
    ranks = [process for process in scratch.processes() if process.role == "rank"]
    return [rank.pid for rank in sorted(ranks, key=rank_number)]


def begun(scratch: Scratch, before: list[int], agents: list[int] | None = None) -> Gang:
    """The ranks of a trial that exchange gradients, in other memory than before."""
    found: list[Gang] = []

    def is_ready() -> bool:
        gang = gang_of(agents or agents_of(scratch))
        if gang is not None and not set(gang.inodes) & set(before):
            found.append(gang)
        return bool(found)

    if not wait_until(is_ready, PATIENCE_SECONDS, pause=0.001):
        raise RuntimeError(f"no trial begins:\n{scratch.output()}")
    return found[0]


def let_go(pid: int) -> None:
    """A process that was stopped goes on, unless it was ended meanwhile."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def brought_to(gang: Gang, rank: int, bucket: int, chance: random.Random) -> int:
    """Stops the rank where it writes this bucket next; the step."""
    pid = gang.pids[rank]
    for _ in range(TRIES):
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: is_stopped(pid), 1, pause=0)
        step, at = gang.standing(rank)
        if at == bucket:
            return step
        os.kill(pid, signal.SIGCONT)
        time.sleep(chance.uniform(0, 0.004))
    raise RuntimeError(f"rank {rank} was never seen at bucket {bucket}")
