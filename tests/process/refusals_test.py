"""Runs that cannot start say why in one message, exit with 2 and leave nothing; what a sweep can go on without is a row."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools.regatta_process import BINARY, MARK, PATIENCE_SECONDS, Scratch, wait_until

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2


def small_sweep(**changes: object) -> dict:
    sweep = {
        "regatta": 1,
        "name": "small",
        "axes": {"engine": ["native"], "mode": ["graph"], "model": ["mlp-10"], "batch": [8]},
        "measure": {"slices": 2, "steps": 20},
    }
    return {**sweep, **changes}


def as_an_ordinary_user() -> None:
    """Root may write anywhere; without these two rights its programs may not."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
            if libc.prctl(PR_CAPBSET_DROP, right, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "prctl")


def with_no_room() -> None:
    """Writing beyond the limit fails as it does on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


class Refusals(unittest.TestCase):
    def scratch(self, sweep: dict) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        return scratch

    def run_it(
        self, scratch: Scratch, *options: str, prepare=None, binary: Path = BINARY
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(binary), "run", str(scratch.sweep_file), *options],
            env={**os.environ, MARK: scratch.mark},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            preexec_fn=prepare,
        )

    def status(self, folder: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(BINARY), "status", folder], capture_output=True, text=True, timeout=60, check=False
        )

    def check_refused(
        self, done: subprocess.CompletedProcess[str], message: str, code: int = 2
    ) -> None:
        self.assertEqual(done.stderr, f"regatta: error: {message}\n")
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.returncode, code)

    def check_nothing_is_left(self, scratch: Scratch, *folders: str) -> None:
        left = sorted(path.name for path in scratch.folder.iterdir())
        self.assertEqual(left, sorted(["sweep.json", *folders]))
        self.assertEqual(scratch.processes(), [])
        self.assertEqual(scratch.temporary_files(), [])

    def test_a_job_that_mpi_ends_itself_is_not_bad_input(self) -> None:
        scratch = self.scratch(small_sweep())
        fake = scratch.folder / "mpirun"  # as Open MPI with too little memory
        fake.write_text("#!/bin/sh\nexit 2\n")
        fake.chmod(0o755)
        process = scratch.start("--ranks", "1", PATH=f"{scratch.folder}:{os.environ['PATH']}")
        self.assertEqual(process.wait(PATIENCE_SECONDS), 75, scratch.output())
        self.assertIn("the job ended early (mpirun: status 2)", scratch.output())

    def test_what_a_rank_refuses_is_bad_input(self) -> None:
        scratch = self.scratch(small_sweep())
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        logs = scratch.run_folder / "logs"
        shutil.rmtree(logs)
        logs.symlink_to(scratch.folder)
        self.assertEqual(scratch.run("--ranks", "1", "--set", "batch=16"), 2, scratch.output())
        self.assertIn(f"regatta: error: '{logs}'", scratch.output())

    def test_a_rank_zero_that_is_killed_before_its_first_record_is_not_bad_input(self) -> None:
        for _ in range(5):
            scratch = self.scratch(small_sweep())
            process = scratch.start("--ranks", "1")
            ranks: list[int] = []

            def started(scratch=scratch, ranks=ranks) -> bool:
                ranks[:] = [each.pid for each in scratch.processes() if each.role == "rank"]
                return bool(ranks)

            self.assertTrue(wait_until(started, PATIENCE_SECONDS, pause=0.001))
            os.kill(ranks[0], signal.SIGKILL)
            self.assertEqual(process.wait(PATIENCE_SECONDS), 75, scratch.output())
            self.assertNotIn("regatta: error", scratch.output())

    def test_a_folder_that_is_removed_while_it_runs_is_not_said_to_keep_anything(self) -> None:
        batches = {"axes": {**small_sweep()["axes"], "batch": [8, 16, 32, 64, 128, 256]}}
        scratch = self.scratch(small_sweep(**batches, measure={"per_contrast": "500ms"}))
        process = scratch.start("--ranks", "1")

        def measures() -> bool:  # before that, what is missing are the batches
            samples = scratch.run_folder / "samples.bin"
            return samples.exists() and samples.stat().st_size > 0

        self.assertTrue(wait_until(measures, PATIENCE_SECONDS))
        shutil.rmtree(scratch.run_folder, ignore_errors=True)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 75, scratch.output())
        self.assertNotIn("is kept", scratch.output())

    def test_each_of_several_tasks_without_mpi_refuses(self) -> None:
        """The variables are srun's for its tasks where it has no pmix; the batch script of the same job has no step."""
        scratch = self.scratch(small_sweep())
        step = {"SLURM_NTASKS": "2", "SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2"}
        told = scratch.folder / "code"
        process = scratch.start("--exit-code-to", str(told), **step)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 2, scratch.output())
        self.assertEqual(told.read_text(), "2\n")
        self.assertIn("srun --mpi=pmix", scratch.output())
        self.assertFalse((scratch.folder / "out").exists())

    def test_no_ranks(self) -> None:
        scratch = self.scratch(small_sweep())
        for ranks in ("0", "-3"):
            done = self.run_it(scratch, "--ranks", ranks, "--out", str(scratch.folder / "out"))
            self.check_refused(
                done,
                f"--ranks: found {ranks}, expected at least 1 (each rank owns a slot); "
                "give a number above zero, or leave the option out",
            )
            self.check_nothing_is_left(scratch)

    def test_far_more_ranks_than_cores(self) -> None:
        scratch = self.scratch(small_sweep())
        cores = len(os.sched_getaffinity(0))
        ranks = str(64 * cores + 1)
        done = self.run_it(scratch, "--ranks", ranks, "--out", str(scratch.folder / "out"))
        self.check_refused(
            done,
            f"--ranks {ranks}: this machine has {cores} core{'' if cores == 1 else 's'}, and more than 64 ranks for "
            "each take minutes to start and to stop; start as many as the sweep's trials want ('regatta plan' says), "
            "or more nodes by mpirun or srun",
        )
        self.check_nothing_is_left(scratch)

    def test_a_folder_that_may_not_be_written(self) -> None:
        scratch = self.scratch(small_sweep())
        closed = scratch.folder / "closed"
        closed.mkdir()
        closed.chmod(0o500)
        self.addCleanup(closed.chmod, 0o700)
        done = self.run_it(scratch, "--out", str(closed / "out"), prepare=as_an_ordinary_user)
        self.check_refused(
            done,
            f"cannot write in '{closed}/out/small.regatta': Permission denied (results go there); "
            "change its permissions, or choose another folder with --out",
        )
        self.check_nothing_is_left(scratch, "closed")

    def test_a_folder_that_is_a_file(self) -> None:
        scratch = self.scratch(small_sweep())
        done = self.run_it(scratch, "--out", str(scratch.sweep_file))
        self.check_refused(
            done,
            f"cannot write in '{scratch.sweep_file}/small.regatta': Not a directory (results go "
            "there); change its permissions, or choose another folder with --out",
        )
        self.check_nothing_is_left(scratch)

    def test_a_name_that_the_system_refuses_is_bad_input(self) -> None:
        scratch = self.scratch(small_sweep())
        name = str(scratch.folder / ("x" * 300))
        done = self.run_it(scratch, "--out", name)
        self.check_refused(
            done,
            f"cannot write in '{name}/small.regatta': File name too long (results go there); "
            "change its permissions, or choose another folder with --out",
        )
        done = self.status(name)
        self.check_refused(done, f"cannot use '{name}': File name too long")
        self.check_nothing_is_left(scratch)

    def test_a_name_that_a_terminal_would_obey_is_shown_as_text(self) -> None:
        self.check_refused(
            self.status("a\x1b[31m\nregatta: done\u202e"),
            "'a\ufffd[31m\n  regatta: done\ufffd' holds no journal (status reads a folder NAME.regatta); "
            "name the folder that `regatta run` printed",
        )

    def test_a_disk_without_room(self) -> None:
        scratch = self.scratch(small_sweep())
        out = scratch.folder / "out" / "of" / "mine"
        done = self.run_it(scratch, "--out", str(out), prepare=with_no_room)
        self.check_refused(
            done,
            f"cannot write in '{out}/small.regatta': File too large (results go there); "
            "free space, then run the same command again",
            code=74,
        )
        self.check_nothing_is_left(scratch)

    def test_a_disk_without_room_for_a_run_that_goes_on(self) -> None:
        scratch = self.scratch(small_sweep())
        out = scratch.folder / "out"
        self.assertEqual(self.run_it(scratch, "--ranks", "1", "--out", str(out)).returncode, 0)
        before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        done = self.run_it(scratch, "--out", str(out), prepare=with_no_room)
        self.assertEqual(done.returncode, 74)
        self.assertIn("File too large", done.stderr)
        after = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        lock = out / "small.regatta" / "lock"
        before.pop(lock), after.pop(lock)
        self.assertEqual(after, before)

    def test_a_second_launcher(self) -> None:
        nap = {
            "regatta": 1,
            "name": "long",
            "axes": {"engine": ["command"], "command": ["nap"]},
            "commands": {"nap": {"argv": ["sleep", "0.1"]}},
            "repeats": 40,
            "measure": {"slices": 4, "steps": 1},
        }
        scratch = self.scratch(nap)
        first = scratch.start("--ranks", "1")
        self.assertTrue(wait_until(scratch.journal.exists, PATIENCE_SECONDS))
        processes = {process.pid for process in scratch.processes()}
        done = self.run_it(scratch, "--out", str(scratch.folder / "out"))
        self.check_refused(
            done,
            f"'{scratch.run_folder}' is in use by process {first.pid} on {os.uname().nodename} (two "
            "launchers would mix their results); wait for it, or choose another --out",
        )
        self.assertTrue(first.poll() is None and first.pid in processes, "the first goes on")
        first.send_signal(signal.SIGTERM)
        self.assertEqual(first.wait(PATIENCE_SECONDS), 75, scratch.output())

    def test_an_interpreter_that_is_missing_is_a_row(self) -> None:
        sweep = small_sweep(environments={"gone": {"engine": "numpy", "python": "no/such/python3"}})
        sweep["axes"]["engine"] = ["native", "numpy@gone"]
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        rows = {trial["engine"]: trial for trial in scratch.report()["trials"]}
        self.assertEqual(rows["native"]["status"], "finished")
        self.assertEqual(rows["numpy@gone"]["status"], "skipped")
        self.assertEqual(
            rows["numpy@gone"]["reason"],
            f"'{scratch.folder}/no/such/python3' of the environment gone cannot be executed; "
            "create it, or correct its path",
        )

    def test_a_dataset_that_is_cut_short_is_a_row(self) -> None:
        sweep = small_sweep()
        sweep["axes"] = {
            "engine": ["native"],
            "model": ["digits-mlp"],
            "dataset": ["synthetic", "digits"],
            "batch": [8],
        }
        scratch = self.scratch(sweep)
        tree = Path(tempfile.mkdtemp(prefix="regatta-tree-"))
        self.addCleanup(shutil.rmtree, tree)
        shutil.copytree(BINARY.parent.parent / "share", tree / "share")
        (tree / "bin").mkdir()
        for program in ("regatta", "regatta-worker"):
            shutil.copy2(BINARY.parent / program, tree / "bin" / program)
        images = tree / "share/regatta/datasets/digits/images-idx3-ubyte"
        images.write_bytes(images.read_bytes()[:5000])
        done = self.run_it(
            scratch,
            "--ranks",
            "1",
            "--out",
            str(scratch.folder / "out"),
            binary=tree / "bin" / "regatta",
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        rows = {trial["dataset"]: trial for trial in scratch.report()["trials"]}
        self.assertEqual(rows["synthetic"]["status"], "finished")
        self.assertEqual(rows["digits"]["status"], "failed")
        self.assertEqual(
            rows["digits"]["reason"],
            f"reported: cannot make weights and batches: '{images}' is cut short: it has 5000 bytes "
            "of the 115024 that the manifest names; restore the file",
        )
        self.assertTrue(
            wait_until(lambda: not scratch.processes(), PATIENCE_SECONDS), scratch.processes()
        )


if __name__ == "__main__":
    unittest.main()
