"""Ranks of a trial that something happens to at each bucket of a step: one failed row each, and the run goes on; where
an agent is lost the job ends, and the same command goes on.

    PYTHONPATH=. python3 tests/faults/gang_faults.py --faults 6 --seed 7
    PYTHONPATH=. python3 tests/faults/gang_faults.py --repeats 4 --write docs/guide/data-parallel.md

A rank is stopped again and again until it stands at the wanted bucket, which its memory shows; then it is dealt with.
Without --faults every fault is tried at every bucket, in a rank that a seed draws; with it so many of them, and a lost
agent.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path

import gang_ends
from gang import Gang, begun
from gang_ends import ENDS, End, Ended
from gang_kinds import FAULTS, Fault, Struck, is_told
from gang_sweep import BUCKETS, sweep

from tools import page_part
from tools.regatta_process import PATIENCE_SECONDS, Scratch, wait_until
from tools.seeds import add_seed

COLUMNS = 118
TRIAL_SECONDS = 30  # at most, of one that nothing is done to


@dataclass
class Seen:
    fault: Fault
    struck: Struck
    told_seconds: float = float("nan")  # until the others were told to stop
    ready_seconds: float = float("nan")  # from then until both ranks of the next trial exchange
    stays_warm: bool = True  # the other rank's process


@dataclass
class Tally:
    seen: list[Seen] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def strike(scratch: Scratch, gang: Gang, fault: Fault, bucket: int, chance: random.Random) -> Seen:
    rank = chance.randrange(2)
    struck = fault.strike(gang, rank, bucket, chance)
    if not fault.fails:
        if not wait_until(lambda: gang.standing(rank)[0] > struck.step + 1, PATIENCE_SECONDS):
            raise RuntimeError("the ranks do not go on")
        return Seen(fault, struck)
    if not wait_until(lambda: gang.stop.word(0) != 0, PATIENCE_SECONDS, pause=0.0005):
        raise RuntimeError(f"the other rank was never told to stop:\n{scratch.output()}")
    told = time.monotonic()
    following = begun(scratch, gang.inodes, gang.agents)
    ready = time.monotonic()
    warm = gang.pids[1 - rank] in following.pids
    return Seen(fault, struck, told - struck.began, ready - told, warm)


def check_rows(scratch: Scratch, tally: Tally, trials: int) -> None:
    rows = scratch.report()["trials"]
    failed = [row["reason"] for row in rows if row["status"] == "failed"]
    finished = sum(row["status"] == "finished" for row in rows)
    failures = [seen for seen in tally.seen if seen.fault.fails]
    if (len(failed), finished) != (len(failures), trials - len(failures)):
        tally.problems.append(f"{len(failed)} rows failed, {finished} finished of {trials}")
    for seen in failures:
        match = next((row for row in failed if is_told(seen.struck, seen.fault, row)), None)
        if match is None:
            tally.problems.append(f"no row says that a rank {seen.fault.name}: {seen.struck}")
        else:
            failed.remove(match)
    tally.problems += [f"a row that nothing was done to: {reason}" for reason in failed]


def run(cells: list[tuple[Fault, int]], chance: random.Random) -> Tally:
    tally = Tally()
    failing = sum(fault.fails for fault, _ in cells)
    trials = failing + (len(cells) - failing) // 8 + 2  # many that fail nobody meet one trial
    scratch = Scratch(sweep(trials))
    try:
        process = scratch.start("--ranks", "2")
        for fault, bucket in cells:
            seen = strike(scratch, begun(scratch, []), fault, bucket, chance)
            tally.seen.append(seen)
            print(
                f"rank {seen.struck.rank} {fault.name} at bucket {bucket} of step {seen.struck.step}: told after"
                f" {1e3 * seen.told_seconds:.1f} ms, ready {1e3 * seen.ready_seconds:.0f} ms later",
                flush=True,
            )
        process.wait(PATIENCE_SECONDS + TRIAL_SECONDS * (trials - failing))
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


def counts_by_bucket(buckets: list[int]) -> list[str]:
    return [str(buckets.count(bucket)) for bucket in range(BUCKETS)]


def times_text(seconds: list[float]) -> str:
    return f"{1e3 * statistics.median(seconds):.1f} ms ({1e3 * percentile(seconds, 0.99):.1f})"


def lines_of_rows(tally: Tally) -> list[str]:
    head = ["a rank", *(str(bucket) for bucket in range(BUCKETS)), "told after", "ready after"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for fault in FAULTS:
        own = [seen for seen in tally.seen if seen.fault is fault]
        if not own:
            continue
        times = ["nobody fails", ""]
        if fault.fails:
            times = [
                times_text([seen.told_seconds for seen in own]),
                times_text([seen.ready_seconds for seen in own]),
            ]
        counts = counts_by_bucket([seen.struck.bucket for seen in own])
        lines.append("| " + " | ".join([fault.name, *counts, *times]) + " |")
    for end in ENDS:
        jobs = [ended for ended in tally.ended if ended.end is end]
        if not jobs:
            continue
        most = max(ended.seconds for ended in jobs)
        counts = counts_by_bucket([ended.bucket for ended in jobs])
        last = f"the job ends within {most:.1f} s"
        lines.append("| " + " | ".join([end.name, *counts, last, "the same command"]) + " |")
    return lines


def table(tally: Tally) -> str:
    held = "**not all held**" if tally.problems else "all held"
    failures = [seen for seen in tally.seen if seen.fault.fails]
    warm = sum(seen.stays_warm for seen in failures)
    text = (
        f"{len(tally.seen)} faults in one run of two ranks and {len(tally.ended)} jobs that lost an agent, {held}:"
        f" {len(failures)} failed rows, each of which names rank, step, bucket and cause; the other rank's process"
        f" stayed in {warm} of them."
    )
    return "\n".join([*lines_of_rows(tally), "", textwrap.fill(text, COLUMNS)])


def ends_of(options: argparse.Namespace, chance: random.Random) -> list[tuple[End, int]]:
    if options.faults is not None:
        return [(ENDS[0], chance.randrange(BUCKETS))]
    ends = [end for end in ENDS if (options.only or "") in end.name]
    return [(end, bucket) for end in ends for bucket in range(BUCKETS)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_seed(parser)
    parser.add_argument("--faults", type=int, help="try so many, drawn by the seed")
    parser.add_argument("--repeats", type=int, default=1, help="of each fault at each bucket")
    parser.add_argument("--only", help="faults whose names hold this")
    parser.add_argument("--write", type=Path, help="the page whose table is replaced")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    faults = [fault for fault in FAULTS if (options.only or "") in fault.name]
    cells = [(fault, bucket) for fault in faults for bucket in range(BUCKETS)] * options.repeats
    chance.shuffle(cells)
    tally = run(cells[: options.faults], chance)
    tally.ended = gang_ends.run(ends_of(options, chance), chance.getrandbits(32))
    for ended in tally.ended:
        tally.problems += [f"{ended.end.name}: {problem}" for problem in ended.problems]
    text = table(tally)
    print(text)
    for problem in tally.problems:
        print(f"BROKEN: {problem}")
    if options.write:
        page_part.write(options.write, "gang_faults.py", text)
    return min(len(tally.problems), 1)


if __name__ == "__main__":
    sys.exit(main())
