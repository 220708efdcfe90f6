"""Faults in a rank of a trial, and the reasons that its row must give then."""

from __future__ import annotations

import os
import random
import re
import signal
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass

from gang import LINE_BYTES, PAGE_BYTES, Gang, brought_to, let_go, write_into

from tools.regatta_process import PATIENCE_SECONDS, wait_until

STOPPED_SECONDS = 0.5  # much longer than a step, much shorter than anybody's patience


@dataclass
class Struck:
    rank: int
    step: int
    bucket: int
    began: float  # monotonic clock


@dataclass(frozen=True)
class Fault:
    name: str
    strike: Callable[[Gang, int, int, random.Random], Struck]  # a rank of it, at a bucket
    reason: str  # text of its row; {rank}, {step}, {step_before} and {bucket} are filled in
    fails: bool = True  # a row


PLACE = r"in its step {step}, before bucket {bucket} of \d+"


def _signalled(number: signal.Signals) -> Callable[[Gang, int, int, random.Random], Struck]:
    def strike(gang: Gang, rank: int, bucket: int, chance: random.Random) -> Struck:
        step = brought_to(gang, rank, bucket, chance)
        struck = Struck(rank, step, bucket, time.monotonic())
        os.kill(gang.pids[rank], number)
        if number != signal.SIGSTOP:
            let_go(gang.pids[rank])  # it is stopped, and would not take it
        return struck

    return strike


def _no_number(gang: Gang, rank: int, bucket: int, chance: random.Random) -> Struck:
    """The other rank waits before the bucket, so that nobody has summed it yet."""
    other = gang.pids[1 - rank]
    word = LINE_BYTES * bucket
    until = time.monotonic() + PATIENCE_SECONDS
    step = brought_to(gang, 1 - rank, bucket, chance)
    # It may owe sums of the step before, for which the rank waits.
    while not wait_until(lambda: gang.members[rank].word(word) == step, 0.01, pause=0):
        if time.monotonic() > until:
            raise RuntimeError(f"rank {rank} never wrote bucket {bucket}")
        os.kill(other, signal.SIGCONT)
        step = brought_to(gang, 1 - rank, bucket, chance)
    first, count, _ = gang.members[rank].buckets()[bucket]
    head = -(-gang.buckets * LINE_BYTES // PAGE_BYTES) * PAGE_BYTES
    at = head + 4 * (first + chance.randrange(count))
    write_into(gang.pids[rank], gang.members[rank].inode, at, struct.pack("<f", float("nan")))
    struck = Struck(rank, step, bucket, time.monotonic())
    let_go(other)
    return struck


def _wild_word(gang: Gang, rank: int, bucket: int, chance: random.Random) -> Struck:
    """Writes a wild word, which the others read; the rank itself would write over it soon."""
    until = time.monotonic() + PATIENCE_SECONDS
    step = brought_to(gang, rank, bucket, chance)
    # For these the other rank waits, and looks at no other word.
    while gang.owes_sums(rank, step - 1):
        if time.monotonic() > until:
            raise RuntimeError(f"rank {rank} was never seen at bucket {bucket} without sums to do")
        os.kill(gang.pids[rank], signal.SIGCONT)
        step = brought_to(gang, rank, bucket, chance)
    wild = struct.pack("<2Q", *(chance.getrandbits(64) | 1 << 40 for _ in range(2)))
    struck = Struck(rank, step, bucket, time.monotonic())
    write_into(gang.pids[rank], gang.members[rank].inode, LINE_BYTES * bucket, wild)
    wait_until(lambda: gang.stop.word(0) != 0, PATIENCE_SECONDS, pause=0.0005)
    let_go(gang.pids[rank])
    return struck


def _agent_pauses(gang: Gang, rank: int, bucket: int, chance: random.Random) -> Struck:
    step = brought_to(gang, rank, bucket, chance)
    struck = Struck(rank, step, bucket, time.monotonic())
    os.kill(gang.agents[rank], signal.SIGSTOP)
    os.kill(gang.pids[rank], signal.SIGCONT)
    time.sleep(STOPPED_SECONDS)
    os.kill(gang.agents[rank], signal.SIGCONT)
    return struck


FAULTS = (
    Fault(
        "is killed", _signalled(signal.SIGKILL), rf"rank {{rank}}: .*killed by signal 9.*{PLACE}"
    ),
    Fault(
        "crashes",
        _signalled(signal.SIGSEGV),
        rf"rank {{rank}}: .*(killed by signal 11|Segmentation).*{PLACE}",
    ),
    Fault(
        "stops",
        _signalled(signal.SIGSTOP),
        rf"rank {{rank}}: .*(has not (written|summed)|no answer|within).*{PLACE}",
    ),
    Fault("writes NaN", _no_number, r"rank {rank} wrote nan to bucket {bucket} of step {step} "),
    Fault(
        "writes over its control words",
        _wild_word,
        # The other rank may not have written anything of this step yet.
        r"rank {rank} says that it is at step \d+ of bucket {bucket} .* at step ({step}|{step_before})\. ",
    ),
    Fault("has an agent that stops for 0.5 s", _agent_pauses, "", fails=False),
)


def is_told(struck: Struck, fault: Fault, reason: str) -> bool:
    """Whether this is the reason that the fault's row should give."""
    words = {
        "{rank}": struck.rank,
        "{step}": struck.step,
        "{step_before}": struck.step - 1,
        "{bucket}": struck.bucket,
    }
    wanted = fault.reason
    for word, number in words.items():
        wanted = wanted.replace(word, str(number))
    return re.search(wanted, reason, re.DOTALL) is not None
