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
    version: int


def records_of(data: bytes) -> list[Record]:
    """A whole journal taken apart; the line that opens version 2 is one of version 1."""
    return [
        Record(each.kind.encode(), each.hash.encode(), each.attempt, each.payload, each.version)
        for each in journal.records_in(data)
    ]


def bytes_of(records: list[Record]) -> bytes:
    data = b""
    for number, record in enumerate(records):
        head = b"%d %s %s %d" % (number, record.kind, record.hash, record.attempt)
        if record.version == 1:
            text = head + b" " + record.payload.replace(b"\n", b" ")
        else:
            text = head + b" %d %08x" % (len(record.payload), crc32c(record.payload))
        data += b"%08x %s" % (crc32c(text), text)
        data += b"\n" if record.version == 1 else b" " + record.payload + b"\n"
    return data


def take_text(payload: bytes, at: int) -> tuple[bytes, int]:
    (size,) = struct.unpack_from("<I", payload, at)
    return payload[at + 4 : at + 4 + size], at + 4 + size
