from __future__ import annotations

import unittest
from unittest import mock

import numpy as np
from engine_cases import MODELS, EngineTest
from regatta_worker.engines.jax import trial as jax_trial
from regatta_worker.errors import Unsupported


class JaxEngine(EngineTest):
    engine = "jax"

    def test_jitted_training_is_that_of_the_textbook(self) -> None:
        for name in MODELS:
            self.check(name, mode="graph")

    def test_training_without_jit_is_that_of_the_textbook(self) -> None:
        for name in ("classes", "sequence", "recurrent"):
            self.check(name, mode="eager")

    def test_inference_is_that_of_the_textbook(self) -> None:
        for name in MODELS:
            self.check(name, mode="graph", work="infer")

    def test_input_may_be_double_or_resident(self) -> None:
        self.check("dense", mode="graph", host_dtype="float64")
        self.check("dense", mode="graph", input="resident")

    def test_products_and_derivatives(self) -> None:
        self.check_small_models(mode="eager")
        self.check_small_models(mode="graph")

    def test_dropout_is_on_in_steps(self) -> None:
        trial = self.trial("classes", mode="graph")
        x = trial.batches[0][0]
        first, second = (
            trial.forward(trial.parameters, jax_trial.jax.random.key(k), x) for k in (1, 2)
        )
        self.assertFalse(np.allclose(first, second))

    def test_a_check_changes_nothing(self) -> None:
        trial = self.trial("dense", mode="graph")
        before = trial.weights()
        trial.check(2)
        for name, weight in trial.weights().items():
            np.testing.assert_array_equal(weight, before[name])

    def test_more_threads_than_cores_are_refused(self) -> None:
        with self.assertRaisesRegex(Unsupported, "threads: 4096 needs more"):
            self.trial("dense", threads=4096)

    def test_a_wrong_epsilon_is_found(self) -> None:
        right = jax_trial.updated

        def wrong(options: object, *rest: object) -> tuple:
            from dataclasses import replace

            return right(replace(options, epsilon=1e-8), *rest)

        with mock.patch.object(jax_trial, "updated", wrong):
            self.assertRegex(self.found_difference("classes", mode="graph"), "^optimizer: ")


if __name__ == "__main__":
    unittest.main()
