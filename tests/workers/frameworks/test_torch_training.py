from __future__ import annotations

import unittest

import training_cases  # classes by their modules: else their tests would be found here, too
import user_training_cases


class TorchTraining(training_cases.TrainingTest):
    engine = "torch"
    variants = [{"mode": "eager"}, {"mode": "graph"}]


class TorchUserTraining(user_training_cases.UserTrainingTest):
    engine = "torch"
    page = "my_model.py"
    variants = [{"mode": "eager"}, {"mode": "graph"}]


if __name__ == "__main__":
    unittest.main()
