"""Programs of trials that call mpirun and srun themselves, under slurm/sweep.sbatch on two nodes."""

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

# Each of its processes says how many there are, as what started it says.
SIZE = """#!/bin/sh
echo "${OMPI_COMM_WORLD_SIZE:-$SLURM_STEP_NUM_TASKS}"
"""

# Starts the processes and counts those that speak.
COUNT = """import json, os, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
sizes = [int(line) for line in done.stdout.split()]
if not sizes:
    sys.exit(done.stderr or "no process spoke")
print(json.dumps({"spoke": len(sizes), "size": max(sizes), "tasks": int(os.environ["SLURM_NTASKS"])}))
"""
RESULTS = {"results": ["spoke", "size", "tasks"]}


class Programs(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = SimulatedCluster(2)
        self.addCleanup(self.cluster.stop)
        self.cluster.start()
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-programs-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "slurm").mkdir()
        for name in ("sweep.sbatch", "site.sh"):
            shutil.copy(ROOT / "slurm" / name, self.folder / "slurm")
        with open(self.folder / "slurm/site.sh", "a", encoding="utf-8") as site:
            site.write(f"regatta={REGATTA}\n")
        (self.folder / "count.py").write_text(COUNT)
        (self.folder / "size.sh").write_text(SIZE)
        (self.folder / "size.sh").chmod(0o755)

    def rows(self, commands: dict[str, list[str]], *size: str) -> dict[str, dict]:
        """The trial of each command."""
        size_of = str(self.folder / "size.sh")
        argv = {
            name: ["python3", str(self.folder / "count.py"), *words, size_of]
            for name, words in commands.items()
        }
        sweep = {
            "regatta": 1,
            "name": "sizes",
            "axes": {"engine": "command", "command": list(commands)},
            "commands": {name: {"argv": words, **RESULTS} for name, words in argv.items()},
            "measure": {"slices": 2, "steps": 1},
            "limits": {"trial_timeout": "30s", "attempts": 1},
        }
        (self.folder / "sizes.json").write_text(json.dumps(sweep))
        job = self.cluster.submit(self.folder, *size, "slurm/sweep.sbatch", "sizes.json")
        log = self.folder / f"regatta-{job}.log"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not log.exists() or "\nReport  " not in log.read_text(errors="replace"):
            self.assertLess(
                time.monotonic(), deadline, log.read_text() if log.exists() else "no log"
            )
            time.sleep(0.2)
        told = self.cluster.run(
            str(REGATTA), "query", str(self.folder / "results/sizes.h5"), "--json"
        ).stdout
        rows = {row["command"]: row for row in json.loads(told)["rows"]}
        for name, row in rows.items():
            self.assertEqual(
                row["status"], "finished", f"{name}: {row}\n{log.read_text(errors='replace')}"
            )
        return rows

    def test_mpirun_and_srun_in_a_trial_start_as_many_processes_as_they_are_told(self) -> None:
        commands = {
            "mpirun": ["mpirun", "-n", "2"],
            "mpirun-all": ["mpirun"],
            "srun": ["srun", "--mpi=none", "-n", "2"],
            "srun-all": ["srun", "--mpi=none"],
            "srun-one-node": ["srun", "--mpi=none", "--nodes=1", "--ntasks=1"],
        }
        rows = self.rows(commands, "--nodes=2", "--ntasks-per-node=1", "--cpus-per-task=1")
        expected = {"mpirun": 2, "mpirun-all": 2, "srun": 2, "srun-all": 2, "srun-one-node": 1}
        for name, count in expected.items():
            with self.subTest(name):
                row = rows[name]
                self.assertEqual((row["spoke"], row["size"]), (count, count), row)
                self.assertEqual(row["tasks"], 2, "of the job, as its batch script knows it")


if __name__ == "__main__":
    if not installed():
        print("Slurm is not installed")
        sys.exit(SKIPPED)
    unittest.main()
