"""One sweep with trials of 1, 2 and 4 ranks, on one host and on a real Slurm of three simulated nodes with two tasks
each: the same trials in both, finished, on one node where its tasks suffice and on two where they do not."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path

from simulated_cluster import SKIPPED, SimulatedCluster, installed

from tools.regatta_process import BINARY, Scratch, wait_until

ROOT = Path(__file__).resolve().parents[2]
NODES = 3
TASKS_OF_A_NODE = 2
SEEDS = 20
PATIENCE_SECONDS = 240
SWEEP = {
    "regatta": 1,
    "name": "mixed",
    "axes": {
        "model": ["mlp-784"],
        "batch": [64],
        "ranks": [1, 2, 4],
        "seed": list(range(1, SEEDS + 1)),
    },
    "measure": {"slices": 3, "steps": 50},
}
GRADIENTS = re.compile(r"(\d+) +/memfd:regatta-gradients")


def environment_of(process: Path) -> dict[str, str]:
    entries = (process / "environ").read_bytes().decode(errors="replace").split("\0")
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


def gangs_now(folder: Path) -> dict[frozenset[str], list[str]]:
    """Workers that read each other's gradients, in jobs that were submitted from there: what they share, and the node
    of each."""
    gangs: dict[frozenset[str], list[str]] = defaultdict(list)
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if (process / "comm").read_text().strip() != "regatta-worker":
                continue
            shared = frozenset(GRADIENTS.findall((process / "maps").read_text()))
            environment = environment_of(process)
        except OSError:  # it has ended
            continue
        if len(shared) > 1 and environment.get("SLURM_SUBMIT_DIR") == str(folder):
            gangs[shared].append(environment["SLURMD_NODENAME"])
    return {shared: nodes for shared, nodes in gangs.items() if len(nodes) > 1}


class MixedRanks(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-mixed-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def on_one_host(self) -> dict[str, dict]:
        scratch = Scratch(SWEEP)
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "4"), 0, scratch.output())
        self.assertEqual(scratch.processes(), [])
        return {trial["id"]: trial for trial in scratch.report()["trials"]}

    def prepare(self) -> None:
        (self.folder / "slurm").mkdir()
        shutil.copy(ROOT / "slurm/sweep.sbatch", self.folder / "slurm")
        site = (ROOT / "slurm/site.sh").read_text()
        (self.folder / "slurm/site.sh").write_text(f"{site}regatta={BINARY}\n")
        (self.folder / "mixed.json").write_text(json.dumps(SWEEP))

    def on_slurm(self) -> tuple[dict[str, dict], list[list[str]]]:
        """The trials by their ids, and the nodes of each gang that was seen meanwhile."""
        self.prepare()
        cluster = SimulatedCluster(nodes=NODES)
        self.addCleanup(cluster.stop)
        cluster.start()
        size = [f"--nodes={NODES}", f"--ntasks-per-node={TASKS_OF_A_NODE}", "--cpus-per-task=1"]
        job = cluster.submit(self.folder, *size, "slurm/sweep.sbatch", "mixed.json")
        log = self.folder / f"regatta-{job}.log"
        seen: dict[frozenset[str], list[str]] = {}

        def is_through() -> bool:
            seen.update(gangs_now(self.folder))
            return log.exists() and "\nReport  " in log.read_text()

        through = wait_until(is_through, PATIENCE_SECONDS)
        self.assertTrue(through, log.read_text() if log.exists() else "no log")
        file = self.folder / "results/mixed.h5"
        report = json.loads(cluster.run(str(BINARY), "report", str(file), "--json").stdout)
        return {trial["id"]: trial for trial in report["trials"]}, list(seen.values())

    def test_the_same_trials_on_one_host_and_on_several_nodes(self) -> None:
        here = self.on_one_host()
        there, gangs = self.on_slurm()
        self.assertEqual(len(here), 3 * SEEDS)
        self.assertEqual(here.keys(), there.keys())
        for name, trials, nodes in (("one host", here, 1), ("Slurm", there, NODES)):
            fits = 4 if nodes == 1 else TASKS_OF_A_NODE
            for trial in trials.values():
                with self.subTest(on=name, trial=trial["label"]):
                    self.assertEqual((trial["status"], trial["shards"]), ("finished", 8), trial)
                    self.assertGreater(trial["step_time"], 0)
                    if trial["ranks"] <= fits:
                        self.assertIsNone(trial["nodes"], trial)
                    else:
                        self.assertIn(trial["nodes"], (2, 3), trial)
            counts = Counter((trial["ranks"], trial["nodes"]) for trial in trials.values())
            print(f"{name}, trials by ranks and nodes: {dict(sorted(counts.items(), key=str))}")

        print(f"ranks that share memory, by their nodes: {Counter(map(tuple, gangs))}")
        self.assertGreater(len(gangs), 0)
        for nodes in gangs:
            self.assertEqual(len(nodes), TASKS_OF_A_NODE)
            self.assertEqual(len(set(nodes)), 1, "ranks of several nodes share memory")


if __name__ == "__main__":
    if not installed():
        print("skipped: needs Slurm (apt-get install slurm-wlm openmpi-bin)")
        sys.exit(SKIPPED)
    unittest.main()
