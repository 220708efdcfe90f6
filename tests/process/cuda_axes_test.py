"""Axes that a device alone has, on an emulated one: each level is a trial, its rates are known, and it is explained."""

from __future__ import annotations

import unittest

from tests.process.emulated_device import make_tree, remove_tree
from tools.regatta_process import Scratch


def sweep(over: str, baseline: str, **changes: object) -> dict:
    return {
        "regatta": 1,
        "name": "axes",
        "axes": {"device": ["cuda"], "model": ["mlp-10"], "batch": [4]},
        "compare": {"over": [over], "baseline": {over: baseline}},
        "measure": {"slices": 3, "steps": 10, "explain": False, "again": False},
        **changes,
    }


class AxesOfADevice(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = make_tree()
        self.addCleanup(remove_tree, self.tree)

    def run_sweep(self, document: dict) -> Scratch:
        scratch = Scratch(document)
        self.addCleanup(scratch.remove)
        code = scratch.start("--ranks", "1", REGATTA_EMULATED_CUDA="devices=1").wait(600)
        self.assertEqual(code, 0, scratch.output())
        return scratch

    def test_each_level_is_a_trial_of_its_own(self) -> None:
        document = sweep("precision", "fp32")
        document["axes"] |= {
            "precision": ["fp32", "tf32", "bf16"],
            "transfers": ["pinned", "overlapped"],
            "memory": ["grow", "preallocate"],
        }
        trials = self.run_sweep(document).report()["trials"]
        self.assertEqual(len(trials), 12)
        self.assertEqual({trial["status"] for trial in trials}, {"finished"}, trials)

    def test_the_cores_read_none_of_them(self) -> None:
        document = sweep("device", "cpu")
        document["axes"] |= {"device": ["cpu", "cuda"], "transfers": ["pinned", "pageable"]}
        trials = self.run_sweep(document).report()["trials"]
        self.assertEqual(len(trials), 1 + 2)
        self.assertEqual({trial["transfers"] for trial in trials}, {None, "pinned", "pageable"})

    def test_its_rates_are_known_where_trials_are_compared(self) -> None:
        document = sweep("mode", "eager")
        document["axes"]["mode"] = ["eager", "graph"]
        scratch = self.run_sweep(document)
        page = next(scratch.folder.rglob("*.html")).read_text(encoding="utf-8")
        self.assertRegex(page, r"GPU-[-0-9a-f]+: .*TFLOP/s in fp32, .* in tf32, .* in bf16, ")
        self.assertIn("us a graph node", page)

    def test_an_explanation_says_what_launches_take(self) -> None:
        document = sweep("mode", "eager")
        document["axes"]["mode"] = ["eager", "graph"]
        document["measure"] = {"slices": 8, "steps": 10, "explain": True, "again": False}
        why = self.run_sweep(document).report()["why"]
        self.assertEqual(len(why), 2)
        for each in why:
            self.assertRegex(each["text"], r"emptying the kernels: .*launch.*: \d+ % of the step")


if __name__ == "__main__":
    unittest.main()
