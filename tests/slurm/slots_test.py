"""Slots under slurm/sweep.sbatch: the cores that Slurm binds a task to, or shares of a node where it binds none."""

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
PATIENCE_SECONDS = 120
CORES = "import json, os; print(json.dumps({'core': min(os.sched_getaffinity(0)), 'cores': len(os.sched_getaffinity(0))}))"
SWEEP = {
    "regatta": 1,
    "name": "cores",
    "axes": {"engine": "command", "command": "cores", "n": [1, 2, 3, 4, 5, 6]},
    "commands": {"cores": {"argv": ["python3", "-c", CORES, "{n}"], "results": ["core", "cores"]}},
    "measure": {"slices": 2, "steps": 1},
}


class Slots(unittest.TestCase):
    def rows(self, task_plugin: str, *size: str) -> tuple[list[dict], str]:
        """The trials of a job on one node, and its log."""
        cluster = SimulatedCluster(1, task_plugin)
        self.addCleanup(cluster.stop)
        cluster.start()
        folder = Path(tempfile.mkdtemp(prefix="regatta-slots-test-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "slurm").mkdir()
        for name in ("sweep.sbatch", "site.sh"):
            shutil.copy(ROOT / "slurm" / name, folder / "slurm")
        with open(folder / "slurm/site.sh", "a", encoding="utf-8") as site:
            site.write(f"regatta={REGATTA}\n")
        (folder / "cores.json").write_text(json.dumps(SWEEP))
        job = cluster.submit(folder, *size, "slurm/sweep.sbatch", "cores.json")
        log = folder / f"regatta-{job}.log"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not log.exists() or "\nReport  " not in log.read_text(errors="replace"):
            self.assertLess(
                time.monotonic(),
                deadline,
                log.read_text(errors="replace") if log.exists() else "no log",
            )
            time.sleep(0.2)
        rows = cluster.run(str(REGATTA), "query", str(folder / "results/cores.h5"), "--json").stdout
        return json.loads(rows)["rows"], log.read_text(errors="replace")

    def test_a_task_that_is_bound_has_its_cores_for_itself(self) -> None:
        rows, log = self.rows("task/affinity", "--ntasks-per-node=2", "--cpus-per-task=1")
        self.assertIn("node n1: 2 slots of 1 core", log)
        self.assertEqual({row["core"] for row in rows}, {0, 1}, log)
        self.assertFalse([row for row in rows if "cores_shared" in str(row.get("flags"))], rows)

    def test_tasks_that_are_not_bound_share_the_node(self) -> None:
        rows, log = self.rows("task/none", "--ntasks-per-node=2", "--cpus-per-task=1")
        self.assertIn("node n1: 2 slots of 1 core", log)
        self.assertEqual({row["core"] for row in rows}, {0, 1}, log)

    def test_one_task_has_all_cores_that_it_asked_for(self) -> None:
        _, log = self.rows("task/affinity", "--ntasks-per-node=1", "--cpus-per-task=2")
        self.assertIn("node n1: 1 slot of 2 cores", log)


if __name__ == "__main__":
    if not installed():
        print("Slurm is not installed")
        sys.exit(SKIPPED)
    unittest.main()
