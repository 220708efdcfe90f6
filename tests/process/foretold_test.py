"""Forecasts of `regatta plan` and the first lines of `regatta run`, from how long processes took to start before."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools.regatta_process import BINARY, Scratch

WORKER = BINARY.parent / "regatta-worker"
START_SECONDS = 0.4
UNKNOWN = "how long native@slow takes to start is not known yet: the first run remembers it"


class Foretold(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.memory = self.folder / "regatta" / "start-times.json"
        self.spreads = self.folder / "regatta" / "pair-spreads.json"
        self.scratch = self.sweep_of(self.slow_worker("slow"))

    def slow_worker(self, name: str) -> Path:
        program = self.folder / name
        program.write_text(f'#!/bin/sh\nsleep {START_SECONDS}\nexec "{WORKER}" "$@"\n')
        program.chmod(0o755)
        return program

    def sweep_of(self, program: Path) -> Scratch:
        scratch = Scratch(
            {
                "regatta": 1,
                "name": "foretold",
                "axes": {"engine": ["native", "native@slow"], "model": ["mlp-10"]},
                "environments": {"slow": {"engine": "native", "program": [str(program)]}},
                "compare": {"over": ["engine"], "baseline": {"engine": "native"}},
                "measure": {"slices": 4, "steps": 20, "again": False},
            }
        )
        self.addCleanup(scratch.remove)
        return scratch

    def regatta(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder), **variables}
        done = subprocess.run(
            [str(BINARY), *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def plan(self, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.regatta("plan", str(self.scratch.sweep_file), *options, **variables)

    def run_it(self, **variables: str) -> str:
        out = str(self.scratch.folder / "out")
        words = ("run", str(self.scratch.sweep_file), "--out", out, "--ranks", "1")
        return self.regatta(*words, **variables).stderr

    def test_the_first_run_remembers_what_the_next_plan_says(self) -> None:
        self.assertIn(UNKNOWN, self.plan().stdout)
        self.assertIsNone(json.loads(self.plan("--json").stdout)["forecast"])
        self.assertIn(UNKNOWN, self.run_it())
        known = self.plan().stdout
        self.assertNotIn("not known yet", known)
        self.assertRegex(known, "at most about [0-9.]+ (s|min): [0-9]+ process pairs? a contrast")
        plan = json.loads(self.plan("--json").stdout)
        self.assertEqual(plan["unknown_starts"], [])
        self.assertGreaterEqual(plan["forecast"]["process_pairs"], 1)
        self.assertGreater(plan["forecast"]["seconds"], START_SECONDS)
        slow = [
            entry
            for entry in json.loads(self.memory.read_text())["starts"]
            if entry["environment"] == "slow"
        ]
        self.assertEqual(len(slow), 1)
        self.assertGreater(slow[0]["times"][0]["start"], START_SECONDS)

    def degrees(self) -> float:
        """Degrees of freedom that are kept of how pairs scatter; 0: nothing is."""
        if not self.spreads.exists():
            return 0
        entries = json.loads(self.spreads.read_text())["spreads"]
        return sum(pair["degrees"] for entry in entries for pair in entry["pairs"])

    def begins_with_spreads(self) -> bool:
        journal = self.scratch.folder / "out" / "foretold.regatta" / "journal"
        return b'"pair_spreads"' in journal.read_bytes()

    def test_how_pairs_scattered_is_known_to_the_next_run_and_taught_once(self) -> None:
        for _ in range(8):
            self.scratch = self.sweep_of(self.slow_worker("slow"))
            self.run_it()
            if self.spreads.exists():
                break
        else:
            self.skipTest("a run that was disturbed teaches nothing, and all were")
        shown = self.degrees()
        self.assertGreater(shown, 0)
        self.assertFalse(self.begins_with_spreads())
        out = str(self.scratch.folder / "out")
        words = ("run", str(self.scratch.sweep_file), "--out", out, "--ranks", "1")
        self.regatta(*words, "--rerun", "undecided")
        self.assertFalse(self.begins_with_spreads(), "it goes on as it began")
        self.assertEqual(self.degrees(), shown)
        self.scratch = self.sweep_of(self.slow_worker("slow"))
        self.run_it()
        self.assertTrue(self.begins_with_spreads())

    def test_a_run_may_be_without_a_history(self) -> None:
        self.run_it(REGATTA_HISTORY="off")
        self.assertFalse(self.spreads.exists())

    def test_a_finished_run_says_that_nothing_is_measured_now(self) -> None:
        self.assertNotIn("measured already", self.run_it())
        again = self.run_it()
        self.assertIn("everything is measured already", again)
        self.assertIn("--rerun undecided", again)

    def test_what_is_not_here_is_said_before(self) -> None:
        program = self.slow_worker("gone")
        self.scratch = self.sweep_of(program)
        program.unlink()
        line = f"1 x '{program}' of the environment slow cannot be executed"
        self.assertIn(f"will be skipped: {line}", self.plan().stdout)
        plan = json.loads(self.plan("--json").stdout)
        self.assertIn(line, plan["missing"][0])
        self.assertIsNone(plan["forecast"])
        self.assertIn(f"will be skipped: {line}", self.run_it())

    def test_another_installation_is_not_known(self) -> None:
        self.run_it()
        self.scratch = self.sweep_of(self.slow_worker("other"))
        self.assertIn(UNKNOWN, self.plan().stdout)

    def test_a_damaged_memory_is_learnt_anew(self) -> None:
        self.memory.parent.mkdir()
        self.memory.write_text('{"starts": [')
        done = self.plan()
        self.assertIn(UNKNOWN, done.stdout)
        self.assertIn("learnt anew", done.stderr)
        self.run_it()
        self.assertNotIn("not known yet", self.plan().stdout)

    def test_without_a_cache_folder_nothing_is_said_about_it(self) -> None:
        nowhere = {"XDG_CACHE_HOME": "", "HOME": ""}
        self.assertEqual(self.plan(**nowhere).stderr, "")
        said = self.run_it(**nowhere)
        self.assertNotIn("to start", said)
        self.assertNotIn("to start", self.plan(**nowhere).stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
