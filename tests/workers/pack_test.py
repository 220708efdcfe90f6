"""Files that NumPy writes are read by `regatta-worker pack`: its raw file holds the same numbers."""

from __future__ import annotations

import gzip
import json
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
WORKER = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin" / "regatta-worker"
KEPT = ("uint8", "int32", "int64", "float32", "float64")
WIDENED = {
    "bool": "uint8",
    "int8": "int32",
    "int16": "int32",
    "uint16": "int32",
    "uint32": "int64",
    "uint64": "int64",
    "float16": "float32",
}


class Pack(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_pack(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [str(WORKER), "pack", *words]
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False
        )

    def packed(self, *words: str) -> dict[str, np.ndarray]:
        """The arrays of the raw file, as NumPy reads it by its sidecar."""
        done = self.run_pack(*words, "--out", "packed")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        sidecar = json.loads((self.folder / "packed.json").read_text(encoding="utf-8"))
        self.assertEqual(json.loads(done.stdout), sidecar)
        raw = (self.folder / sidecar["file"]).read_bytes()
        self.assertEqual(len(raw), sidecar["bytes"])
        return {array["name"]: self.array(array, raw) for array in sidecar["arrays"]}

    def array(self, told: dict, raw: bytes) -> np.ndarray:
        shape = (told["count"], *told["shape"])
        numbers = np.frombuffer(raw, told["type"], int(np.prod(shape)), told["offset"])
        return numbers.reshape(shape)

    def refused(self, *words: str) -> str:
        done = self.run_pack(*words, "--out", "packed")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse((self.folder / "packed.json").exists())
        return done.stderr

    def save(self, name: str, array: np.ndarray) -> np.ndarray:
        np.save(self.folder / name, array)
        return array

    def test_tables_are_read_as_options_say(self) -> None:
        rows = "north;N1;1,5;?\nsouth;S1;2,5;7\n"
        (self.folder / "years.csv").write_text("region;code;2001;2002\n" + rows)
        self.assertIn('set "delimiter"', self.refused("years.csv"))
        words = ["years.csv", "--csv-delimiter", ";", "--csv-decimal", ","]
        self.assertIn('set "header" to true or false', self.refused(*words))
        words += ["--csv-header", "yes", "--csv-missing", "?,-", "--csv-drop", "region,1"]
        x = self.packed(*words)["x"]
        np.testing.assert_array_equal(x, np.array([[1.5, np.nan], [2.5, 7]], np.float32))
        (self.folder / "packed.json").unlink()
        kinds = self.packed(*words[:-2], "--csv-columns", "2001", "--csv-categories", "2001")["x"]
        self.assertEqual(kinds.tolist(), [[0], [1]])

    def test_columns_count_in_the_memory_that_a_table_may_take(self) -> None:
        line = b"7," * 999_999 + b"7\n"
        (self.folder / "wide.csv.gz").write_bytes(gzip.compress(2 * line, 9))
        self.assertIn("of memory or more", self.refused("wide.csv.gz", "--memory", "64MiB"))

    def test_types_and_orders_of_npy(self) -> None:
        random = np.random.default_rng(1)
        for name in (*KEPT, *WIDENED):
            least = 0 if name.startswith(("bool", "uint")) else -50
            array = random.integers(least, 100, (7, 3, 2)).astype(name)
            for made in (
                array,
                np.asfortranarray(array),
                array.astype(array.dtype.newbyteorder(">")),
            ):
                with self.subTest(dtype=made.dtype, fortran=made.flags.fnc):
                    self.save("a.npy", made)
                    x = self.packed("a.npy")["x"]
                    self.assertEqual(x.dtype, WIDENED.get(name, name))
                    np.testing.assert_array_equal(x, array)

    def test_npz_stored_and_deflated(self) -> None:
        random = np.random.default_rng(2)
        arrays = {
            "x_train": random.integers(0, 256, (50, 8, 8), dtype=np.uint8),
            "y_train": random.integers(0, 10, 50),
            "x_test": np.zeros((1000, 8, 8), np.float32),
        }
        for save in (np.savez, np.savez_compressed):
            save(self.folder / "a.npz", **arrays)
            packed = self.packed("a.npz")
            self.assertEqual(packed.keys(), arrays.keys())
            for name, array in arrays.items():
                np.testing.assert_array_equal(packed[name], array)

    def test_csv_with_a_label(self) -> None:
        random = np.random.default_rng(3)
        table = random.standard_normal((200, 5))
        labels = random.integers(0, 3, 200)
        rows = np.column_stack([table, labels])
        formats = ["%.17g"] * 5 + ["%d"]
        np.savetxt(self.folder / "a.csv", rows, formats, ",", header="a,b,c,d,e,kind", comments="")
        packed = self.packed("a.csv", "--csv-label", "kind")
        np.testing.assert_array_equal(packed["x"], table.astype(np.float32))
        np.testing.assert_array_equal(packed["y"], labels)
        np.savetxt(self.folder / "b.csv", rows, formats, ";")
        packed = self.packed(
            "b.csv", "--csv-label", "5", "--csv-delimiter", ";", "--csv-header", "no"
        )
        np.testing.assert_array_equal(packed["y"], labels)

    def test_images_and_labels_of_mnist(self) -> None:
        images = np.arange(3 * 28 * 28, dtype=np.uint32).astype(np.uint8).reshape(3, 28, 28)
        header = struct.pack(">HBBIII", 0, 8, 3, 3, 28, 28)
        (self.folder / "images.gz").write_bytes(gzip.compress(header + images.tobytes()))
        (self.folder / "labels").write_bytes(struct.pack(">HBBI", 0, 8, 1, 3) + b"\x05\x00\x04")
        packed = self.packed("images.gz", "--labels", "labels")
        np.testing.assert_array_equal(packed["x"], images)
        np.testing.assert_array_equal(packed["y"], [5, 0, 4])

    def test_labels_may_be_a_table_of_one_column(self) -> None:
        self.save("a.npy", np.zeros((3, 2), np.float32))
        (self.folder / "labels.csv").write_text("label\ncat\ndog\ncat\n")
        packed = self.packed("a.npy", "--labels", "labels.csv", "--csv-header", "yes")
        np.testing.assert_array_equal(packed["y"], np.array([0, 1, 0], np.int32))

    def test_parts_of_cifar_follow_one_another(self) -> None:
        records = np.random.default_rng(4).integers(0, 10, (6, 3073), dtype=np.uint8)
        for part in range(3):
            (self.folder / f"batch_{part}.bin").write_bytes(
                records[2 * part : 2 * part + 2].tobytes()
            )
        packed = self.packed(*(f"batch_{part}.bin" for part in range(3)))
        np.testing.assert_array_equal(packed["x"], records[:, 1:].reshape(6, 3, 32, 32))
        np.testing.assert_array_equal(packed["y"], records[:, 0])

    def test_raw_files_are_packed_again(self) -> None:
        array = self.save("a.npy", np.arange(12, dtype=np.int64).reshape(4, 3))
        self.assertEqual(self.run_pack("a.npy", "--out", "first").returncode, 0)
        np.testing.assert_array_equal(self.packed("first.json")["x"], array)
        np.testing.assert_array_equal(self.packed("first.raw")["x"], array)
        self.assertIn(
            "is a file that this command reads", self.run_pack("first.raw", "--out", "first").stderr
        )

    def test_says_what_is_wrong(self) -> None:
        self.save("a.npy", np.zeros((3, 2)))
        self.save("b.npy", np.zeros((4, 2)))
        self.save("c.npy", np.zeros((4, 3)))
        np.save(self.folder / "d.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
        np.savez(self.folder / "e.npz", x=np.zeros(2), y=np.zeros(2))
        self.assertIn('"b.npy" has 4 labels for 3 rows', self.refused("a.npy", "--labels", "b.npy"))
        self.assertIn("different arrays", self.refused("a.npy", "c.npy"))
        self.assertIn("another number of arrays", self.refused("a.npy", "e.npz"))
        self.assertIn("--labels puts one array", self.refused("e.npz", "--labels", "a.npy"))
        self.assertIn("unpickling them could run any program", self.refused("d.npy"))
        self.assertIn("a data file is missing", self.refused())
        self.assertIn("--memory needs a size", self.refused("a.npy", "--memory", "many"))
        self.assertIn("allow more", self.refused("a.npy", "b.npy", "--memory", "10B"))
        self.assertIn("needs yes or no", self.refused("a.npy", "--csv-header", "maybe"))
        self.assertIn("needs one character", self.refused("a.npy", "--csv-delimiter", "::"))
        done = self.run_pack("a.npy")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--out is missing", done.stderr)
        done = self.run_pack("a.npy", "--out", "nowhere/packed")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("there is no folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
