"""Files of tensors: those that `regatta-worker weights` wrote, data, checkpoints.

Format: https://github.com/huggingface/safetensors, section Format.
"""

from __future__ import annotations

import functools
import json
import operator
import os
import struct
from typing import Any

import numpy as np

_DTYPES = {
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_LENGTH = struct.Struct("<Q")
_METADATA = "__metadata__"


def read(path: str) -> dict[str, np.ndarray]:
    """Tensors by name. Raises ValueError naming the file if it is damaged."""
    return read_with_metadata(path)[0]


def read_with_metadata(path: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    # Copied, so that each tensor is aligned and can be written to.
    views, metadata = _views(np.fromfile(path, dtype=np.uint8), path)
    return {name: view.copy() for name, view in views.items()}, metadata


def mapped(path: str) -> dict[str, np.ndarray]:
    """The same without reading them: rows come from the file when they are asked for."""
    if os.path.getsize(path) == 0:
        raise ValueError(f"'{path}' is damaged: it is empty; write it again")
    return _views(np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray), path)[0]


def _views(data: np.ndarray, path: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    try:
        (header_bytes,) = _LENGTH.unpack_from(data)
        start = _LENGTH.size + header_bytes
        if start > data.size:
            raise ValueError("its header is cut short")
        header = json.loads(bytes(data[_LENGTH.size : start]))
        metadata = header.pop(_METADATA, {})
        return {name: _tensor(data[start:], entry) for name, entry in header.items()}, metadata
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise ValueError(f"'{path}' is damaged: {error}; write it again") from error


def _tensor(data: np.ndarray, entry: dict) -> np.ndarray:
    dtype = _DTYPES[entry["dtype"]]
    begin, end = entry["data_offsets"]
    size = functools.reduce(operator.mul, entry["shape"], dtype.itemsize)
    if not 0 <= begin <= end <= data.size or end - begin != size:
        raise ValueError(f"offsets {begin} to {end} do not hold shape {entry['shape']}")
    return data[begin:end].view(dtype).reshape(entry["shape"])


def write(path: str, tensors: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
    """Whole or not at all: under another name in the same folder, then renamed."""
    header: dict[str, Any] = {_METADATA: metadata}
    end = 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.nbytes
        dtype = _NAMES[tensor.dtype]
        shape = list(tensor.shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header, allow_nan=False).encode()
    text += b" " * (-len(text) % _LENGTH.size)  # so that the data start aligned
    part = f"{path}.part"
    try:
        with open(part, "wb") as file:
            file.write(_LENGTH.pack(len(text)) + text)
            for tensor in tensors.values():
                file.write(np.ascontiguousarray(tensor).data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise
