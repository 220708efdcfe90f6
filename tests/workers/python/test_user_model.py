from __future__ import annotations

import contextlib
import hashlib
import io
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np
from regatta_worker import user_model
from regatta_worker.errors import Unsupported, UserModelError
from regatta_worker.inputs import Settings
from regatta_worker.layers import UserModel, parse_model

FILE = """
import random
import numpy as np

class Thing: pass

THE_THING = Thing()

def build(width=3, seed=None, engine=""): return width, (seed, engine), random.random()
def make_batch(n, seed=0, width=3):
    r = np.random.default_rng(seed)
    return r.standard_normal((n, width)), r.integers(0, 2, n)
def unseeded(n): return np.random.random((n, 1)), np.zeros(n)
def as_dict(): return {"loss": 1, "model": Thing()}
def other_keys(): return {"modle": 1}
def four(): return 1, 2, 3, 4
def nothing(): pass
def same(): return THE_THING
def raises(): return 1 / 0
def leaves(): raise SystemExit(3)
def no_memory(): raise MemoryError
def no_memory_of_a_framework(): raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
def lists(n): return [1] * n, [2] * n
def short(n): return np.zeros(n - 1), np.zeros(n)
def texts(n): return np.array(["a"] * n), np.zeros(n)
def one(n): return np.zeros(n)
"""
PARTS = ("params", "loss", "optimizer")


class UserModelTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "mine.py").write_text(FILE)

    def model(self, build: str = "build", batch: str = "make_batch", **changes: Any) -> UserModel:
        digest = hashlib.sha256((self.folder / "mine.py").read_bytes()).hexdigest()
        json = {
            "name": "mine",
            "python": f"mine.py:{build}",
            "batch": f"mine.py:{batch}",
            "args": {},
            "sources": {"mine.py": digest},
            "folder": str(self.folder),
        }
        return parse_model({**json, **changes})

    def build(self, function: str, parts: tuple[str, ...] = PARTS, **changes: Any) -> dict:
        model = self.model(function, **changes)
        with contextlib.redirect_stderr(io.StringIO()):  # the traceback for the log
            return user_model.build(model, Settings(seed=7), "torch", parts)

    def batches(self, function: str, rows: int = 4, **settings: Any) -> list:
        model = self.model(batch=function)
        return user_model.make_batches(model, Settings(**settings), rows)

    def assert_refused(self, text: str, run: Any) -> None:
        with self.assertRaises(UserModelError) as caught:
            run()
        self.assertEqual(str(caught.exception), text)

    # ---- build -----------------------------------------------------------------------------------

    def test_arguments_and_what_it_has_parameters_for_are_passed(self) -> None:
        built = self.build("build", args={"width": 5})
        self.assertEqual((built["params"], built["loss"]), (5, (7, "torch")))

    def test_the_global_generators_begin_at_the_seed(self) -> None:
        self.assertEqual(self.build("build")["optimizer"], self.build("build")["optimizer"])

    def test_one_thing_a_tuple_or_a_dict(self) -> None:
        self.assertEqual(self.build("build")["params"], 3)
        names = ("model", "loss", "optimizer")
        built = self.build("as_dict", names)
        self.assertEqual((type(built["model"]).__name__, built["loss"]), ("Thing", 1))
        self.assertIsNone(built["optimizer"])

    def test_other_results_are_refused(self) -> None:
        expected = "expected params alone, or (params, loss, optimizer) as a tuple or as a dict with these keys"
        for function, what in (
            ("four", "(a int, a int, a int, a int)"),
            ("nothing", "None"),
            ("other_keys", "a dict with the keys modle"),
        ):
            text = f"mine.py:{function} returned {what}, {expected}"
            self.assert_refused(text, lambda f=function: self.build(f))

    def test_a_model_that_arms_would_share_is_refused(self) -> None:
        self.build("same", ("model",))
        text = "mine.py:same returned the same object twice; make a new one each time"
        self.assert_refused(text, lambda: self.build("same", ("model",)))

    def test_errors_name_function_and_line(self) -> None:
        line = 1 + FILE[: FILE.index("1 / 0")].count("\n")
        text = f"mine.py:raises raised ZeroDivisionError: division by zero (mine.py, line {line})"
        self.assert_refused(text, lambda: self.build("raises"))
        line = 1 + FILE[: FILE.index("SystemExit")].count("\n")
        text = f"mine.py:leaves raised SystemExit: 3 (mine.py, line {line})"
        self.assert_refused(text, lambda: self.build("leaves"))
        with self.assertRaisesRegex(UserModelError, "unexpected keyword argument 'widht'"):
            self.build("build", args={"widht": 5})
        with self.assertRaises(MemoryError):
            self.build("no_memory")
        with self.assertRaises(RuntimeError):  # the session tells it from other errors
            self.build("no_memory_of_a_framework")

    def test_missing_functions_and_files(self) -> None:
        text = "mine.py has no function biuld; did you mean build?"
        self.assert_refused(text, lambda: self.build("biuld"))
        path = self.folder / "gone.py"
        text = f"cannot read {path}: No such file or directory"
        self.assert_refused(text, lambda: self.build("", python="gone.py:build"))

    def test_a_file_that_cannot_be_loaded(self) -> None:
        (self.folder / "mine.py").write_text("import math\nmath.no_such_thing\n")
        with self.assertRaisesRegex(UserModelError, r"mine.py raised AttributeError.*line 2\)"):
            self.build("build")
        (self.folder / "mine.py").write_text("def build(:\n")
        with self.assertRaisesRegex(UserModelError, "mine.py raised SyntaxError"):
            self.build("build")

    def test_a_file_that_was_edited_since_is_refused(self) -> None:
        model = self.model()
        (self.folder / "mine.py").write_text(FILE + "# edited")
        text = "mine.py was edited after the sweep was read; run the same command again"
        self.assert_refused(text, lambda: user_model.build(model, Settings(), "torch", PARTS))

    def test_it_may_import_its_neighbours(self) -> None:
        (self.folder / "neighbour_of_mine.py").write_text("WIDTH = 11\n")
        text = "from neighbour_of_mine import WIDTH\ndef build(): return WIDTH\n"
        (self.folder / "mine.py").write_text(text)
        self.assertEqual(self.build("build")["params"], 11)

    def test_a_loop_is_not_for_this_worker(self) -> None:
        with self.assertRaisesRegex(Unsupported, "is a loop of its own"):
            parse_model({"name": "l", "python": "l.py", "args": {}})

    # ---- batches ---------------------------------------------------------------------------------

    def test_batches_are_distinct_and_the_same_for_the_same_seed(self) -> None:
        for function in ("make_batch", "unseeded"):
            with self.subTest(function):
                first, again = self.batches(function, seed=3), self.batches(function, seed=3)
                self.assertEqual(len(first), user_model.MAX_BATCHES)
                for (x, y), (x2, y2) in zip(first, again):
                    np.testing.assert_array_equal(x, x2)
                    np.testing.assert_array_equal(y, y2)
                self.assertFalse(np.array_equal(first[0][0], first[1][0]))
                other = self.batches(function, seed=30)
                self.assertFalse(np.array_equal(first[0][0], other[0][0]))

    def test_what_reads_a_file_is_refused(self) -> None:
        for settings in (Settings(input="loader"), Settings(host_dtype="uint8")):
            with self.assertRaisesRegex(Unsupported, "makes its samples itself: .*; use"):
                user_model.build(self.model(), settings, "torch", PARTS)

    def test_types_are_those_of_the_trial(self) -> None:
        x, y = self.batches("make_batch")[0]
        self.assertEqual((x.dtype, y.dtype), (np.float32, np.int64))
        x, _ = self.batches("make_batch", host_dtype="float64")[0]
        self.assertEqual(x.dtype, np.float64)
        self.assertEqual(self.batches("unseeded")[0][1].dtype, np.float32)

    def test_nonsense_is_refused(self) -> None:
        expected = "for 4 samples, expected two NumPy arrays of numbers (x, y) with 4 rows each"
        for function, what in (
            ("lists", "((a int, a int, a int, a int), (a int, a int, a int, a int))"),
            (
                "short",
                "(an array of float64 with the shape (3,), an array of float64 with the shape (4,))",
            ),
            (
                "texts",
                "(an array of <U1 with the shape (4,), an array of float64 with the shape (4,))",
            ),
            ("one", "an array of float64 with the shape (4,)"),
        ):
            text = f"mine.py:{function} returned {what} {expected}"
            self.assert_refused(text, lambda f=function: self.batches(f))

    # ---- losses ----------------------------------------------------------------------------------

    def test_losses_of_samples_or_their_mean(self) -> None:
        self.assertEqual(user_model.values_of(np.array(2.0), 4), [2.0])
        self.assertEqual(user_model.values_of(np.arange(4.0), 4), [0, 1, 2, 3])
        self.assertEqual(
            user_model.values_of(np.arange(8.0).reshape(4, 2), 4), [0.5, 2.5, 4.5, 6.5]
        )
        self.assertEqual(user_model.values_of(np.arange(3.0), 4), [1.0])
        self.assertEqual(len(user_model.values_of(np.zeros(100_000), 100_000)), 1)


if __name__ == "__main__":
    unittest.main()
