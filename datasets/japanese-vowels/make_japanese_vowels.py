"""Writes the Japanese vowels as NPY files with their manifest.

The input is the two files that the wheels of aeon and sktime carry (datasets/data/JapaneseVowels):
a line holds 12 series of 7 to 29 numbers, parted by colons, and behind them the class, 1 to 9.
"""

import argparse
import gzip
import hashlib
import json
import struct
from pathlib import Path

CHANNELS = 12
LONGEST = 29
CLASSES = 9
PARTS = ("TRAIN", "TEST")
Series = list[list[float]]  # an utterance: position by position, CHANNELS numbers each


def read_line(line: str, where: str) -> tuple[Series, int]:
    """One utterance and its class from 0. Raises ValueError saying where it is none."""
    *channels, label = line.strip().split(":")
    columns = [[float(cell) for cell in channel.split(",")] for channel in channels]
    if len(columns) != CHANNELS or len({len(column) for column in columns}) != 1:
        raise ValueError(f"{where} has no {CHANNELS} series of one length")
    if not 1 <= len(columns[0]) <= LONGEST or not 1 <= int(label) <= CLASSES:
        raise ValueError(f"{where} has no 1 to {LONGEST} positions and a class of 1 to {CLASSES}")
    return [list(position) for position in zip(*columns, strict=True)], int(label) - 1


def read_part(path: Path) -> list[tuple[Series, int]]:
    lines = path.read_text(encoding="ascii").splitlines()
    rows = [(number, line) for number, line in enumerate(lines, 1) if line and line[0] not in "#@"]
    return [read_line(line, f"{path}: line {number}") for number, line in rows]


def npy_bytes(kind: str, shape: tuple[int, ...], data: bytes) -> bytes:
    """A version 1.0 NPY file in C's order."""
    axes = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({axes}), }}"
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode("ascii") + data


def file_entry(contents: bytes, shape: tuple[int, ...], kind: str) -> dict[str, object]:
    digest = hashlib.sha256(contents).hexdigest()
    return {"sha256": digest, "bytes": len(contents), "shape": list(shape), "type": kind}


def manifest(
    parts: list[list[tuple[Series, int]]], files: dict[str, dict[str, object]]
) -> dict[str, object]:
    labels = [label for part in parts for _, label in part]
    return {
        "name": "japanese-vowels",
        "title": "Japanese Vowels: which of nine speakers says /ae/",
        "source": {
            "citation": "M. Kudo, J. Toyama and M. Shimbo (1999). Japanese Vowels. UCI Machine Learning Repository.",
            "doi": "10.24432/C5NS47",
            "url": "https://archive.ics.uci.edu/dataset/128",
            "changes": "Stored as NPY files: 12 LPC cepstrum coefficients at each position, zeros behind the last "
            "position up to 29; classes count from 0; values and order as in aeon's and sktime's "
            "JapaneseVowels_TRAIN.ts and JapaneseVowels_TEST.ts.",
        },
        "licence": "CC-BY-4.0",
        "files": files,
        "class_counts": [labels.count(c) for c in range(CLASSES)],
        "split": {
            "training": len(parts[0]),
            "test": len(parts[1]),
            "rows": "in the files' order: the source's training part, then its test part",
            "why": "the source's own: the test part was spoken by the same speakers on other occasions",
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="holds JapaneseVowels_TRAIN.ts and ..._TEST.ts")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    arguments = parser.parse_args()
    parts = [read_part(arguments.folder / f"JapaneseVowels_{part}.ts") for part in PARTS]
    rows = [row for part in parts for row in part]
    silence = [0.0] * CHANNELS
    values = [
        value
        for series, _ in rows
        for position in series + [silence] * (LONGEST - len(series))
        for value in position
    ]
    shape = (len(rows), LONGEST, CHANNELS)
    series = npy_bytes("<f4", shape, struct.pack(f"<{len(values)}f", *values))
    labels = npy_bytes("|u1", (len(rows),), bytes(label for _, label in rows))
    packed = gzip.compress(series, 9, mtime=0)
    (arguments.out / "series.npy.gz").write_bytes(packed)
    (arguments.out / "speakers.npy").write_bytes(labels)
    files = {
        "series.npy.gz": file_entry(packed, shape, "float32"),
        "speakers.npy": file_entry(labels, (len(rows),), "uint8"),
    }
    text = json.dumps(manifest(parts, files), indent=2)
    (arguments.out / "manifest.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
