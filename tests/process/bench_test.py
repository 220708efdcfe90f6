"""`regatta bench`: every figure, nothing left behind, and when it refuses."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
import uuid
from pathlib import Path

from tools.regatta_process import BINARY, MARK, PATIENCE_SECONDS, marked_processes, wait_until

KEYS = {
    "noop_trials_per_second",
    "batched_trials_per_second",
    "command_trials_per_second",
    "durable_results_per_second",
    "durable_5ms_per_second",
    "resume_seconds",
    "first_trial_seconds",
    "sweep_exit_seconds",
    "idle_core_share",
    "idle_pss_bytes",
    "slot_ready_seconds",
    "scheduler_decisions_per_second",
}
ABOUT = {"regatta", "rounds", "ranks", "start_ranks", "idle_ranks", "spread"}


class Bench(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.mark = uuid.uuid4().hex

    def start(self, *options: str, **variables: str) -> subprocess.Popen:
        environment = {**os.environ, MARK: self.mark, "TMPDIR": str(self.folder), **variables}
        process = subprocess.Popen(
            [str(BINARY), "bench", *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        return process

    def run_to_end(self, *options: str, **variables: str) -> tuple[int, str, str]:
        process = self.start(*options, **variables)
        out, errors = process.communicate(timeout=600)
        return process.returncode, out, errors

    def check_nothing_is_left(self) -> None:
        gone = wait_until(lambda: not marked_processes(self.mark), PATIENCE_SECONDS)
        self.assertTrue(gone, marked_processes(self.mark))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_each_figure_is_a_number(self) -> None:
        code, out, errors = self.run_to_end("--quick", "--json")
        self.assertEqual(code, 0, errors)
        found = json.loads(out)
        self.assertEqual(found.keys(), KEYS | ABOUT)
        self.assertEqual(found["spread"].keys(), KEYS)
        for key in KEYS:
            low, high = found["spread"][key]
            self.assertGreater(low, 0, key)
            self.assertTrue(low <= found[key] <= high, key)
        self.assertLess(found["first_trial_seconds"], found["sweep_exit_seconds"])
        self.assertLess(found["idle_core_share"], 0.5)
        self.assertEqual((found["rounds"], found["ranks"], found["start_ranks"]), (1, 2, 3))
        self.assertIn("round 1 of 1: ", errors)
        self.check_nothing_is_left()

    def test_who_stops_it_leaves_nothing(self) -> None:
        process = self.start("--ranks", "2")
        runs = lambda: len(marked_processes(self.mark)) > 3  # noqa: E731
        self.assertTrue(wait_until(runs, PATIENCE_SECONDS))
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE_SECONDS)
        self.assertEqual((process.returncode, out), (75, ""), errors)
        self.check_nothing_is_left()

    def test_it_is_refused_in_a_job_of_somebody_else(self) -> None:
        for variables in ({"OMPI_COMM_WORLD_RANK": "0"}, {"SLURM_STEP_NUM_TASKS": "2"}):
            for options in (("--quick",), ("--allreduce", "--quick")):
                code, out, errors = self.run_to_end(*options, **variables)
                self.assertEqual((code, out), (2, ""), errors)
                self.assertRegex(errors, "Start it once, plainly|Slurm started 2 tasks")
        self.check_nothing_is_left()

    def test_nodes_are_those_of_a_job(self) -> None:
        code, out, errors = self.run_to_end("--nodes")
        self.assertEqual((code, out), (2, ""), errors)
        self.assertIn("`mpirun -n N regatta bench --nodes`", errors)

    def test_options_that_make_no_sense_are_refused(self) -> None:
        for options in (
            *(("--ranks", "0"), ("--ranks", "many"), ("--rounds", "3"), ("SWEEP",)),
            *(("--nodes", "--allreduce"), ("--nodes", "--ranks", "2")),
        ):
            code, out, errors = self.run_to_end(*options)
            self.assertEqual((code, out), (2, ""), errors)
            self.assertIn("`regatta bench --help`", errors)


if __name__ == "__main__":
    unittest.main()
