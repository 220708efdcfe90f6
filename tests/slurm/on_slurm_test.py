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

from simulated_cluster import SKIPPED, SimulatedCluster, installed

ROOT = Path(__file__).resolve().parents[2]
REGATTA = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin/regatta"
PATIENCE_SECONDS = 180

# Kind of trial -> its sweep. Each has several blocks, and is in the middle of one when the signal
# comes.
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
        "measure": {"slices": 400},
    },
    "numpy": {
        "axes": {"engine": ["numpy"], "model": ["matmul-1000"], "seed": [1, 2, 3]},
        "measure": {"slices": 400},
    },
}

# Seven cells: the five best are measured again.
NAPS = [f"nap{i}" for i in range(1, 8)]
MANY = {
    "axes": {"engine": ["command"], "command": NAPS},
    "commands": {
        name: {"argv": ["echo", json.dumps({"s": 0.005 * (i + 1)})], "metric": "json:s"}
        for i, name in enumerate(NAPS)
    },
    "compare": {"over": ["command"], "baseline": {"command": "nap1"}},
    "measure": {"slices": 7, "steps": 1},
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

    def submit(self, name: str, sweep: dict, tasks: int = 1) -> str:
        (self.folder / f"{name}.json").write_text(json.dumps({"regatta": 1, "name": name, **sweep}))
        size = ["--cpus-per-task=1", f"--ntasks-per-node={tasks}"]
        return self.cluster.submit(self.folder, *size, "slurm/sweep.sbatch", f"{name}.json")

    def log(self, job: str) -> str:
        file = self.folder / f"regatta-{job}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def counts(self, name: str) -> dict:
        done = self.cluster.run(
            str(REGATTA), "status", str(self.folder / f"results/{name}.regatta"), "--json"
        )
        return json.loads(done.stdout) if done.returncode == 0 else {"finished": 0, "running": 0}

    def wait(self, what: str, condition) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                logs = "\n".join(log.read_text() for log in self.folder.glob("*.log"))
                self.fail(f"not within {PATIENCE_SECONDS} s: {what}\n{logs}")
            time.sleep(0.2)

    def check_drain(self, *signal: str, end: str = "back into the queue") -> dict[str, str]:
        """Signals the jobs while they measure; their ids by what they measure."""
        jobs = {name: self.submit(name, sweep) for name, sweep in SWEEPS.items()}
        for name in jobs:
            self.wait(f"{name} starts", lambda name=name: self.counts(name)["running"] > 0)
        time.sleep(2)  # into the first block
        for job in jobs.values():
            self.cluster.run("scancel", *signal, job)
        for name, job in jobs.items():
            with self.subTest(name):
                self.wait(f"{name} drains", lambda job=job: end in self.log(job))
                log = self.log(job)
                self.assertIn("draining", log)
                self.assertNotIn("killed by signal", log)
                self.assertNotIn("attempt", log)
                counts = self.counts(name)
                self.assertEqual((counts["failed"], counts["trials"]), (0, 3), counts)
                self.assertGreater(counts["open"], 0, log)
        return jobs

    def test_the_best_of_many_are_measured_again_in_the_same_job(self) -> None:
        job = self.submit("many", MANY, tasks=2)
        self.wait("the report", lambda: "\nReport  " in self.log(job))
        file = self.folder / "results/many.h5"
        report = json.loads(self.cluster.run(str(REGATTA), "report", str(file), "--json").stdout)
        (fastest,) = report["fastest"]
        self.assertEqual((fastest["measured_again"], fastest["open"]), (5, False), self.log(job))

    def test_a_drain_ends_no_program_and_the_job_goes_back_into_the_queue(self) -> None:
        self.check_drain("--batch", "--signal=USR1")

    def test_a_term_of_whole_steps_costs_no_attempt_and_the_job_goes_back_into_the_queue(
        self,
    ) -> None:
        self.check_drain("--signal=TERM")

    def test_a_cancelled_job_costs_no_attempt_and_stays_cancelled(self) -> None:
        jobs = self.check_drain(end="stopped with work left")
        self.wait("all jobs leave", lambda: not self.cluster.run("squeue", "-h").stdout.strip())
        for name, job in jobs.items():
            self.assertNotIn("back into the queue", self.log(job), name)


if __name__ == "__main__":
    if not installed():
        print("skipped: Slurm is not installed (apt-get install slurm-wlm openmpi-bin)")
        sys.exit(SKIPPED)
    unittest.main()
