"""The committed Japanese vowels are what make_japanese_vowels.py writes from their series."""

import gzip
import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

VOWELS = Path(__file__).resolve().parents[2] / "datasets" / "japanese-vowels"
LONGEST, CHANNELS, TRAINING_ROWS = 29, 12, 270
HEAD_BYTES = 128
ROW_BYTES = 4 * LONGEST * CHANNELS


def lines_of_the_committed_files() -> list[str]:
    """As the source writes them: the positions that zeros fill up are not there."""
    series = gzip.decompress((VOWELS / "series.npy.gz").read_bytes())[HEAD_BYTES:]
    labels = (VOWELS / "speakers.npy").read_bytes()[HEAD_BYTES:]
    lines = []
    for i, label in enumerate(labels):
        row = series[ROW_BYTES * i : ROW_BYTES * (i + 1)]
        values = struct.unpack(f"<{LONGEST * CHANNELS}f", row)
        positions = [values[CHANNELS * p : CHANNELS * (p + 1)] for p in range(LONGEST)]
        said = [position for position in positions if any(position)]
        channels = [",".join(f"{p[c]:.6f}" for p in said) for c in range(CHANNELS)]
        lines.append(":".join([*channels, str(label + 1)]))
    return lines


class MakeJapaneseVowels(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_on(self, lines: list[str]) -> subprocess.CompletedProcess[str]:
        for part, rows in (("TRAIN", lines[:TRAINING_ROWS]), ("TEST", lines[TRAINING_ROWS:])):
            text = "#head\n@data\n" + "\n".join(rows) + "\n"
            (self.folder / f"JapaneseVowels_{part}.ts").write_text(text, encoding="ascii")
        program = VOWELS / "make_japanese_vowels.py"
        command = [sys.executable, "-B", program, self.folder, "--out", self.folder]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def test_writes_the_committed_files(self) -> None:
        finished = self.run_on(lines_of_the_committed_files())
        self.assertEqual(finished.returncode, 0, finished.stderr)
        labels = "speakers.npy"
        self.assertEqual((self.folder / labels).read_bytes(), (VOWELS / labels).read_bytes())
        packed = "series.npy.gz"  # another zlib may pack otherwise
        written, committed = ((f / packed).read_bytes() for f in (self.folder, VOWELS))
        self.assertEqual(gzip.decompress(written), gzip.decompress(committed))
        written, committed = (
            json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
            for folder in (self.folder, VOWELS)
        )
        for manifest in (written, committed):
            for key in ("sha256", "bytes"):
                manifest["files"][packed].pop(key)
        self.assertEqual(written, committed)

    def test_names_the_line_that_is_none(self) -> None:
        lines = lines_of_the_committed_files()
        lines[1] = lines[1].partition(":")[2]
        finished = self.run_on(lines)
        self.assertNotEqual(finished.returncode, 0)
        self.assertIn("line 4 has no 12 series of one length", finished.stderr)
        self.assertFalse((self.folder / "manifest.json").exists())


if __name__ == "__main__":
    unittest.main()
