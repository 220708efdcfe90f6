"""One file that training goes on from: weights, optimizer, best weights, and the history of the run."""

from __future__ import annotations

import json
import os
import sys
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import safetensors
from .curve import History, from_json, to_json
from .errors import StorageFailed
from .inputs import Tensors

STATE = "state"
CHECKSUM = "checksum"


@dataclass
class Checkpoint:
    history: History
    weights: Tensors
    optimizer_state: Tensors
    best_weights: Tensors  # empty if no evaluation had a finite value


def checksum_of(tensors: Tensors, state: str) -> str:
    """A flipped bit would give other figures, and nobody would see why."""
    crc = zlib.crc32(state.encode())
    for name in sorted(tensors):
        tensor = np.ascontiguousarray(tensors[name])  # has one axis at least
        crc = zlib.crc32(f"{name} {tensor.dtype.str} {tensors[name].shape}".encode(), crc)
        crc = zlib.crc32(tensor.reshape(-1).view(np.uint8).data, crc)
    return f"{crc:08x}"


def write(path: str, checkpoint: Checkpoint, run: dict[str, Any]) -> None:
    """`run` and the file's name say what the run is, so that no other one goes on from the file.

    `regatta query --format weights` looks at the checksum and the name, too. Raises StorageFailed.
    """
    parts = {
        "weights": checkpoint.weights,
        "optimizer": checkpoint.optimizer_state,
        "best": checkpoint.best_weights,
    }
    tensors = {f"{part}/{name}": t for part, named in parts.items() for name, t in named.items()}
    state = {"file": os.path.basename(path), "run": run, "history": to_json(checkpoint.history)}
    text = json.dumps(state, allow_nan=False)
    try:
        safetensors.write(path, tensors, {STATE: text, CHECKSUM: checksum_of(tensors, text)})
    except OSError as error:
        raise StorageFailed(f"cannot write '{path}': {error.strerror}") from error


def read(path: str, run: dict[str, Any]) -> Checkpoint | None:
    """None if there is no file, or it is damaged or of another run: training starts anew."""
    try:
        tensors, metadata = safetensors.read_with_metadata(path)
        if metadata[CHECKSUM] != checksum_of(tensors, metadata[STATE]):
            print(
                f"'{path}' is damaged: its checksum does not match (the run begins again)",
                file=sys.stderr,
            )
            return None
        state = json.loads(metadata[STATE])
        if state["run"] != run or state["file"] != os.path.basename(path):
            return None
        parts: dict[str, Tensors] = {"weights": {}, "optimizer": {}, "best": {}}
        for name, tensor in tensors.items():
            part, _, rest = name.partition("/")
            parts[part][rest] = tensor
        history = from_json(state["history"])
        return Checkpoint(history, parts["weights"], parts["optimizer"], parts["best"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
