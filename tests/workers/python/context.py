"""Helpers that the tests share. The package under test is found through PYTHONPATH."""

from __future__ import annotations

import json
import socket
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
from regatta_worker.layers import parse_model
from regatta_worker.link import Link
from regatta_worker.session import Session


def network(
    units: tuple[int, ...], activations: tuple[str, ...], loss: str, optimizer: dict[str, Any]
) -> dict[str, Any]:
    """A dense network as JSON; units[0] is the input's size."""
    layers = [{"dense": n, "activation": a} for n, a in zip(units[1:], activations)]
    return {
        "name": "net",
        "input": [units[0]],
        "layers": layers,
        "loss": loss,
        "optimizer": optimizer,
    }


def weights_of(model: dict[str, Any], seed: int = 1) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    sizes = model["input"] + [layer["dense"] for layer in model["layers"]]
    tensors = {}
    for i, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
        tensors[f"{i}.kernel"] = random.standard_normal((rows, columns), dtype=np.float32) * 0.5
        tensors[f"{i}.bias"] = random.standard_normal(columns, dtype=np.float32) * 0.1
    return tensors


def batches_of(
    model: dict[str, Any], count: int = 2, batch: int = 5, seed: int = 2
) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    outputs = model["layers"][-1]["dense"]
    x = random.standard_normal((count, batch, model["input"][0]), dtype=np.float32)
    if model["loss"] == "sparse_categorical_crossentropy":
        y = random.integers(0, outputs, (count, batch), dtype=np.int32)
    elif model["loss"] == "binary_crossentropy":
        y = random.integers(0, 2, (count, batch, outputs)).astype(np.float32)
    else:
        y = random.standard_normal((count, batch, outputs), dtype=np.float32)
    return {"x": x, "y": y}


def write_safetensors(path: Path, tensors: dict[str, np.ndarray]) -> str:
    header, data = {}, b""
    for name, tensor in tensors.items():
        dtype = {"float32": "F32", "int32": "I32"}[tensor.dtype.name]
        offsets = [len(data), len(data) + tensor.nbytes]
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": offsets}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return str(path)


class Peer:
    """A session in a thread, and our end of its link."""

    def __init__(self, engine: str = "numpy") -> None:
        ours, theirs = socket.socketpair()
        deadline = struct.pack("ll", 20, 0)  # seconds; the descriptor itself stays blocking
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, deadline)
        self.socket, self._theirs = ours, theirs
        self.link = Link(ours.fileno())
        self.exit_code: int | None = None
        self._thread = threading.Thread(target=self._serve, args=(engine,), daemon=True)
        self._thread.start()

    def _serve(self, engine: str) -> None:
        self.exit_code = Session(Link(self._theirs.fileno()), engine).serve()
        self._theirs.close()

    def ask(self, type_: str, **fields: Any) -> tuple[dict[str, Any], bytes]:
        self.link.send({"type": type_, **fields})
        return self.link.receive()

    def close(self) -> int | None:
        """Ends the link; the session's exit code."""
        if self.socket.fileno() >= 0:
            self.socket.shutdown(socket.SHUT_RDWR)
            self._thread.join(20)
            self.socket.close()
        return self.exit_code


__all__ = ["Peer", "batches_of", "network", "parse_model", "weights_of", "write_safetensors"]
