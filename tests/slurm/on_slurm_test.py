"""slurm/sweep.sbatch on a real Slurm of three simulated nodes: a drain ends no program that is being measured."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

from simulated_cluster import SimulatedCluster, installed

ROOT = Path(__file__).resolve().parents[2]
REGATTA = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin/regatta"
PATIENCE_SECONDS = 180
SKIPPED = 77

# What is measured -> its sweep. Each has several blocks, and is in the middle of one when the signal comes.
LONG = {"slices": 2, "steps": 1}
SWEEPS = {
    "command": {
        "axes": {"engine": ["command"], "command": ["nap"]},
        "commands": {"nap": {"argv": ["sleep", "8"]}},
        "repeats": 3,
        "measure": LONG,
    },
    "native": {
        "axes": {"engine": ["native"], "model": ["matmul-1000"], "seed": [1, 2, 3]},
        "measure": {"per_contrast": "8s"},
    },
    "numpy": {
        "axes": {"engine": ["numpy"], "model": ["matmul-1000"], "seed": [1, 2, 3]},
        "measure": {"per_contrast": "8s"},
    },
}


class OnSlurm(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = SimulatedCluster(nodes=3)
        self.addCleanup(self.cluster.stop)
        self.cluster.start()
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-slurm-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "slurm").mkdir()
        for name in ("sweep.sbatch", "site.sh"):
            shutil.copy(ROOT / "slurm" / name, self.folder / "slurm")
        with open(self.folder / "slurm/site.sh", "a", encoding="utf-8") as site:
            site.write(f"regatta={REGATTA}\n")

    def submit(self, name: str) -> str:
        sweep = {"regatta": 1, "name": name, **SWEEPS[name]}
        (self.folder / f"{name}.json").write_text(json.dumps(sweep))
        words = ["--cpus-per-task=1", "slurm/sweep.sbatch", f"{name}.json"]
        return self.cluster.submit(self.folder, *words)

    def log(self, job: str) -> str:
        file = self.folder / f"regatta-{job}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def counts(self, name: str) -> dict:
        done = self.cluster.run(
            str(REGATTA), "status", str(self.folder / f"results/{name}.regatta"), "--json"
        )
        return json.loads(done.stdout) if done.returncode == 0 else {"finished": 0}

    def wait(self, what: str, condition) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                logs = "\n".join(log.read_text() for log in self.folder.glob("*.log"))
                self.fail(f"not within {PATIENCE_SECONDS} s: {what}\n{logs}")
            time.sleep(0.2)

    def test_a_drain_ends_no_program_and_the_job_goes_back_into_the_queue(self) -> None:
        jobs = {name: self.submit(name) for name in SWEEPS}
        for name in jobs:
            logs = self.folder / f"results/{name}.regatta/logs"
            self.wait(f"{name} starts", lambda logs=logs: logs.exists() and any(logs.iterdir()))
        time.sleep(2)  # into the first block
        for job in jobs.values():
            self.cluster.run("scancel", "--batch", "--signal=USR1", job)
        for name, job in jobs.items():
            with self.subTest(name):
                self.wait(f"{name} drains", lambda job=job: "back into the queue" in self.log(job))
                log = self.log(job)
                self.assertIn("draining", log)
                self.assertNotIn("killed by signal", log)
                self.assertNotIn("attempt", log)
                counts = self.counts(name)
                self.assertEqual((counts["failed"], counts["trials"]), (0, 3), counts)
                self.assertGreater(counts["open"], 0, log)


if __name__ == "__main__":
    if not installed():
        print("skipped: Slurm is not installed (apt-get install slurm-wlm openmpi-bin)")
        sys.exit(SKIPPED)
    unittest.main()
