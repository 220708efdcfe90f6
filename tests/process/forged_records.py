"""A journal taken apart into its records, and put together again with checksums that are right."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tools.hostile_commands import crc32c


@dataclass
class Record:
    kind: bytes
    hash: bytes
    attempt: int
    payload: bytes
    version: int


def records_of(journal: bytes) -> list[Record]:
    """A whole journal taken apart; the line that opens version 2 is one of version 1."""
    records = []
    version = 1
    while journal:
        _, _, kind, block, attempt, *rest = journal.split(b" ", 5 if version == 1 else 7)
        if version == 1:
            payload, journal = rest[0].split(b"\n", 1)
            records.append(Record(kind, block, int(attempt), payload, 1))
            version = 2 if kind == b"header" and int(attempt) > 1 else 1
        else:
            size = int(rest[0])
            payload, journal = rest[2][:size], rest[2][size + 1 :]
            records.append(Record(kind, block, int(attempt), payload, 2))
    return records


def bytes_of(records: list[Record]) -> bytes:
    journal = b""
    for number, record in enumerate(records):
        head = b"%d %s %s %d" % (number, record.kind, record.hash, record.attempt)
        if record.version == 1:
            text = head + b" " + record.payload.replace(b"\n", b" ")
        else:
            text = head + b" %d %08x" % (len(record.payload), crc32c(record.payload))
        journal += b"%08x %s" % (crc32c(text), text)
        journal += b"\n" if record.version == 1 else b" " + record.payload + b"\n"
    return journal


def take_text(payload: bytes, at: int) -> tuple[bytes, int]:
    (size,) = struct.unpack_from("<I", payload, at)
    return payload[at + 4 : at + 4 + size], at + 4 + size
