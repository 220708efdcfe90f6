"""Settings whose processes are the same are measured in tours: one start serves a pair of each."""

from __future__ import annotations

import csv
import signal
import subprocess
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

from tools import journal
from tools.regatta_process import BINARY, PATIENCE_SECONDS, Scratch, wait_until

WORKER = BINARY.parent / "regatta-worker"
BATCHES = (1, 32, 128)
ARMS = ("a", "b")
START_SECONDS = 0.6

# A worker that takes its time to start, and notes that it did.
SLOW = f"""#!/bin/sh
sleep {START_SECONDS}
echo "$0" >> "$1"
shift
exec "{WORKER}" "$@"
"""


class Tours(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.notes = Path(folder.name) / "starts"
        program = Path(folder.name) / "slow"
        program.write_text(SLOW, encoding="utf-8")
        program.chmod(0o755)
        environment = {"engine": "native", "program": [str(program), str(self.notes)]}
        self.scratch = Scratch(
            {
                "regatta": 1,
                "name": "tours",
                "axes": {
                    "engine": [f"native@{arm}" for arm in ARMS],
                    "model": ["digits-mlp"],
                    "batch": list(BATCHES),
                },
                "environments": dict.fromkeys(ARMS, environment),
                "compare": {"over": ["engine"], "baseline": {"engine": "native@a"}},
                "measure": {"again": False, "per_contrast": "20s", "total": "16s"},
            }
        )
        self.addCleanup(self.scratch.remove)

    def visits(self) -> list[str]:
        """Blocks in the order in which their pairs were measured."""
        command = [str(BINARY), "query", str(self.scratch.results), "--table", "samples"]
        text = subprocess.run([*command, "--format", "csv"], capture_output=True, check=True)
        rows = csv.DictReader(text.stdout.decode().splitlines())
        firsts = [row for row in rows if row["phase"] == "first" and row["arm"] == "0"]
        blocks = [
            row["block_index"] for row in sorted(firsts, key=lambda row: float(row["t_start"]))
        ]
        return [block for block in blocks if int(block) < len(BATCHES)]  # clones stand behind them

    def starts(self) -> int:
        return len(self.notes.read_text(encoding="utf-8").splitlines())

    def test_each_setting_has_a_pair_before_any_has_its_second(self) -> None:
        self.assertEqual(self.scratch.run("--ranks", "1"), 0, self.scratch.output())
        visits = self.visits()
        self.assertGreater(len(visits), len(BATCHES))
        self.assertEqual(visits[: len(BATCHES)], sorted(set(visits)))
        self.assertLess(self.starts(), len(visits) * len(ARMS), "a start serves several settings")

    def test_a_killed_run_keeps_the_pairs_that_it_measured(self) -> None:
        process = self.scratch.start("--ranks", "1")
        wanted = len(BATCHES) + 1
        there = wait_until(lambda: len(self.results()) >= wanted, PATIENCE_SECONDS)
        self.assertTrue(there, self.scratch.output())
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)
        before = defaultdict(int)
        for record in self.results():
            before[record.hash] += 1
        self.assertEqual(len(before), len(BATCHES), "the first tour is over")
        self.scratch.collect()
        kept = self.visits()
        self.assertGreaterEqual(len(kept), wanted)
        self.assertEqual(self.scratch.run("--ranks", "1"), 0, self.scratch.output())
        self.assertEqual(self.visits()[: len(kept)], kept, "the same command goes on with them")

    def results(self) -> list[journal.Record]:
        return list(journal.results(self.scratch.journal)) if self.scratch.journal.exists() else []


if __name__ == "__main__":
    unittest.main()
