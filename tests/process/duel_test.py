"""`regatta duel` and `report --fail-on`: verdicts on whole processes, and exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools.regatta_process import BINARY, Scratch, wait_until


def duel(*words: str) -> subprocess.CompletedProcess[str]:
    command = [str(BINARY), "duel", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


class Duel(unittest.TestCase):
    def test_says_which_command_takes_longer(self) -> None:
        done = duel("sleep 0.1", "sleep 0.01", "--for", "5s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"A is \S+x slower .*than B")
        self.assertRegex(
            done.stdout, r"A: sleep 0\.1   \d+ ms \(\d+ ms to [0-9.]+ m?s over \d+ runs\)\n"
        )

    def test_json_is_the_report(self) -> None:
        done = duel("sleep 0.1", "sleep 0.01", "--for", "5s", "--json")
        contrast = json.loads(done.stdout)["contrasts"][0]
        self.assertEqual(contrast["verdict"], "slower")
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

    def test_amounts_are_refused_by_the_names_of_their_options(self) -> None:
        for option, found, said in (
            ("--margin", "10", "--margin: found '10', expected a percentage such as 10%"),
            ("--for", "5", "--for: found '5', expected a time such as 5s"),
        ):
            done = duel("true", "true", option, found)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_scans_values_against_the_first_of_them(self) -> None:
        done = duel("sleep {s}", "--scan", "s=0.01,0.1", "--for", "3s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stdout, r"  A s=0\.01   [0-9.]+ ms \(.* runs\)\n  A s=0\.1   \d+ ms \("
        )
        self.assertRegex(done.stdout, r"s 0\.1 (is|against s 0\.01:) \S+x slower")

    def test_scans_both_beside_each_other(self) -> None:
        done = duel("sleep 0.1{s}", "sleep {s}", "--scan", "s=0.01", "--for", "2s", "--json")
        contrast = json.loads(done.stdout)["contrasts"]
        self.assertEqual(done.returncode, 1, "0.10.01 is no time")
        self.assertEqual(contrast, [])

    def test_what_is_no_scan_or_no_second_program_is_refused(self) -> None:
        self.assertIn("found 'n', expected NAME=VALUE", duel("true {n}", "--scan", "n").stderr)
        self.assertIn(
            "--scan: {m} stands neither in A nor in B",
            duel("true {n}", "--scan", "n=1", "--scan", "m=1").stderr,
        )
        self.assertIn(
            "B: {k} has no values; add --scan k=",
            duel("true {n}", "true {k}", "--scan", "n=1").stderr,
        )
        done = duel("true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("B is missing", done.stderr)

    def test_a_pipe_is_told_to_need_a_shell(self) -> None:
        done = duel("echo a | true", "true", "--for", "1s")
        self.assertIn("A: no shell reads '|' here", done.stderr)
        self.assertIn("sh -c 'echo a | true'", done.stderr)

    def test_leaves_nothing_behind(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "TMPDIR": folder}
            command = [str(BINARY), "duel", "true", "true", "--for", "1s"]
            subprocess.run(command, env=environment, capture_output=True, timeout=300, check=True)
            self.assertEqual(list(Path(folder).iterdir()), [])


def gate_sweep(measure: dict[str, object]) -> dict[str, object]:
    return {
        "regatta": 1,
        "name": "gate",
        "axes": {"engine": ["command"], "command": ["new", "old"]},
        "commands": {
            "new": {"argv": ["echo", '{"s": 0.02}'], "metric": "json:s"},
            "old": {"argv": ["echo", '{"s": 0.01}'], "metric": "json:s"},
        },
        "compare": {"over": ["command"], "baseline": {"command": "old"}},
        "measure": measure,
    }


class FailOn(unittest.TestCase):
    def measured(self, measure: dict[str, object]) -> Scratch:
        scratch = Scratch(gate_sweep(measure))
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        return scratch

    def check(self, scratch: Scratch, limit: str, code: int) -> str:
        command = [str(BINARY), "report", str(scratch.results), "--fail-on", limit]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, f"{limit}\n{done.stderr}")
        return done.stderr

    def test_a_regression_ends_with_three(self) -> None:
        scratch = self.measured({"per_contrast": "4s"})
        (contrast,) = scratch.report()["contrasts"]
        self.assertEqual(contrast["verdict"], "slower")
        is_confirmed = contrast["confirmed"]
        said = self.check(scratch, "slower:3%", 3 if is_confirmed else 0)
        self.assertIn(
            "slower by more than 3 % (95 %)" if is_confirmed else "is not confirmed", said
        )
        self.check(scratch, "slower:3%,early", 3)
        self.check(scratch, "slower:900%", 0)
        self.check(scratch, "slower:900%,undecided", 0)
        self.check(scratch, "nonsense", 2)
        self.check(scratch, "slower:3%,nonsense", 2)

    def test_what_is_not_known_passes_only_with_a_word_and_fails_where_that_is_asked(self) -> None:
        scratch = self.measured({"slices": 4})  # too few for an interval
        said = self.check(scratch, "slower:3%", 0)
        self.assertIn("1 undecided: not known to be under 3 %; --fail-on slower:3%,undecided", said)
        self.assertNotIn("; --fail-on", self.check(scratch, "slower:3%,undecided", 3))

    def test_nothing_passes_on_a_file_that_is_older_than_its_run(self) -> None:
        scratch = self.measured({"slices": 4})
        self.assertNotIn("older than its run", self.check(scratch, "slower:900%", 0))
        sweep = gate_sweep({"slices": 4})
        sweep["commands"]["new"] = {"argv": ["sleep", "100"]}
        scratch.sweep_file.write_text(json.dumps(sweep))
        before = scratch.journal.stat().st_size
        going_on = scratch.start("--ranks", "1")
        self.assertTrue(wait_until(lambda: scratch.journal.stat().st_size > before, 60))
        going_on.send_signal(signal.SIGINT)
        self.assertEqual(going_on.wait(60), 75, scratch.output())
        self.assertIn("regatta collect", scratch.output())
        said = self.check(scratch, "slower:900%", 75)
        self.assertIn("is older than its run", said)
        query = [str(BINARY), "query", str(scratch.results)]
        told = subprocess.run(query, capture_output=True, text=True, check=True).stderr
        self.assertIn("is older than its run", told)


if __name__ == "__main__":
    unittest.main()
