from __future__ import annotations

import unittest
from typing import Any

import input_cases  # the class by its module: else its tests would be found here, too
import numpy as np


class TorchInput(input_cases.InputTest):
    engine = "torch"
    common = {"mode": "eager"}
    piped = ({"loader_workers": 0}, {"loader_workers": 2})
    kinds = ({}, {"mode": "graph"})

    @staticmethod
    def array_of(result: Any) -> np.ndarray:
        return result.detach().numpy()

    def test_a_loaders_process_casts_row_by_row(self) -> None:
        given = {"scale": input_cases.SCALE, "host_dtype": "uint8", "input": "pipeline"}
        for transform, kind in (("pipeline", "float32"), ("step", "uint8"), (None, "uint8")):
            trial = self.trial("sequence", transform=transform, loader_workers=0, **given)
            self.assertEqual(str(trial.next_batch()[0].dtype), f"torch.{kind}")

    def test_channels_come_first_and_classes_are_wide_as_in_arrays(self) -> None:
        for name in ("sequence", "image"):
            trials = [self.trial(name, input=source) for source in ("array", "loader")]
            for mine, other in zip(*(trial.feed()() for trial in trials)):
                self.assertEqual((mine.shape, mine.dtype), (other.shape, other.dtype))
                self.assertTrue(other.is_contiguous())


if __name__ == "__main__":
    unittest.main()
