"""Places to write to and to start from that are no plain files and folders: pipes, devices, full and closed outputs,
folders with modules of Python's names or with names that are no text."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools.regatta_process import BINARY, PATIENCE_SECONDS, Scratch, sleeps, wait_until

DONE, BAD_INPUT, STORAGE, WORK_LEFT = 0, 2, 74, 75
SWEEP = {
    "regatta": 1,
    "name": "small",
    "axes": {"engine": ["native"], "mode": ["graph"], "model": ["mlp-10"], "batch": [8]},
    "measure": {"slices": 2, "steps": 20, "again": False},
}
LOST = (
    "regatta: error: cannot write to standard output (what is there is cut short): "
    "No space left on device\n"
)
LISTENS = "0A"  # a socket's state
SHADOWS = ("json", "numpy", "regatta_worker", "runpy", "token", "torch", "tensorflow", "jax")


def regatta(*arguments: object, **options: object) -> subprocess.CompletedProcess:
    command = [os.fsencode(str(BINARY)), *map(os.fsencode, map(str, arguments))]
    chosen = {"capture_output": True, "text": True, "timeout": 120, "check": False, **options}
    return subprocess.run(command, **chosen)


def listening(pid: int) -> list[str]:
    """Addresses at which a process waits for others to connect, as the kernel writes them."""
    held = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):  # closed meanwhile
            held.add(os.readlink(entry))
    addresses = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and f"socket:[{fields[9]}]" in held:
                addresses.append(fields[1].partition(":")[0])
    return addresses


class OddPlaces(unittest.TestCase):
    """One run of one trial, which no test changes."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = Scratch(SWEEP)
        cls.addClassCleanup(cls.scratch.remove)
        if cls.scratch.run("--ranks", "1") != DONE:
            raise RuntimeError(cls.scratch.output())
        cls.file = cls.scratch.results

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="regatta-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    # ---- what is no file ---------------------------------------------------------------------

    def test_a_pipe_that_is_read_gets_what_a_file_would(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for words in (
            ["query", self.file, "--format", "csv", "-o"],
            ["report", self.file, "--html"],
        ):
            reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
            with open(pipe, "wb"):  # the reader is there
                done = regatta(*words, pipe)
            got, _ = reader.communicate(timeout=60)
            self.assertEqual(done.returncode, DONE, done.stderr)
            self.assertEqual(regatta(*words, self.folder / "plain").returncode, DONE)
            self.assertEqual(got, (self.folder / "plain").read_bytes())
            self.assertTrue(pipe.is_fifo())

    def test_a_pipe_that_nobody_reads_is_refused_at_once(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        done = regatta("query", self.file, "--format", "csv", "-o", pipe)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(f"nobody reads the pipe '{pipe}'; start its reader first", done.stderr)
        self.assertTrue(pipe.is_fifo())

    def test_standard_output_by_its_name_is_standard_output(self) -> None:
        plain = regatta("query", self.file, "--format", "csv").stdout
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            done = regatta("query", self.file, "--format", "csv", "-o", name)
            self.assertEqual((done.returncode, done.stdout), (DONE, plain), done.stderr)
        out = self.folder / "out"
        out.write_text("before\n")
        with out.open("a") as stdout:
            regatta(
                *("query", self.file, "--format", "csv", "-o", "/dev/stdout"),
                capture_output=False,
                stdout=stdout,
            )
        self.assertEqual(out.read_text(), "before\n" + plain)

    def test_a_result_file_takes_the_place_of_no_pipe(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        copy = self.folder / "copy.h5"
        copy.write_bytes(self.file.read_bytes())
        done = regatta("merge", "-o", pipe, self.file, copy)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("is no file, and a file would take its place", done.stderr)
        self.assertTrue(pipe.is_fifo())

    def test_links_that_somebody_put_there_are_not_followed(self) -> None:
        precious = self.folder / "precious"
        precious.write_text("precious")
        shared = self.folder / "shared"
        shared.mkdir()
        command = [str(BINARY), "query", str(self.file), "--format", "csv", "-o"]
        # exec keeps the number of the process, which the shell has told before.
        script = 'ln -s ../precious "$0.$$.tmp"; exec "$@" "$0"'
        subprocess.run(["sh", "-c", script, str(shared / "x.csv"), *command], check=True)
        self.assertEqual(precious.read_text(), "precious")
        self.assertFalse((shared / "x.csv").is_symlink())
        self.assertTrue((shared / "x.csv").read_text().startswith("trial_hash"))

    # ---- standard output -------------------------------------------------------------------------

    def test_a_full_output_is_an_error_of_every_command(self) -> None:
        for words in (
            ["report", self.file],
            ["report", self.file, "--json"],
            ["query", self.file],
            ["query", self.file, "--json"],
            ["plan", self.scratch.sweep_file],
            ["status", self.scratch.run_folder],
            ["schema"],
            ["help"],
            ["completion", "bash"],
            ["man"],
            ["--help"],
            ["--version"],
        ):
            with open("/dev/full", "w") as full:
                done = regatta(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, STORAGE, words)
            self.assertTrue(done.stderr.endswith(LOST), (words, done.stderr))

    def test_a_run_says_that_its_report_was_lost_and_keeps_its_results(self) -> None:
        scratch = Scratch(SWEEP)
        self.addCleanup(scratch.remove)
        code = self.folder / "code"
        words = ["run", scratch.sweep_file, "--ranks", "1", "--out", scratch.folder / "out"]
        with open("/dev/full", "w") as full:
            done = regatta(
                *words,
                *("--exit-code-to", code),
                capture_output=False,
                stdout=full,
                stderr=subprocess.PIPE,
            )
        self.assertEqual((done.returncode, code.read_text()), (STORAGE, "74\n"))
        self.assertTrue(done.stderr.endswith(LOST), done.stderr)
        self.assertEqual(scratch.report()["trials"][0]["status"], "finished")

    def test_a_closed_output_is_nobodys_file(self) -> None:
        line = shlex.join([str(BINARY), "status", str(self.scratch.run_folder)])
        for closed in (">&-", "<&- >&-", "<&- >&- 2>&-"):
            done = subprocess.run(["sh", "-c", f"exec {line} {closed}"], check=False, timeout=60)
            self.assertEqual(done.returncode, DONE, closed)

    # ---- where it is started -------------------------------------------------------------------

    def plant_modules(self) -> Path:
        ran = self.folder / "ran"
        for name in SHADOWS:
            (self.folder / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write(__name__)\n")
        return ran

    def test_modules_of_the_current_folder_are_not_run_by_looking(self) -> None:
        ran = self.plant_modules()
        done = regatta("doctor", cwd=self.folder)
        self.assertFalse(ran.exists(), done.stdout)

    def test_modules_of_the_current_folder_are_not_run_in_place_of_others(self) -> None:
        ran = self.plant_modules()
        sweep = {**SWEEP, "axes": {**SWEEP["axes"], "engine": ["numpy"], "mode": ["eager"]}}
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        done = regatta(
            *("run", scratch.sweep_file, "--ranks", "1", "--out", scratch.folder / "out"),
            cwd=self.folder,
        )
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(scratch.report()["trials"][0]["status"], "finished")
        self.assertFalse(ran.exists())

    def test_a_folder_whose_name_is_no_text_is_refused(self) -> None:
        out = os.fsencode(self.folder) + b"/caf\xe9"
        command = [str(BINARY), "run", str(self.scratch.sweep_file), "--out", out]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(
            b"is not in UTF-8 (a run keeps paths as text); choose another folder", done.stderr
        )
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_folder_for_temporary_files_that_is_not_there_is_named(self) -> None:
        out = self.folder / "out"
        done = regatta(
            *("run", self.scratch.sweep_file, "--out", out),
            env={**os.environ, "TMPDIR": "/nothere"},
        )
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("TMPDIR is '/nothere', which is no folder", done.stderr)
        self.assertFalse(out.exists())

    def test_ranks_of_one_host_open_no_port(self) -> None:
        scratch = Scratch(sleeps(0.2, 20))
        self.addCleanup(scratch.remove)
        run = scratch.start("--ranks", "2")
        self.assertTrue(wait_until(scratch.journal.exists, PATIENCE_SECONDS), scratch.output())
        ranks = [each for each in scratch.processes() if each.role == "rank"]
        self.assertEqual(len(ranks), 2)
        self.assertEqual([listening(rank.pid) for rank in ranks], [[], []])
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(PATIENCE_SECONDS), WORK_LEFT, scratch.output())

    # ---- commands to paste ------------------------------------------------------------------------

    def test_the_next_command_keeps_every_option(self) -> None:
        sweep = {
            "regatta": 1,
            "name": "fails",
            "axes": {"engine": ["command"], "command": ["no"], "n": [1, 2]},
            "commands": {"no": {"argv": ["false", "{n}"]}},
            "measure": {"slices": 1, "steps": 1, "again": False},
        }
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        words = ["run", str(scratch.sweep_file), "--out", f"{self.folder}/my results"]
        words += ["--ranks", "1", "--set", "n=3"]
        done = regatta(*words)
        self.assertEqual(done.returncode, 1, done.stderr)
        joined = shlex.join([str(BINARY), *words])
        self.assertIn(f"Next    {joined} --rerun failed", done.stdout)

    def test_repeating_a_row_names_the_program_that_it_starts(self) -> None:
        sweep = {
            "regatta": 1,
            "name": "program",
            "axes": {"engine": ["command"], "command": ["yes"]},
            "commands": {"yes": {"argv": ["true", "a b"]}},
            "measure": {"slices": 1, "steps": 1, "again": False},
        }
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "1"), DONE, scratch.output())
        trial = scratch.report()["trials"][0]["id"]
        done = regatta("repro", scratch.results, trial)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("starts a program that the file names: true 'a b'\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
