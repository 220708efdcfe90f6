"""Mode v1-session, in a process of its own: it turns eager off for good."""

from __future__ import annotations

import unittest
from typing import Any
from unittest import mock

import input_cases  # the class by its module: else its tests would be found here, too
import numpy as np
import tensorflow as tf
from engine_cases import MODELS, EngineTest
from regatta_worker import engines
from regatta_worker.engines.tensorflow import place
from regatta_worker.engines.tensorflow.versions import VERSION
from regatta_worker.errors import Unsupported

V1 = "v1-session"


class V1Session(EngineTest):
    engine = "tensorflow"
    own = {"map_threads": "1", "prefetch": "auto"}

    def test_training_is_that_of_the_textbook(self) -> None:
        for name in MODELS:
            self.check(name, mode=V1)

    def test_inference_is_that_of_the_textbook(self) -> None:
        for name in ("classes", "image", "normalized", "recurrent"):
            self.check(name, mode=V1, work="infer")

    def test_input_may_be_double_or_a_pipeline(self) -> None:
        self.check("dense", mode=V1, host_dtype="float64")
        for more in ({}, {"work": "infer"}, {"host_dtype": "float64"}, {"prefetch": "0"}):
            self.check("sequence", mode=V1, input="pipeline", **more)
        self.check("classes", mode=V1, input="pipeline", map_threads="2")

    def test_a_gpus_updates_are_waited_for_by_reading_a_weight_behind_them(self) -> None:
        with mock.patch("regatta_worker.engines.tensorflow.engine.take_device"):
            arms = [self.trial("dense", mode=V1, device=device) for device in place.DEVICES]
        waits = []
        for arm in arms:
            arm.step()
            with mock.patch.object(arm.session, "run", wraps=arm.session.run) as run:
                arm.wait()
            waits.append([call[0][0].shape.as_list() for call in run.call_args_list])
        self.assertEqual(waits, [[], [[2]]])

    def test_keras_loops_train_and_infer_alike(self) -> None:
        for name in ("classes", "sequence", "dense"):
            for loop in ("train_on_batch", "fit"):
                self.check(name, mode=V1, loop=loop)
            for loop in ("predict_on_batch", "predict"):
                self.check(name, mode=V1, work="infer", loop=loop)

    def test_a_call_of_fit_takes_so_many_steps(self) -> None:
        self.check_calls_of_fit(mode=V1)

    def test_products_and_derivatives(self) -> None:
        self.check_small_models(mode=V1)

    @unittest.skipIf(
        VERSION < (2, 0), "TensorFlow 1 begins without eager; no process mixes these modes"
    )
    def test_eager_is_off_and_other_modes_are_refused_from_then_on(self) -> None:
        self.trial("dense", mode=V1)
        self.assertFalse(tf.executing_eagerly())
        with self.assertRaisesRegex(RuntimeError, "turned eager off in this process"):
            self.trial("dense", mode="graph", api="tf_keras")

    def test_what_it_lacks_is_named(self) -> None:
        for lacking in (
            {"loop": "fit", "input": "pipeline"},
            {"loop": "train_on_batch", "input": "loader"},
            {"input": "resident"},
        ):
            with self.subTest(**lacking), self.assertRaisesRegex(Unsupported, "v1-session has"):
                self.trial("dense", mode=V1, **lacking)

    def test_a_check_changes_nothing(self) -> None:
        trial = self.trial("dense", mode=V1)
        before = trial.weights()
        trial.check(2)
        for name, weight in trial.weights().items():
            np.testing.assert_array_equal(weight, before[name])

    def test_moving_moments_move(self) -> None:
        trial = self.trial("normalized", mode=V1)
        with trial.session.graph.as_default():
            moments = [
                variable
                for variable in tf.compat.v1.global_variables()
                if "moving_" in variable.name
            ]
        self.assertEqual(len(moments), 2)
        before = trial.session.run(moments)
        trial.step()
        for old, new in zip(before, trial.session.run(moments)):
            self.assertTrue((old != new).any())

    def test_an_epsilon_in_another_place_is_found(self) -> None:
        v1_engine = engines.load("tensorflow").v1
        with mock.patch.object(v1_engine, "AdamOfThePaper", tf.compat.v1.train.AdamOptimizer):
            self.assertRegex(self.found_difference("classes", mode=V1), "^optimizer: ")


class V1Input(input_cases.InputTest):
    engine = "tensorflow"
    own = {"map_threads": "1", "prefetch": "auto"}
    common = {"mode": V1}
    piped = ({}, {"map_threads": "2"})

    @staticmethod
    def array_of(result: Any) -> np.ndarray:
        """A training step gives its update and its loss."""
        return np.array(result[1] if isinstance(result, tuple) else result)

    def test_keras_loops_read_bytes(self) -> None:
        given = {"scale": input_cases.SCALE, "host_dtype": "uint8", "mode": V1}
        for loop in ("train_on_batch", "fit"):
            self.check("sequence", loop=loop, **given)
        for loop in ("predict_on_batch", "predict"):
            self.check("sequence", work="infer", loop=loop, **given)


if __name__ == "__main__":
    unittest.main()
