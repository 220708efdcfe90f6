"""Functions that Python lacks before 3.9: old frameworks run on 3.7."""

from __future__ import annotations

import array
import os
import socket
import tempfile


def anonymous_file(name: str) -> int:
    """A descriptor of an empty file in memory that no folder shows."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name)
    descriptor, path = tempfile.mkstemp(prefix=f"{name}-", dir="/dev/shm")
    os.unlink(path)
    return descriptor


def received_with_descriptors(
    link: socket.socket, most_bytes: int, most_descriptors: int
) -> tuple[bytes, list[int]]:
    """The bytes that the other end of a local socket sent, and the descriptors that came with them."""
    numbers = array.array("i")
    room = socket.CMSG_LEN(most_descriptors * numbers.itemsize)
    data, ancillary, _, _ = link.recvmsg(most_bytes, room)
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            numbers.frombytes(payload[: len(payload) - len(payload) % numbers.itemsize])
    return data, list(numbers)
