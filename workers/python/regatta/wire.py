"""The parts of the protocol that both ends of the link must agree on: version, samples, phases, pieces.

See docs/reference/worker-protocol.md.

Standard library only: the workers of all engines import it, and whatever else speaks the protocol in Python may.
"""

from __future__ import annotations

import struct
from typing import Iterator, NamedTuple

LINK = 3  # the descriptor
LINK_VARIABLE = "REGATTA_WORKER_LINK"  # holds its number in a worker
VERSION = 1
PIECE_BYTES = 256 << 10  # samples travel in pieces of at most so many
MAX_SAMPLES = 1 << 22  # a slice has no more
REENTRY_SAMPLES = 16  # at most, of the steps before a slice
PHASES = {"first": 0, "warmup": 1, "reentry": 2, "steady": 3}


class Sample(NamedTuple):
    """Elapsed time of `steps` consecutive steps of one arm."""

    slice: int
    arm: int
    phase: int
    flags: int
    steps: int
    rank: int
    square: int
    start_seconds: float
    seconds: float


SAMPLE = struct.Struct("<IHBBIHHdd")  # the fields of Sample, little-endian, 32 bytes


def pack_sample(
    slice_number: int, arm: int, phase: str, steps: int, start_ns: int, end_ns: int
) -> bytes:
    """The parts of a sample that a worker knows: the agent sets flags, rank and square."""
    seconds = (end_ns - start_ns) * 1e-9
    return SAMPLE.pack(slice_number, arm, PHASES[phase], 0, steps, 0, 0, start_ns * 1e-9, seconds)


def unpack_samples(payload: bytes) -> list[Sample]:
    return [Sample(*fields) for fields in SAMPLE.iter_unpack(payload)]


def pieces(samples: bytes) -> Iterator[tuple[bytes, bool]]:
    """Parts that fit into messages, and whether each is the last one; one empty part if there are no samples."""
    for at in range(0, max(1, len(samples)), PIECE_BYTES):
        yield samples[at : at + PIECE_BYTES], at + PIECE_BYTES >= len(samples)
