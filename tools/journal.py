"""Reads the records of a run's journal that are whole (docs/reference/results.md, "The journal")."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path

FRAME = re.compile(rb"[0-9a-f]{8} (\d+) (\S+) ([0-9a-f]{32}) (\d+) (\d+) [0-9a-f]{8} ")
RESULT_HEAD = struct.Struct("<BIddd")  # bits, agent, start, end, own time


@dataclass(frozen=True)
class Record:
    """One record. It stands at the bytes from `begin` to `end`, and a newline behind it."""

    sequence: int
    kind: str
    hash: str
    attempt: int
    payload: bytes
    begin: int
    end: int


def records(journal: Path) -> list[Record]:
    """Every whole record in order; none if there is no journal."""
    return records_in(journal.read_bytes() if journal.exists() else b"")


def records_in(data: bytes) -> list[Record]:
    """Every whole record in order, the one that opens it and the durable marks included. Checksums are not looked
    at."""
    found: list[Record] = []
    at = 0
    while match := FRAME.match(data, at):
        sequence, kind, digest, attempt, size = match.groups()
        end = match.end() + int(size)
        if end >= len(data):
            break
        payload = data[match.end() : end]
        found.append(
            Record(int(sequence), kind.decode(), digest.decode(), int(attempt), payload, at, end)
        )
        at = end + 1
    return found


def results(journal: Path) -> list[Record]:
    """The recorded blocks, in the order of recording."""
    return [record for record in records(journal) if record.kind == "result"]


def block_times(record: Record) -> tuple[float, float]:
    """Start and end of a recorded block, wall clock."""
    return RESULT_HEAD.unpack_from(record.payload)[2:4]
