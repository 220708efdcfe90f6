"""A run that is stopped for longer than its limits allow, as a batch system or a sleeping laptop does it, goes on."""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import time
import unittest

from tools import journal
from tools.regatta_process import PATIENCE_SECONDS, Process, Scratch, wait_until

TIMEOUT_SECONDS = 2
STOPPED_SECONDS = 3
FLAGS = struct.Struct("<QQII")  # piece of samples and flags of a result (docs/reference/results.md)
SUSPENDED = 1 << 19


def sweep(program: list[str]) -> dict:
    return {
        "regatta": 1,
        "name": "stopped",
        "axes": {"engine": ["native", "command"], "model": ["mlp-10"], "command": ["one"]},
        "repeats": 2,
        "commands": {"one": {"argv": program}},
        "measure": {"slices": 2, "steps": 1},
        "limits": {"trial_timeout": f"{TIMEOUT_SECONDS}s", "attempts": 1},
    }


def send(process: Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # a program of a second may end meanwhile
        os.kill(process.pid, number)


class Suspension(unittest.TestCase):
    def stop_and_go_on(self, scratch: Scratch) -> None:
        """All of the run, innermost first, so that nobody sees another one silent."""
        processes = scratch.processes()
        self.assertTrue(processes)
        for process in processes:
            send(process, signal.SIGSTOP)
        time.sleep(STOPPED_SECONDS)
        waiting = [process for process in processes if process.role == "rank"]
        for process in waiting:
            send(process, signal.SIGCONT)
        time.sleep(0.3)  # they look for answers that nobody could give yet
        for process in processes:
            if process not in waiting:
                send(process, signal.SIGCONT)

    def test_nothing_times_out_that_was_stopped_with_its_run(self) -> None:
        scratch = Scratch(sweep(["sleep", "1"]))
        self.addCleanup(scratch.remove)
        launched = scratch.start("--ranks", "2")
        for _ in range(2):
            asleep = wait_until(
                lambda: any(p.role == "sleep" for p in scratch.processes()), PATIENCE_SECONDS
            )
            self.assertTrue(asleep, scratch.output())
            self.stop_and_go_on(scratch)
        self.assertEqual(launched.wait(PATIENCE_SECONDS), 0, scratch.output())
        kinds = [record.kind for record in journal.records(scratch.journal)]
        self.assertNotIn("failed_attempt", kinds, scratch.output())

    def test_what_was_interrupted_is_measured_again(self) -> None:
        document = sweep(["sleep", "1"])
        document["limits"]["trial_timeout"] = "60s"
        scratch = Scratch(document)
        self.addCleanup(scratch.remove)
        launched = scratch.start("--ranks", "2")
        asleep = wait_until(
            lambda: any(p.role == "sleep" for p in scratch.processes()), PATIENCE_SECONDS
        )
        self.assertTrue(asleep, scratch.output())
        self.stop_and_go_on(scratch)
        self.assertEqual(launched.wait(PATIENCE_SECONDS), 0, scratch.output())
        self.assertRegex(scratch.output(), r"suspended for \d s in a run of sleep; it is run again")
        programs = [t for t in scratch.report()["trials"] if t["engine"] == "command"]
        self.assertEqual(len(programs), 2)
        for trial in programs:
            self.assertLess(trial["step_time"], STOPPED_SECONDS, trial)
        results = [r.payload for r in journal.records(scratch.journal) if r.kind == "result"]
        flags = [FLAGS.unpack_from(each, journal.RESULT_HEAD.size)[3] for each in results]
        self.assertTrue(any(bits & SUSPENDED for bits in flags), flags)

    def test_a_program_that_hangs_times_out_all_the_same(self) -> None:
        scratch = Scratch(sweep(["sleep", "600"]))
        self.addCleanup(scratch.remove)
        launched = scratch.start("--ranks", "2")
        asleep = wait_until(
            lambda: any(p.role == "sleep" for p in scratch.processes()), PATIENCE_SECONDS
        )
        self.assertTrue(asleep, scratch.output())
        self.stop_and_go_on(scratch)
        self.assertEqual(launched.wait(PATIENCE_SECONDS), 1, scratch.output())
        self.assertIn("did not end within limits.trial_timeout, 2 s", scratch.output())


if __name__ == "__main__":
    unittest.main()
