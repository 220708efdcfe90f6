from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import numpy as np
from context import write_safetensors
from regatta_worker import safetensors
from regatta_worker.errors import Unsupported
from regatta_worker.layers import Adam, Bidirectional, Dense, Flatten, Lstm, Matmul, parse_model

OPTIMIZER = {"adam": {"learning_rate": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8}}


class Safetensors(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "file"
        self.tensors = {
            "a": np.arange(6, dtype=np.float32).reshape(2, 3),
            "b": np.array([7, -8], dtype=np.int32),
            "empty": np.zeros((0, 4), dtype=np.float32),
        }
        write_safetensors(self.path, self.tensors)

    def test_tensors_come_back(self) -> None:
        read = safetensors.read(str(self.path))
        self.assertEqual(list(read), ["a", "b", "empty"])
        for name, tensor in self.tensors.items():
            np.testing.assert_array_equal(read[name], tensor)
            self.assertEqual(read[name].dtype, tensor.dtype)
            self.assertTrue(read[name].flags.writeable and read[name].flags.aligned)

    def test_damage_is_named_never_read(self) -> None:
        whole = self.path.read_bytes()
        for end in range(len(whole)):
            self.path.write_bytes(whole[:end])
            with self.assertRaisesRegex(ValueError, "file' is damaged"):
                safetensors.read(str(self.path))
        for old, new in ((b'"F32"', b'"F64"'), (b"[2, 3]", b"[2, 4]"), (b"[0, 24]", b"[4, 24]")):
            self.path.write_bytes(whole.replace(old, new))
            with self.assertRaisesRegex(ValueError, "file' is damaged"):
                safetensors.read(str(self.path))


class Models(unittest.TestCase):
    def test_a_network(self) -> None:
        layers = [
            {"bidirectional": {"lstm": 8, "return_sequences": True}},
            {"flatten": True},
            {"dense": 3, "activation": "softmax"},
        ]
        json = {
            "name": "n",
            "input": [5, 2],
            "layers": layers,
            "loss": "mse",
            "optimizer": OPTIMIZER,
        }
        model = parse_model(json)
        expected = (Bidirectional(Lstm(8, "tanh", True)), Flatten(), Dense(3, "softmax"))
        self.assertEqual(model.layers, expected)
        self.assertEqual(model.optimizer, Adam(0.1, 0.9, 0.99, 1e-8))
        self.assertEqual(model.input, (5, 2))

    def test_a_product(self) -> None:
        self.assertEqual(parse_model({"name": "m", "matmul": 7}), Matmul("m", 7))

    def test_later_layers_are_unsupported(self) -> None:
        base = {"name": "n", "input": [5], "loss": "mse", "optimizer": OPTIMIZER}
        with self.assertRaisesRegex(Unsupported, "attention"):
            parse_model({**base, "layers": [{"attention": 8}]})
        with self.assertRaisesRegex(Unsupported, "sparsity"):
            parse_model({**base, "layers": [{"dense": 8, "sparsity": 1}]})
        with self.assertRaisesRegex(Unsupported, "lion"):
            parse_model({**base, "layers": [], "optimizer": {"lion": {}}})


if __name__ == "__main__":
    unittest.main()
