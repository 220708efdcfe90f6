"""Batch normalization by the moments of the whole batch: the same work as a step that is not cut."""

from __future__ import annotations

import os
import signal
import time
import unittest

from tools.exported_tables import rows
from tools.regatta_process import PATIENCE_SECONDS, Process, Scratch, wait_until

NORMED = {
    "name": "normed",
    "input": [64],
    "layers": [
        {"dense": 32, "activation": "relu"},
        {"batch_norm": True},
        {"dropout": 0.2},
        {"dense": 24, "activation": "relu"},
        {"batch_norm": True},
        {"dense": 10, "activation": "softmax"},
    ],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"adam": {"learning_rate": 0.001}},
}


def compared() -> dict:
    return {
        "regatta": 1,
        "name": "statistics",
        "axes": {
            "model": [NORMED],
            "mode": ["graph", "eager"],
            "batch_statistics": ["batch", "shard"],
            "shards": [1, 8],
            "ranks": [1, 2],
        },
        "exclude": [{"shards": 1, "ranks": 2}],
        "compare": {"over": ["shards", "ranks"], "baseline": {"shards": 1, "ranks": 1}},
        "measure": {"slices": 4, "steps": 10},
    }


def training() -> dict:
    return {
        "regatta": 1,
        "name": "learns",
        "task": "train",
        "axes": {
            "model": [NORMED],
            "dataset": "digits",
            "batch_statistics": ["batch", "shard"],
            "ranks": [1, 2],
        },
        "train": {"epochs": 2, "evaluations": 3, "seeds": 2},
        "objective": {"metric": "validation_accuracy"},
    }


def long_one() -> dict:
    return {
        "regatta": 1,
        "name": "long",
        "axes": {"model": [NORMED], "batch_statistics": "batch", "ranks": [2], "seed": [0, 1]},
        "measure": {"slices": 3, "steps": 20000},
        "limits": {"attempts": 1, "trial_timeout": "20s"},
    }


class BatchStatistics(unittest.TestCase):
    def scratch(self, sweep: dict) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        return scratch

    def expect_nothing_left(self, scratch: Scratch) -> None:
        self.assertEqual(scratch.processes(), [])
        self.assertEqual(scratch.temporary_files(), [])

    def test_of_the_batch_make_shards_the_same_work(self) -> None:
        scratch = self.scratch(compared())
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        trials = scratch.report()["trials"]
        self.assertEqual(len(trials), 2 * (1 + 2 * 2))
        for trial in trials:
            verified = "unchecked" if trial["batch_statistics"] == "shard" else "yes"
            self.assertEqual((trial["status"], trial["verified"]), ("finished", verified), trial)
        self.expect_nothing_left(scratch)

    def test_of_the_batch_are_learned_with_alike_by_any_number_of_ranks(self) -> None:
        scratch = self.scratch(training())
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        curves: dict[tuple, list] = {}
        for row in rows(scratch.results, "curves"):
            del row["trial_hash"]
            if row["purpose"] == "plain":  # one run is there again
                key = (row.pop("batch_statistics"), row.pop("ranks"))
                curves.setdefault(key, []).append(row)
        self.assertEqual(len(curves), 4, list(curves))
        self.assertEqual(len(curves["batch", "1"]), 2 * 3)
        self.assertEqual(curves["batch", "1"], curves["batch", "2"])
        self.assertEqual(curves["shard", "1"], curves["shard", "2"])
        self.assertNotEqual(curves["batch", "1"], curves["shard", "1"])
        self.expect_nothing_left(scratch)

    def workers(self, scratch: Scratch) -> list[Process]:
        return [process for process in scratch.processes() if process.role == "worker"]

    def test_a_rank_that_is_killed_before_a_sum_is_one_failed_row(self) -> None:
        scratch = self.scratch(long_one())
        run = scratch.start("--ranks", "2")
        wait_until(lambda: len(self.workers(scratch)) == 2, PATIENCE_SECONDS)
        time.sleep(0.5)  # into its steps
        os.kill(self.workers(scratch)[-1].pid, signal.SIGKILL)
        run.wait(PATIENCE_SECONDS)
        trials = scratch.collect()["trials"]
        [failed] = [trial for trial in trials if trial["status"] == "failed"]
        self.assertRegex(failed["reason"], "rank [01]: .*killed by signal 9")
        self.assertEqual(sum(trial["status"] == "finished" for trial in trials), 1)
        self.expect_nothing_left(scratch)


if __name__ == "__main__":
    unittest.main()
