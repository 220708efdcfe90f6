"""Small networks that hold every layer, and how an engine's trial of each is compared with the textbook."""

from __future__ import annotations

import tempfile
import unittest
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from regatta_worker import engines
from regatta_worker.layers import parse_model
from regatta_worker.same_work import Evidence
from textbook import Textbook
from tools.safetensors import write_safetensors
from tools.same_work_judge import difference

STEPS = 3
SGD = {"sgd": {"learning_rate": 0.05, "momentum": 0.0}}
MOMENTUM = {"sgd": {"learning_rate": 0.05, "momentum": 0.9}}
ADAM = {"adam": {"learning_rate": 0.01, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-7}}


def model(
    name: str, shape: list[int], layers: list[dict], loss: str, optimizer: dict
) -> dict[str, Any]:
    return {"name": name, "input": shape, "layers": layers, "loss": loss, "optimizer": optimizer}


CLASSES = {"dense": 3, "activation": "softmax"}
UNIT = {"dense": 1, "activation": "sigmoid"}
SPARSE, BINARY = "sparse_categorical_crossentropy", "binary_crossentropy"

MODELS = {
    m["name"]: m
    for m in (
        model("dense", [4], [{"dense": 4, "activation": "relu"}, {"dense": 2}], "mse", SGD),
        model(
            "classes",
            [4],
            [{"dense": 5, "activation": "tanh"}, {"dropout": 0.5}, CLASSES],
            SPARSE,
            ADAM,
        ),
        model(
            "sequence",
            [7, 2],
            [
                {"conv1d": 3, "kernel": 4, "stride": 2, "padding": "same", "activation": "relu"},
                {"conv1d": 2, "kernel": 2, "padding": "same"},
                {"flatten": True},
                UNIT,
            ],
            BINARY,
            MOMENTUM,
        ),
        model(
            "average",
            [9, 2],
            [{"conv1d": 3, "kernel": 3}, {"average_pool": 2}, {"global_average_pool": True}, UNIT],
            BINARY,
            ADAM,
        ),
        model(
            "image",
            [7, 6, 1],
            [
                {"conv2d": 2, "kernel": 3, "activation": "relu"},
                {"max_pool": 2},
                {"conv2d": 2, "kernel": 2, "stride": 2, "padding": "same"},
                {"flatten": True},
                CLASSES,
            ],
            SPARSE,
            ADAM,
        ),
        model(
            "normalized",
            [5, 3],
            [
                {"layer_norm": True},
                {"conv1d": 2, "kernel": 2},
                {"batch_norm": True, "epsilon": 0.05},
                {"flatten": True},
                {"dense": 2},
            ],
            "mse",
            SGD,
        ),
        model(
            "recurrent",
            [4, 2],
            [
                {"bidirectional": {"lstm": 2, "activation": "tanh", "return_sequences": True}},
                {"lstm": 3, "activation": "tanh"},
                UNIT,
            ],
            BINARY,
            SGD,
        ),
        model(
            "recurrent relu",
            [4, 2],
            [
                {"bidirectional": {"lstm": 2, "activation": "relu", "return_sequences": True}},
                {"lstm": 2, "activation": "relu", "return_sequences": True},
                {"conv1d": 2, "kernel": 3, "padding": "same"},
                {"flatten": True},
                UNIT,
            ],
            BINARY,
            SGD,
        ),
        model(
            "words",
            [4],
            [
                {"embedding": 3, "vocabulary": 6},
                {"bidirectional": {"lstm": 2, "activation": "tanh"}},
                {"dense": 1},
            ],
            "mse",
            SGD,
        ),
    )
}


def batches_of(m: dict[str, Any], count: int = 2, batch: int = 4) -> dict[str, np.ndarray]:
    random = np.random.default_rng(2)
    shape = (count, batch, *m["input"])
    if "embedding" in m["layers"][0]:
        x = random.integers(0, m["layers"][0]["vocabulary"], shape, dtype=np.int32)
    else:
        x = random.standard_normal(shape, dtype=np.float32)
    outputs = m["layers"][-1]["dense"]
    if m["loss"] == SPARSE:
        return {"x": x, "y": random.integers(0, outputs, (count, batch), dtype=np.int32)}
    if m["loss"] == BINARY:
        return {"x": x, "y": random.integers(0, 2, (count, batch, outputs)).astype(np.float32)}
    return {"x": x, "y": random.standard_normal((count, batch, outputs), dtype=np.float32)}


def as_bytes(batches: dict[str, np.ndarray], scale: float) -> dict[str, np.ndarray]:
    """Other samples in their place: bytes up to two, times `scale`."""
    x = batches["x"]
    most = min(255, round(2 / scale))
    held = np.random.default_rng(4).integers(0, most, x.shape, np.uint8, endpoint=True)
    scales = np.array([scale], np.float32)
    return {**batches, "x": held.astype(np.float32) * scales, "x_scale": scales}


@lru_cache(maxsize=None)
def textbook_of(name: str, zero_biases: bool = False, scale: float = 0.0) -> Textbook:
    """With a `scale`, of samples that are bytes."""
    batches = batches_of(MODELS[name])
    return Textbook(MODELS[name], as_bytes(batches, scale) if scale else batches, zero_biases)


@lru_cache(maxsize=None)
def expected(
    name: str, work: str = "train", zero_biases: bool = False, scale: float = 0.0
) -> Evidence:
    textbook = textbook_of(name, zero_biases, scale)
    return textbook.evidence(STEPS) if work == "train" else textbook.outputs(STEPS)


class EngineTest(unittest.TestCase):
    engine = ""
    own: dict[str, Any] = {}  # levels of the parameters that this engine alone reads

    def trial(
        self, name: str, zero_biases: bool = False, scale: float = 0.0, **parameters: Any
    ) -> Any:
        textbook = textbook_of(name, zero_biases, scale)
        return self.prepared(MODELS[name], textbook.weights, textbook.batches, **parameters)

    def prepared(self, m: dict[str, Any], weights: Any, batches: Any, **parameters: Any) -> Any:
        """An arm of this model; its files stay until the test ends."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        given = {"engine": self.engine, "threads": 1, "seed": 0, **self.own, **parameters}
        trial = engines.load(self.engine).prepare(
            parse_model(m),
            given,
            write_safetensors(Path(folder.name) / "weights", weights),
            write_safetensors(Path(folder.name) / "batches", batches),
        )
        self.addCleanup(trial.close)
        return trial

    def found_difference(
        self, name: str, zero_biases: bool = False, scale: float = 0.0, **parameters: Any
    ) -> str:
        """Between the textbook and the engine; empty if there is none."""
        work = parameters.get("work", "train")
        evidence = self.trial(name, zero_biases, scale, **parameters).examine(STEPS)
        return difference(expected(name, work, zero_biases, scale), evidence)

    def check(self, name: str, **parameters: Any) -> None:
        with self.subTest(name, **parameters):
            self.assertEqual(self.found_difference(name, **parameters), "")

    def check_calls_of_fit(self, **parameters: Any) -> None:
        """Six steps are the same ones, whether a call takes one or three."""
        weights = []
        for steps in (1, 3):
            trial = self.trial("dense", loop="fit", steps_per_call=steps, **parameters)
            for _ in range(6 // steps):
                trial.step()
            weights.append(trial.weights())
            trial.close()
        for name, weight in weights[0].items():
            np.testing.assert_allclose(weights[1][name], weight, rtol=1e-5)

    def check_small_models(self, **parameters: Any) -> None:
        """A product, a derivative, and nothing."""
        a, b = np.random.default_rng(1).standard_normal((2, 1, 3, 3)).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            matrices = write_safetensors(Path(folder) / "matrices", {"x": a, "y": b})
            point = write_safetensors(Path(folder) / "point", {"x": np.full((1, 1), 2, np.float32)})

            def check(json: dict[str, Any], path: str) -> list[list[float]]:
                prepare = engines.load(self.engine).prepare
                # The launcher tells of an operation that it has no work.
                told = {"engine": self.engine, "work": None, **parameters}
                return prepare(parse_model(json), told, "", path).check(1)

            c = (a @ b)[0].astype(np.float64)
            sums = (np.where(c < 0, -2, 1) * c / np.arange(1, 4)).sum(axis=1)
            for operands in ("resident", "fed", "constant"):
                parameters["operands"] = operands
                found = check({"name": "m", "matmul": 3}, matrices)[0]
                np.testing.assert_allclose(found, sums, rtol=1e-4)
            self.assertEqual(check({"name": "s", "scalar_gradient": True}, point), [[4.0]])
            self.assertEqual(check({"name": "n", "noop": True}, ""), [[]])
