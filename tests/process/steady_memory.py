"""One long run of no-ops and programs whose workers are killed all the time: does what goes on need more and more?

    PYTHONPATH=. python3 tests/process/steady_memory.py --seconds 600 --seed 7

Workers and spawners get a kill -9 at random moments; launcher, mpirun and ranks go on. Their memory (RssAnon) is read
once a second: in the last third of the time it may be a tenth above that of the middle third at most. Then the run is
drained. The results that kills cost are for random_kills.py.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from tools import journal
from tools.regatta_process import PATIENCE_SECONDS, Process, Scratch, rank_number
from tools.seeds import add_seed

VICTIMS = ("worker", "spawner")  # without its keeper a rank ends
STAYING = ("launcher", "mpirun", "keeper", "rank 0", "rank 1")
MOST_GROWTH = 1.1
TRIALS_PER_SECOND = 400  # by kind, more than two ranks get done
WORK_LEFT = 75


def sweep(seconds: float) -> dict:
    """More than a machine gets done in that time."""
    return {
        "regatta": 1,
        "name": "steady",
        "axes": {"engine": ["command", "native"], "model": ["noop"], "command": ["end"]},
        "repeats": int(TRIALS_PER_SECOND * seconds),
        "commands": {"end": {"argv": ["sleep", "0.005"]}},
        "measure": {"slices": 1, "steps": 1},
        "limits": {"trial_timeout": "20s", "attempts": 100},  # each kill of a worker is one
    }


def name_of(process: Process) -> str:
    return f"rank {rank_number(process)}" if process.role == "rank" else process.role


def own_kibibytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    raise ProcessLookupError(pid)


def look(scratch: Scratch, memory: dict[str, list[int]]) -> list[Process]:
    """Notes the memory of what stays; returns what may be killed."""
    found = []
    for process in scratch.processes():
        try:
            if process.role in VICTIMS:
                found.append(process)
            elif name_of(process) in STAYING:
                memory[name_of(process)].append(own_kibibytes(process.pid))
        except (OSError, ProcessLookupError):
            continue
    return found


def kill_one(victims: list[Process], chance: random.Random, kills: Counter[str]) -> None:
    roles = sorted({process.role for process in victims})
    if not roles:
        return
    role = chance.choice(roles)
    target = chance.choice([process for process in victims if process.role == role])
    try:
        os.kill(target.pid, signal.SIGKILL)
        kills[role] += 1
    except ProcessLookupError:
        pass


def growth(kibibytes: list[int]) -> float:
    third = len(kibibytes) // 3
    middle, last = kibibytes[third : 2 * third], kibibytes[2 * third :]
    return statistics.median(last) / statistics.median(middle)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    add_seed(parser)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    print(f"seed {options.seed}")
    scratch = Scratch(sweep(options.seconds))
    process = scratch.start("--ranks", "2")
    memory: dict[str, list[int]] = defaultdict(list)
    kills: Counter[str] = Counter()
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        assert process.poll() is None, scratch.output()[-4000:]
        kill_one(look(scratch, memory), chance, kills)
        time.sleep(chance.uniform(0.5, 1.5))
    process.send_signal(signal.SIGUSR1)
    code = process.wait(PATIENCE_SECONDS)
    assert code == WORK_LEFT, f"ended with {code}: {scratch.output()[-4000:]}"
    done = len(list(journal.results(scratch.journal)))
    scratch.remove()
    print(f"{done} blocks, {sum(kills.values())} kills: {dict(kills)}")
    grown = {name: growth(readings) for name, readings in memory.items()}
    for name, readings in sorted(memory.items()):
        print(
            f"{name}: {min(readings)} to {max(readings)} KiB, last / middle third {grown[name]:.3f}"
        )
    return max(grown.values()) > MOST_GROWTH


if __name__ == "__main__":
    sys.exit(main())
