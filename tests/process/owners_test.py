"""Two runs on one folder, where file locks reach one node only or do not exist: one runs, the other refuses by name.

PYTHONPATH=. python3 tests/process/owners_test.py --rounds 200 Owners.test_two_starters_damage_no_journal
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import unittest

from tools import journal
from tools.regatta_process import BINARY, PATIENCE_SECONDS, Scratch, sleeps, wait_until

LIBRARY = BINARY.parent / "other-locks.so"
ROUNDS = 10
LONG_AGO_SECONDS = 1000


def variables(flock: str, host: str = "", job: str = "") -> dict[str, str]:
    return {
        "LD_PRELOAD": str(LIBRARY),
        "REGATTA_FLOCK": flock,
        "REGATTA_HOST": host,
        "LSB_JOBID": job,
    }


class Owners(unittest.TestCase):
    def scratch(self, seconds: float, trials: int) -> Scratch:
        scratch = Scratch(sleeps(seconds, trials))
        self.addCleanup(scratch.remove)
        return scratch

    def owner_file(self, scratch: Scratch):
        (found,) = scratch.run_folder.glob("owner.*")
        return found

    def start_first(self, scratch: Scratch, **environment: str) -> subprocess.Popen:
        """Until a trial of it is measured."""
        first = scratch.start("--ranks", "1", **environment)
        measures = wait_until(
            lambda: any(p.role == "sleep" for p in scratch.processes()), PATIENCE_SECONDS
        )
        self.assertTrue(measures, scratch.output())
        return first

    def test_one_runs_and_one_refuses_whatever_locks_say(self) -> None:
        for flock in ("yes", "nosys", "nolck"):
            with self.subTest(flock=flock):
                scratch = self.scratch(0.5, 4)
                first = self.start_first(scratch, **variables(flock))
                second = scratch.start("--ranks", "1", **variables(flock))
                self.assertEqual(second.wait(PATIENCE_SECONDS), 2, scratch.output())
                self.assertEqual(first.wait(PATIENCE_SECONDS), 0, scratch.output())
                said = scratch.output()
                self.assertIn(f"in use by process {first.pid} on ", said)
                self.assertEqual(said.count("files cannot be locked") > 0, flock != "yes", said)
                results = [r for r in journal.records(scratch.journal) if r.kind == "result"]
                self.assertEqual(len(results), 4)

    def test_a_run_on_another_host_is_named_with_its_job(self) -> None:
        scratch = self.scratch(1, 20)
        first = self.start_first(scratch, **variables("yes", "n1", "4711"))
        status = subprocess.run(
            [str(BINARY), "status", str(scratch.run_folder), "--why"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **variables("yes", "login")},
        )
        self.assertIn(f"It runs now: job 4711 (process {first.pid} on n1)", status.stdout)
        second = scratch.start("--ranks", "1", **variables("yes", "n2"))
        self.assertEqual(second.wait(PATIENCE_SECONDS), 2, scratch.output())
        self.assertIn(f"in use by job 4711 (process {first.pid} on n1)", scratch.output())
        first.send_signal(signal.SIGUSR1)
        self.assertEqual(first.wait(PATIENCE_SECONDS), 75, scratch.output())

    def test_a_stopped_run_that_wakes_after_a_takeover_writes_nothing(self) -> None:
        scratch = self.scratch(0.3, 12)
        first = self.start_first(scratch, **variables("yes", "n1", "4711"))
        recorded = wait_until(
            lambda: any(r.kind == "result" for r in journal.records(scratch.journal)),
            PATIENCE_SECONDS,
        )
        self.assertTrue(recorded, scratch.output())
        stopped = scratch.processes()
        for process in stopped:
            os.kill(process.pid, signal.SIGSTOP)
        then = time.time() - LONG_AGO_SECONDS
        os.utime(self.owner_file(scratch), (then, then))
        second = scratch.start("--ranks", "1", **variables("yes", "n2"))
        self.assertEqual(second.wait(2 * PATIENCE_SECONDS), 0, scratch.output())
        files = [scratch.journal, scratch.run_folder / "samples.bin"]
        before = [path.read_bytes() for path in files]
        results = scratch.results.read_bytes()
        for process in stopped:
            os.kill(process.pid, signal.SIGCONT)
        self.assertEqual(first.wait(PATIENCE_SECONDS), 2, scratch.output())
        self.assertEqual([path.read_bytes() for path in files], before)
        self.assertEqual(scratch.results.read_bytes(), results)
        self.assertIn("was taken over by", scratch.output())
        done = [r.hash for r in journal.records(scratch.journal) if r.kind == "result"]
        self.assertEqual(len(done), len(set(done)))

    def test_a_run_that_was_killed_on_this_host_is_followed_at_once(self) -> None:
        scratch = self.scratch(0.2, 6)
        first = self.start_first(scratch, **variables("nosys"))
        scratch.kill_all()
        first.wait(PATIENCE_SECONDS)
        second = scratch.start("--ranks", "1", **variables("nosys"))
        self.assertEqual(second.wait(PATIENCE_SECONDS), 0, scratch.output())

    def test_two_starters_damage_no_journal(self) -> None:
        for number in range(ROUNDS):
            scratch = self.scratch(0.01, 6)
            runs = [scratch.start("--ranks", "1", **variables("yes")) for _ in range(2)]
            codes = sorted(run.wait(PATIENCE_SECONDS) for run in runs)
            # The later one refuses, or finds everything done.
            self.assertIn(codes, ([0, 2], [0, 0]), f"round {number}\n{scratch.output()}")
            self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
            results = [r.hash for r in journal.records(scratch.journal) if r.kind == "result"]
            self.assertEqual((len(results), len(set(results))), (6, 6), f"round {number}")
            self.assertNotIn("damaged", scratch.output())
            scratch.remove()


if __name__ == "__main__":
    if "--rounds" in sys.argv:
        at = sys.argv.index("--rounds")
        ROUNDS = int(sys.argv[at + 1])
        del sys.argv[at : at + 2]
    unittest.main()
