"""Numbers that scripts tell: by hand, for the engine `command`, and through the link of a worker."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import regatta
from regatta import curve
from regatta.wire import LINK_VARIABLE
from test_regatta import FIELDS, LOOP, Script


class Values(unittest.TestCase):
    def test_are_numbers_and_what_holds_one(self) -> None:
        class Tensor:
            def __float__(self) -> float:
                return 0.25

        values = curve.as_values({"val_loss": 1, "a": 0.5, "b": Tensor()})
        self.assertEqual(values, {"validation_loss": 1.0, "a": 0.5, "b": 0.25})

    def test_are_no_texts_truths_or_lists(self) -> None:
        Truth = type("bool_", (), {"__float__": lambda self: 1.0})  # as numpy's is called
        for value, words in (
            (
                "0.5",
                r"regatta.report: val_loss is the text '0.5'; pass a number, such as float\(value\)",
            ),
            (b"0.5", "is the text b'0.5'"),
            (True, r"val_loss is True; pass a number, such as int\(value\)"),
            (Truth(), "pass a number"),
            ([0.5], "val_loss is a list, expected one number"),
            (None, "val_loss is a NoneType, expected one number"),
        ):
            with self.assertRaisesRegex(TypeError, words):
                curve.as_values({"val_loss": value})


class Told(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(Path(regatta.__file__).parent, self.folder / "regatta")

    def run_by_hand(self, text: str, **variables: str) -> subprocess.CompletedProcess[str]:
        (self.folder / "my_loop.py").write_text(text)
        return subprocess.run(
            [sys.executable, "my_loop.py"],
            cwd=self.folder,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=20,
        )

    def answer(self, statement: str, times: int = 1) -> dict:
        """A worker's answer to a slice of four steps of a loop with this statement."""
        (self.folder / "my_loop.py").write_text(LOOP.replace("step.loss =", f"{statement}; x ="))
        script = Script(self.folder / "my_loop.py", **{LINK_VARIABLE: "3"})
        process = script.process
        for clean in (process.stdout.close, script.socket.close, process.wait, process.kill):
            self.addCleanup(clean)  # the last one runs first
        script.ask("hello", version=1)
        parameters = {"engine": "numpy@mine", "batch": 3, "work": "train"}
        script.ask(
            "prepare", arm=0, parameters=parameters, model=None, weights_path="", batches_path=""
        )
        for _ in range(times):
            header, _ = script.ask("slice", arm=0, **{**FIELDS, "steps": 4})
        return header

    def test_by_hand_they_are_lines_that_the_engine_command_reads(self) -> None:
        done = self.run_by_hand("import regatta\nregatta.result('error', 0.5, unit='K')\n")
        self.assertEqual(json.loads(done.stdout), {"error": {"value": 0.5, "unit": "K"}})

    def test_where_a_file_is_named_they_stand_there(self) -> None:
        file = self.folder / "results.jsonl"
        text = "import regatta\nfor n in 1, 2: regatta.result('a', n)\n"
        done = self.run_by_hand(text, REGATTA_RESULTS_FILE=str(file))
        self.assertEqual(done.stdout, "")
        values = [json.loads(line)["a"]["value"] for line in file.read_text().splitlines()]
        self.assertEqual(values, [1, 2])

    def test_a_name_that_is_none_is_an_error(self) -> None:
        done = self.run_by_hand("import regatta\nregatta.result('a b', 1)\n")
        self.assertIn("result 'a b': a name has letters", done.stderr)

    def test_a_text_and_a_truth_are_no_numbers(self) -> None:
        for value, word in (
            ("'0.5'", "is the text '0.5'; pass a number"),
            ("True", "is True; pass"),
        ):
            done = self.run_by_hand(f"import regatta\nregatta.result('a', {value})\n")
            self.assertIn(f"regatta.result: a {word}", done.stderr)

    def test_a_worker_tells_the_last_ones_with_its_samples(self) -> None:
        header = self.answer("regatta.result('seen', step.number, 'm')", times=2)
        self.assertEqual(json.loads(header["results"]), {"seen": {"unit": "m", "values": [7.0]}})

    def test_what_is_not_finite_is_told_in_words(self) -> None:
        header = self.answer("regatta.result('a', float('nan')); regatta.result('b', -1e999)")
        told = {name: each["values"] for name, each in json.loads(header["results"]).items()}
        self.assertEqual(told, {"a": ["nan"], "b": ["-inf"]})

    def test_attributes_of_a_step_are_results(self) -> None:
        header = self.answer("step.accuracy = step.number / 4")
        self.assertEqual(
            json.loads(header["results"]), {"accuracy": {"unit": "", "values": [0.75]}}
        )

    def test_a_loop_that_tells_none_says_nothing_of_them(self) -> None:
        self.assertNotIn("results", self.answer("pass"))


if __name__ == "__main__":
    unittest.main()
