"""One file that training goes on from: weights, optimizer, best weights, and the history of the run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from . import safetensors
from .curve import History, from_json, to_json
from .inputs import Tensors

STATE = "state"


@dataclass
class Checkpoint:
    history: History
    weights: Tensors
    optimizer_state: Tensors
    best_weights: Tensors  # empty if no evaluation had a finite value


def write(path: str, checkpoint: Checkpoint, run: dict[str, Any]) -> None:
    """`run` says what the run is, so that no other one goes on from the file."""
    parts = {
        "weights": checkpoint.weights,
        "optimizer": checkpoint.optimizer_state,
        "best": checkpoint.best_weights,
    }
    tensors = {f"{part}/{name}": t for part, named in parts.items() for name, t in named.items()}
    state = {"run": run, "history": to_json(checkpoint.history)}
    safetensors.write(path, tensors, {STATE: json.dumps(state, allow_nan=False)})


def read(path: str, run: dict[str, Any]) -> Checkpoint | None:
    """None if there is no file, or it is damaged or of another run: training starts anew."""
    try:
        tensors, metadata = safetensors.read_with_metadata(path)
        state = json.loads(metadata[STATE])
        if state["run"] != run:
            return None
        parts: dict[str, Tensors] = {"weights": {}, "optimizer": {}, "best": {}}
        for name, tensor in tensors.items():
            part, _, rest = name.partition("/")
            parts[part][rest] = tensor
        history = from_json(state["history"])
        return Checkpoint(history, parts["weights"], parts["optimizer"], parts["best"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
