"""With the newest TensorFlow (Keras 3, and Keras 2 as tf_keras) and with 2.15 (Keras 2)."""

from __future__ import annotations

import importlib.metadata
import unittest

import training_cases  # classes by their modules: else their tests would be found here, too
import user_training_cases

VERSION = importlib.metadata.version("keras")
APIS = ("tf_keras",) if VERSION.startswith("2.") else ("keras", "tf_keras")
LOOPS = ("custom", "train_on_batch", "fit")


class TensorflowTraining(training_cases.TrainingTest):
    engine = "tensorflow"
    variants = [
        *({"mode": "graph", "loop": loop, "api": api} for api in APIS for loop in LOOPS),
        *({"mode": "eager", "loop": loop, "api": APIS[0]} for loop in ("custom", "fit")),
        {"mode": "xla", "loop": "train_on_batch", "api": APIS[0]},
    ]
    fed_variants = variants[: len(LOOPS)]


class TensorflowUserTraining(user_training_cases.UserTrainingTest):
    engine = "tensorflow"
    page = "my_keras_model.py"
    variants = [
        {"mode": "graph", "loop": "custom", "api": APIS[0]},
        {"mode": "eager", "loop": "custom", "api": APIS[0]},
    ]

    def setUp(self) -> None:
        super().setUp()
        if APIS[0] == "tf_keras":
            self.text = self.text.replace("import keras\n", "from tensorflow import keras\n")

    def test_other_loops_say_what_to_do_instead(self) -> None:
        _, answer = self.prepared(loop="fit")
        self.assertEqual((answer["type"], answer["kind"]), ("error", "unsupported"))
        self.assertIn("loop of your own with regatta.keras", answer["message"])


if __name__ == "__main__":
    unittest.main()
