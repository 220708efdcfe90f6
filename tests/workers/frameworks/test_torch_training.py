from __future__ import annotations

import unittest

import training_cases  # the class by its module: else its tests would be found here, too


class TorchTraining(training_cases.TrainingTest):
    engine = "torch"
    variants = [{"mode": "eager"}, {"mode": "graph"}]


if __name__ == "__main__":
    unittest.main()
