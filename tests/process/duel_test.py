"""`regatta duel` and `report --fail-on`: verdicts on whole processes, and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools.regatta_process import BINARY, Scratch, verdict_here


def duel(a: str, b: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [str(BINARY), "duel", a, b, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


class Duel(unittest.TestCase):
    def test_says_which_command_takes_longer(self) -> None:
        done = duel("sleep 0.1", "sleep 0.01", "--for", "5s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"A takes \S+x the time of B: (slower|undecided)")
        self.assertIn("A: sleep 0.1", done.stdout)

    def test_json_is_the_report(self) -> None:
        done = duel("sleep 0.1", "sleep 0.01", "--for", "5s", "--json")
        contrast = json.loads(done.stdout)["contrasts"][0]
        self.assertEqual(contrast["verdict"], verdict_here(contrast, "slower"))
        self.assertGreater(contrast["ratio"], 1.5)

    def test_takes_the_number_that_commands_print(self) -> None:
        a = """sh -c 'echo "{\\"s\\": 2.0}"'"""
        b = """sh -c 'echo "{\\"s\\": 1.0}"'"""
        done = duel(a, b, "--metric", "json:s", "--for", "3s", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["contrasts"][0]["ratio"], 2.0)

    def test_a_failing_command_is_named_with_its_reason(self) -> None:
        done = duel("false", "true", "--for", "1s")
        self.assertEqual(done.returncode, 1)
        self.assertIn("A: failed: reported: exited with status 1", done.stdout)

    def test_an_open_quote_is_refused(self) -> None:
        done = duel("sleep '0", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not closed", done.stderr)

    def test_leaves_nothing_behind(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "TMPDIR": folder}
            command = [str(BINARY), "duel", "true", "true", "--for", "1s"]
            subprocess.run(command, env=environment, capture_output=True, timeout=300, check=True)
            self.assertEqual(list(Path(folder).iterdir()), [])


class FailOn(unittest.TestCase):
    def test_a_regression_ends_with_three(self) -> None:
        scratch = Scratch(
            {
                "regatta": 1,
                "name": "gate",
                "axes": {"engine": ["command"], "command": ["new", "old"]},
                "commands": {
                    "new": {"argv": ["echo", '{"s": 0.02}'], "metric": "json:s"},
                    "old": {"argv": ["echo", '{"s": 0.01}'], "metric": "json:s"},
                },
                "compare": {"over": ["command"], "baseline": {"command": "old"}},
                "measure": {"per_contrast": "4s"},
            }
        )
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        (contrast,) = scratch.report()["contrasts"]
        self.assertEqual(contrast["verdict"], verdict_here(contrast, "slower"))
        regression = 3 if contrast["verdict"] == "slower" else 0
        for limit, code in (("slower:3%", regression), ("slower:900%", 0), ("nonsense", 2)):
            command = [str(BINARY), "report", str(scratch.results), "--fail-on", limit]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, f"{limit}\n{done.stderr}")


if __name__ == "__main__":
    unittest.main()
