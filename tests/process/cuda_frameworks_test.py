"""A framework on the GPU of a slot: it computes there, says that it reaches none, or loses it. The framework is
tests/support/fake_frameworks/torch, the slot's GPU an emulated one."""

from __future__ import annotations

import os
import unittest

from tests.process.emulated_device import make_tree, remove_tree
from tools.regatta_process import PATIENCE_SECONDS, SOURCE, Scratch, wait_until

PYTHON = os.environ["REGATTA_PYTHON"]

# Environment -> its variables, and what becomes of its trial on the GPU: status, and what the reason holds.
ROWS = {
    "reaching": ({"FAKE_TORCH": "fine", "FAKE_TORCH_GPU": "1"}, "finished", ""),
    "without": ({"FAKE_TORCH": "fine"}, "skipped", "torch reaches no GPU here"),
    "losing": (
        {"FAKE_TORCH": "lost", "FAKE_TORCH_GPU": "1"},
        "failed",
        "device: RuntimeError: CUDA error",
    ),
}


class FrameworksOnDevices(unittest.TestCase):
    def test_each_trial_says_what_became_of_it_and_those_of_the_cpu_go_on(self) -> None:
        tree = make_tree()
        self.addCleanup(remove_tree, tree)
        path = f"{SOURCE / 'tests/support/fake_frameworks'}:{tree / 'share/regatta/python'}"
        environments = {
            name: {"engine": "torch", "python": PYTHON, "env": {"PYTHONPATH": path, **variables}}
            for name, (variables, _, _) in ROWS.items()
        }
        scratch = Scratch(
            {
                "regatta": 1,
                "name": "frameworks",
                "axes": {
                    "engine": [f"torch@{name}" for name in environments],
                    "device": ["cpu", "cuda"],
                    "mode": "eager",
                    "model": [{"name": "small", "matmul": 64}],
                },
                "environments": environments,
                "compare": {"over": ["device"], "baseline": {"device": "cpu"}},
                "measure": {"slices": 3, "steps": 20, "again": False},
                "limits": {"attempts": 1},
            }
        )
        self.addCleanup(scratch.remove)
        scratch.start("--ranks", "1").wait(600)
        self.assertTrue(wait_until(lambda: not scratch.processes(), PATIENCE_SECONDS))
        rows = {
            (trial["engine"].partition("@")[2], trial["device"]): trial
            for trial in scratch.report()["trials"]
        }
        for name, (_, status, reason) in ROWS.items():
            with self.subTest(name):
                self.assertEqual(rows[name, "cpu"]["status"], "finished", scratch.output())
                self.assertEqual(rows[name, "cuda"]["status"], status, scratch.output())
                self.assertIn(reason, rows[name, "cuda"]["reason"] or "")
        reaching = rows["reaching", "cuda"]
        operand_bytes = 64 * 64 * 4
        self.assertEqual(
            reaching["device_peak_memory"], 3 * operand_bytes, "two, and their product"
        )
        self.assertIsNone(rows["reaching", "cpu"]["device_peak_memory"])
        # The stand-in is a processor, and the emulated GPU slower than that.
        if reaching["verified"] != "yes":
            self.assertIn("faster than the hardware", reaching["verified_detail"])


if __name__ == "__main__":
    unittest.main()
