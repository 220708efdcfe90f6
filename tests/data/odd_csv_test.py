"""Reads 200 CSV files of odd habits: each comes out as it was meant, or is refused with what to do about it.

With --table it prints, habit by habit, what becomes of them, and what pandas makes of them where that is there.
"""

from __future__ import annotations

import importlib
import io
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from odd_csv import Draft, Value, draft
from odd_habits import HABITS

from tools import ROOT

FILES = 200
SEED = 8
WORKER = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin" / "regatta-worker"
ALSO = ("carriage returns", "byte order mark", "no last line end")
BAD_INPUT = 2


def float32(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]


def made(number: int) -> tuple[str, Draft]:
    """The file of that number, and the name of its habits."""
    names = list(HABITS)
    name = names[number % len(names)]
    drawn = draft(f"{SEED}/{number}")
    HABITS[name](drawn)
    if drawn.chance.random() < 0.3:
        also = drawn.chance.choice(ALSO)
        before = drawn.is_sound, drawn.told, drawn.quotes_all
        HABITS[also](drawn)
        drawn.is_sound, drawn.told, drawn.quotes_all = before
        name += f", {also}"
    return name, drawn


class Read:
    """The arrays that Regatta reads of a file, or why it reads none."""

    def __init__(self, folder: Path, content: bytes, options: list[str]) -> None:
        (folder / "odd.csv").write_bytes(content)
        command = [str(WORKER), "pack", "odd.csv", "--out", "packed", *options]
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)
        self.code = done.returncode
        self.said = done.stderr.decode(errors="replace").strip()
        self.arrays = {}
        if self.code == 0:
            bytes_ = (folder / "packed.raw").read_bytes()
            for array in json.loads(done.stdout)["arrays"]:
                width = math.prod(array["shape"])
                form = {"float32": "f", "int32": "i"}[array["type"]] * (width * array["count"])
                values = struct.unpack_from("<" + form, bytes_, array["offset"])
                array["rows"] = [
                    values[row * width : (row + 1) * width] for row in range(array["count"])
                ]
                self.arrays[array["name"]] = array


def is_same(truth: Value, found: float, categories: list[str] | None) -> bool:
    if truth is None:
        return math.isnan(found)
    if math.isnan(found):
        return False
    if isinstance(truth, str):
        return categories is not None and categories[int(found)] == truth
    return categories is None and found == float32(truth)


def difference(meant: Draft, read: Read) -> str:
    """Empty where the file was read as it is meant."""
    features = [
        at for at in range(len(meant.names)) if at != meant.label and at not in meant.not_features
    ]
    x = read.arrays.get("x", {"columns": [], "rows": [()] * len(meant.truth)})
    names = [column["name"] for column in x["columns"]]
    if names != [meant.names[at] for at in features]:
        return f"columns {names}"
    if len(x["rows"]) != len(meant.truth):
        return f"{len(x['rows'])} rows, not {len(meant.truth)}"
    for number, (row, truth) in enumerate(zip(x["rows"], meant.truth, strict=True)):
        for value, column, at in zip(row, x["columns"], features, strict=True):
            if not is_same(truth[at], value, column.get("categories")):
                return f"row {number}, {column}: {value}, not {truth[at]!r}"
    if meant.label is None:
        return "labels" if "y" in read.arrays else ""
    y = read.arrays["y"]
    for (value,), truth in zip(y["rows"], meant.truth, strict=True):
        if not is_same(truth[meant.label], value, y.get("categories")):
            return f"label {value}, not {truth[meant.label]!r}"
    return ""


class OddFiles(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory(prefix="regatta-odd-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def check(self, meant: Draft) -> None:
        content = meant.content()
        first = Read(self.folder, content, meant.naive_options())
        if first.code == 0:
            self.assertEqual(difference(meant, first), "", content)
        else:
            self.assertEqual(first.code, BAD_INPUT, first.said)
            self.assertIn("'odd.csv'", first.said)
        if meant.is_sound:
            self.assertEqual(first.code, 0, f"{first.said}\n{content!r}")
        elif meant.told is not None:
            told = Read(self.folder, content, meant.naive_options() + meant.told)
            self.assertEqual(told.code, 0, f"{told.said}\n{content!r}")
            self.assertEqual(difference(meant, told), "", content)

    def test_each_file_is_read_as_it_is_meant_or_refused(self) -> None:
        self.assertGreaterEqual(FILES, 2 * len(HABITS), "each habit comes at least twice")
        for number in range(FILES):
            name, meant = made(number)
            with self.subTest(name, number=number):
                self.check(meant)

    def test_a_difference_would_be_seen(self) -> None:
        _, meant = made(0)
        read = Read(self.folder, meant.content(), meant.naive_options())
        self.assertEqual(difference(meant, read), "")
        at = meant.column(float)
        meant.truth[3][at] = 12345.0
        self.assertIn("row 3", difference(meant, read))
        meant.names[at] = "another"
        self.assertIn("columns", difference(meant, read))


# ---- the table ---------------------------------------------------------------------------


def of_pandas(pandas: Any, meant: Draft) -> str:
    """How pandas reads it without options: as meant, as another table, or not at all."""
    try:
        table = pandas.read_csv(io.BytesIO(meant.content()))
    except Exception:
        return "error"
    features = [at for at in range(len(meant.names)) if at not in meant.not_features]
    if list(table.columns) != [meant.names[at] for at in features] or len(table) != len(
        meant.truth
    ):
        return "another table"
    for row, truth in zip(table.itertuples(index=False), meant.truth, strict=True):
        for value, at in zip(row, features, strict=True):
            missing = truth[at] is None
            if missing != bool(pandas.isna(value)) or (not missing and value != truth[at]):
                return "another table"
    return "as meant"


def print_table() -> None:
    pandas = importlib.import_module("pandas") if find_spec("pandas") else None
    outcomes: dict[str, Counter] = {}
    with tempfile.TemporaryDirectory(prefix="regatta-odd-") as scratch:
        for number in range(FILES):
            name, meant = made(number)
            read = Read(Path(scratch), meant.content(), meant.naive_options())
            regatta = (
                "refused"
                if read.code
                else "another table"
                if difference(meant, read)
                else "as meant"
            )
            counts = outcomes.setdefault(name.partition(",")[0], Counter())
            counts["regatta: " + regatta] += 1
            if pandas is not None:
                counts["pandas: " + of_pandas(pandas, meant)] += 1
    total = sum(outcomes.values(), Counter())
    for name, counts in [*outcomes.items(), ("all", total)]:
        print(f"{name:45}", ", ".join(f"{what} {count}" for what, count in sorted(counts.items())))


if __name__ == "__main__":
    if "--table" in sys.argv:
        print_table()
    else:
        unittest.main()
