"""Journals with one flipped bit anywhere: every result whose record was not touched is saved, and a run goes on.

    PYTHONPATH=. python3 tests/process/damaged_journals.py --count 532 --seed 3 [--only NUMBER] [--keep FOLDER]

A number and a seed make the same journal each time: that of a finished run, of two sessions, or of one that was killed.
`collect --salvage` has to do without the sweep where a copy of the plan is there.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tools import journal
from tools.hostile_commands import ended, main
from tools.regatta_process import BINARY, Scratch

ALLOWED = {0, 2}
RUN_EVERY = 40  # runs take longer


def sweep() -> dict:
    return {
        "regatta": 1,
        "name": "small",
        "axes": {
            "engine": ["native"],
            "mode": ["eager", "graph"],
            "model": ["mlp-10"],
            "batch": [1, 2, 4, 8],
        },
        "compare": {"over": ["mode"], "baseline": {"mode": "eager"}},
        "measure": {"slices": 2, "steps": 1},
    }


@dataclass(frozen=True)
class Good:
    """A whole folder of results, and the sweep that was run; `has_copy`: of every session's plan."""

    name: str
    folder: Path
    sweep_file: Path
    has_copy: bool


def cut(folder: Path, kind: str, target: Path) -> Path:
    """The same folder, its journal cut before the last record of this kind."""
    shutil.copytree(folder, target)
    data = (target / "journal").read_bytes()
    at = data.rindex(b" %s " % kind.encode())
    (target / "journal").write_bytes(data[: data.rindex(b"\n", 0, at) + 1])
    return target


def good_folders(folder: Path) -> list[Good]:
    once, twice = folder / "once", folder / "twice"
    for each in (once, twice):
        each.mkdir()
    scratch, again = Scratch(sweep(), folder=once), Scratch(sweep(), folder=twice)
    for each, options in ((scratch, []), (again, []), (again, ["--rerun", "undecided"])):
        if each.run("--ranks", "1", *options) != 0:
            raise RuntimeError(each.output())
    killed = cut(scratch.run_folder, "plan_copy?", folder / "killed" / "small.regatta")
    return [
        Good("finished", scratch.run_folder, scratch.sweep_file, has_copy=True),
        Good("two sessions", again.run_folder, again.sweep_file, has_copy=True),
        Good("killed", killed, scratch.sweep_file, has_copy=False),
    ]


def untouched(good: Good, at: int) -> Counter:
    """Results, by block and attempt, whose record does not hold this byte."""
    results = journal.results(good.folder / "journal")
    return Counter((each.hash, each.attempt) for each in results if not each.begin <= at < each.end)


def saved(folder: Path) -> Counter:
    results = journal.results(folder / "journal")
    return Counter((each.hash, each.attempt) for each in results)


def command_line(*words: object) -> list[str]:
    return [str(word) for word in words]


@dataclass
class Attack:
    """One flipped bit, and what the commands make of it."""

    good: Good
    bad: Path
    at: int
    seconds: float

    def salvage(self) -> str:
        """How it was saved; raises AssertionError."""
        out = self.bad.parent / "saved"
        words = command_line("collect", self.bad, "--salvage", "-o", out)
        end = ended(words, self.seconds, ALLOWED)
        how = "alone"
        if end.code == 2 and not self.good.has_copy and b"--sweep" in end.stderr:
            end = ended([*words, "--sweep", str(self.good.sweep_file)], self.seconds, ALLOWED)
            how = "with the sweep"
        assert end.code == 0, end.problem or end.stderr
        self.expect_results(out / self.bad.name)
        shown = ended(command_line("collect", out / self.bad.name), self.seconds, {0, 75})
        assert not shown.problem, shown.problem
        return how

    def expect_results(self, folder: Path) -> None:
        lost = untouched(self.good, self.at) - saved(folder)
        assert not lost, f"lost though their records are whole: {dict(lost)}"

    def run(self) -> str:
        """A run that goes on: by itself, or with the commands that it prints."""
        out = self.bad.parent
        words = command_line("run", self.good.sweep_file, "--ranks", "1", "--out", out)
        end = ended(words, self.seconds, ALLOWED)
        if end.code == 0:
            self.expect_results(self.bad)
            return "a run goes on"
        commands = [
            line for line in end.stderr.decode().splitlines() if line.startswith("  regatta ")
        ]
        assert len(commands) == 2, end.problem or end.stderr
        for line in commands:
            done = paste(line)
            assert done.returncode == 0, f"{line}: {done.returncode} {done.stderr[-400:]!r}"
        self.expect_results(Path(shlex.split(commands[1])[-1]) / self.bad.name)
        return "a run goes on with what it says"


def paste(line: str) -> subprocess.CompletedProcess:
    path = f"{BINARY.parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        env={**os.environ, "PATH": path},
        timeout=600,
        check=False,
    )


def attack(folder: Path, options: argparse.Namespace) -> int:
    all_good = good_folders(folder)
    ends: Counter = Counter()
    problems = 0
    numbers = range(options.count) if options.only is None else [options.only]
    for number in numbers:
        dice = random.Random(f"{options.seed} {number}")
        good = all_good[number % len(all_good)]
        bad = folder / "bad" / good.folder.name.replace("v1", "old.regatta")
        shutil.rmtree(bad.parent, ignore_errors=True)
        shutil.copytree(good.folder, bad)
        bad.chmod(0o700)
        data = bytearray((bad / "journal").read_bytes())
        at = dice.randrange(len(data))
        data[at] ^= 1 << dice.randrange(8)
        (bad / "journal").write_bytes(data)
        this = Attack(good, bad, at, options.seconds)
        for act in (this.salvage, this.run) if number % RUN_EVERY < 2 else (this.salvage,):
            try:
                ends[good.name, act()] += 1
            except AssertionError as problem:
                problems += 1
                print(f"{number} ({good.name}, byte {at}): {problem}", flush=True)
                if options.keep:
                    shutil.copytree(bad, Path(options.keep) / str(number), dirs_exist_ok=True)
    print(
        f"{len(numbers)} journals, {sum(ends.values())} ended as they should, {problems} problems"
    )
    for (name, how), count in sorted(ends.items()):
        print(f"{name}: {how}: {count}")
    return int(problems > 0)


if __name__ == "__main__":
    sys.exit(main(__doc__, 40, attack))
