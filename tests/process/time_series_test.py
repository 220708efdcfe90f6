"""The time series that comes with Regatta teaches a Conv1D and an LSTM, on the native engine."""

from __future__ import annotations

import unittest

from tools.regatta_process import Scratch

HEAD = {"dense": 9, "activation": "softmax"}
LAYERS = {
    "speaker-conv1d": [
        {"conv1d": 32, "kernel": 5, "activation": "relu"},
        {"global_average_pool": True},
        HEAD,
    ],
    "speaker-lstm": [{"bidirectional": {"lstm": 32}}, HEAD],
}
CHANCE = 88 / 370  # always the commonest speaker of the test part


def model(name: str) -> dict:
    return {
        "name": name,
        "input": [29, 12],
        "layers": LAYERS[name],
        "loss": "sparse_categorical_crossentropy",
        "optimizer": {"adam": {"learning_rate": 0.01}},
    }


SWEEP = {
    "regatta": 1,
    "name": "speakers",
    "task": "train",
    "axes": {
        "model": [model(name) for name in LAYERS],
        "dataset": "japanese-vowels",
        "batch": [16],
    },
    "train": {"epochs": 20, "evaluations": 10, "seeds": 7},
    "objective": {"metric": "validation_accuracy", "margin": 0.99},
    "search": {"kind": "full", "at_most": 2},
}


class TimeSeries(unittest.TestCase):
    def test_speakers_are_told_apart_on_the_test_part(self) -> None:
        made = Scratch(SWEEP)
        self.addCleanup(made.remove)
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        ranking = made.report()["learning"]["ranking"]
        tested = {each["label"]: each["test"]["mean"] for each in ranking}
        self.assertEqual(len(tested), len(LAYERS), tested)
        for name, accuracy in tested.items():
            self.assertGreater(accuracy, 3 * CHANCE, name)


if __name__ == "__main__":
    unittest.main()
