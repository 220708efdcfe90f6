"""The page's script in which Optuna proposes and Regatta trains, with the Optuna of scripts/setup-engines.sh."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tools.interpreters import interpreter
from tools.markdown_blocks import blocks
from tools.regatta_process import BINARY, SOURCE

PAGE = "docs/guide/optimizer.md"
ROUNDS, AT_ONCE = 4, 6


class Optuna(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        found = blocks(PAGE, (SOURCE / PAGE).read_text(encoding="utf-8"))
        (self.script,) = [block.text for block in found if block.file == "optuna_search.py"]

    def run_script(self, text: str) -> str:
        python = interpreter("optuna")
        self.assertIsNotNone(python, "run scripts/setup-engines.sh optuna")
        (self.folder / "optuna_search.py").write_text(text + "\n")
        path = f"{BINARY.parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [python, "optuna_search.py"],
            cwd=self.folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def legs(self, name: str) -> list[dict]:
        command = [BINARY, "query", f"asked/{name}.h5", "--format", "jsonl", "--table", "legs"]
        text = subprocess.run(
            command, cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout
        return [json.loads(line) for line in text.splitlines()]

    def test_it_ends_with_tested_winners_and_again_with_the_same(self) -> None:
        told = "\nfor trial in study.trials:\n    print('told', trial.number, trial.value, json.dumps(trial.params))\n"
        output = self.run_script(self.script + told)
        lines = [line.split(" ", 3) for line in output.splitlines() if line.startswith("told")]
        self.assertEqual([int(line[1]) for line in lines], list(range(ROUNDS * AT_ONCE)))
        for number in range(ROUNDS):
            scores = {
                (leg["learning_rate"], leg["batch"]): leg["validation_accuracy"]
                for leg in self.legs(f"asked-{number}")
            }
            for _, _, value, params in lines[number * AT_ONCE : (number + 1) * AT_ONCE]:
                point = json.loads(params)
                self.assertEqual(scores[point["learning_rate"], point["batch"]], float(value))
        tests = [float(found) for found in re.findall(r"test accuracy ([0-9.]+)", output)]
        self.assertGreaterEqual(len(tests), 7)
        self.assertGreater(min(tests), 0.8)
        shutil.rmtree(self.folder / "asked")
        self.assertEqual(self.run_script(self.script + told), output)


if __name__ == "__main__":
    unittest.main()
