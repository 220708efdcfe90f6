"""Frames over the worker's descriptor: a line of JSON, then the raw bytes that it announces."""

from __future__ import annotations

import json
import os
from typing import Any, Dict

from .errors import LinkClosed

MAX_HEADER_BYTES = 4 << 20
MAX_FRAME_BYTES = 16 << 20

Message = Dict[str, Any]


class Link:
    """Blocking; without a deadline, because the agent gives up on workers, never they on it."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._stream = os.fdopen(fd, "rb", closefd=False)

    def receive(self) -> tuple[Message, bytes]:
        """The next message and payload. Raises LinkClosed at its end, ValueError for garbage."""
        try:
            line = self._stream.readline(MAX_HEADER_BYTES + 1)
        except ConnectionResetError as error:
            raise LinkClosed from error
        if not line:
            raise LinkClosed
        if not line.endswith(b"\n"):
            raise ValueError("a header is cut short or longer than 4 MiB")
        message = json.loads(line)
        if not isinstance(message, dict):
            raise ValueError("a header is not a JSON object")
        size = message.get("bytes", 0)
        if not isinstance(size, int) or not 0 <= size <= MAX_FRAME_BYTES:
            raise ValueError(f"a header's 'bytes' is {size!r}, expected an integer up to 16 MiB")
        payload = self._stream.read(size) if size else b""
        if len(payload) < size:
            raise LinkClosed
        return message, payload

    def send(self, message: Message, payload: bytes = b"") -> None:
        """Raises LinkClosed if the agent is gone."""
        if payload:
            message = {**message, "bytes": len(payload)}
        header = json.dumps(message, allow_nan=False, separators=(",", ":"))
        left = memoryview(header.encode() + b"\n" + payload)
        try:
            while left:
                left = left[os.write(self._fd, left) :]
        except (BrokenPipeError, ConnectionResetError) as error:
            raise LinkClosed from error
