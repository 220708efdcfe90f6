"""The package regatta in a script of several ranks: all take the same steps and hear what rank 0 was told."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3] / "workers" / "python"

TRAINS = """
import regatta
step = 0
settings = regatta.settings(rate=0.5)
best = []
while not regatta.should_stop():
    step += 1
    best.append(regatta.report(step, validation_loss=1.0 / step))
print(f"{step} steps, rate {settings['rate']}, {len(best)} reports, horizon {regatta.horizon()}")
"""

STEPS = """
import regatta
total = 0
for step in regatta.steps(count=7):
    total += step.number
print(total)
"""

ONE_ALONE_REPORTS = """
import os, regatta
step = 0
while not regatta.should_stop():
    step += 1
    if os.environ["RANK"] == "0":
        regatta.report(step, validation_loss=1.0)
print(step)
"""

OUT_OF_STEP = """
import os, regatta
if os.environ["RANK"] == "0":
    regatta.should_stop()
else:
    regatta.should_stop()
    regatta.should_stop()
"""

HANGS = """
import time, regatta
def stands_here():
    print("ready", flush=True)
    time.sleep(60)
stands_here()
"""


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


class Ranks(unittest.TestCase):
    def start(self, script: str, ranks: int, meets: bool = True) -> list[subprocess.Popen]:
        meeting = f"127.0.0.1 {free_port()} word"
        started = []
        for rank in range(ranks):
            variables = {"RANK": str(rank), "WORLD_SIZE": str(ranks), "PYTHONFAULTHANDLER": "1"}
            if meets:
                variables["REGATTA_MEETING"] = meeting
            environment = {**os.environ, "PYTHONPATH": str(SOURCE), **variables}
            started.append(
                subprocess.Popen(
                    [sys.executable, "-B", "-c", script],
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            self.addCleanup(started[-1].kill)
        return started

    def said(self, script: str, ranks: int = 3, meets: bool = True) -> list[str]:
        """The last line of each."""
        lines = []
        for process in self.start(script, ranks, meets):
            printed, complained = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, complained)
            lines.append(printed.strip().split("\n")[-1])
        return lines

    def test_all_stop_after_the_step_at_which_rank_0_does(self) -> None:
        self.assertEqual(self.said(TRAINS), 3 * ["10 steps, rate 0.5, 10 reports, horizon 10"])

    def test_take_as_many_steps(self) -> None:
        self.assertEqual([line.split()[-1] for line in self.said(STEPS)], ["21"] * 3)

    def test_started_by_hand_count_for_themselves(self) -> None:
        self.assertEqual(len(set(self.said(TRAINS, meets=False))), 1)

    def test_may_leave_the_reports_to_rank_0(self) -> None:
        self.assertEqual(self.said(ONE_ALONE_REPORTS), ["10"] * 3)

    def test_a_rank_that_asks_more_often_than_rank_0_ends_with_a_reason(self) -> None:
        _, other = self.start(OUT_OF_STEP, 2)
        _, complained = other.communicate(timeout=60)
        self.assertEqual(other.returncode, 1)
        self.assertIn("rank 1: rank 0 has ended", complained)

    def test_print_where_they_stand_when_asked(self) -> None:
        (one,) = self.start(HANGS, 1)
        assert one.stdout is not None
        self.assertEqual(one.stdout.readline(), "ready\n")
        one.send_signal(signal.SIGUSR2)
        time.sleep(0.2)
        self.assertIsNone(one.poll(), "it goes on")
        one.kill()
        self.assertIn("stands_here", one.communicate(timeout=60)[1])


if __name__ == "__main__":
    unittest.main()
