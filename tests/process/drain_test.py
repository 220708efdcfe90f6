"""A drain by signal: it keeps the squares that are complete, and the same command goes on from there."""

from __future__ import annotations

import json
import signal
import subprocess
import unittest
from collections import Counter
from pathlib import Path

from tools import journal
from tools.regatta_process import BINARY, PATIENCE_SECONDS, Scratch, wait_until

SLICES = 60
CONTINUES, INTERRUPTED = 1, 4  # bits of a result (docs/reference/results.md)
PROGRAM = """
echo step >> steps
if [ -e slow ] && [ "$(wc -l < steps)" -gt "$(cat slow)" ]; then sleep 600; fi
sleep 0.02
"""


def steps_sweep() -> dict:
    """One block; each square of it is one step of a program that counts its steps."""
    return {
        "regatta": 1,
        "name": "steps",
        "axes": {"command": ["step"], "engine": ["command"]},
        "commands": {"step": {"argv": ["sh", "step.sh"]}},
        "measure": {"slices": SLICES, "steps": 1},
    }


class Drain(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = Scratch(steps_sweep())
        self.addCleanup(self.scratch.remove)
        script = self.scratch.folder / "step.sh"
        script.write_text(f"cd {self.scratch.folder}\n{PROGRAM}")
        sweep = steps_sweep()
        sweep["commands"]["step"]["argv"] = ["sh", str(script)]
        self.scratch.sweep_file.write_text(json.dumps(sweep))

    def steps(self) -> int:
        counted = self.scratch.folder / "steps"
        return len(counted.read_text().splitlines()) if counted.exists() else 0

    def bits(self) -> list[int]:
        return [
            journal.RESULT_HEAD.unpack_from(record.payload)[0]
            for record in journal.results(self.scratch.journal)
        ]

    def samples(self, file: Path) -> Counter[int]:
        """Scored samples by square."""
        command = [BINARY, "query", file, "--format", "jsonl", "--table", "samples"]
        text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        rows = [json.loads(line) for line in text.splitlines()]
        return Counter(row["square"] for row in rows if row["phase"] == "steady")

    def drain(self, sent: signal.Signals, steps: int) -> None:
        code = self.scratch.folder / "code"
        process = self.scratch.start("--ranks", "1", "--exit-code-to", str(code))
        self.assertTrue(wait_until(lambda: self.steps() > steps, PATIENCE_SECONDS))
        process.send_signal(sent)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 75, self.scratch.output())
        self.assertEqual(code.read_text(), "75\n")

    def check_kept(self) -> int:
        """How many squares the interrupted block has kept; nothing was rendered for them."""
        self.assertEqual(self.bits(), [INTERRUPTED], self.scratch.output())
        left = {path.suffix for path in (self.scratch.folder / "out").iterdir()}
        self.assertEqual(left, {".regatta"})
        self.scratch.collect()
        kept = self.samples(self.scratch.results)
        self.assertEqual(kept, Counter(range(len(kept))))
        self.assertTrue(0 < len(kept) < SLICES, kept)
        return len(kept)

    def check_goes_on(self, kept: int) -> None:
        self.assertEqual(self.scratch.run("--ranks", "1"), 0, self.scratch.output())
        self.assertEqual(self.bits(), [INTERRUPTED, CONTINUES])
        self.assertEqual(self.samples(self.scratch.results), Counter(range(kept + SLICES)))

    def test_keeps_complete_squares_and_the_same_command_goes_on(self) -> None:
        for sent in (signal.SIGUSR1, signal.SIGTERM):
            with self.subTest(sent.name):
                self.doCleanups()
                self.setUp()
                self.drain(sent, 30)
                self.check_goes_on(self.check_kept())

    def test_a_slice_that_takes_too_long_is_given_up_and_the_squares_before_it_stay(self) -> None:
        slow = self.scratch.folder / "slow"
        slow.write_text("30")
        self.drain(signal.SIGTERM, 30)
        self.assertTrue(wait_until(lambda: not self.scratch.processes(), PATIENCE_SECONDS))
        kept = self.check_kept()
        slow.unlink()
        self.check_goes_on(kept)


if __name__ == "__main__":
    unittest.main()
