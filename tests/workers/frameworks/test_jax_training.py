from __future__ import annotations

import unittest

import training_cases  # classes by their modules: else their tests would be found here, too
import user_training_cases


class JaxTraining(training_cases.TrainingTest):
    engine = "jax"
    variants = [{"mode": "graph"}, {"mode": "eager"}]


class JaxUserTraining(user_training_cases.UserTrainingTest):
    engine = "jax"
    page = "my_jax_model.py"
    variants = [{"mode": "graph"}, {"mode": "eager"}]
    rate = 0.1

    def with_rate(self) -> str:
        text = self.text.replace("width=64, seed=0", "width=64, seed=0, learning_rate=0.1")
        return text.replace(
            "return params, loss, descend, predict\n",
            "return params, loss, lambda p, g: jax.tree.map(lambda p, g: p - learning_rate * g, p, g), predict\n",
        )

    def test_a_rate_that_nothing_takes_is_refused(self) -> None:
        _, answer = self.prepared(learning_rate=0.01)
        self.assertEqual((answer["type"], answer["kind"]), ("error", "unsupported"))
        self.assertIn("give mine.py:build a parameter learning_rate", answer["message"])


if __name__ == "__main__":
    unittest.main()
