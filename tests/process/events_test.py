"""`regatta run --json-events`: what programs that watch a run are told, through mpirun and to the end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from tools.regatta_process import BINARY, Scratch

SWEEP = {
    "regatta": 1,
    "name": "watched",
    "axes": {
        "engine": ["native"],
        "mode": ["eager", "graph"],
        "model": ["mlp-10"],
        "batch": [1, 8],
    },
    "compare": {"over": ["mode"], "baseline": {"mode": "graph"}},
    "measure": {"slices": 4, "steps": 50, "again": False},
}


def events(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


class Events(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = Scratch(SWEEP)
        self.addCleanup(self.scratch.remove)

    def run_with(self, *options: str, **arguments) -> subprocess.CompletedProcess:
        command = [str(BINARY), "run", str(self.scratch.sweep_file), *options]
        command += ["--out", str(self.scratch.folder / "out")]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
            **arguments,
        )

    def check(self, all_events: list[dict]) -> None:
        kinds = [event["event"] for event in all_events]
        self.assertEqual(kinds[0], "start")
        self.assertEqual(kinds[-1], "end")
        self.assertEqual(kinds.count("block_done"), all_events[0]["blocks"])
        self.assertEqual(kinds.count("block_started"), all_events[0]["blocks"])
        last = [event for event in all_events if event["event"] == "progress"][-1]
        self.assertEqual(last["blocks_done"], last["blocks"])
        end = all_events[-1]
        self.assertEqual((end["exit_code"], end["finished"], end["failed"]), (0, 4, 0))
        self.assertTrue(Path(end["page"]).is_file())

    def test_on_stderr_in_place_of_lines(self) -> None:
        done = self.run_with("--json-events")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check(events(done.stderr))
        self.assertNotIn("blocks done", done.stderr)
        self.assertEqual(events(done.stdout), [])

    def test_to_a_file(self) -> None:
        file = self.scratch.folder / "events.jsonl"
        done = self.run_with("--json-events-to", str(file))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check(events(file.read_text()))
        self.assertEqual(events(done.stderr), [])

    def test_to_an_open_descriptor(self) -> None:
        reading, writing = os.pipe()
        done = self.run_with("--json-events-to", str(writing), pass_fds=[writing])
        os.close(writing)
        with os.fdopen(reading) as pipe:
            text = pipe.read()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check(events(text))

    def test_a_place_that_cannot_be_opened_ends_with_two_before_anything_runs(self) -> None:
        done = self.run_with("--json-events-to", "77")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(
            done.stderr,
            "regatta: error: --json-events-to: descriptor 77 is not open (progress goes there); open it in the shell, "
            "such as 77>events.jsonl\n",
        )
        self.assertFalse(self.scratch.run_folder.exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
