"""One run with a fault in it, the runs that end what it began, and the invariants that must hold meanwhile.

I1 what was acknowledged is kept, and each trial stands once in the results; I2 the results are those of a run without a
fault; I3 what was acknowledged is not measured again, and a crash costs each rank at most the trial that it measures and
the one whose result is on its way; I4 exit code and summary tell what the journal holds; I5 no process
and no temporary file is left; I6 all of it ends in time; I7 one more run changes nothing; I8 history.py has no objection.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import history

from tools import journal
from tools.regatta_process import BINARY, SOURCE, Process, Scratch, rank_number, wait_until

FAKE = str(SOURCE / "tests" / "support" / "fake_worker.py")
AT_CALL = BINARY.parent / "at-call.so"
NAME = "faults"
SEEDS = 4
ENVIRONMENTS = ("good", "bad")
RANKS = 2
ORPHAN_SECONDS = 20  # they end within five; a busy machine takes longer
MOST_SECONDS = 60  # I6
DONE, SOME_FAILED, BAD_INPUT, STORAGE, WORK_LEFT = 0, 1, 2, 74, 75
INTERRUPTED = 4  # bit of a result (docs/reference/results.md)
STOPPED = re.compile(r"(\d+) finished, (\d+) failed, (\d+) skipped, (\d+) open")

Rows = dict[str, tuple[str, float]]  # by the id of a trial: status, step time


class Broken(AssertionError):
    """An invariant that does not hold."""


@dataclass(frozen=True)
class Place:
    """A point in time that a session is made to come to: a call of the launcher's, or what a worker is told to do."""

    call: str = ""  # REGATTA_FAULT without its last field (at_call.cpp)
    orders: str = ""  # options of the fake worker


def orders(behave: str, on: str) -> str:
    return f"--behave {behave} --on {on}"


def sweep(folder: Path, trial_timeout: str) -> dict:
    def program(name: str) -> list[str]:
        steps = ["--exact", "--sleep", "--step-us", "500"]
        return [sys.executable, FAKE, *steps, "--beside", str(folder / name)]

    return {
        "regatta": 1,
        "name": NAME,
        "axes": {
            "engine": [f"native@{name}" for name in ENVIRONMENTS],
            "model": ["mlp-10"],
            "seed": list(range(SEEDS)),
        },
        "environments": {
            name: {"engine": "native", "program": program(name)} for name in ENVIRONMENTS
        },
        "measure": {"slices": 2, "steps": 60},
        "limits": {"trial_timeout": trial_timeout, "attempts": 3, "memory": "512MiB"},
    }


def signal_all(processes: list[Process], number: int) -> None:
    """Short-lived ones may have ended meanwhile."""
    for each in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each.pid, number)


def rows(scratch: Scratch, times_are_exact: bool = True) -> Rows:
    trials = scratch.report()["trials"]
    digits = 9 if times_are_exact else -9
    found = {t["id"]: (t["status"], round(t["step_time"] or 0, digits)) for t in trials}
    if len(found) != len(trials):
        raise Broken(f"I1: a trial stands twice in the results: {trials}")
    return found


def new_scratch(trial_timeout: str = "20s") -> Scratch:
    scratch = Scratch({"name": NAME})
    scratch.sweep = sweep(scratch.folder, trial_timeout)
    scratch.__post_init__()
    return scratch


def reference() -> Rows:
    """The results of a run without a fault."""
    scratch = new_scratch()
    try:
        code = scratch.run("--ranks", str(RANKS), timeout=MOST_SECONDS)
        problems = history.problems_of(journal.records(scratch.journal))
        if code != DONE or problems:
            raise Broken(f"a run without a fault ends with {code}: {problems} {scratch.output()}")
        return rows(scratch)
    finally:
        scratch.remove()


@dataclass
class Bout:
    expected: Rows
    trial_timeout: str = "20s"
    crashes: int = 0
    repeats: int = 0  # failed attempts that are no crash of a run
    acknowledged: set[tuple[str, int]] = field(default_factory=set)
    times_are_exact: bool = True  # the engine's results do not depend on the machine
    scratch: Scratch = field(init=False)
    told: int = 0  # how much of the output was looked at
    sessions: int = 0

    def __post_init__(self) -> None:
        self.scratch = new_scratch(self.trial_timeout)

    # ---- sessions ------------------------------------------------------------------------

    @property
    def reached(self) -> Path:
        return self.scratch.folder / f"reached-{self.sessions}"

    def is_reached(self) -> bool:
        return self.reached.exists()

    def begin(self, place: Place, *options: str, under: tuple[str, ...] = (), **more: str):
        """A session that is to come to this place. Without --ranks if the ranks are started by `under`."""
        self.sessions += 1
        self.told = len(self.scratch.output()) if self.sessions > 1 else 0
        told = f"{place.orders} --wait-file {self.reached} --count-file {self.reached}.starts"
        order_file = self.scratch.folder / "bad.orders"
        order_file.write_text(told if place.orders else "")
        variables = dict(more)
        if place.call:
            variables |= {
                "LD_PRELOAD": str(AT_CALL),
                "REGATTA_FAULT": f"{place.call}|{self.reached}",
            }
        ranks = () if under else ("--ranks", str(RANKS))
        return self.scratch.start(*ranks, *options, under=under, **variables)

    def come(self, process: subprocess.Popen) -> bool:
        """Whether the session has come to its place; false if it ended before."""
        wait_until(lambda: self.is_reached() or process.poll() is not None, MOST_SECONDS, 0.002)
        self.keep_in_mind()
        return self.is_reached()

    def let_go(self) -> None:
        Path(f"{self.reached}.go").touch()

    def end(self, process: subprocess.Popen) -> int:
        """The exit code; I4, I5 and I6 of a session."""
        self.let_go()
        began = time.monotonic()
        if not wait_until(lambda: process.poll() is not None, MOST_SECONDS):
            self.complain(f"I6: the session does not end in {MOST_SECONDS} s")
        if not wait_until(lambda: not self.scratch.processes(), ORPHAN_SECONDS):
            left = [f"{p.pid} {p.role}" for p in self.scratch.processes()]
            self.complain(f"I5: left {ORPHAN_SECONDS} s after the end: {left}")
        self.seconds = time.monotonic() - began
        self.keep_in_mind()
        self.check_told(process.returncode)
        return process.returncode

    def session(
        self, place: Place, act: Callable[[Bout, subprocess.Popen], None], *options: str, **more
    ) -> int | None:
        """Its exit code; none if it did not come to the place."""
        process = self.begin(place, *options, **more)
        if not self.come(process):
            self.end(process)
            return None
        act(self, process)
        return self.end(process)

    def keep_in_mind(self) -> None:
        self.acknowledged |= history.acknowledged(journal.records(self.scratch.journal))

    # ---- what may be asked meanwhile -------------------------------------------------------

    def named(self, role: str) -> list[Process]:
        """Processes of this role; a rank is `rank 0` or `rank 1`."""
        found = []
        for process in self.scratch.processes():
            name = process.role
            if name == "rank":
                try:
                    name = f"rank {rank_number(process)}"
                except OSError:
                    continue
            if name == role:
                found.append(process)
        return found

    def send(self, role: str, number: int) -> None:
        """To all of this role: there must be one."""
        victims = self.named(role)
        if not victims:
            raise RuntimeError(f"there is no {role}: {[p.role for p in self.scratch.processes()]}")
        signal_all(victims, number)

    def output(self) -> str:
        """The output of this session."""
        return self.scratch.output()[self.told :]

    def complain(self, problem: str) -> None:
        raise Broken(f"{problem}\n{self.output()[-1500:]}")

    # ---- invariants ------------------------------------------------------------------------

    def rows(self) -> Rows:
        return rows(self.scratch, self.times_are_exact)

    def complete(self) -> set[str]:
        """Blocks that have a result which no drain interrupted."""
        whole = set()
        for record in journal.results(self.scratch.journal):
            if not journal.RESULT_HEAD.unpack_from(record.payload)[0] & INTERRUPTED:
                whole.add(record.hash)
        return whole

    def check_told(self, code: int) -> None:
        """I4 of any session."""
        open_trials = len(self.expected) - len(self.complete())
        if code in (DONE, SOME_FAILED) and open_trials:
            self.complain(f"I4: the session ends with {code}, and {open_trials} trials are open")
        if code == WORK_LEFT and not open_trials:
            self.complain("I4: the session ends with 75, and no trial is open")
        if code < 0 or code > 128:
            return  # it was killed, and told nothing
        for text in STOPPED.findall(self.output()):
            if int(text[3]) != open_trials:
                self.complain(f"I4: it says that {text[3]} trials are open, and {open_trials} are")

    def expect_code(self, code: int | None, *allowed: int) -> None:
        if code not in allowed:
            self.complain(f"I4: the session ends with {code}, not one of {allowed}")

    def finish(self, *options: str) -> None:
        """The same command again to the end, and once more; all invariants."""
        kept = journal.records(self.scratch.journal)
        begun, open_trials = self.begun(), len(self.expected) - len(self.complete())
        self.expect_code(self.end(self.begin(Place(), *options)), DONE)
        records = journal.records(self.scratch.journal)
        if [r.payload for r in records[: len(kept)]] != [r.payload for r in kept]:
            self.complain("I1: records that were there have changed")
        lost = self.acknowledged - {(r.hash, r.attempt) for r in records if r.kind == "result"}
        if lost:
            self.complain(f"I1: acknowledged, and lost: {lost}")
        if self.rows() != self.expected:
            self.complain(f"I2: {self.rows()} where {self.expected} was expected")
        again = self.begun() - begun
        if again > open_trials and "--rerun" not in options:
            self.complain(f"I3: {again} trials are measured where {open_trials} were open")
        self.check_repeats()
        if problems := history.problems_of(records):
            self.complain(f"I8: {problems}")
        self.check_nothing_changes()
        if self.scratch.temporary_files():
            self.complain(f"I5: temporary files are left: {self.scratch.temporary_files()}")

    def begun(self) -> int:
        """How often workers were told to prepare a trial."""
        notes = self.scratch.folder.glob("*.notes")
        return sum(len(path.read_text().splitlines()) for path in notes)

    def check_repeats(self) -> None:
        repeated = self.begun() - len(self.expected)
        most = 2 * RANKS * self.crashes + self.repeats
        if repeated > most:
            self.complain(f"I3: {repeated} trials were repeated, at most {most} may be")

    def check_nothing_changes(self) -> None:
        before, results = self.scratch.journal.read_bytes(), self.rows()
        self.expect_code(self.end(self.begin(Place())), DONE)
        if self.scratch.journal.read_bytes() != before:
            self.complain("I7: one more run has changed the journal")
        if self.rows() != results:
            self.complain("I7: one more run has changed the results")
