from __future__ import annotations

import unittest

import training_cases  # the class by its module: else its tests would be found here, too


class JaxTraining(training_cases.TrainingTest):
    engine = "jax"
    variants = [{"mode": "graph"}, {"mode": "eager"}]


if __name__ == "__main__":
    unittest.main()
