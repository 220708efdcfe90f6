"""A run's report on its own orchestration: while it runs, killed, resumed, alone, and in the result file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import unittest

import netCDF4

from tools.regatta_process import BINARY, PATIENCE_SECONDS, Scratch, sleeps, wait_until

SHARES = ("slot_idle_share", "slot_idle_share_max", "slot_tail_share")


class Orchestration(unittest.TestCase):
    def scratch(self, sweep: dict) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        return scratch

    def status(self, scratch: Scratch, *options: str) -> str:
        command = [str(BINARY), "status", str(scratch.run_folder), *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout

    def sessions(self, scratch: Scratch) -> list[dict]:
        return json.loads(self.status(scratch, "--json") or '{"sessions": []}')["sessions"]

    def check(self, session: dict, slots: int) -> None:
        self.assertEqual(session["slots"], slots)
        self.assertGreater(session["elapsed"], 0)
        self.assertGreater(session["cpu_time"], 0)
        self.assertGreater(session["syncs"], 0)
        self.assertLessEqual(session["sync_time_median"], session["sync_time_max"])
        self.assertLessEqual(session["loop_lag_median"], session["loop_lag_max"])
        self.assertGreaterEqual(session["inbox_median"], 1)
        for share in SHARES:
            self.assertTrue(0 <= session[share] <= 1, session)
        self.assertLessEqual(session["slot_tail_share"], session["slot_idle_share"])

    def test_of_one_rank(self) -> None:
        scratch = self.scratch(sleeps(0.2, 3))
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        [session] = self.sessions(scratch)
        self.check(session, slots=1)
        self.assertTrue(session["ended"])
        self.assertRegex(
            scratch.details(), r" Run took [0-9.]+ s.* orchestration took [0-9.]+ s of rank 0; "
        )
        self.assertEqual(len(self.status(scratch).splitlines()), 1, "one line for people")

    def test_a_slot_that_waits_for_the_last_block_of_another_was_idle_at_the_end(self) -> None:
        scratch = self.scratch(sleeps(2, 1))
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        [session] = self.sessions(scratch)
        self.check(session, slots=2)
        self.assertGreater(session["slot_idle_share_max"], 0.9)
        self.assertGreater(session["slot_tail_share"], 0.4)

    def test_a_killed_session_keeps_what_it_wrote_last_and_the_next_has_its_own(self) -> None:
        scratch = self.scratch(sleeps(0.3, 40))
        process = scratch.start("--ranks", "2")
        tells = lambda: any(each["elapsed"] for each in self.sessions(scratch))  # noqa: E731
        self.assertTrue(wait_until(tells, PATIENCE_SECONDS, pause=0.2), scratch.output())
        os.kill(process.pid, signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)
        scratch.kill_all()
        [killed] = self.sessions(scratch)
        self.check(killed, slots=2)
        self.assertFalse(killed["ended"])
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        sessions = self.sessions(scratch)
        self.assertEqual(sessions[0], killed)
        self.assertEqual(len(sessions), 2)
        self.check(sessions[1], slots=2)
        self.assertIn(" Run session 2 of 2 took ", scratch.details())
        with netCDF4.Dataset(scratch.results) as file:
            columns = file["sessions"].variables
            self.assertEqual(columns["ended"][:].tolist(), [0, 1])
            for name in ("elapsed", "syncs", *SHARES):
                self.assertEqual(columns[name][:].tolist(), [each[name] for each in sessions], name)


if __name__ == "__main__":
    unittest.main()
