"""The cost of the hot path, counted and not timed: system calls and written bytes of all Regatta's processes.

An agent keeps nothing of the plan.

A trial and a slice are differences of two runs that differ in one number, so what a run costs once cancels out.
"""

from __future__ import annotations

import subprocess
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from tools.regatta_process import BINARY, PATIENCE_SECONDS, Scratch, wait_until

COUNTER = BINARY.parent / "count-calls"


@dataclass
class Cost:
    calls: float
    bytes_written: float


# At most. Seen on two cores: 7 calls and 2913 bytes, 6 and 228, 155 and 6; the rest is room for other libraries.
MOST = {
    "no-op trial": Cost(12, 3200),
    "slice": Cost(8, 260),
    "idle second": Cost(300, 300),
}


# A plan of 50,000 trials is 80,000.
PLAN_KIB = 8_000

# Memory is asked for in pieces as a plan grows; a program that is looked for once a trial is a call for each of them.
CALLS_A_PLANNED_TRIAL = 0.1


def noops(trials: int, slices: int) -> dict:
    return {
        "regatta": 1,
        "name": "noop",
        "axes": {"model": ["noop"]},
        "repeats": trials,
        "measure": {"slices": slices, "steps": 1},
    }


def nap(seconds: int, trials: int = 1) -> dict:
    return {
        "regatta": 1,
        "name": "nap",
        "axes": {"command": ["nap"], "engine": ["command"]},
        "repeats": trials,
        "commands": {"nap": {"argv": ["sleep", str(seconds)]}},
        "measure": {"slices": 1, "steps": 1},
    }


def peak_kib(pid: int) -> int:
    """The most memory that the process ever had resident."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def roles(scratch: Scratch) -> set[str]:
    return {process.role for process in scratch.processes()}


class Costs(unittest.TestCase):
    def count(self, sweep: dict, ranks: int) -> Cost:
        """Costs of one run: launcher, ranks, spawners and workers."""
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        counts = Path(scratch.folder) / "counts"
        command = [COUNTER, counts, BINARY, "run", scratch.sweep_file]
        command += ["--ranks", str(ranks), "--out", scratch.folder / "out"]
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, timeout=300
        )
        self.assertTrue(scratch.results.exists(), done.stdout + done.stderr)
        lines = [line.rsplit(" ", 2) for line in counts.read_text().splitlines()]
        ours = [line for line in lines if line[0].startswith("regatta")]
        return Cost(sum(int(line[1]) for line in ours), sum(int(line[2]) for line in ours))

    def check(self, what: str, few: Cost, many: Cost, count: int) -> None:
        cost = Cost(
            (many.calls - few.calls) / count, (many.bytes_written - few.bytes_written) / count
        )
        print(f"{what}: {cost.calls:.1f} system calls, {cost.bytes_written:.0f} bytes written")
        self.assertLessEqual(cost.calls, MOST[what].calls)
        self.assertLessEqual(cost.bytes_written, MOST[what].bytes_written)

    def test_a_no_op_trial(self) -> None:
        few, many = self.count(noops(50, 1), 1), self.count(noops(450, 1), 1)
        self.check("no-op trial", few, many, 400)

    def test_a_slice(self) -> None:
        few, many = self.count(noops(1, 10), 1), self.count(noops(1, 410), 1)
        self.check("slice", few, many, 400)

    def test_an_idle_second_of_a_rank(self) -> None:
        scratch = Scratch(nap(20))
        self.addCleanup(scratch.remove)
        scratch.start("--ranks", "2")
        self.assertTrue(wait_until(lambda: "sleep" in roles(scratch), PATIENCE_SECONDS))
        time.sleep(1)  # until the other rank polls as seldom as it ever does
        ranks = [each.pid for each in scratch.processes() if each.role == "rank"]
        costs = [self.watch(scratch, pid, seconds=3) for pid in ranks]
        idle = max(costs, key=lambda cost: cost.calls)
        self.check("idle second", Cost(0, 0), idle, 3)

    def memory_of_agent(self, trials: int) -> int:
        """KiB of the rank beside rank 0 once it runs a block."""
        scratch = Scratch(nap(20, trials))
        self.addCleanup(scratch.remove)
        scratch.start("--ranks", "2")
        sleeps = lambda: sum(each.role == "sleep" for each in scratch.processes())  # noqa: E731
        self.assertTrue(wait_until(lambda: sleeps() == 2, PATIENCE_SECONDS), scratch.output())
        ranks = [peak_kib(each.pid) for each in scratch.processes() if each.role == "rank"]
        scratch.kill_all()
        return min(ranks)

    def test_an_agent_holds_no_plan(self) -> None:
        trials = 50_000
        growth = self.memory_of_agent(trials) - self.memory_of_agent(2)
        print(f"an agent beside a plan of {trials} trials: {growth} KiB more than beside one of 2")
        self.assertLessEqual(growth, PLAN_KIB)

    def plan_calls(self, trials: int) -> int:
        """System calls of `regatta plan` for so many runs of one program."""
        scratch = Scratch(nap(1, trials))
        self.addCleanup(scratch.remove)
        counts = Path(scratch.folder) / "counts"
        command = [COUNTER, counts, BINARY, "plan", scratch.sweep_file]
        subprocess.run([str(part) for part in command], check=True, capture_output=True, timeout=60)
        return sum(int(line.rsplit(" ", 2)[1]) for line in counts.read_text().splitlines())

    def test_a_plan_looks_for_a_program_once(self) -> None:
        few, many = self.plan_calls(100), self.plan_calls(10_100)
        print(f"a planned trial: {(many - few) / 10_000:.3f} system calls")
        self.assertLessEqual(many - few, CALLS_A_PLANNED_TRIAL * 10_000)

    def watch(self, scratch: Scratch, pid: int, seconds: int) -> Cost:
        counts = Path(scratch.folder) / "counts"
        command = [str(COUNTER), str(counts), "--attach", str(pid), str(seconds)]
        subprocess.run(command, check=True, timeout=60)
        words = counts.read_text().split()
        return Cost(int(words[1]), int(words[2])) if words else Cost(0, 0)


if __name__ == "__main__":
    unittest.main()
