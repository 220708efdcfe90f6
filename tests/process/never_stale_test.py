"""What decides a row is looked at again before the row is taken for one of today: exactly the rows that a change reaches
are measured again, and each change is said."""

from __future__ import annotations

import json
import os
import sys
import unittest
from collections.abc import Callable
from pathlib import Path

from tools import journal
from tools.regatta_process import SOURCE, Scratch

FAKE = str(SOURCE / "tests" / "support" / "fake_worker.py")
PACKAGE = str(SOURCE / "workers" / "python")
PYTHON = os.environ["REGATTA_PYTHON"]  # has numpy
MARK = "changed since"

MODEL = {
    "name": "odd",
    "input": [3],
    "layers": [{"dense": 2}],
    "loss": "mse",
    "optimizer": {"sgd": {"learning_rate": 0.01}},
}
FILES = {
    "odd.json": json.dumps(MODEL),
    "step.py": 'import json\nprint(json.dumps({"s": 0.001, "t": 0.002}))\n',
    "other.py": 'import json\nprint(json.dumps({"s": 0.003, "t": 0.002}))\n',
    "solve": "#!/bin/sh\n:\n",
    "data.csv": "1,2\n",
    "worker.py": f"import runpy, sys\nrunpy.run_path({FAKE!r}, run_name='__main__')\n",
    "python": f'#!/bin/sh\nexec {PYTHON} "$@"\n',
    "python-two": f'#!/bin/sh\nexec {PYTHON} "$@"\n',
    "site/numpy-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: numpy\nVersion: 1.0\n",
}
PROGRAMS = ("solve", "python", "python-two", "late")


def sweep(folder: Path) -> dict:
    """Eleven rows, each measured alone: of a native engine, two environments and five commands."""
    return {
        "regatta": 1,
        "name": "stale",
        "axes": {
            "engine": ["native", "native@fake", "numpy@own", "command"],
            "model": ["./odd.json"],
            "batch": [1, 2],
            "command": ["slow", "other", "solve", "late", "broken"],
        },
        "environments": {
            "fake": {
                "engine": "native",
                "program": [sys.executable, str(folder / "worker.py"), "--step-us", "50"],
            },
            "own": {
                "engine": "numpy",
                "python": "./python",
                "env": {"PYTHONPATH": f"{folder / 'site'}:{PACKAGE}", "COLOUR": "red"},
            },
        },
        "commands": {
            "slow": {
                "argv": [sys.executable, str(folder / "step.py"), "--slow"],
                "metric": "json:s",
            },
            "other": {"argv": [sys.executable, str(folder / "other.py")], "metric": "json:s"},
            "solve": {"argv": ["./solve"], "inputs": ["data.csv"]},
            "late": {"argv": ["./late"]},
            "broken": {"argv": ["sh", "-c", "exit 3"]},
        },
        "measure": {"slices": 3, "steps": 1},
    }


def name_of(trial: dict) -> str:
    if trial["engine"] == "command":
        return trial["command"]
    return f"{trial['engine']} {trial['batch']}"


class Stale(Scratch):
    """A finished run, and what later ones measure."""

    def __post_init__(self) -> None:
        for name, text in FILES.items():
            self.write(name, text)
        self.save()

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if name in PROGRAMS:
            path.chmod(0o755)

    def output(self) -> str:
        return super().output() if (self.folder / "output.txt").exists() else ""

    def save(self) -> None:
        self.sweep_file.write_text(json.dumps(self.sweep, indent=1))

    def again(self, *options: str) -> tuple[set[str], str]:
        """Rows that a run measures, and what it says."""
        known = len(journal.results(self.journal))
        said = len(self.output())
        self.code = self.run("--ranks", "1", *options)
        new = journal.results(self.journal)[known:]
        ids = {bytes.fromhex(trial["id"]): name_of(trial) for trial in self.report()["trials"]}
        measured = {name for id, name in ids.items() if any(id in each.payload for each in new)}
        return measured, " ".join(self.output()[said:].split())

    def marked(self) -> dict[str, str]:
        trials = self.report()["trials"]
        return {
            name_of(trial): trial["changed_since"] for trial in trials if trial["changed_since"]
        }


NATIVE = {"native 1", "native 2"}
FAKES = {"native@fake 1", "native@fake 2"}
OWN = {"numpy@own 1", "numpy@own 2"}
FAILED = {"broken"}
COMMANDS = {"slow", "other", "solve", "late", "broken"}


def scratch_of(case: unittest.TestCase) -> Stale:
    plain = Stale({"name": "stale"})
    case.addCleanup(plain.remove)
    plain.sweep = sweep(plain.folder)
    plain.save()
    return plain


class NeverStale(unittest.TestCase):
    def test_exactly_what_a_change_reaches_is_measured_again(self) -> None:
        scratch = scratch_of(self)
        environments, commands = scratch.sweep["environments"], scratch.sweep["commands"]
        measured, _ = scratch.again()
        self.assertEqual(measured, NATIVE | FAKES | OWN | COMMANDS, scratch.output())

        def sets(part: dict, key: str, value: object) -> Callable[[], None]:
            return lambda: part.__setitem__(key, value)

        def writes(name: str, text: str) -> Callable[[], None]:
            return lambda: scratch.write(name, text)

        release = "site/numpy-1.0.dist-info/METADATA"
        # What is changed, the rows that it reaches, what the run says of it.
        changes = [
            (writes("step.py", FILES["step.py"] + "\n"), {"slow"}, "the contents of step.py"),
            (writes("solve", FILES["solve"] + "\n"), {"solve"}, "the contents of ./solve"),
            (writes("data.csv", "3,4\n"), {"solve"}, "the contents of the input data.csv"),
            (writes("late", "#!/bin/sh\n"), {"late"}, "the contents of ./late"),
            (
                writes("worker.py", FILES["worker.py"] + "\n"),
                FAKES,
                "the contents of worker.py",
            ),
            (
                sets(environments["fake"]["program"], 3, "60"),
                FAKES,
                "the arguments of the environment fake",
            ),
            (
                sets(environments["fake"], "env", {"COLOUR": "red"}),
                FAKES,
                "the variable COLOUR of the environment fake",
            ),
            (
                sets(environments["own"]["env"], "COLOUR", "blue"),
                OWN,
                "the variable COLOUR of the environment own",
            ),
            (
                sets(environments["own"], "python", "./python-two"),
                OWN,
                "the interpreter of the environment own (python ",
            ),
            (
                writes(release, FILES[release].replace("Version: 1.0", "Version: 1.1")),
                OWN,
                "the version of numpy of the environment own (1.0 ",
            ),
            (
                sets(scratch.sweep, "limits", {"trial_timeout": "77s"}),
                FAILED,
                "limits.trial_timeout (300 s then, 77 s now)",
            ),
        ]
        for change, reached, words in changes:
            with self.subTest(words):
                change()
                scratch.save()
                measured, said = scratch.again("--keep-changed")
                self.assertEqual(measured, set(), said)
                self.assertIn(f"{words}", said)
                self.assertEqual(set(scratch.marked()), reached)
                measured, said = scratch.again()
                self.assertEqual(measured, reached, said)
                self.assertIn(f"regatta: {words}", said)
                self.assertEqual(scratch.marked(), {})

        # What the sweep says of a trial makes another one, and the old one is found again.
        trials = [
            (
                sets(commands["slow"]["argv"], 2, "--fast"),
                {"slow"},
                "the arguments of the command slow",
            ),
            (
                sets(commands["slow"], "metric", "json:t"),
                {"slow"},
                "the metric of the command slow",
            ),
            (
                writes("odd.json", json.dumps({**MODEL, "layers": [{"dense": 4}]})),
                NATIVE | FAKES | OWN,
                "the model odd",
            ),
        ]
        for change, reached, words in trials:
            with self.subTest(words):
                change()
                scratch.save()
                measured, said = scratch.again()
                self.assertEqual(measured, reached, said)
                self.assertIn(f"{words} changed: ", said)
        with self.subTest("back again"):
            commands["slow"]["metric"] = "json:s"
            scratch.save()
            measured, said = scratch.again()
            self.assertEqual(measured, set(), said)
            self.assertNotIn(" changed: ", said)
        with self.subTest("another level, and one less"):
            scratch.sweep["axes"]["batch"] = [2, 4]
            scratch.sweep["axes"]["command"].remove("other")
            scratch.save()
            measured, said = scratch.again()
            self.assertEqual(measured, {"native 4", "native@fake 4", "numpy@own 4"}, said)
            self.assertNotIn(" changed: ", said)

        with self.subTest("touched files and other budgets"):
            for file in FILES:
                os.utime(scratch.folder / file)
            scratch.sweep["measure"]["slices"] = 4
            scratch.save()
            measured, said = scratch.again()
            self.assertEqual(measured, set(), said)
            self.assertNotIn(" changed: ", said)

    def test_an_old_error_is_told_as_one(self) -> None:
        scratch = scratch_of(self)
        scratch.sweep["axes"] = {"engine": ["command"], "command": ["late", "broken", "slow"]}
        scratch.save()
        _, said = scratch.again()
        self.assertNotIn("of an earlier run", said)
        self.assertEqual(scratch.code, 1)
        measured, said = scratch.again()
        self.assertEqual(measured, set())
        self.assertIn("2 failed trials are of an earlier run", said)
        scratch.write("late", "#!/bin/sh\n")
        measured, said = scratch.again()
        self.assertEqual(measured, {"late"})
        self.assertIn("1 failed trial is of an earlier run", said)
        rows = {trial["command"]: trial["status"] for trial in scratch.report()["trials"]}
        self.assertEqual(rows, {"late": "finished", "broken": "failed", "slow": "finished"})

    def test_what_is_compared_is_measured_together(self) -> None:
        scratch = scratch_of(self)
        scratch.sweep["axes"] = {"engine": ["command"], "command": ["slow", "other", "solve"]}
        scratch.sweep["compare"] = {"over": ["command"], "baseline": {"command": "slow"}}
        scratch.save()
        scratch.again()
        scratch.write("other.py", FILES["other.py"] + "\n")
        measured, said = scratch.again("--keep-changed")
        self.assertEqual(measured, set())
        self.assertEqual(set(scratch.marked()), {"other"})
        flags = [contrast["flags"] for contrast in scratch.report()["contrasts"]]
        self.assertTrue(all(MARK in each for each in flags), flags)
        measured, said = scratch.again()
        self.assertEqual(measured, {"slow", "other", "solve"})
        self.assertIn("the contents of other.py changed: 1 trial (command other) is measured", said)
        self.assertIn("2 trials beside are measured again", said)

    def test_a_row_that_is_kept_is_as_it_was_when_the_file_is(self) -> None:
        scratch = scratch_of(self)
        scratch.sweep["axes"] = {"engine": ["command"], "command": ["slow", "other"]}
        scratch.save()
        scratch.again()
        scratch.write("other.py", FILES["other.py"] + "\n")
        scratch.again("--keep-changed")
        self.assertEqual(scratch.marked(), {"other": "the contents of other.py"})
        self.assertIn(f"{MARK} command other", scratch.output())
        scratch.write("other.py", FILES["other.py"])
        measured, said = scratch.again()
        self.assertEqual(measured, set())
        self.assertEqual(scratch.marked(), {})
        self.assertNotIn(MARK, said)

    def test_an_input_that_cannot_be_read_is_one_error(self) -> None:
        scratch = scratch_of(self)
        for name, words in (("nowhere.csv", "No such file"), (".", "is a folder")):
            scratch.sweep["commands"]["solve"]["inputs"] = [name]
            scratch.save()
            said = len(scratch.output())
            self.assertEqual(scratch.run("--ranks", "1"), 2)
            output = scratch.output()[said:]
            self.assertIn("/commands/solve/inputs/0", output)
            self.assertIn(words, output)


if __name__ == "__main__":
    unittest.main()
