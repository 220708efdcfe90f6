"""Processes that start slowly begin side by side, after the first pair and where the start is not compared."""

from __future__ import annotations

import csv
import itertools
import os
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from tools.regatta_process import BINARY, Scratch

WORKER = BINARY.parent / "regatta-worker"
ARMS = ("a", "b", "c")
PROCESSES = len(ARMS)  # one pair starts a process for each arm
START_SECONDS = 0.4

# A worker that waits before it is one, and notes when.
SLOW = f"""#!/bin/sh
began=$(date +%s.%N)
sleep {START_SECONDS}
echo "$began $(date +%s.%N)" >> "$1"
shift
exec "{WORKER}" "$@"
"""


def overlaps(starts: list[tuple[float, float]]) -> int:
    """Processes that began before the one before them was ready."""
    ordered = sorted(starts)
    return sum(after[0] < before[1] for before, after in itertools.pairwise(ordered))


class SlowStarts(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.notes = Path(folder.name) / "starts"
        self.program = Path(folder.name) / "slow"
        self.program.write_text(SLOW, encoding="utf-8")
        self.program.chmod(0o755)

    def run_with(self, **measure: object) -> None:
        environment = {"engine": "native", "program": [str(self.program), str(self.notes)]}
        sweep = {
            "regatta": 1,
            "name": "slow",
            "axes": {"engine": [f"native@{arm}" for arm in ARMS], "model": ["mlp-10"]},
            "environments": dict.fromkeys(ARMS, environment),
            "compare": {"over": ["engine"], "baseline": {"engine": "native@a"}},
            "measure": {"again": False, **measure},
        }
        self.scratch = Scratch(sweep)
        self.addCleanup(self.scratch.remove)
        self.assertEqual(self.scratch.run("--ranks", "1"), 0, self.scratch.output())

    def starts(self) -> list[tuple[float, float]]:
        lines = self.notes.read_text(encoding="utf-8").splitlines()
        return [(float(began), float(ready)) for began, ready in map(str.split, lines)]

    def samples(self, phase: str) -> Counter[str]:
        """How many each arm has."""
        command = [str(BINARY), "query", str(self.scratch.results), "--table", "samples"]
        text = subprocess.run([*command, "--format", "csv"], capture_output=True, check=True)
        rows = csv.DictReader(text.stdout.decode().splitlines())
        return Counter(row["arm"] for row in rows if row["phase"] == phase)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one core: none is free beside it")
    def test_they_begin_side_by_side_from_the_second_pair_on(self) -> None:
        self.run_with(per_contrast="3s")
        starts = sorted(self.starts())
        self.assertEqual(overlaps(starts[:PROCESSES]), 0, "the first pair is started one by one")
        self.assertGreater(overlaps(starts[PROCESSES:]), 0, starts)
        self.assertEqual(set(self.samples("start").values()), {1}, "of the first pair alone")
        self.assertGreater(min(self.samples("first").values()), 1)

    def test_they_start_one_by_one_where_the_start_is_what_is_compared(self) -> None:
        self.run_with(per_contrast="2s", metric="time_to_n", n=1)
        starts = self.starts()
        self.assertGreater(len(starts), PROCESSES)
        self.assertEqual(overlaps(starts), 0)
        self.assertEqual(self.samples("start"), self.samples("first"))


if __name__ == "__main__":
    unittest.main()
