"""The package keras up to 2.3 (`api: keras` in an old environment), in a process of its own: it needs eager off."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
from engine_cases import MODELS, EngineTest
from regatta_worker import engines
from regatta_worker.engines.tensorflow.versions import HAS_EAGER_FROM_THE_START
from regatta_worker.errors import Unsupported
from regatta_worker.layers import parse_model

KERAS = {"mode": "graph", "api": "keras"}
LACKING = ("normalized",)  # layer_norm came later


class MultiBackend(EngineTest):
    engine = "tensorflow"
    own: dict[str, Any] = {}

    def test_training_is_that_of_the_textbook(self) -> None:
        for name in MODELS:
            if name not in LACKING:
                self.check(name, loop="train_on_batch", **KERAS)

    def test_inference_is_that_of_the_textbook(self) -> None:
        for name in ("classes", "image", "recurrent"):
            for loop in ("predict_on_batch", "predict"):
                self.check(name, work="infer", loop=loop, **KERAS)

    def test_fit_trains_alike_and_takes_float64_and_bytes(self) -> None:
        for name in ("classes", "sequence", "dense"):
            self.check(name, loop="fit", **KERAS)
        self.check("dense", loop="train_on_batch", host_dtype="float64", **KERAS)
        self.check("image", scale=1 / 255, loop="train_on_batch", host_dtype="uint8", **KERAS)

    def test_a_call_of_fit_takes_so_many_steps(self) -> None:
        self.check_calls_of_fit(**KERAS)

    def test_a_check_changes_nothing(self) -> None:
        trial = self.trial("classes", loop="train_on_batch", **KERAS)
        before = trial.weights()
        trial.examine(2)
        for name, value in trial.weights().items():
            np.testing.assert_array_equal(value, before[name])

    def test_what_it_lacks_is_named(self) -> None:
        for lacking in (
            {"mode": "eager", "loop": "train_on_batch"},
            {"mode": "xla", "loop": "train_on_batch"},
            {"loop": "custom"},
            {"loop": "train_on_batch", "input": "pipeline"},
        ):
            with self.subTest(**lacking), self.assertRaisesRegex(Unsupported, "use api tf_keras"):
                self.trial("dense", **{**KERAS, **lacking})
        with self.assertRaisesRegex(Unsupported, "no layer_norm"):
            self.trial("normalized", loop="train_on_batch", **KERAS)

    def test_it_trains_no_model_to_an_end_and_takes_none_of_ones_own(self) -> None:
        given = {"engine": "tensorflow", "loop": "train_on_batch", **KERAS}
        prepare = engines.load("tensorflow").prepare
        with self.assertRaisesRegex(Unsupported, "to an end"):
            prepare(parse_model(MODELS["dense"]), given, "weights", "")
        own = parse_model({"name": "own", "python": "own.py:build", "batch": "", "args": {}})
        with self.assertRaisesRegex(Unsupported, "no model of your own; use api tf_keras"):
            prepare(own, given, "", "")

    @unittest.skipIf(HAS_EAGER_FROM_THE_START, "it runs beside eager in TensorFlow 2")
    def test_eager_modes_are_refused_from_then_on(self) -> None:
        self.trial("dense", loop="train_on_batch", **KERAS)
        with self.assertRaisesRegex(RuntimeError, "off in this process, for good"):
            self.trial("dense", mode="graph", api="tf_keras")


if __name__ == "__main__":
    unittest.main()
