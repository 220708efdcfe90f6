"""Faults of an emulated GPU: the trial's row says what happened, everything else is measured, nothing is left."""

from __future__ import annotations

import json
import subprocess
import unittest
from pathlib import Path

from tests.process.emulated_device import FAKE_NVML, make_tree, remove_tree
from tools.regatta_process import BINARY, PATIENCE_SECONDS, Scratch, wait_until

DEVICE = "devices=1,memory=256MiB"
STICKY = f"{DEVICE},fail=cudaGraphLaunch:700:3"  # cudaErrorIllegalAddress
FAULTS = {
    "full": ("out_of_memory", "devices=1,memory=16KiB"),
    "sticky": ("device", STICKY),
    "hang": ("timed_out", f"{DEVICE},hang=cudaGraphLaunch:40"),
    "lost": ("device", "no_driver"),
}


def sweep(
    tree: Path, names: list[str], seeds: int = 1, timeout: str = "60s", **limits: object
) -> dict:
    worker = [str(tree / "bin" / "regatta-worker")]
    variables = {name: {"REGATTA_EMULATED_CUDA": FAULTS[name][1]} for name in names}
    return {
        "regatta": 1,
        "name": "faults",
        "axes": {
            "engine": ["native", *[f"native@{name}" for name in names]],
            "device": ["cuda"],
            "mode": ["graph"],
            "model": ["mlp-10"],
            "seed": list(range(seeds)),
        },
        "environments": {
            name: {"engine": "native", "program": worker, "env": variables[name]} for name in names
        },
        "measure": {"slices": 3, "steps": 20},
        "limits": {"trial_timeout": timeout, "attempts": 2, **limits},
    }


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = make_tree()
        self.addCleanup(remove_tree, self.tree)

    def run_faults(self, content: dict, **variables: str) -> Scratch:
        scratch = Scratch(content)
        self.addCleanup(scratch.remove)
        environment = {"REGATTA_EMULATED_CUDA": DEVICE, **variables}
        self.code = scratch.start("--ranks", "1", **environment).wait(600)
        self.assertTrue(wait_until(lambda: not scratch.processes(), PATIENCE_SECONDS))
        return scratch

    def check(self, name: str, timeout: str = "60s", attempts: int = 2) -> Scratch:
        content = sweep(self.tree, [name], timeout=timeout, attempts=attempts)
        scratch = self.run_faults(content)
        self.assertEqual(self.code, 1, scratch.output())
        for trial in scratch.report()["trials"]:
            if trial["engine"] == "native":
                self.assertEqual(trial["status"], "finished", scratch.output())
            else:
                self.assertEqual(trial["status"], "failed", scratch.output())
                self.assertTrue(trial["reason"].startswith(FAULTS[name][0]), trial["reason"])
        return scratch

    def test_a_trial_that_is_too_large_for_the_device(self) -> None:
        self.check("full")

    def test_a_sticky_error(self) -> None:
        self.check("sticky")

    def test_a_kernel_that_never_ends(self) -> None:
        self.check("hang", timeout="15s", attempts=1)  # each one waits for so long

    def test_a_driver_that_disappears(self) -> None:
        self.check("lost")

    def test_a_process_that_does_not_see_the_device_of_its_slot(self) -> None:
        content = sweep(self.tree, ["lost"])
        content["environments"]["lost"]["env"] = {"REGATTA_DEVICE": "GPU-another"}
        scratch = self.run_faults(content)
        reasons = [t["reason"] for t in scratch.report()["trials"] if t["engine"] != "native"]
        self.assertEqual(len(reasons), 1)
        self.assertTrue(reasons[0].startswith("device: "), reasons)
        self.assertIn("does not see the device GPU-another", reasons[0])

    def test_a_device_that_keeps_failing_is_set_aside(self) -> None:
        content = sweep(self.tree, ["sticky"], seeds=5, attempts=1)
        content["axes"]["engine"] = ["native@sticky"]
        content["axes"]["device"] = ["cpu", "cuda"]
        scratch = self.run_faults(content)
        trials = scratch.report()["trials"]
        on = {device: [t for t in trials if t["device"] == device] for device in ("cpu", "cuda")}
        self.assertEqual({t["status"] for t in on["cpu"]}, {"finished"}, scratch.output())
        reasons = [t["reason"] for t in on["cuda"]]
        self.assertEqual(sum(r.startswith("device: ") for r in reasons), 3, reasons)
        self.assertEqual(sum("was set aside: 3 trials in a row" in r for r in reasons), 2, reasons)
        self.assertIn("was set aside", scratch.output())

    def test_a_device_that_does_not_pass_its_check_is_not_used(self) -> None:
        content = sweep(self.tree, [])
        content["axes"]["device"] = ["cpu", "cuda"]
        broken = f"{DEVICE},fail=cudaStreamSynchronize:700"  # cudaErrorIllegalAddress, whatever the check computes
        scratch = self.run_faults(content, REGATTA_EMULATED_CUDA=broken)
        self.assertEqual(self.code, 0, scratch.output())
        statuses = {t["device"]: (t["status"], t["reason"]) for t in scratch.report()["trials"]}
        self.assertEqual(statuses["cpu"][0], "finished")
        self.assertEqual(statuses["cuda"][0], "skipped")
        self.assertIn("does not pass its check", statuses["cuda"][1])

    def test_memory_that_is_not_given_back_and_heat_are_named(self) -> None:
        facts = self.tree / "nvml"
        facts.write_text(
            "free_bytes 1000\nprocesses 2\nthrottle_reasons 32\nuncorrected_errors 3\n"
        )
        content = sweep(self.tree, ["sticky"], attempts=1)  # each one waits for its memory
        scratch = Scratch(content)
        self.addCleanup(scratch.remove)
        process = scratch.start(
            "--ranks",
            "1",
            REGATTA_EMULATED_CUDA=DEVICE,
            LD_LIBRARY_PATH=str(FAKE_NVML),
            REGATTA_FAKE_NVML=str(facts),
        )
        # Memory that was free at the start is not free after the death: another process holds it.
        self.assertTrue(wait_until(lambda: "uncorrected errors" in scratch.output(), 60))
        facts.write_text("free_bytes 10\nprocesses 2\nthrottle_reasons 32\n")
        process.wait(600)
        self.assertIn("are still held by 2 processes", scratch.output())
        command = [BINARY, "query", scratch.results, "--columns", "flags", "--json"]
        rows = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["rows"]
        self.assertIn("device throttled", {row["flags"] for row in rows})


if __name__ == "__main__":
    unittest.main()
