"""`measure.explain` with real workers: causes by intervention, which are never taken for trials."""

from __future__ import annotations

import sys
import unittest

from tools import journal
from tools.regatta_process import SOURCE, Scratch

FAKE = str(SOURCE / "tests" / "support" / "fake_worker.py")
QUICK = {"slices": 8, "again": False}


def sweep(**changes: object) -> dict:
    plain = {
        "regatta": 1,
        "name": "why",
        "axes": {
            "engine": ["native", "numpy"],
            "mode": ["eager", "graph"],
            "model": ["mlp-10"],
            "batch": [32],
        },
        "compare": {"over": ["engine", "mode"], "baseline": {"engine": "native", "mode": "graph"}},
        "measure": {**QUICK, "explain": True},
    }
    return {key: value for key, value in {**plain, **changes}.items() if value is not None}


def changes_of(why: dict) -> dict[str, dict]:
    return {change["change"]: change for change in why["changes"]}


def report_of(scratch: Scratch) -> dict:
    code = scratch.run("--ranks", "1")
    if code != 0:
        raise AssertionError(f"exit {code}\n{scratch.output()}")
    return scratch.report()


def recorded(scratch: Scratch) -> list[str]:
    """The identities of the blocks that are recorded, in the order of recording."""
    return [record.hash for record in journal.results(scratch.journal)]


class ExplainedLater(unittest.TestCase):
    """A run that has measured its trials, and then its interventions, once for all tests."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = Scratch(sweep(measure=QUICK))
        cls.addClassCleanup(cls.scratch.remove)
        report_of(cls.scratch)
        cls.trials = recorded(cls.scratch)
        cls.scratch.sweep = sweep()
        cls.scratch.__post_init__()  # writes the file anew
        cls.report = report_of(cls.scratch)
        cls.both = recorded(cls.scratch)

    def test_emptied_kernels_are_faster_and_a_resident_input_does_the_same_work(self) -> None:
        self.assertEqual([why["status"] for why in self.report["why"]], ["finished"] * 3)
        by_label = {why["label"]: changes_of(why) for why in self.report["why"]}
        for label in ("native eager", "native graph"):
            emptied = by_label[label]["kernels_emptied"]
            # The estimate, not the verdict: on a busy machine all slices may be disturbed.
            self.assertLess(emptied["ratio"], 0.9, f"{label} {emptied}")
            self.assertGreater(emptied["removed_seconds"], 0)
            self.assertEqual(emptied["verified"], "unchecked")
        for label in by_label:
            self.assertEqual(by_label[label]["input_resident"]["verified"], "yes", label)
        self.assertEqual(by_label["numpy"]["kernels_emptied"]["status"], "skipped")
        self.assertIn("does not offer", by_label["numpy"]["kernels_emptied"]["reason"])

    def test_explaining_later_measures_only_what_is_missing_and_only_once(self) -> None:
        self.assertEqual(len(self.report["why"]), 3)
        self.assertEqual(self.both[: len(self.trials)], self.trials)
        self.assertEqual(len(self.both) - len(self.trials), 3)
        self.assertEqual(len(set(self.both)), len(self.both))
        report_of(self.scratch)
        self.assertEqual(recorded(self.scratch), self.both)


class Explain(unittest.TestCase):
    def scratch(self, content: dict) -> Scratch:
        scratch = Scratch(content)
        self.addCleanup(scratch.remove)
        return scratch

    def test_the_cost_of_calls_is_fitted_over_batches(self) -> None:
        # One row takes far less than so many, however busy the machine is.
        axes = {"engine": ["numpy"], "model": ["mlp-10"], "batch": [512]}
        report = report_of(self.scratch(sweep(axes=axes, compare=None)))
        why = report["why"][0]
        self.assertEqual(why["calls"]["batches"], [1, 16, 512])
        self.assertGreater(why["calls"]["seconds"], 0)
        self.assertLess(why["calls"]["seconds"], 1.5 * why["step_time"])
        self.assertLess(changes_of(why)["batch 1"]["ratio"], 1.1)

    def test_converting_the_input_is_found(self) -> None:
        # 784 inputs at batch 512 in float64: casting them is a known part of a step that computes little else.
        axes = {"engine": ["numpy"], "batch": [512], "host_dtype": ["float64"], "work": ["infer"]}
        wide = {
            "name": "wide",
            "input": [784],
            "layers": [{"dense": 1, "activation": "none"}],
            "loss": "mse",
            "optimizer": {"sgd": {"learning_rate": 0.01}},
        }
        axes["model"] = [wide]
        report = report_of(self.scratch(sweep(axes=axes, compare=None)))
        resident = changes_of(report["why"][0])["input_resident"]
        self.assertLess(resident["ratio"], 0.9, resident)
        self.assertEqual(resident["verified"], "yes")

    def test_no_intervention_is_taken_for_a_trial_or_a_contrast(self) -> None:
        # So much work that a busy machine makes no emptied step as long as a full one.
        axes = {**sweep()["axes"], "batch": [4096]}
        plain = self.scratch(sweep(measure=QUICK, axes=axes))
        explained = self.scratch(sweep(axes=axes))
        without, report = report_of(plain), report_of(explained)
        for key in ("trials", "contrasts"):
            self.assertEqual(len(report[key]), len(without[key]), key)
        self.assertEqual(
            [trial["id"] for trial in report["trials"]],
            [trial["id"] for trial in explained.plan()["trials"]],
        )
        self.assertEqual(without["why"], [])
        # A step with emptied kernels takes some 2 % of a full one: one of them would show in these.
        for trial, why in zip(report["trials"], report["why"]):
            self.assertEqual(trial["id"], why["trial"])
            if trial["engine"] == "native":
                emptied = changes_of(why)["kernels_emptied"]["step_time"]
                self.assertGreater(trial["step_time"], 1.3 * emptied)
                self.assertEqual(trial["verified"], "yes")

    def test_a_worker_that_offers_nothing_is_told_so(self) -> None:
        environment = {"engine": "native", "program": [sys.executable, FAKE, "--step-us", "50"]}
        content = sweep(
            axes={"engine": ["native@mine"], "model": ["matmul-1000"]},
            environments={"mine": environment},
            compare=None,
        )
        scratch = self.scratch(content)
        report = report_of(scratch)
        self.assertEqual(report["why"][0]["text"], "this engine offers no interventions")
        self.assertIn("this engine offers no interventions", scratch.output())


if __name__ == "__main__":
    unittest.main()
