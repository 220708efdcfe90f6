"""The origins of a row are checked again before it is taken for one of today. Exactly the rows that a change reaches
are measured again, and each change is reported."""

from __future__ import annotations

import json
import os
import sys
import unittest
from collections.abc import Callable
from dataclasses import dataclass
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
METADATA = "site/numpy-1.0.dist-info/METADATA"
FILES = {
    "odd.json": json.dumps(MODEL),
    "step.py": 'import json\nprint(json.dumps({"s": 0.001, "t": 0.002}))\n',
    "other.py": 'import json\nprint(json.dumps({"s": 0.003, "t": 0.002}))\n',
    "solve": "#!/bin/sh\n:\n",
    "data.csv": "1,2\n",
    "worker.py": f"import runpy, sys\nrunpy.run_path({FAKE!r}, run_name='__main__')\n",
    "python": f'#!/bin/sh\nexec {PYTHON} "$@"\n',
    "python-two": f'#!/bin/sh\nexec {PYTHON} "$@"\n',
    METADATA: "Metadata-Version: 2.1\nName: numpy\nVersion: 1.0\n",
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


def scratch_of(case: unittest.TestCase) -> Stale:
    plain = Stale({"name": "stale"})
    case.addCleanup(plain.remove)
    plain.sweep = sweep(plain.folder)
    plain.save()
    return plain


@dataclass
class Change:
    """A change, the rows that it reaches, and the run's words on it."""

    do: Callable[[], None]
    reached: set[str]
    words: str


def sets(part: dict | list, key: str | int, value: object) -> Callable[[], None]:
    return lambda: part.__setitem__(key, value)


def changes_of_files(scratch: Stale) -> list[Change]:
    def more_in(name: str) -> Callable[[], None]:
        return lambda: scratch.write(name, FILES[name] + "\n")

    return [
        Change(more_in("step.py"), {"slow"}, "the contents of step.py"),
        Change(more_in("solve"), {"solve"}, "the contents of ./solve"),
        Change(more_in("data.csv"), {"solve"}, "the contents of the input data.csv"),
        Change(lambda: scratch.write("late", "#!/bin/sh\n"), {"late"}, "the contents of ./late"),
        Change(more_in("worker.py"), FAKES, "the contents of worker.py"),
    ]


def changes_of_installations(scratch: Stale) -> list[Change]:
    fake, own = (scratch.sweep["environments"][name] for name in ("fake", "own"))
    release = FILES[METADATA].replace("Version: 1.0", "Version: 1.1")
    return [
        Change(sets(fake["program"], 3, "60"), FAKES, "the arguments of the environment fake"),
        Change(
            sets(fake, "env", {"COLOUR": "red"}),
            FAKES,
            "the variable COLOUR of the environment fake",
        ),
        Change(
            sets(own["env"], "COLOUR", "blue"), OWN, "the variable COLOUR of the environment own"
        ),
        Change(
            sets(own, "python", "./python-two"),
            OWN,
            "the interpreter of the environment own (python ",
        ),
        Change(
            lambda: scratch.write(METADATA, release),
            OWN,
            "the version of numpy of the environment own (1.0 ",
        ),
        Change(
            sets(scratch.sweep, "limits", {"trial_timeout": "77s"}),
            {"broken"},
            "limits.trial_timeout (300 s then, 77 s now)",
        ),
    ]


def changes_of_trials(scratch: Stale) -> list[Change]:
    """The sweep says another thing of a trial."""
    slow = scratch.sweep["commands"]["slow"]
    larger = json.dumps({**MODEL, "layers": [{"dense": 4}]})
    return [
        Change(sets(slow["argv"], 2, "--fast"), {"slow"}, "the arguments of the command slow"),
        Change(sets(slow, "metric", "json:t"), {"slow"}, "the metric of the command slow"),
        Change(lambda: scratch.write("odd.json", larger), NATIVE | FAKES | OWN, "the model odd"),
    ]


class NeverStale(unittest.TestCase):
    def finished(self, **keys: object) -> Stale:
        scratch = scratch_of(self)
        scratch.sweep.update(keys)
        scratch.save()
        scratch.again()
        return scratch

    def apply(self, scratch: Stale, change: Change) -> None:
        change.do()
        scratch.save()

    def expect(self, scratch: Stale, reached: set[str], words: str = "", *options: str) -> None:
        measured, said = scratch.again(*options)
        self.assertEqual(measured, reached, said)
        if words:
            self.assertIn(f"regatta: {words}", said)
        else:
            self.assertNotIn(" changed: ", said)

    def test_exactly_what_depends_on_a_change_is_measured_again(self) -> None:
        scratch = self.finished()
        self.assertEqual(len(journal.results(scratch.journal)), 11)
        for change in [*changes_of_files(scratch), *changes_of_installations(scratch)]:
            with self.subTest(change.words):
                self.apply(scratch, change)
                self.expect(scratch, set(), change.words, "--keep-changed")
                self.assertEqual(set(scratch.marked()), change.reached)
                self.expect(scratch, change.reached, change.words)
                self.assertEqual(scratch.marked(), {})

    def test_what_the_sweep_says_of_a_trial_makes_another_one(self) -> None:
        scratch = self.finished()
        for change in changes_of_trials(scratch):
            with self.subTest(change.words):
                self.apply(scratch, change)
                self.expect(scratch, change.reached, change.words)
        with self.subTest("back again"):
            scratch.sweep["commands"]["slow"]["metric"] = "json:s"
            scratch.save()
            self.expect(scratch, set())
        with self.subTest("another level, and one less"):
            scratch.sweep["axes"]["batch"] = [2, 4]
            scratch.sweep["axes"]["command"].remove("other")
            scratch.save()
            self.expect(scratch, {"native 4", "native@fake 4", "numpy@own 4"})
        with self.subTest("touched files and other budgets"):
            for file in FILES:
                os.utime(scratch.folder / file)
            scratch.sweep["measure"]["slices"] = 4
            scratch.save()
            self.expect(scratch, set())

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
        scratch = self.finished(
            axes={"engine": ["command"], "command": ["slow", "other", "solve"]},
            compare={"over": ["command"], "baseline": {"command": "slow"}},
        )
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
        scratch = self.finished(axes={"engine": ["command"], "command": ["slow", "other"]})
        scratch.write("other.py", FILES["other.py"] + "\n")
        scratch.again("--keep-changed")
        self.assertEqual(scratch.marked(), {"other": "the contents of other.py"})
        self.assertIn(f"{MARK} command other", scratch.output())
        scratch.write("other.py", FILES["other.py"])
        measured, said = scratch.again()
        self.assertEqual(measured, set())
        self.assertEqual(scratch.marked(), {})
        self.assertNotIn(MARK, said)

    def test_what_changes_while_it_is_measured_is_said(self) -> None:
        scratch = scratch_of(self)
        scratch.write("grow.py", "print(file=open(__file__, 'a'))\n")
        command = {"argv": [sys.executable, str(scratch.folder / "grow.py")]}
        scratch.sweep["axes"] = {"engine": ["command"], "command": ["grow", "slow"]}
        scratch.sweep["commands"]["grow"] = command
        scratch.save()
        _, said = scratch.again()
        self.assertIn("the contents of grow.py changed while this ran", said)
        measured, _ = scratch.again()
        self.assertEqual(measured, {"grow"})

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
