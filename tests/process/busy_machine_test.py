"""A run says first that other programs take its cores, and never means its own processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.regatta_process import Scratch

SPINNER = "busy-spinner"  # at most 15 letters, as the kernel keeps names
OWN = "own-spinner"
SPINS = "while :; do :; done"
TURNS = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done"


def shell_named(folder: Path, name: str) -> Path:
    """The shell under another name, so that what it runs can be told from everything else here."""
    return Path(shutil.copy(shutil.which("dash") or "/bin/sh", folder / name))


class BusyMachine(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-busy-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    @contextmanager
    def spinners(self) -> Iterator[None]:
        """Enough of them, in sessions of their own as the kernel shares time by them, to take most of each core."""
        shell = shell_named(self.folder, SPINNER)
        count = 4 * len(os.sched_getaffinity(0))
        running = [
            subprocess.Popen([str(shell), "-c", SPINS], start_new_session=True)
            for _ in range(count)
        ]
        try:
            yield
        finally:
            for each in running:
                each.kill()
                each.wait()

    def run_own(self, ranks: int) -> tuple[str, list[dict]]:
        """The output and events of a run whose own program spins."""
        argv = [str(shell_named(self.folder, OWN)), "-c", TURNS]
        scratch = Scratch(
            {
                "regatta": 1,
                "name": "busy",
                "axes": {"engine": ["command"], "command": ["own"]},
                "commands": {"own": {"argv": argv}},
                "repeats": ranks,
                "measure": {"slices": 8, "steps": 1},
            }
        )
        self.addCleanup(scratch.remove)
        events = scratch.folder / "events"
        options = ("--ranks", str(ranks), "--json-events-to", str(events))
        self.assertEqual(scratch.run(*options), 0, scratch.output())
        return scratch.output(), [json.loads(line) for line in events.read_text().splitlines()]

    def test_is_said_once_with_the_program_that_takes_most_and_before_any_line_of_progress(
        self,
    ) -> None:
        with self.spinners():
            output, events = self.run_own(1)
        sentence = (
            rf"other programs use \d+ % of the cores that this run measures on \(most: {SPINNER}\)"
        )
        self.assertRegex(output, sentence)
        self.assertEqual(output.count("that this run measures on"), 1, output)
        told = output.index("that this run measures on")
        self.assertNotIn("blocks done", output[:told])
        worst = {event["others_worst"] for event in events if event["event"] == "progress"}
        self.assertIn(SPINNER, worst)

    def test_counts_no_program_of_its_own_whatever_the_number_of_ranks(self) -> None:
        for ranks in (1, 2, 4):
            output, events = self.run_own(ranks)
            progress = [event for event in events if event["event"] == "progress"]
            self.assertNotIn(OWN, {event["others_worst"] for event in progress}, output)
            known = [each["others_share"] for each in progress if each["others_share"] is not None]
            self.assertTrue(known, "a run of some seconds looks at least once")


if __name__ == "__main__":
    unittest.main()
