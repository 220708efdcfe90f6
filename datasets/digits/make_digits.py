"""Writes the digits as IDX files with their manifest.

The input is the CSV that the scikit-learn wheel carries (sklearn/datasets/data/digits.csv.gz):
64 pixel values of 0 to 16 and the class, one digit a row.
"""

import argparse
import gzip
import hashlib
import json
from pathlib import Path

SIDE = 8
LARGEST_VALUE = 16
CLASSES = 10
TEST_ROWS = 397
ROWS_OF_PARTS = (
    "place i of the order below is row P(i) of the files, where P is Regatta's permutation "
    "(include/regatta/data/permutation.hpp) of 1797 places with the key random_bits(1797, 0); "
    "the training part comes first"
)
WHY_DRAWN = "the files are ordered by writer: their last rows would be a test on other writers"


def read_rows(csv_gz: Path) -> list[list[int]]:
    """Rows of 65 integers. Raises ValueError naming the row that is none."""
    with gzip.open(csv_gz, "rt", encoding="ascii") as lines:
        rows = [[int(float(cell)) for cell in line.split(",")] for line in lines]
    for number, row in enumerate(rows, start=1):
        pixels, label = row[:-1], row[-1]
        if len(pixels) != SIDE * SIDE or not all(0 <= p <= LARGEST_VALUE for p in pixels):
            raise ValueError(f"{csv_gz}: row {number} has no {SIDE * SIDE} pixels of 0 to 16")
        if not 0 <= label < CLASSES:
            raise ValueError(f"{csv_gz}: row {number} has class {label}, not 0 to 9")
    return rows


def idx_bytes(shape: tuple[int, ...], values: list[int]) -> bytes:
    """The IDX file of unsigned bytes with this shape."""
    sizes = b"".join(size.to_bytes(4, "big") for size in shape)
    return bytes([0, 0, 8, len(shape)]) + sizes + bytes(values)


def file_entry(contents: bytes, shape: tuple[int, ...], low: int, high: int) -> dict[str, object]:
    return {
        "sha256": hashlib.sha256(contents).hexdigest(),
        "bytes": len(contents),
        "shape": list(shape),
        "type": "uint8",
        "range": [low, high],
    }


def manifest(rows: list[list[int]], files: dict[str, dict[str, object]]) -> dict[str, object]:
    labels = [row[-1] for row in rows]
    return {
        "name": "digits",
        "title": "Optical Recognition of Handwritten Digits, test set",
        "source": {
            "citation": "E. Alpaydin and C. Kaynak (1998). Optical Recognition of Handwritten "
            "Digits. UCI Machine Learning Repository.",
            "doi": "10.24432/C50P49",
            "url": "https://archive.ics.uci.edu/dataset/80",
            "changes": "Stored as IDX files; values and order as in scikit-learn's digits.csv.",
        },
        "licence": "CC-BY-4.0",
        "files": files,
        "class_counts": [labels.count(c) for c in range(CLASSES)],
        "split": {
            "training": len(rows) - TEST_ROWS,
            "test": TEST_ROWS,
            "rows": ROWS_OF_PARTS,
            "why": WHY_DRAWN,
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv_gz", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    arguments = parser.parse_args()
    rows = read_rows(arguments.csv_gz)
    images_shape = (len(rows), SIDE, SIDE)
    images = idx_bytes(images_shape, [pixel for row in rows for pixel in row[:-1]])
    labels = idx_bytes((len(rows),), [row[-1] for row in rows])
    files = {
        "images-idx3-ubyte": file_entry(images, images_shape, 0, LARGEST_VALUE),
        "labels-idx1-ubyte": file_entry(labels, (len(rows),), 0, CLASSES - 1),
    }
    (arguments.out / "images-idx3-ubyte").write_bytes(images)
    (arguments.out / "labels-idx1-ubyte").write_bytes(labels)
    text = json.dumps(manifest(rows, files), indent=2)
    (arguments.out / "manifest.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
