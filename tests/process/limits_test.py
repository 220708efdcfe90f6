"""Limits of a shell (`ulimit`) with which MPI crashes or hangs are said in one line before it starts."""

from __future__ import annotations

import os
import resource
import subprocess
import unittest

from tools.regatta_process import BINARY, MARK, PATIENCE_SECONDS, Scratch

SWEEP = {
    "regatta": 1,
    "name": "small",
    "axes": {"engine": ["native"], "mode": ["graph"], "model": ["mlp-10"], "batch": [8]},
    "measure": {"slices": 2, "steps": 20},
}


class Limits(unittest.TestCase):
    def check_refused(self, ranks: int, what: int, limit: int, message: str) -> None:
        scratch = Scratch(SWEEP)
        self.addCleanup(scratch.remove)
        told = scratch.folder / "code"
        words = [
            "--ranks",
            str(ranks),
            "--out",
            str(scratch.folder / "out"),
            "--exit-code-to",
            str(told),
        ]
        done = subprocess.run(
            [str(BINARY), "run", str(scratch.sweep_file), *words],
            env={**os.environ, MARK: scratch.mark},
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
            preexec_fn=lambda: resource.setrlimit(what, (limit, limit)),
        )
        self.assertEqual(done.stderr, f"regatta: error: {message}\n")
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.returncode, 74)
        self.assertEqual(told.read_text(), "74\n")
        self.assertEqual(scratch.processes(), [])
        self.assertEqual(scratch.temporary_files(), [])

    def test_too_few_descriptors(self) -> None:
        self.check_refused(
            1,
            resource.RLIMIT_NOFILE,
            24,
            "a process may open 24 files here, and starting 1 rank takes 56; raise `ulimit -n`",
        )

    def test_files_smaller_than_the_shared_memory_of_a_rank(self) -> None:
        self.check_refused(
            2,
            resource.RLIMIT_FSIZE,
            300 << 10,
            "a file may have 300 KiB here, and starting 2 ranks takes 4160 KiB of shared memory each; "
            "raise `ulimit -f`",
        )

    def test_an_address_space_that_the_parts_of_mpi_do_not_fit_in(self) -> None:
        self.check_refused(
            1,
            resource.RLIMIT_AS,
            200 << 20,
            "a process may have 204800 KiB of address space here, and starting 1 rank takes 524288 KiB; "
            "raise `ulimit -v`",
        )


if __name__ == "__main__":
    unittest.main()
