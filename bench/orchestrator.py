"""What the orchestration itself costs, by real runs: first trial, no-op trials, idle ranks, a killed worker.

    python3 -m bench.orchestrator [--json]

Every figure comes from fresh processes; medians over rounds, with the range beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import sys
import time
from pathlib import Path

from tools import journal
from tools.regatta_process import Process, Scratch, wait_until

ROUNDS = 5
NOOPS = 2000
IDLE_SECONDS = 10


def noops(count: int) -> dict:
    return {
        "regatta": 1,
        "name": "noop",
        "axes": {"model": ["noop"]},
        "repeats": count,
        "measure": {"slices": 1, "steps": 1},
    }


def naps(seconds: float, count: int) -> dict:
    return {
        "regatta": 1,
        "name": "naps",
        "axes": {"engine": ["command"], "command": ["nap"]},
        "repeats": count,
        "commands": {"nap": {"argv": ["sleep", str(seconds)]}},
        "measure": {"slices": 1, "steps": 1},
    }


def block_times(scratch: Scratch) -> list[tuple[float, float]]:
    """Start and end (wall clock) of each recorded block, in the order of their starts."""
    return sorted(journal.block_times(record) for record in journal.results(scratch.journal))


def latest_end(scratch: Scratch) -> float:
    return max(end for _, end in block_times(scratch))


def spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}


def start_seconds(ranks: int) -> tuple[float, float]:
    """Seconds from the command line to the first trial, and of the whole sweep of four no-op trials."""
    scratch = Scratch(noops(4))
    start = time.time()
    assert scratch.run("--ranks", str(ranks)) == 0, scratch.output()
    whole = time.time() - start
    first = block_times(scratch)[0][0] - start
    scratch.remove()
    return first, whole


def first_trial(ranks: int) -> dict[str, dict[str, float]]:
    found = [start_seconds(ranks) for _ in range(ROUNDS)]
    first, whole = ([seconds[i] for seconds in found] for i in range(2))
    return {"first_trial_seconds": spread(first), "four_trials_whole_seconds": spread(whole)}


def noop_rate(ranks: int) -> dict[str, float]:
    """No-op trials through a real worker, journal on, from the first trial's start to the last one's end."""
    rates = []
    for _ in range(ROUNDS):
        scratch = Scratch(noops(NOOPS))
        assert scratch.run("--ranks", str(ranks)) == 0, scratch.output()
        times = block_times(scratch)
        rates.append(NOOPS / (max(end for _, end in times) - times[0][0]))
        scratch.remove()
    return spread(rates)


def cpu_seconds(process: Process) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pss_bytes(process: Process) -> int:
    for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def idle_ranks() -> dict[str, float]:
    """Share of a core and memory of ranks that have nothing to do while rank 0 waits for one long trial."""
    scratch = Scratch(naps(IDLE_SECONDS + 3, 1))
    process = scratch.start("--ranks", "3")
    assert wait_until(lambda: any(p.role == "sleep" for p in scratch.processes()), 20), (
        scratch.output()
    )
    busy = next(p for p in scratch.processes() if p.role == "sleep")
    parents = {p.pid: p.parent for p in scratch.processes()}
    leader = parents[busy.parent]  # sleep <- spawner <- its rank
    idle = [
        p
        for p in scratch.processes()
        if p.role == "rank" and p.pid != leader and p.name == "regatta"
    ]
    time.sleep(1)
    before = [cpu_seconds(p) for p in idle]
    time.sleep(IDLE_SECONDS)
    shares = [(cpu_seconds(p) - b) / IDLE_SECONDS for p, b in zip(idle, before, strict=True)]
    memory = [pss_bytes(p) for p in idle]
    process.wait(60)
    scratch.remove()
    return {"idle_core_share": max(shares), "idle_pss_bytes": max(memory), "ranks": len(idle)}


def killed_worker() -> dict[str, float]:
    """Seconds from the kill of a native worker to the start of the next trial's attempt on that slot."""
    gaps = []
    for _ in range(ROUNDS):
        scratch = Scratch(noops(20 * NOOPS))
        process = scratch.start("--ranks", "1")
        assert wait_until(lambda: len(block_times(scratch)) > NOOPS, 20), scratch.output()
        worker = next(p for p in scratch.processes() if p.role == "worker")
        os.kill(worker.pid, signal.SIGKILL)
        killed = time.time()
        assert wait_until(lambda: latest_end(scratch) > killed + 0.05, 20), scratch.output()
        gaps.append(min(end for _, end in block_times(scratch) if end > killed) - killed)
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        scratch.remove()
    return spread(gaps)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = {
        "start_1_rank": first_trial(1),
        "start_3_ranks": first_trial(3),
        "noop_trials_per_second_1_rank": noop_rate(1),
        "noop_trials_per_second_2_ranks": noop_rate(2),
        "idle": idle_ranks(),
        "slot_ready_seconds": killed_worker(),
    }
    print(json.dumps(figures, indent=None if options.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
