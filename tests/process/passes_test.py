"""The best and the undecided are measured again in the job that measured them first, whoever started it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import unittest
from pathlib import Path

from tools import journal
from tools.regatta_process import PATIENCE_SECONDS, Scratch, naps, set_pace, wait_until

CONTINUES, MEASURED_AGAIN = 1, 2  # bits of a result (docs/reference/results.md)
OWN_MPIRUN = ("mpirun", "-n", "2", "--bind-to", "none", "--oversubscribe")
AGAIN = "with the best of many cells: measuring again, in fresh processes"
ON = "left: measuring on"

# A step says how long it took: seconds of `measure.total` pass faster than those of a clock.
STEP = """
read -r seconds < "$0.seconds" && [ "$seconds" != 0 ] && sleep "$seconds"
echo "{\\"s\\": $1}"
"""


def naps_sweep(script: str, **measure: object) -> dict:
    return naps(lambda seconds: ["sh", script, f"{seconds}"], **measure)


class Passes(unittest.TestCase):
    def setUp(self) -> None:
        for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
            os.environ[name] = "1"

        self.folder = Path(tempfile.mkdtemp(prefix="regatta-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.script = self.folder / "step.sh"
        self.script.write_text(STEP)

    def scratch(self, **measure: object) -> Scratch:
        scratch = Scratch(naps_sweep(str(self.script), **measure))
        self.addCleanup(scratch.remove)
        set_pace(self.script, "0")
        return scratch

    def passes(self, scratch: Scratch) -> list[list[tuple[str, int]]]:
        """For each session of the journal the blocks that it recorded, and how they count."""
        sessions: list[list[tuple[str, int]]] = []
        for record in journal.records(scratch.journal):
            if record.kind == "header":
                sessions.append([])
            elif record.kind == "result":
                bits = journal.RESULT_HEAD.unpack_from(record.payload)[0]
                sessions[-1].append((record.hash, bits))
        return [sorted(session) for session in sessions]

    def last_end(self, scratch: Scratch) -> dict:
        """The end record of the last session."""
        ends = [r for r in journal.records(scratch.journal) if r.kind == "session_end"]
        return json.loads(ends[-1].payload)

    def told(self, scratch: Scratch) -> list[str]:
        """The lines that tell of a pass, without what differs from run to run."""
        return [
            part for line in scratch.output().splitlines() for part in (AGAIN, ON) if part in line
        ]

    def test_a_job_of_a_users_own_mpirun_takes_the_same_passes(self) -> None:
        sweeps = {
            AGAIN: ({}, MEASURED_AGAIN),
            ON: ({"again": False, "total": "20s", "per_contrast": "40s", "slices": 3}, CONTINUES),
        }
        for line, (measure, bit) in sweeps.items():
            with self.subTest(line):
                ours, theirs = self.scratch(**measure), self.scratch(**measure)
                self.assertEqual(ours.run("--ranks", "2"), 0, ours.output())
                self.assertEqual(theirs.run(under=OWN_MPIRUN), 0, theirs.output())
                seen = self.passes(ours)
                self.assertIn(bit, [bits for _, bits in seen[1]], ours.output())
                self.assertEqual(self.passes(theirs), seen, theirs.output())
                again = [session for session in seen if any(bits for _, bits in session)]
                self.assertEqual(self.told(ours), [line] * len(again), ours.output())
                self.assertEqual(self.told(theirs), self.told(ours), theirs.output())

    def begin_second_pass(self, scratch: Scratch, **how: tuple[str, ...]):
        """Starts a run and waits until it measures again, slowly."""
        process = scratch.start(*(() if how else ("--ranks", "2")), **how)
        self.assertTrue(wait_until(lambda: AGAIN in scratch.output(), PATIENCE_SECONDS))
        set_pace(self.script, "0.2")
        before = len(self.passes(scratch))
        self.assertTrue(before in (1, 2), scratch.output())
        self.assertTrue(wait_until(lambda: len(self.passes(scratch)) == 2, PATIENCE_SECONDS))
        return process

    def check_goes_on(self, scratch: Scratch, **how: tuple[str, ...]) -> None:
        """The same command takes the pass that was left, and after it none."""
        set_pace(self.script, "0")
        self.assertEqual(scratch.run(*(() if how else ("--ranks", "2")), **how), 0)
        (fastest,) = scratch.report()["fastest"]
        self.assertEqual((fastest["measured_again"], fastest["open"]), (5, False))
        before = scratch.journal.read_bytes()
        self.assertEqual(scratch.run("--ranks", "2"), 0)
        self.assertEqual(scratch.journal.read_bytes(), before)

    def test_a_drain_in_a_pass_renders_nothing_and_the_same_command_goes_on(self) -> None:
        for how in ({}, {"under": OWN_MPIRUN}):
            with self.subTest(how):
                scratch = self.scratch()
                process = self.begin_second_pass(scratch, **how)
                process.send_signal(signal.SIGUSR1)
                self.assertEqual(process.wait(PATIENCE_SECONDS), 75, scratch.output())
                left = {path.suffix for path in (scratch.folder / "out").iterdir()}
                self.assertEqual(left, {".regatta"})
                self.assertTrue(self.last_end(scratch)["passes_due"])
                self.check_goes_on(scratch, **how)

    def test_a_rank_that_dies_in_a_pass_leaves_it_to_the_same_command(self) -> None:
        scratch = self.scratch()
        process = self.begin_second_pass(scratch)
        ranks = [each for each in scratch.processes() if each.role == "rank"]
        os.kill(ranks[-1].pid, signal.SIGKILL)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 75, scratch.output())
        self.check_goes_on(scratch)


if __name__ == "__main__":
    unittest.main()
