"""The native engine's own process, held against the textbook as the frameworks are: every layer, both modes."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from engine_cases import MODELS, EngineTest, textbook_of
from regatta_worker import layers
from regatta_worker.same_work import Evidence
from tools import ROOT
from tools.safetensors import write_safetensors
from tools.worker_process import WorkerProcess

BUILD = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build"))


class Models(unittest.TestCase):
    def test_each_kind_of_layer_stands_in_one(self) -> None:
        parsed = [layers.parse_model(model) for model in MODELS.values()]
        kinds = {type(layer) for model in parsed for layer in model.layers}
        self.assertEqual([key for key, (kind, _) in layers._KINDS.items() if kind not in kinds], [])


class NativeTrial:
    """An arm of a worker that runs as long as its check does."""

    def __init__(self, request: dict[str, Any], tensors: list[dict[str, Any]]) -> None:
        self.request, self.tensors = request, tensors

    def examine(self, steps: int) -> Evidence:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            worker = WorkerProcess(BUILD, "native", folder / "log")
            try:
                return self.checked(worker, folder, steps)
            finally:
                worker.stop()

    def checked(self, worker: WorkerProcess, folder: Path, steps: int) -> Evidence:
        def ask(**message: Any) -> dict[str, Any]:
            answer = worker.ask(**message)
            if answer["type"] == "error":
                raise RuntimeError(answer["message"])
            return answer

        weights, batches = (
            write_safetensors(folder / name, tensors)
            for name, tensors in zip(("weights", "batches"), self.tensors)
        )
        ask(type="prepare", arm=0, weights_path=weights, batches_path=batches, **self.request)
        answer = ask(type="check", arm=0, steps=steps, evidence=True)
        return Evidence(answer["losses"], **answer.get("evidence", {}))


class NativeEngine(EngineTest):
    engine = "native"

    def trial(
        self, name: str, zero_biases: bool = False, scale: float = 0.0, **parameters: Any
    ) -> NativeTrial:
        textbook = textbook_of(name, zero_biases, scale)
        rows = textbook.batches["x"].shape[1]
        given = {"engine": "native", "batch": rows, "threads": 1, "seed": 0, **parameters}
        request = {"parameters": given, "model": MODELS[name]}
        return NativeTrial(request, [textbook.weights, textbook.batches])

    def test_training_is_that_of_the_textbook(self) -> None:
        for name in MODELS:
            self.check(name, mode="graph")
            self.check(name, mode="eager")

    def test_inference_is_that_of_the_textbook(self) -> None:
        for name in MODELS:
            self.check(name, mode="graph", work="infer")

    def test_swapped_gates_are_found(self) -> None:
        trial = self.trial("recurrent", mode="graph")
        kernel = trial.tensors[0]["1.kernel"].copy()
        units = kernel.shape[1] // 4
        kernel[:, :units], kernel[:, 2 * units : 3 * units] = (
            trial.tensors[0]["1.kernel"][:, 2 * units : 3 * units],
            trial.tensors[0]["1.kernel"][:, :units],
        )
        trial.tensors[0] = {**trial.tensors[0], "1.kernel": kernel}
        with mock.patch.object(self, "trial", return_value=trial):
            self.assertRegex(
                self.found_difference("recurrent", mode="graph"), "^losses of step 1: "
            )


if __name__ == "__main__":
    unittest.main()
