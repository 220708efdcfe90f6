"""With the newest TensorFlow (Keras 3, and Keras 2 as tf_keras) and with 2.15 (Keras 2)."""

from __future__ import annotations

import unittest

import input_cases  # the class by its module: else its tests would be found here, too
import numpy as np
from regatta_worker.engines.tensorflow.versions import sharing_tensor
from regatta_worker.errors import Unsupported
from test_tensorflow_engine import APIS

ON_BATCH = {"train": "train_on_batch", "infer": "predict_on_batch"}


class TensorflowInput(input_cases.InputTest):
    engine = "tensorflow"
    own = {"map_threads": "1", "prefetch": "auto"}
    common = {"mode": "graph", "api": APIS[0]}
    piped = ({}, {"map_threads": "2"}, *({"loop": "fit", "api": api} for api in APIS))
    kinds = (
        {},
        {"mode": "eager"},
        {"mode": "xla"},
        *({"loop": "train_on_batch", "api": api} for api in APIS),
    )

    def test_a_tensor_of_a_place_shows_what_the_place_holds(self) -> None:
        place = np.zeros((4, 64), np.float32)
        tensor = sharing_tensor(place)
        place[:] = 3
        np.testing.assert_array_equal(tensor.numpy(), place)

    def test_the_map_is_left_out_where_the_step_casts(self) -> None:
        given = {"scale": input_cases.SCALE, "host_dtype": "uint8", "input": "pipeline"}
        for transform, kind in (("pipeline", "float32"), ("step", "uint8"), (None, "float32")):
            trial = self.trial("sequence", transform=transform, **self.common, **given)
            self.assertEqual(trial.stream()[0].dtype.name, kind)

    def test_keras_loops_read_bytes(self) -> None:
        given = {"scale": input_cases.SCALE, "host_dtype": "uint8", "mode": "graph"}
        for api in APIS:
            for loop in ("train_on_batch", "fit"):
                for source in ("array", "resident"):
                    self.check("sequence", input=source, loop=loop, api=api, **given)
            for loop in ("predict_on_batch", "predict"):
                self.check("sequence", work="infer", loop=loop, api=api, **given)
        self.check("sequence", loop="fit", api=APIS[0], **{**given, "mode": "eager"})

    def test_the_loader_feeds_predictions_on_batches(self) -> None:
        for api in APIS:
            given = {"input": "loader", "work": "infer", "loop": "predict_on_batch", "api": api}
            self.fed_check("sequence", **given)

    def test_whole_loops_say_what_the_loader_feeds_instead(self) -> None:
        for work, loop in (("train", "fit"), ("infer", "predict")):
            with self.assertRaisesRegex(Unsupported, f"use loop custom or {ON_BATCH[work]}"):
                self.trial("dense", input="loader", work=work, loop=loop, **self.common)


if __name__ == "__main__":
    unittest.main()
