"""The native engine's own process, held against the textbook as the frameworks are: every layer, both modes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from regatta_worker.protocol import VERSION
from regatta_worker.same_work import Evidence
from tools.safetensors import write_safetensors

from engine_cases import MODELS, EngineTest, textbook_of

ROOT = Path(__file__).resolve().parents[3]
WORKER = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin" / "regatta-worker"
TIMEOUT_SECONDS = 60


class NativeTrial:
    """An arm of a worker that runs as long as its check does."""

    def __init__(self, request: dict[str, Any], tensors: list[dict[str, Any]]) -> None:
        self.request, self.tensors = request, tensors

    def examine(self, steps: int) -> Evidence:
        ours, theirs = socket.socketpair()
        ours.settimeout(TIMEOUT_SECONDS)
        fd = theirs.fileno()
        with (
            ours,
            tempfile.TemporaryDirectory() as folder,
            subprocess.Popen([str(WORKER), "--fd", str(fd)], pass_fds=[fd]) as process,
        ):
            theirs.close()
            try:
                return self.checked(ours, Path(folder), steps)
            finally:
                process.kill()

    def checked(self, link: socket.socket, folder: Path, steps: int) -> Evidence:
        stream = link.makefile("rb")

        def ask(**message: Any) -> dict[str, Any]:
            link.sendall(json.dumps(message).encode() + b"\n")
            answer = json.loads(stream.readline())
            stream.read(answer.get("bytes", 0))
            if answer["type"] == "error":
                raise RuntimeError(answer["message"])
            return answer

        weights, batches = (
            write_safetensors(folder / name, tensors)
            for name, tensors in zip(("weights", "batches"), self.tensors)
        )
        ask(type="hello", version=VERSION)
        ask(type="prepare", arm=0, weights_path=weights, batches_path=batches, **self.request)
        answer = ask(type="check", arm=0, steps=steps, evidence=True)
        return Evidence(answer["losses"], **answer.get("evidence", {}))


class NativeEngine(EngineTest):
    engine = "native"

    def trial(self, name: str, zero_biases: bool = False, **parameters: Any) -> NativeTrial:
        textbook = textbook_of(name, zero_biases)
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
