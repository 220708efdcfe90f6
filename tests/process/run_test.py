"""`regatta run` as a whole: ranks, resume, drain, locks, exit codes, environments."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from tools import journal
from tools.regatta_process import BINARY, PATIENCE_SECONDS, SOURCE, Scratch, naps, wait_until

LONG_TRIALS = 30


def small_sweep(**changes: object) -> dict:
    sweep = {
        "regatta": 1,
        "name": "small",
        "axes": {
            "engine": ["native", "numpy"],
            "mode": ["eager", "graph"],
            "model": ["mlp-10"],
            "batch": [1, 8],
        },
        "compare": {"over": ["engine", "mode"], "baseline": {"engine": "native", "mode": "graph"}},
        "measure": {"slices": 4, "steps": 50, "again": False},
    }
    return {**sweep, **changes}


def long_sweep() -> dict:
    """Some seconds on a rank, however many tests run beside it: its programs sleep."""
    return {
        "regatta": 1,
        "name": "long",
        "axes": {"command": ["nap"], "engine": ["command"]},
        "repeats": LONG_TRIALS,
        "commands": {"nap": {"argv": ["sleep", "0.05"]}},
        "measure": {"slices": 4, "steps": 1},
    }


def workers_sweep() -> dict:
    """Blocks of a worker in C++ and one in Python, which go on for some seconds after the first."""
    return {
        "regatta": 1,
        "name": "workers",
        "axes": {"engine": ["native", "numpy"], "model": ["mlp-10"], "seed": list(range(16))},
        "compare": {"over": ["engine"], "baseline": {"engine": "native"}},
        "measure": {"slices": 4, "steps": 200, "again": False},
    }


def naps_sweep(**measure: object) -> dict:
    return naps(lambda seconds: ["echo", json.dumps({"s": seconds})], **measure)


class Run(unittest.TestCase):
    finished: Scratch  # a run of the small sweep, which tests that change nothing look at

    @classmethod
    def setUpClass(cls) -> None:
        cls.finished = Scratch(small_sweep())
        cls.addClassCleanup(cls.finished.remove)
        cls.code_of_finished = cls.finished.run("--ranks", "1")

    def setUp(self) -> None:
        self.assertEqual(self.code_of_finished, 0, self.finished.output())

    def scratch(self, sweep: dict) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        return scratch

    def outcomes(self, scratch: Scratch) -> dict[str, str]:
        return {trial["id"]: trial["status"] for trial in scratch.report()["trials"]}

    def test_one_two_and_four_ranks_give_the_same_trials_and_outcomes(self) -> None:
        seen = [self.outcomes(self.finished)]
        for ranks in ("2", "4"):
            scratch = self.scratch(small_sweep())
            self.assertEqual(scratch.run("--ranks", ranks), 0, scratch.output())
            seen.append(self.outcomes(scratch))
        self.assertEqual(len(seen[0]), 6)  # numpy has one mode: two of eight points merge
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])

    def test_engines_do_the_same_work(self) -> None:
        verified = [trial["verified"] for trial in self.finished.report()["trials"]]
        self.assertEqual(verified, ["yes"] * 6)

    def test_kernels_that_an_engine_chose_are_in_the_results(self) -> None:
        for trial in self.finished.report()["trials"]:
            told = trial["kernels"] is not None
            self.assertEqual(told, trial["engine"] == "native", trial)

    def test_slices_are_whole_calls_and_a_step_is_a_share_of_one(self) -> None:
        program = [sys.executable, str(SOURCE / "tests" / "support" / "fake_worker.py")]
        sweep = small_sweep(
            axes={
                "engine": ["tensorflow@fake"],
                "loop": ["fit"],
                "steps_per_call": [1, 7],
                "model": ["mlp-10"],
            },
            environments={"fake": {"engine": "tensorflow", "program": [*program, "--exact"]}},
            compare={"over": ["steps_per_call"], "baseline": {"steps_per_call": 1}},
        )
        for measure in ({"slices": 4, "steps": 50}, {"per_contrast": "1s"}):
            scratch = self.scratch({**sweep, "measure": {**measure, "again": False}})
            self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
            trials = scratch.report()["trials"]
            self.assertEqual([trial["steps_per_call"] for trial in trials], [1, 7])
            for trial in trials:  # 100 us by construction
                self.assertAlmostEqual(trial["step_time"], 100e-6, 9, trial)

    def test_a_warm_process_that_starts_slowly_is_not_renewed_for_each_square(self) -> None:
        fake = (
            f"sleep 0.6; exec {sys.executable} {SOURCE / 'tests' / 'support' / 'fake_worker.py'} $*"
        )
        sweep = small_sweep(
            axes={
                "engine": ["tensorflow@slow"],
                "loop": ["fit"],
                "steps_per_call": [1, 7],
                "batch": [8, 32],
                "model": ["mlp-10"],
            },
            environments={
                "slow": {"engine": "tensorflow", "program": ["sh", "-c", fake, "fake_worker"]}
            },
            compare={"over": ["steps_per_call"], "baseline": {"steps_per_call": 1}},
            # Not by time: a busy machine has few squares in a second.
            measure={"slices": 20, "steps": 7, "again": False},
        )
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        contrasts = scratch.report()["contrasts"]
        self.assertEqual(len(contrasts), 2)
        for each in contrasts:  # two processes for each square where starting is cheap
            self.assertLess(each["processes"], 2 * each["blocks"], each)
            self.assertGreaterEqual(each["processes"], 2 * 2, each)

    def test_a_finished_run_is_not_repeated(self) -> None:
        before = self.finished.journal.read_bytes()
        self.assertEqual(self.finished.run("--ranks", "1"), 0)
        self.assertEqual(self.finished.journal.read_bytes(), before)

    def test_files_that_are_of_this_journal_are_left_as_they_are(self) -> None:
        scratch = self.scratch(small_sweep())
        page = scratch.results.with_suffix(".html")

        def ran(*options: str) -> str:
            (scratch.folder / "output.txt").unlink(missing_ok=True)
            self.assertEqual(scratch.run("--ranks", "1", *options), 0, scratch.output())
            return scratch.output()

        def written() -> list[int]:
            return [file.stat().st_mtime_ns for file in (scratch.results, page)]

        self.assertNotIn("up to date", ran())
        first, words = written(), page.read_bytes()
        self.assertIn("up to date", ran())
        self.assertEqual(written(), first)
        page.write_bytes(words + b" ")
        self.assertNotIn("up to date", ran())
        self.assertEqual(page.read_bytes(), words)
        second = written()
        self.assertNotIn("up to date", ran("--set", "batch=1,8,16"))
        self.assertNotEqual(written(), second)
        scratch.results.unlink()
        self.assertNotIn("up to date", ran("--set", "batch=1,8,16"))
        self.assertTrue(scratch.results.exists())

    def test_what_a_run_works_with_is_the_users_own_and_its_results_are_for_all(self) -> None:
        self.addCleanup(os.umask, os.umask(0))
        scratch = self.scratch(small_sweep())
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        left = sorted(scratch.results.parent.rglob("*"))
        self.assertIn(scratch.run_folder / "logs/agent-0-inputs.log", left)
        for path in left:
            is_result = path.parent == scratch.results.parent and not path.is_dir()
            mode = 0o700 if path.is_dir() else 0o644 if is_result else 0o600
            self.assertEqual(path.stat().st_mode & 0o777, mode, path)
        self.assertEqual(scratch.results.parent.stat().st_mode & 0o777, 0o755)

    def test_undecided_comparisons_are_measured_on(self) -> None:
        measure = {"per_contrast": "100ms", "margin": "0.001%", "again": False}
        sweep = small_sweep(measure=measure)
        sweep["axes"]["batch"] = [8]
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        before = {
            each["a"]["engine"] + str(each["a"]["mode"]): each
            for each in scratch.report()["contrasts"]
        }
        undecided = [key for key, each in before.items() if each["verdict"] == "undecided"]
        self.assertNotEqual(
            undecided, [], "eager and graph differ by less than what 100 ms can tell"
        )
        self.assertEqual(scratch.run("--ranks", "1", "--rerun", "undecided", "--for", "3s"), 0)
        after = {
            each["a"]["engine"] + str(each["a"]["mode"]): each
            for each in scratch.report()["contrasts"]
        }
        for key in undecided:
            self.assertGreater(after[key]["blocks"], before[key]["blocks"])
            self.assertGreater(after[key]["processes"], before[key]["processes"])
        self.assertEqual(len(scratch.report()["trials"]), 3)

    def test_early_answers_are_confirmed_on_demand(self) -> None:
        # A difference so large that confirming it ends long before its time.
        sweep = small_sweep(measure={"total": "3s"})
        sweep["axes"] |= {"batch": [8], "mode": ["graph"]}
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        contrasts = scratch.report()["contrasts"]
        early = [each for each in contrasts if each["verdict"] != "undecided"]
        # A faster machine has confirmed all by now; on a busy one something is not known yet, which comes first.
        if len(early) == len(contrasts) and not all(each["confirmed"] for each in early):
            self.assertIn("--rerun early --for 1m\n", scratch.output())
        self.assertEqual(scratch.run("--ranks", "1", "--rerun", "early", "--for", "30s"), 0)
        told = [each for each in scratch.report()["contrasts"] if each["verdict"] != "undecided"]
        self.assertEqual([each["text"] for each in told if not each["confirmed"]], [])
        self.assertGreaterEqual(len(told), len(early))

    def test_time_that_others_leave_goes_to_undecided_comparisons(self) -> None:
        sweep = small_sweep(
            axes={"engine": ["native", "native@broken"], "model": "mlp-10"},
            repeats=2,
            environments={"broken": {"engine": "native", "program": ["false"]}},
            compare={"over": ["repeat"], "baseline": {"repeat": 0}},
            measure={"total": "12s", "per_contrast": "20s", "margin": "0.001%"},
        )
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run("--ranks", "1"), 1, scratch.output())
        self.assertIn("1 block with comparisons that are not known yet", scratch.output())
        self.assertIn("left: measuring on", scratch.output())

    def test_the_best_of_many_cells_are_measured_again_in_fresh_processes(self) -> None:
        scratch = self.scratch(naps_sweep())
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        self.assertIn("1 block with the best of many cells: measuring again", scratch.output())
        (fastest,) = scratch.report()["fastest"]
        self.assertEqual(fastest["labels"][0], "nap1")
        self.assertEqual((fastest["cells"], fastest["open"]), (7, False))
        self.assertEqual(fastest["measured_again"], 5, "in a block of their own")

    def test_the_best_of_many_cells_are_measured_again_on_demand(self) -> None:
        scratch = self.scratch(naps_sweep(again=False))
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        self.assertIn("--rerun fastest\n", scratch.output())
        (before,) = scratch.report()["fastest"]
        self.assertEqual((before["measured_again"], before["open"]), (0, True))
        self.assertEqual(scratch.run("--ranks", "1", "--rerun", "fastest"), 0, scratch.output())
        (after,) = scratch.report()["fastest"]
        self.assertEqual((after["measured_again"], after["open"]), (5, False))

    def test_a_new_axis_value_extends_a_finished_run(self) -> None:
        scratch = self.scratch(small_sweep())
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        before = self.outcomes(scratch)
        self.assertEqual(scratch.run("--ranks", "1", "--set", "batch=1,8,16"), 0, scratch.output())
        after = self.outcomes(scratch)
        self.assertEqual(len(after), 9)
        self.assertLess(before.items(), after.items())

    def test_sigusr1_drains_and_the_rest_follows(self) -> None:
        scratch = self.scratch(long_sweep())
        process = scratch.start("--ranks", "2")
        self.assertTrue(
            wait_until(
                lambda: len(journal.results(scratch.journal)) > 0,
                PATIENCE_SECONDS,
            )
        )
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 75, scratch.output())
        scratch.collect()
        done = sum(status == "finished" for status in self.outcomes(scratch).values())
        self.assertTrue(0 < done < LONG_TRIALS, done)
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        self.assertEqual(set(self.outcomes(scratch).values()), {"finished"})

    def test_a_drain_that_reaches_every_process_of_the_job_ends_no_program(self) -> None:
        naps = {"commands": {"nap": {"argv": ["sleep", "0.5"]}}, "repeats": 6}
        command_sweep = {**long_sweep(), **naps, "measure": {"slices": 2, "steps": 1}}
        for sweep in (command_sweep, workers_sweep()):  # a command; workers in C++ and in Python
            scratch = self.scratch(sweep)
            process = scratch.start("--ranks", "2")
            self.assertTrue(
                wait_until(
                    lambda: (
                        scratch.journal.exists() and b" result " in scratch.journal.read_bytes()
                    ),
                    PATIENCE_SECONDS,
                )
            )
            for each in scratch.processes():  # as Slurm does, which knows the processes of a step
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each.pid, signal.SIGUSR1)
            self.assertEqual(process.wait(PATIENCE_SECONDS), 75, scratch.output())
            self.assertNotIn("killed by signal", scratch.output())
            self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
            self.assertEqual(set(self.outcomes(scratch).values()), {"finished"})

    def test_sigterm_stops_soon_and_keeps_what_is_done(self) -> None:
        scratch = self.scratch(long_sweep())
        process = scratch.start("--ranks", "1")
        self.assertTrue(
            wait_until(
                lambda: len(journal.results(scratch.journal)) > 0,
                PATIENCE_SECONDS,
            )
        )
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 75, scratch.output())
        self.assertLess(time.monotonic() - start, 10)
        self.assertTrue(wait_until(lambda: not scratch.processes(), PATIENCE_SECONDS))
        scratch.collect()
        self.assertIn("finished", self.outcomes(scratch).values())

    def test_an_mpirun_that_does_not_see_the_end_of_its_ranks_is_ended(self) -> None:
        """It is waited for for a while: of two runs at the same time."""
        reaping_nobody, theirs = self.begin_with_an_mpirun_that_reaps_nobody()
        stopped, process = self.begin_with_an_mpirun_that_is_stopped()
        for scratch, launched in ((stopped, process), (reaping_nobody, theirs)):
            self.assertEqual(launched.wait(PATIENCE_SECONDS), 75, scratch.output())
            self.assertIn("all ranks have ended, and mpirun has not seen it", scratch.output())
            self.assertTrue(wait_until(lambda: not scratch.processes(), PATIENCE_SECONDS))
        open_trials = f"{LONG_TRIALS} trials: 0 finished, 0 failed, 0 skipped, {LONG_TRIALS} open"
        self.assertIn(open_trials, reaping_nobody.output())

    def begin_with_an_mpirun_that_is_stopped(self) -> tuple[Scratch, subprocess.Popen]:
        """And then its ranks are killed."""
        scratch = self.scratch(long_sweep())
        process = scratch.start("--ranks", "2")
        self.assertTrue(
            wait_until(
                lambda: scratch.journal.exists() and b" result " in scratch.journal.read_bytes(),
                PATIENCE_SECONDS,
            )
        )
        (mpirun,) = [each for each in scratch.processes() if each.role == "mpirun"]
        os.kill(mpirun.pid, signal.SIGSTOP)
        for each in scratch.processes():
            if each.role == "rank":
                os.kill(each.pid, signal.SIGKILL)
        return scratch, process

    def begin_with_an_mpirun_that_reaps_nobody(self) -> tuple[Scratch, subprocess.Popen]:
        """Its one rank is dead at once."""
        scratch = self.scratch(long_sweep())
        fake = scratch.folder / "mpirun"
        fake.write_text("#!/bin/sh\ntrue &\nexec sleep 1000\n")
        fake.chmod(0o755)
        path = f"{scratch.folder}:{os.environ['PATH']}"
        return scratch, scratch.start("--ranks", "1", PATH=path)

    def test_a_second_launcher_is_refused(self) -> None:
        scratch = self.scratch(long_sweep())
        first = scratch.start("--ranks", "1")
        self.assertTrue(wait_until(scratch.journal.exists, PATIENCE_SECONDS))
        second = subprocess.run(
            [str(BINARY), "run", str(scratch.sweep_file), "--out", str(scratch.folder / "out")],
            capture_output=True,
            text=True,
            timeout=30,
        )
        self.assertEqual(second.returncode, 2, second.stderr)
        self.assertIn(f"is in use by process {first.pid}", second.stderr)
        self.assertEqual(first.wait(PATIENCE_SECONDS), 0, scratch.output())

    def test_a_missing_interpreter_is_a_skipped_row(self) -> None:
        environments = {"gone": {"engine": "numpy", "python": "/nonexistent/python3"}}
        axes = {"engine": ["native", "numpy@gone"], "model": ["mlp-10"]}
        scratch = self.scratch(
            small_sweep(
                environments=environments,
                axes=axes,
                compare={"over": ["engine"], "baseline": {"engine": "native"}},
            )
        )
        code = scratch.run("--ranks", "1")
        rows = {trial["engine"]: trial for trial in scratch.report()["trials"]}
        self.assertEqual(rows["native"]["status"], "finished", scratch.output())
        self.assertEqual(rows["numpy@gone"]["status"], "skipped", scratch.output())
        self.assertIn("/nonexistent/python3", rows["numpy@gone"]["reason"])
        self.assertEqual(code, 0)

    def test_commands_are_measured_and_fail_by_name(self) -> None:
        sweep = {
            "regatta": 1,
            "name": "commands",
            "axes": {"engine": ["command"], "command": ["ok", "json", "bad", "gone"]},
            "commands": {
                "ok": {"argv": ["sleep", "0.01"]},
                "json": {"argv": ["sh", "-c", "echo '{\"took\": 0.25}'"], "metric": "json:took"},
                "bad": {"argv": ["sh", "-c", "echo no luck >&2; exit 3"]},
                "gone": {"argv": ["/nonexistent/program"]},
            },
            "measure": {"slices": 3, "steps": 1},
        }
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run("--ranks", "1"), 1, scratch.output())
        rows = {trial["command"]: trial for trial in scratch.report()["trials"]}
        self.assertGreater(rows["ok"]["step_time"], 0.01)
        self.assertLess(rows["ok"]["step_time"], 5, "seconds, however busy the machine")
        self.assertEqual(rows["json"]["step_time"], 0.25)
        self.assertIn("no luck", rows["bad"]["reason"])
        self.assertIn("/nonexistent/program", rows["gone"]["reason"])

    def test_under_the_users_own_mpirun_rank_zero_reports(self) -> None:
        scratch = self.scratch(small_sweep())
        environment = {
            **os.environ,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        command = [
            "mpirun",
            "--oversubscribe",
            "-n",
            "2",
            str(BINARY),
            "run",
            str(scratch.sweep_file),
            "--out",
            str(scratch.folder / "out"),
        ]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\nReport  "), 1, done.stdout)
        self.assertEqual(set(self.outcomes(scratch).values()), {"finished"})

    def test_bad_input_ends_with_two_and_leaves_nothing(self) -> None:
        scratch = self.scratch(small_sweep(axis={}))
        self.assertEqual(scratch.run(), 2)
        self.assertIn("sweep.json", scratch.output())
        self.assertFalse(scratch.run_folder.exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
