"""A journal taken apart into its records, and put together again with checksums that are right."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tools import journal
from tools.hostile_commands import crc32c


@dataclass
class Record:
    kind: bytes
    hash: bytes
    attempt: int
    payload: bytes


def records_of(data: bytes) -> list[Record]:
    """A whole journal taken apart."""
    return [
        Record(each.kind.encode(), each.hash.encode(), each.attempt, each.payload)
        for each in journal.records_in(data)
    ]


def bytes_of(records: list[Record]) -> bytes:
    data = b""
    for number, record in enumerate(records):
        head = b"%d %s %s %d" % (number, record.kind, record.hash, record.attempt)
        text = head + b" %d %08x" % (len(record.payload), crc32c(record.payload))
        data += b"%08x %s %s\n" % (crc32c(text), text, record.payload)
    return data


def take_text(payload: bytes, at: int) -> tuple[bytes, int]:
    (size,) = struct.unpack_from("<I", payload, at)
    return payload[at + 4 : at + 4 + size], at + 4 + size
