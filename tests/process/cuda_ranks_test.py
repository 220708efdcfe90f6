"""Trials of several ranks on emulated GPUs, which sum by a stand-in of NCCL between their processes."""

from __future__ import annotations

import unittest

from tests.process.emulated_device import make_tree, remove_tree
from tools.regatta_process import PATIENCE_SECONDS, Scratch, wait_until

NORMED = {
    "name": "normed",
    "input": [20],
    "layers": [
        {"dense": 32, "activation": "relu"},
        {"dropout": 0.2},
        {"dense": 5, "activation": "softmax"},
    ],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"adam": {"learning_rate": 0.001}},
}


def compared(**axes: list) -> dict:
    return {
        "regatta": 1,
        "name": "ranks",
        "axes": {"device": ["cuda"], "model": ["mlp-10", NORMED], "ranks": [1, 2], **axes},
        "compare": {"over": ["ranks"], "baseline": {"ranks": 1}},
        "measure": {"slices": 3, "steps": 10, "again": False},
    }


def apart() -> dict:
    return {
        "regatta": 1,
        "name": "apart",
        "axes": {"device": ["cuda"], "model": ["mlp-10"], "ranks": [1, 2]},
        "measure": {"slices": 3, "steps": 20},
        "limits": {"attempts": 1, "trial_timeout": "10s"},
    }


class RanksOnDevices(unittest.TestCase):
    def setUp(self) -> None:
        tree = make_tree()
        self.addCleanup(remove_tree, tree)

    def scratch(self, sweep: dict, ranks: int, devices: int = 4, **variables: str) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        variables["REGATTA_EMULATED_CUDA"] = f"protect=off,devices={devices}"
        scratch.start("--ranks", str(ranks), **variables).wait(600)
        self.assertTrue(wait_until(lambda: not scratch.processes(), PATIENCE_SECONDS))
        self.assertEqual(scratch.temporary_files(), [])
        return scratch

    def test_do_the_same_work_as_one_rank(self) -> None:
        for ranks in (2, 4):
            scratch = self.scratch(compared(mode=["eager", "graph"], ranks=[1, ranks]), ranks)
            trials = scratch.report()["trials"]
            self.assertEqual(len(trials), 8)
            for trial in trials:
                done = (trial["status"], trial["verified"])
                self.assertEqual(done, ("finished", "yes"), scratch.output())
                self.assertIsNone(trial["shards"])

    def test_batch_normalization_of_a_part_is_other_work(self) -> None:
        layers = [NORMED["layers"][0], {"batch_norm": True}, NORMED["layers"][-1]]
        sweep = compared(model=[{**NORMED, "layers": layers}], mode=["graph"])
        trials = sorted(self.scratch(sweep, 2).report()["trials"], key=lambda trial: trial["ranks"])
        self.assertEqual([trial["verified"] for trial in trials], ["yes", "no"])

    def test_more_ranks_than_devices_are_skipped(self) -> None:
        trials = self.scratch(compared(mode=["graph"]), 2, devices=1).report()["trials"]
        by_ranks = {trial["ranks"]: trial for trial in trials}
        self.assertEqual(by_ranks[1]["status"], "finished", by_ranks[1])
        self.assertEqual(by_ranks[2]["status"], "skipped")
        self.assertRegex(by_ranks[2]["reason"], "not answerable on this machine: needs 2 ranks")

    def test_what_they_could_gain_is_measured_without_their_sums(self) -> None:
        sweep = compared(mode=["graph"])
        sweep["measure"]["explain"] = True
        trials = self.scratch(sweep, 2).report()["trials"]
        shared = [trial for trial in trials if trial["ranks"] == 2]
        self.assertTrue(all(trial["exposed_exchange"] > 0 for trial in shared), shared)

    def faulty(self, orders: str) -> dict:
        """The row of two ranks; the one of one rank has been measured all the same."""
        scratch = self.scratch(apart(), 2, REGATTA_FAKE_NCCL=orders)
        alone, shared = sorted(scratch.report()["trials"], key=lambda trial: trial["ranks"])
        self.assertEqual(alone["status"], "finished", alone)
        return shared

    def test_a_rank_that_dies_in_a_sum_is_one_failed_row(self) -> None:
        for sum_number in (0, 1, 7, 30):
            row = self.faulty(f"rank=1,kill={sum_number}")
            self.assertEqual(row["status"], "failed")
            self.assertRegex(row["reason"], "rank 1: .*killed by signal 9")

    def test_a_rank_that_hangs_is_one_failed_row_that_names_the_place(self) -> None:
        row = self.faulty("rank=1,hang=9")
        self.assertEqual(row["status"], "failed")
        self.assertRegex(
            row["reason"], "rank [01]: .*has no sums of bucket [01] of step 5: no end after 8 s"
        )

    def test_a_rank_that_nccl_gives_up_is_one_failed_row(self) -> None:
        row = self.faulty("rank=0,async=9")
        self.assertEqual(row["status"], "failed")
        self.assertRegex(row["reason"], "rank 0: .*remote process exited")

    def test_a_rank_that_never_joins_is_one_failed_row(self) -> None:
        row = self.faulty("rank=1,init=hang")
        self.assertEqual(row["status"], "failed")
        self.assertRegex(row["reason"], "the group of 2 ranks did not form")

    def test_without_nccl_they_are_skipped_with_what_to_do(self) -> None:
        row = self.faulty("missing")
        self.assertEqual(row["status"], "skipped")
        self.assertRegex(row["reason"], "NCCL is missing.*LD_LIBRARY_PATH")


if __name__ == "__main__":
    unittest.main()
