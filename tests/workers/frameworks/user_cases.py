"""Users' own models, written to a folder and prepared as the launcher asks for them."""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np
from regatta_worker import engines
from regatta_worker.errors import UserModelError
from regatta_worker.layers import parse_model
from tools.same_work_judge import difference

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "your-model.md"
STEPS = 3


def example(file: str) -> str:
    """The block of docs/guide/your-model.md that is named so."""
    found = re.search(rf"^```python {re.escape(file)}\n(.*?)^```", PAGE.read_text(), re.S | re.M)
    assert found, f"{PAGE} has no block {file}"
    return found.group(1)


class UserModelTest(unittest.TestCase):
    engine = ""
    own: dict[str, Any] = {}  # levels of the parameters that this engine alone reads

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def prepare(self, text: str, args: dict | None = None, **parameters: Any) -> Any:
        """Text of a file with `build` and `make_batch`."""
        (self.folder / "mine.py").write_text(text)
        json = {
            "name": "mine",
            "python": "mine.py:build",
            "batch": "mine.py:make_batch",
            "args": args or {},
            "sources": {"mine.py": hashlib.sha256(text.encode()).hexdigest()},
            "folder": str(self.folder),
        }
        common = {"engine": self.engine, "threads": 1, "seed": 0, "batch": 8}
        given = {**common, **self.own, **parameters}
        with contextlib.redirect_stderr(io.StringIO()):  # tracebacks for the log
            return engines.load(self.engine).prepare(parse_model(json), given, "", "")

    def assert_alike(self, text: str, arms: list[dict], **common: Any) -> None:
        """The first arm does the same work as all others; it learns, and each sample has its loss."""
        first = self.prepare(text, **common, **arms[0]).examine(STEPS)
        self.assertEqual([len(losses) for losses in first.losses], [8] * STEPS)
        self.assertNotEqual(first.losses[0], first.losses[1])
        for arm in arms[1:]:
            with self.subTest(**arm):
                other = self.prepare(text, **common, **arm).examine(STEPS)
                self.assertEqual(difference(first, other), "")

    def assert_refused(self, pattern: str, text: str, **parameters: Any) -> None:
        with self.assertRaisesRegex(UserModelError, pattern):
            self.prepare(text, **parameters)

    def assert_steps(self, trial: Any) -> None:
        for _ in range(3):
            trial.step()
        trial.wait()

    def assert_check_changes_nothing(self, trial: Any) -> None:
        before = trial.weights()
        trial.check(2)
        for name, weight in trial.weights().items():
            np.testing.assert_array_equal(weight, before[name])
