"""Trials of several ranks where memory, /dev/shm or locked memory are short: a failed row that says so, or no matter."""

from __future__ import annotations

import unittest

from tools.mounts import can_mount, with_shared_memory_of
from tools.regatta_process import Scratch

DONE, SOME_FAILED, BAD_INPUT, STORAGE, WORK_LEFT = 0, 1, 2, 74, 75
LARGE = {  # 120 MB of weights
    "name": "large",
    "input": [1000],
    "layers": [{"dense": 30000, "activation": "relu"}, {"dense": 5, "activation": "softmax"}],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"sgd": {"learning_rate": 0.01}},
}


def sweep(models: list) -> dict:
    return {
        "regatta": 1,
        "name": "limits",
        "axes": {"model": models, "ranks": [1, 2]},
        "measure": {"slices": 2, "steps": 3},
        "limits": {"memory": "300MiB"},
    }


class RankLimits(unittest.TestCase):
    def scratch(self, models: list) -> Scratch:
        scratch = Scratch(sweep(models))
        self.addCleanup(scratch.remove)
        return scratch

    def expect_nothing_left(self, scratch: Scratch) -> None:
        self.assertEqual(scratch.processes(), [])
        self.assertEqual(scratch.temporary_files(), [])

    def expect_finished(self, scratch: Scratch) -> None:
        trials = scratch.report()["trials"]
        status = sorted((trial["ranks"], trial["status"]) for trial in trials)
        self.assertEqual(status, [(1, "finished"), (2, "finished")])
        self.expect_nothing_left(scratch)

    def test_without_memory_for_gradients_they_are_a_failed_row(self) -> None:
        scratch = self.scratch(["mlp-784", LARGE])
        self.assertEqual(scratch.run("--ranks", "2"), SOME_FAILED, scratch.output())
        for trial in scratch.collect()["trials"]:
            is_large = trial["model"] == "large"
            self.assertEqual(trial["status"], "failed" if is_large else "finished", trial)
            if is_large and trial["ranks"] == 2:
                self.assertRegex(trial["reason"], "out_of_memory: rank [01]: .*limits.memory")
        self.expect_nothing_left(scratch)

    def test_need_no_locked_memory(self) -> None:
        scratch = self.scratch(["mlp-784"])
        under = ("sh", "-c", 'ulimit -l 0; exec "$@" --ranks 2', "sh")
        self.assertEqual(scratch.run(under=under), DONE, scratch.output())
        self.expect_finished(scratch)

    def test_lose_nothing_where_shared_memory_is_full(self) -> None:
        """MPI may want /dev/shm; gradients lie elsewhere."""
        if not can_mount():
            return print("/dev/shm: not tried, as this user may not mount")
        for kib in (16, 256, 1024):
            scratch = self.scratch(["mlp-784"])
            code = scratch.run(under=with_shared_memory_of(kib))
            self.assertIn(code, (DONE, BAD_INPUT, STORAGE, WORK_LEFT), scratch.output())
            self.assertEqual(scratch.run("--ranks", "2"), DONE, scratch.output())
            self.expect_finished(scratch)
        return None


if __name__ == "__main__":
    unittest.main()
