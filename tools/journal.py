"""Reads the records of a run's journal that are whole, in both of its versions (docs/results.md, "The journal")."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import dataclass
from pathlib import Path

LINE = re.compile(rb"[0-9a-f]{8} (\d+) (\S+) ([0-9a-f]{32}) (\d+) (.*)\n")
FRAME = re.compile(rb"[0-9a-f]{8} (\d+) (\S+) ([0-9a-f]{32}) (\d+) (\d+) [0-9a-f]{8} ")
RESULT_HEAD = struct.Struct("<BIddd")  # bits, agent, start, end, own time


@dataclass(frozen=True)
class Record:
    """One record; `version` 1 has JSON as its payload. It stands at the bytes from `begin` to `end`, and a newline
    behind it."""

    version: int
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
    """Every whole record in order, the line that opens version 2 and the durable marks included. Checksums are not
    looked at."""
    found: list[Record] = []
    at, version = 0, 1
    while match := (LINE if version == 1 else FRAME).match(data, at):
        sequence, kind, digest, attempt, last = match.groups()
        payload, end = last, match.end()
        if version == 2:
            end += int(last) + 1
            if end > len(data):
                break
            payload = data[match.end() : end - 1]
        record = Record(
            version,
            int(sequence),
            kind.decode(),
            digest.decode(),
            int(attempt),
            payload,
            at,
            end - 1,
        )
        found.append(record)
        at = end
        if version == 1 and kind == b"header" and int(attempt) > 1:
            version = 2
    return found


def results(journal: Path) -> list[Record]:
    """The recorded blocks, in the order of recording."""
    return [record for record in records(journal) if record.kind == "result"]


def block_times(record: Record) -> tuple[float, float]:
    """Start and end of a recorded block, wall clock."""
    if record.version == 1:
        read = json.loads(record.payload)
        return read["start_wall_seconds"], read["end_wall_seconds"]
    return RESULT_HEAD.unpack_from(record.payload)[2:4]
