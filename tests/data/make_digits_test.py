"""The committed digits are what make_digits.py writes from their rows."""

import gzip
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DIGITS = Path(__file__).resolve().parents[2] / "datasets" / "digits"
WRITTEN = ("images-idx3-ubyte", "labels-idx1-ubyte", "manifest.json")
PIXELS = 64


def csv_of_the_committed_files() -> str:
    pixels = (DIGITS / "images-idx3-ubyte").read_bytes()[16:]
    labels = (DIGITS / "labels-idx1-ubyte").read_bytes()[8:]
    rows = ([*pixels[PIXELS * i : PIXELS * (i + 1)], label] for i, label in enumerate(labels))
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


class MakeDigits(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_on(self, csv: str) -> subprocess.CompletedProcess[str]:
        path = self.folder / "digits.csv.gz"
        path.write_bytes(gzip.compress(csv.encode("ascii")))
        command = [sys.executable, "-B", DIGITS / "make_digits.py", path, "--out", self.folder]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def test_writes_the_committed_files(self) -> None:
        finished = self.run_on(csv_of_the_committed_files())
        self.assertEqual(finished.returncode, 0, finished.stderr)
        for name in WRITTEN:
            self.assertEqual((self.folder / name).read_bytes(), (DIGITS / name).read_bytes(), name)

    def test_names_the_row_that_is_none(self) -> None:
        good = csv_of_the_committed_files().splitlines()[0]
        finished = self.run_on(good + "\n" + good.removeprefix("0,") + "\n")
        self.assertNotEqual(finished.returncode, 0)
        self.assertIn("row 2 has no 64 pixels of 0 to 16", finished.stderr)
        self.assertFalse((self.folder / "manifest.json").exists())


if __name__ == "__main__":
    unittest.main()
