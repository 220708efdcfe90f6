"""The best weights of a training as files that PyTorch and Keras load: `regatta query --format weights`."""

from __future__ import annotations

import json
import os
import subprocess
import unittest

from own_data_test import MODEL, flowers

from tools import exported_tables
from tools.interpreters import interpreter
from tools.markdown_blocks import blocks
from tools.regatta_process import BINARY, SOURCE, Scratch

PAGE = "docs/guide/trained-model.md"
PACKAGE = BINARY.parents[1] / "share" / "regatta" / "python"
# The format's own package is in no engine's environment; this one reads it with the worker's reader.
LOAD_FILE = "from regatta_worker.safetensors import read as load_file\n"
ROWS = """
import csv
rows = list(csv.DictReader(open("valid.csv")))
x = np.array([[float(row[name]) for name in "abcd"] for row in rows], np.float32)
y = np.array([["iris", "rose", "oak"].index(row["kind"]) for row in rows])
"""
LOSS_OF_TORCH = """
logits = model(torch.tensor(x))
print(torch.nn.functional.cross_entropy(logits, torch.tensor(y)).item())
"""
LOSS_OF_KERAS = """
chosen = model.predict(x, verbose=0)[np.arange(len(y)), y]
print(-np.log(chosen).mean())
"""


class KeptWeights(unittest.TestCase):
    scratch: Scratch

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = Scratch(
            {
                "regatta": 1,
                "name": "kept",
                "task": "train",
                "axes": {"model": MODEL, "dataset": "flowers", "batch": 8},
                "datasets": {
                    "flowers": {
                        "data": "flowers.csv",
                        "label_column": "kind",
                        "validation": "valid.csv",
                    }
                },
                "train": {"epochs": 6, "evaluations": 6, "seeds": 2, "keep_weights": True},
            }
        )
        cls.addClassCleanup(cls.scratch.remove)
        folder = cls.scratch.folder
        (folder / "flowers.csv").write_text(flowers(["iris", "rose", "oak"]))
        (folder / "valid.csv").write_text(flowers(["iris", "rose", "oak"], seed=1))
        code = cls.scratch.run("--ranks", "1")
        if code != 0:
            raise AssertionError(f"exit {code}\n{cls.scratch.output()}")
        if cls.query().returncode != 0:
            raise AssertionError(cls.query().stderr)

    @classmethod
    def query(cls, *conditions: str, out: str = "weights") -> subprocess.CompletedProcess[str]:
        where = ["-o", str(cls.scratch.folder / out)]
        command = [str(BINARY), "query", str(cls.scratch.results), "--format", "weights"]
        return subprocess.run([*command, *conditions, *where], capture_output=True, text=True)

    def test_each_run_has_a_file_that_its_row_names(self) -> None:
        names = sorted(path.name for path in (self.scratch.folder / "weights").iterdir())
        self.assertEqual(names, ["seed-0.safetensors", "seed-1.safetensors"])
        for leg in exported_tables.rows(self.scratch.results, "legs"):
            self.assertTrue((self.scratch.run_folder / "checkpoints" / leg["checkpoint"]).is_file())

    def test_conditions_choose_runs(self) -> None:
        self.assertEqual(self.query("seed=1", out="one").returncode, 0)
        self.assertEqual(len(list((self.scratch.folder / "one").iterdir())), 1)
        refused = self.query("seed=7", out="none")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("none of these runs kept its weights", refused.stderr)

    def loss_with(self, engine: str, block: str, loss: str) -> float:
        """Loss of the validation file under the weights that the page's lines load."""
        python = interpreter(engine)
        self.assertIsNotNone(python, f"{engine} is not installed")
        pages = blocks(PAGE, (SOURCE / PAGE).read_text(encoding="utf-8"))
        (text,) = [each.text for each in pages if each.file == block]
        stand_in = self.scratch.folder / "safetensors"
        stand_in.mkdir(exist_ok=True)
        (stand_in / "__init__.py").write_text("")
        (stand_in / "numpy.py").write_text(LOAD_FILE)
        script = self.scratch.folder / block
        script.write_text(text + "\nimport numpy as np\n" + ROWS + loss)
        path = os.pathsep.join((str(self.scratch.folder), str(PACKAGE)))
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            [str(python), "-B", str(script)],
            cwd=self.scratch.folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return float(done.stdout.splitlines()[-1])

    def best_loss(self) -> float:
        (leg,) = [
            leg for leg in exported_tables.rows(self.scratch.results, "legs") if leg["seed"] == "0"
        ]
        return float(leg["validation_loss"])

    def test_the_lines_of_the_page_load_them_into_torch(self) -> None:
        loss = self.loss_with("torch", "load_into_torch.py", LOSS_OF_TORCH)
        self.assertAlmostEqual(loss, self.best_loss(), delta=1e-5)

    def test_the_lines_of_the_page_load_them_into_keras(self) -> None:
        loss = self.loss_with("tensorflow", "load_into_keras.py", LOSS_OF_KERAS)
        self.assertAlmostEqual(loss, self.best_loss(), delta=1e-5)

    def test_a_run_that_keeps_nothing_is_told_how(self) -> None:
        sweep = json.loads(json.dumps(self.scratch.sweep))
        sweep["train"]["keep_weights"] = False
        other = Scratch({**sweep, "name": "other"})
        self.addCleanup(other.remove)
        for name in ("flowers.csv", "valid.csv"):
            (other.folder / name).write_text((self.scratch.folder / name).read_text())
        self.assertEqual(other.run("--ranks", "1"), 0, other.output())
        command = [str(BINARY), "query", str(other.results), "--format", "weights", "-o", "x"]
        refused = subprocess.run(command, capture_output=True, text=True, cwd=other.folder)
        self.assertEqual(refused.returncode, 2)
        self.assertIn('Set "keep_weights": true', refused.stderr)


if __name__ == "__main__":
    unittest.main()
