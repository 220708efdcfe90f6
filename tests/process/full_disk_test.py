"""A disk that is full while a run goes on ends the run and no trial: with room, the same command does the rest."""

from __future__ import annotations

import subprocess
import unittest

from tools.mounts import can_mount
from tools.regatta_process import Scratch

DONE, STORAGE = 0, 74
MODEL = {
    "name": "small",
    "input": [64],
    "layers": [{"dense": 512, "activation": "relu"}, {"dense": 10, "activation": "softmax"}],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"adam": {"learning_rate": 0.003}},
}
TRAINING = {
    "regatta": 1,
    "name": "learns",
    "task": "train",
    "axes": {"model": MODEL, "dataset": "digits", "learning_rate": [0.001, 0.01]},
    "train": {"steps": 60, "evaluations": 2, "seeds": 1},
}
BENCHMARK = {
    "regatta": 1,
    "name": "steps",
    "axes": {"engine": ["native"], "mode": ["eager", "graph"], "model": ["mlp-784"], "batch": [64]},
    "measure": {"slices": 2, "steps": 2},
}


class FullDisk(unittest.TestCase):
    def run_in(self, kib: int, sweep: dict) -> None:
        """The folder of results is a file system of this size, which then becomes larger."""
        if not can_mount():
            print("a full disk: not tried, as this user may not mount")
            return
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        out = scratch.folder / "out"
        out.mkdir()
        size = f"size={kib}k,mode=755"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(out)], check=True)
        self.addCleanup(subprocess.run, ["umount", str(out)], check=True)
        self.assertEqual(scratch.run("--ranks", "2"), STORAGE, scratch.output())
        self.assertIn("No space left on device", scratch.output())
        subprocess.run(["mount", "-o", "remount,size=64m", str(out)], check=True)
        self.assertEqual(scratch.run("--ranks", "2"), DONE, scratch.output())
        self.assertNotIn("failed trial", scratch.output())
        statuses = [trial["status"] for trial in scratch.report()["trials"]]
        self.assertEqual(statuses, ["finished"] * 2)

    def test_where_inputs_do_not_fit(self) -> None:
        self.run_in(400, TRAINING)
        self.run_in(400, BENCHMARK)

    def test_where_checkpoints_do_not_fit(self) -> None:
        for kib in (1100, 1500):
            self.run_in(kib, TRAINING)


if __name__ == "__main__":
    unittest.main()
