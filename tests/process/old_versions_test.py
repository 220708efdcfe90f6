"""TensorFlow 1.15 under the launcher: tf.keras in a session, and the package keras beside it, do the same work."""

from __future__ import annotations

import unittest

from tools.regatta_process import Scratch


class OldVersions(unittest.TestCase):
    def test_keras_and_tf_keras_of_tensorflow_1_are_compared(self) -> None:
        scratch = Scratch(
            {
                "regatta": 1,
                "name": "old",
                "axes": {
                    "engine": "tensorflow@tensorflow-1.15",
                    "model": "mlp-784",
                    "mode": ["v1-session", "graph"],
                    "loop": "train_on_batch",
                },
                "compare": {"over": ["mode"], "baseline": {"mode": "v1-session"}},
                "measure": {"slices": 2, "steps": 5},
            }
        )
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        (contrast,) = scratch.report()["contrasts"]
        self.assertEqual((contrast["verified"], contrast["a"]["mode"]), ("yes", "graph"))


if __name__ == "__main__":
    unittest.main()
