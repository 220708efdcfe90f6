"""Weights and batches as workers read them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np


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
