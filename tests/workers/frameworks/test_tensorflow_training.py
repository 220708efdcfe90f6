"""With the newest TensorFlow (Keras 3, and Keras 2 as tf_keras) and with 2.15 (Keras 2)."""

from __future__ import annotations

import importlib.metadata
import unittest

import training_cases  # the class by its module: else its tests would be found here, too

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


if __name__ == "__main__":
    unittest.main()
