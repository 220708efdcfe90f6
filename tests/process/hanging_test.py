"""A rank or an `mpirun` that hangs is named, and its job ends with 75; the same command goes on."""

from __future__ import annotations

import json
import os
import signal
import socket
import unittest

from tools.regatta_process import PATIENCE_SECONDS, Scratch, rank_number, sleeps, wait_until

TIMEOUT_SECONDS = 3
TRACES = ("Segmentation fault", "*** Process received signal", "PMIX ERROR", "ORTE_ERROR_LOG")


class Hanging(unittest.TestCase):
    def setUp(self) -> None:
        sweep = sleeps(0, 4)
        self.scratch = Scratch(sweep)
        self.addCleanup(self.scratch.remove)
        self.slow = self.scratch.folder / "slow"
        script = f"if [ -e {self.slow} ]; then sleep $(cat {self.slow}); fi"
        sweep["commands"]["nap"]["argv"] = ["sh", "-c", script]
        self.scratch.sweep_file.write_text(json.dumps(sweep))
        self.slow.write_text("600")

    def start(self, ranks: int, *options: str):
        launched = self.scratch.start("--ranks", str(ranks), *options)

        def at_work() -> bool:
            return sum(p.role == "sleep" for p in self.scratch.processes()) == ranks

        self.assertTrue(wait_until(at_work, PATIENCE_SECONDS), self.scratch.output())
        return launched

    def stop(self, role: str, number: int = -1) -> None:
        """Not a test's own child: `role` is of processes further down."""
        found = [p for p in self.scratch.processes() if p.role == role]
        if number >= 0:
            found = [p for p in found if rank_number(p) == number]
        self.assertEqual(len(found), 1, found)
        os.kill(found[0].pid, signal.SIGSTOP)

    def check_ends(self, launched) -> str:
        """Returns what it said."""
        self.assertEqual(launched.wait(PATIENCE_SECONDS), 75, self.scratch.output())
        self.assertTrue(wait_until(lambda: not self.scratch.processes(), PATIENCE_SECONDS))
        said = self.scratch.output()
        for trace in TRACES:
            self.assertNotIn(trace, said)
        return said

    def check_goes_on(self) -> None:
        self.slow.unlink()
        self.assertEqual(self.scratch.run("--ranks", "2"), 0, self.scratch.output())
        self.assertEqual(self.scratch.temporary_files(), [])

    def test_a_rank_that_is_stopped_is_named_and_ends_the_job(self) -> None:
        for ranks, stopped in ((2, 0), (2, 1), (1, 0)):
            with self.subTest(ranks=ranks, stopped=stopped):
                self.doCleanups()
                self.setUp()
                launched = self.start(ranks, "--rank-timeout", f"{TIMEOUT_SECONDS}s")
                self.stop("rank", stopped)
                said = self.check_ends(launched)
                self.assertIn(
                    f"rank {stopped} on {socket.gethostname()} has done nothing for 3 s", said
                )
                self.check_goes_on()

    def test_an_mpirun_that_is_stopped_is_named_and_ends_the_job(self) -> None:
        launched = self.start(2, "--rank-timeout", f"{TIMEOUT_SECONDS}s")
        self.stop("mpirun")
        self.assertIn("mpirun has been stopped for 3 s", self.check_ends(launched))
        self.check_goes_on()

    def test_a_job_that_hangs_and_is_told_to_stop_is_killed_at_last(self) -> None:
        for role, number in (("rank", 0), ("rank", 1), ("mpirun", -1)):
            with self.subTest(role=role, number=number):
                self.doCleanups()
                self.setUp()
                launched = self.start(2)
                self.stop(role, number)
                launched.send_signal(signal.SIGTERM)
                self.check_ends(launched)
                self.check_goes_on()

    def test_a_rank_that_waits_for_a_long_step_does_not_hang(self) -> None:
        self.slow.write_text(str(2 * TIMEOUT_SECONDS))
        options = ("--ranks", "2", "--rank-timeout", f"{TIMEOUT_SECONDS}s")
        self.assertEqual(self.scratch.run(*options), 0, self.scratch.output())

    def test_too_short_a_time_is_refused(self) -> None:
        self.assertEqual(self.scratch.run("--rank-timeout", "1s"), 2)
        self.assertIn("--rank-timeout: found '1s', expected 2 s or more", self.scratch.output())


if __name__ == "__main__":
    unittest.main()
