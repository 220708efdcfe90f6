"""Folders of pictures and HDF5 datasets as samples of a sweep: learned from, or a row that says why not."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import unittest
import zlib
from pathlib import Path

from tools.regatta_process import Scratch

SIDE = 6
PICTURES = 40  # in each class
KINDS = {"dark": 40, "light": 200}


# The system's Python has h5py (python3-h5netcdf brings it).
WRITE_HDF5 = """
import h5py, json, sys
images, kinds = json.load(sys.stdin)
with h5py.File(sys.argv[1], "w") as file:
    file.create_dataset("train/images", data=images, dtype="i2", compression="gzip")
    file.create_dataset("train/kinds", data=kinds, dtype="u1")
"""


def model(inputs: list[int]) -> dict:
    return {
        "name": "two-kinds",
        "input": inputs,
        "layers": [{"flatten": True}, {"dense": 2, "activation": "softmax"}],
        "loss": "sparse_categorical_crossentropy",
        "optimizer": {"adam": {"learning_rate": 0.05}},
    }


def sweep(data: dict, inputs: list[int]) -> dict:
    return {
        "regatta": 1,
        "name": "pictures",
        "task": "train",
        "axes": {"model": model(inputs), "dataset": "mine", "batch": [8]},
        "datasets": {"mine": data},
        "train": {"epochs": 20, "evaluations": 4, "seeds": 1},
        "objective": {"metric": "validation_accuracy"},
    }


def chunk(kind: bytes, data: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + checksum


def png(pixels: list[list[int]]) -> bytes:
    """A grey picture."""
    head = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + bytes(row) for row in pixels)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def drawn(grey: int, draw: random.Random) -> list[list[int]]:
    return [[grey + draw.randrange(-40, 41) for _ in range(SIDE)] for _ in range(SIDE)]


class OwnPictures(unittest.TestCase):
    def scratch(self, data: dict, inputs: list[int]) -> Scratch:
        made = Scratch(sweep(data, inputs))
        self.addCleanup(made.remove)
        return made

    def write_pictures(self, folder: Path) -> None:
        draw = random.Random(1)
        for kind, grey in KINDS.items():
            (folder / kind).mkdir(parents=True)
            for i in range(PICTURES):
                (folder / kind / f"{i}.png").write_bytes(png(drawn(grey, draw)))

    def expect_learned(self, made: Scratch) -> None:
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        best = made.report()["learning"]["ranking"][0]["validation"]["mean"]
        self.assertGreater(best, 0.9)

    def test_a_folder_for_each_class_is_learned_from(self) -> None:
        made = self.scratch({"data": "pictures"}, [SIDE, SIDE, 1])
        self.write_pictures(made.folder / "pictures")
        self.expect_learned(made)

    def test_a_picture_cut_short_is_refused_by_its_name_before_anything_is_trained(self) -> None:
        made = self.scratch({"data": "pictures"}, [SIDE, SIDE, 1])
        self.write_pictures(made.folder / "pictures")
        hurt = made.folder / "pictures" / "dark" / "7.png"
        hurt.write_bytes(hurt.read_bytes()[:50])
        self.assertEqual(made.run("--ranks", "1"), 2)
        self.assertIn("dark/7.png' is damaged at offset", made.output())

    def test_datasets_of_an_hdf5_file_are_learned_from(self) -> None:
        data = {"data": "mine.h5:/train/images", "labels": "mine.h5:/train/kinds", "scale": 1 / 255}
        made = self.scratch(data, [SIDE, SIDE])
        draw = random.Random(1)
        kinds = [i % 2 for i in range(2 * PICTURES)]
        greys = list(KINDS.values())
        images = [drawn(greys[kind], draw) for kind in kinds]
        command = [os.environ["REGATTA_PYTHON"], "-c", WRITE_HDF5, str(made.folder / "mine.h5")]
        subprocess.run(
            command, input=json.dumps([images, kinds]), text=True, check=True, timeout=60
        )
        self.expect_learned(made)


if __name__ == "__main__":
    unittest.main()
