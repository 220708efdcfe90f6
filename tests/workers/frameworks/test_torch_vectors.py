"""The vectors of tests/engine/vectors are what PyTorch gives."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "engine" / "vectors" / "make_vectors.py"


class StoredVectors(unittest.TestCase):
    def test_are_what_the_script_gives(self) -> None:
        command = [sys.executable, str(SCRIPT), "--check"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))


if __name__ == "__main__":
    unittest.main()
