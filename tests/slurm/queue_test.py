"""A job under slurm/sweep.sbatch, seen from outside: while it waits in the queue, and in the results afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from simulated_cluster import SKIPPED, SimulatedCluster, installed

ROOT = Path(__file__).resolve().parents[2]
REGATTA = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin/regatta"
PATIENCE_SECONDS = 120
SWEEP = {
    "regatta": 1,
    "name": "nap",
    "axes": {"engine": "command", "command": "nap", "n": [1, 2]},
    "commands": {"nap": {"argv": ["sleep", "0.1", "{n}"]}},
    "measure": {"slices": 2, "steps": 1},
}


class Queue(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = SimulatedCluster(2)
        self.addCleanup(self.cluster.stop)
        self.cluster.start()
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-queue-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "slurm").mkdir()
        for name in ("sweep.sbatch", "site.sh"):
            shutil.copy(ROOT / "slurm" / name, self.folder / "slurm")
        with open(self.folder / "slurm/site.sh", "a", encoding="utf-8") as site:
            site.write(f"regatta={REGATTA}\n")
        (self.folder / "sweep.json").write_text(json.dumps(SWEEP))

    def submit(self, *options: str) -> str:
        size = ("--nodes=2", "--ntasks-per-node=1", "--cpus-per-task=1")
        return self.cluster.submit(
            self.folder, *size, *options, "slurm/sweep.sbatch", "sweep.json", "--out", "there"
        )

    def regatta(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.cluster.run(str(REGATTA), *words, cwd=self.folder)

    def wait_for_end(self, job: str) -> str:
        log = self.folder / f"regatta-{job}.log"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not log.exists() or "\nReport  " not in log.read_text(errors="replace"):
            self.assertLess(
                time.monotonic(), deadline, log.read_text() if log.exists() else "no log"
            )
            time.sleep(0.2)
        return log.read_text(errors="replace")

    def test_status_names_the_job_that_waits_and_why(self) -> None:
        done = self.regatta("status", "there/nap.regatta")
        self.assertEqual(done.returncode, 2, done.stdout)
        job = self.submit("--hold")
        done = self.regatta("status", "there/nap.regatta")
        waits = f"job {job} waits in the queue (JobHeldUser)"
        self.assertEqual(done.stdout, f"nap: nothing is recorded yet; {waits}\n", done.stderr)
        told = json.loads(self.regatta("status", "there/nap.h5", "--json").stdout)
        self.assertEqual(told, {"name": "nap", "queued": waits, "job": job})
        self.assertEqual(
            self.regatta("status", "results/nap.regatta").returncode, 2, "another folder"
        )

    def test_results_name_their_job_and_the_node_of_each_trial(self) -> None:
        job = self.submit()
        log = self.wait_for_end(job)
        told = json.loads(self.regatta("status", "there/nap.regatta", "--json").stdout)
        (session,) = told["sessions"]
        self.assertEqual(
            (
                session["job"],
                session["job_nodes"],
                session["job_partition"],
                session["job_restarts"],
            ),
            (job, "n[1-2]", "main", 0),
        )
        line = self.regatta("status", "there/nap.regatta").stdout.splitlines()[1]
        self.assertEqual(line, f"last session: job {job} on n[1-2], partition main")
        rows = json.loads(self.regatta("query", "there/nap.h5", "--json").stdout)["rows"]
        self.assertEqual({row["node"] for row in rows}, {"n1", "n2"}, log)


if __name__ == "__main__":
    if not installed():
        print("Slurm is not installed")
        sys.exit(SKIPPED)
    unittest.main()
