"""With the newest TensorFlow (Keras 3, and Keras 2 as tf_keras) and with older ones from 1.15 on (Keras 2)."""

from __future__ import annotations

import os
import time
import unittest
from typing import Any
from unittest import mock

import numpy as np
import tensorflow as tf
from engine_cases import MODELS, EngineTest
from regatta_worker.engines.tensorflow import model as keras_model
from regatta_worker.engines.tensorflow import trial as tensorflow_trial
from regatta_worker.engines.tensorflow.versions import VERSION
from regatta_worker.errors import Unsupported

HAS_KERAS_3 = VERSION > (2, 15)
APIS = ("keras", "tf_keras") if HAS_KERAS_3 else ("tf_keras",)
MODES = ("eager", "graph", "xla") if VERSION >= (2, 9) else ("eager", "graph")


class TensorflowEngine(EngineTest):
    engine = "tensorflow"
    own = {"map_threads": "1", "prefetch": "auto"}

    def test_training_is_that_of_the_textbook(self) -> None:
        for name in MODELS:
            self.check(name, mode="graph", api=APIS[0])

    def test_every_interface_mode_and_loop_trains_alike(self) -> None:
        for api in APIS:
            for mode in MODES:
                for loop in ("custom", "train_on_batch", "fit"):
                    self.check("classes", mode=mode, api=api, loop=loop)

    def test_inference_is_that_of_the_textbook(self) -> None:
        for name in MODELS:
            self.check(name, mode="graph", work="infer", api=APIS[0])
        for loop in ("custom", "predict_on_batch", "predict"):
            self.check("sequence", mode="eager", work="infer", loop=loop, api=APIS[0])

    def test_input_may_be_double_or_resident(self) -> None:
        self.check("dense", mode="graph", host_dtype="float64", api=APIS[0])
        self.check("dense", mode="graph", input="resident", api=APIS[0])

    def test_a_pipeline_feeds_the_same_rows_in_the_same_order(self) -> None:
        piped = {"mode": "graph", "input": "pipeline", "api": APIS[0]}
        for prefetch, map_threads in (("0", "1"), ("1", "2"), ("auto", "auto")):
            self.check("classes", prefetch=prefetch, map_threads=map_threads, **piped)
        for api in APIS:
            for loop in ("train_on_batch", "fit"):
                self.check("classes", loop=loop, **{**piped, "api": api})
            for loop in ("custom", "predict_on_batch", "predict"):
                self.check("sequence", work="infer", loop=loop, **{**piped, "api": api})
        self.check("dense", host_dtype="float64", **piped)
        self.check("words", **{**piped, "mode": "eager"})

    def test_a_shuffled_pipeline_is_found(self) -> None:
        right = tensorflow_trial.dataset_of

        def backwards(x: np.ndarray, y: np.ndarray, *more: Any) -> tf.data.Dataset:
            return right(x[::-1], y[::-1], *more)

        with mock.patch.object(tensorflow_trial, "dataset_of", backwards):
            found = self.found_difference("dense", mode="graph", input="pipeline", api=APIS[0])
            self.assertRegex(found, "losses of step 2|update of step 1")

    def test_a_call_of_fit_takes_so_many_steps(self) -> None:
        for source in ("array", "resident", "pipeline"):
            for steps in (2, 3):  # two distinct batches
                with self.subTest(source, steps=steps):
                    given = {"mode": "graph", "api": APIS[0], "loop": "fit", "input": source}
                    one, many = (
                        self.trial("dense", steps_per_call=count, **given) for count in (1, steps)
                    )
                    self.assertEqual((one.steps_per_call, many.steps_per_call), (1, steps))
                    for _ in range(2 * steps):
                        one.step()
                    for _ in range(2):
                        many.step()
                    for name, weight in many.weights().items():
                        np.testing.assert_allclose(weight, one.weights()[name], rtol=1e-5)
                    self.check("dense", steps_per_call=steps, **given)

    def test_a_pipelines_threads_end_with_the_arm(self) -> None:
        def threads_with_a_pipeline() -> int:
            given = {"mode": "graph", "api": APIS[0], "input": "pipeline"}
            trial = self.trial("dense", prefetch="1", map_threads="2", **given)
            trial.step()
            count = len(os.listdir("/proc/self/task"))
            trial.close()
            return count

        threads_with_a_pipeline()  # the first one also starts what stays
        before = len(os.listdir("/proc/self/task"))
        self.assertGreater(threads_with_a_pipeline(), before)
        deadline = time.monotonic() + 10
        while len(os.listdir("/proc/self/task")) > before and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertLessEqual(len(os.listdir("/proc/self/task")), before)

    def test_products_and_derivatives(self) -> None:
        for mode in MODES:
            self.check_small_models(mode=mode)

    def test_a_check_changes_nothing(self) -> None:
        trial = self.trial("dense", mode="graph", api=APIS[0])
        before = trial.weights()
        trial.check(2)
        for name, weight in trial.weights().items():
            np.testing.assert_array_equal(weight, before[name])

    def test_a_loop_belongs_to_its_work(self) -> None:
        with self.assertRaisesRegex(Unsupported, "predict is no loop of training"):
            self.trial("dense", loop="predict", api=APIS[0])

    def test_threads_are_set(self) -> None:
        self.trial("dense", mode="graph", api=APIS[0])
        self.assertEqual(tf.config.threading.get_intra_op_parallelism_threads(), 1)
        with self.assertRaisesRegex(RuntimeError, "runs 1 threads, not the 3"):
            self.trial("dense", mode="graph", api=APIS[0], threads=3)

    def test_another_keras_is_named(self) -> None:
        if HAS_KERAS_3:
            self.assertEqual(keras_model.keras_of("keras").__version__[0], "3")
        else:
            with self.assertRaisesRegex(Unsupported, "use api tf_keras"):
                self.trial("dense", api="keras")

    def test_kerass_own_place_of_epsilon_is_found(self) -> None:
        with mock.patch.object(keras_model, "adam_class", lambda keras: keras.optimizers.Adam):
            for mode in ("eager", "graph"):
                found = self.found_difference("classes", mode=mode, api=APIS[0])
                self.assertRegex(found, "^optimizer: ")


if __name__ == "__main__":
    unittest.main()
