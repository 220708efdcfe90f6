"""Reads the tensors that `regatta-worker weights` wrote: safetensors with F32 and I32.

Format: https://github.com/huggingface/safetensors, section Format.
"""

from __future__ import annotations

import json
import math
import struct

import numpy as np

_DTYPES = {"F32": np.dtype("<f4"), "I32": np.dtype("<i4")}
_LENGTH = struct.Struct("<Q")


def read(path: str) -> dict[str, np.ndarray]:
    """Tensors by name. Raises ValueError naming the file if it is damaged."""
    data = np.fromfile(path, dtype=np.uint8)
    try:
        (header_bytes,) = _LENGTH.unpack_from(data)
        start = _LENGTH.size + header_bytes
        if start > data.size:
            raise ValueError("its header is cut short")
        header = json.loads(bytes(data[_LENGTH.size : start]))
        entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
        return {name: _tensor(data[start:], entry) for name, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise ValueError(f"'{path}' is damaged: {error}; write it again") from error


def _tensor(data: np.ndarray, entry: dict) -> np.ndarray:
    dtype = _DTYPES[entry["dtype"]]
    begin, end = entry["data_offsets"]
    size = math.prod(entry["shape"]) * dtype.itemsize
    if not 0 <= begin <= end <= data.size or end - begin != size:
        raise ValueError(f"offsets {begin} to {end} do not hold shape {entry['shape']}")
    # Copied, so that each tensor is aligned and can be written to.
    return data[begin:end].copy().view(dtype).reshape(entry["shape"])
