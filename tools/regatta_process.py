"""Runs the real `regatta` in scratch folders and looks at its processes and files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tools import ROOT

SOURCE = ROOT
BINARY = Path(os.environ.get("REGATTA_BINARY_DIR", SOURCE / "build")) / "bin" / "regatta"
MARK = "REGATTA_TEST_MARK"
PATIENCE_SECONDS = (
    60  # for what comes soon: only a failing test waits so long, however busy the machine
)


@dataclass
class Process:
    pid: int
    parent: int
    name: str
    arguments: list[str]

    @property
    def role(self) -> str:
        """launcher, mpirun, rank, keeper, spawner, worker, or the program's name."""
        if self.name in ("regatta-keeper", "regatta-spawner"):
            return self.name.partition("-")[2]
        if self.name == "regatta":
            return "rank" if "--child" in self.arguments else "launcher"
        if self.name == "regatta-worker" or "regatta_worker" in self.arguments:
            return "worker"
        return self.name


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def marked_processes(mark: str) -> list[Process]:
    """Living processes whose environment carries the mark: all that one run started."""
    found = []
    needle = f"{MARK}={mark}".encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or needle not in _read(int(entry.name), "environ").split(b"\0"):
            continue
        stat = _read(int(entry.name), "stat").decode(errors="replace")
        fields = stat.rpartition(")")[2].split()
        if not fields or fields[0] in "ZX":
            continue
        name = stat.partition("(")[2].rpartition(")")[0]
        arguments = _read(int(entry.name), "cmdline").decode(errors="replace").split("\0")
        found.append(Process(int(entry.name), int(fields[1]), name, arguments))
    return found


def rank_number(process: Process) -> int:
    """Open MPI's number of a rank, or of what a rank started; raises OSError where it is gone."""
    for entry in Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0"):
        if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
            return int(entry.split(b"=")[1])
    return -1


def wait_until(condition, seconds: float, pause: float = 0.02) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(pause)
    return bool(condition())


def naps(argv: Callable[[float], list[str]], **measure: object) -> dict:
    """A sweep of seven commands that say they took 5, 10, ... 35 ms, against the shortest."""
    names = [f"nap{i}" for i in range(1, 8)]
    return {
        "regatta": 1,
        "name": "naps",
        "axes": {"command": names, "engine": ["command"]},
        "commands": {
            name: {"argv": argv(0.005 * (i + 1)), "metric": "json:s"}
            for i, name in enumerate(names)
        },
        "compare": {"over": ["command"], "baseline": {"command": "nap1"}},
        "measure": {"slices": 7, "steps": 1, **measure},
    }


def sleeps(seconds: float, count: int) -> dict:
    """A sweep of so many trials, each a program that sleeps."""
    return {
        "regatta": 1,
        "name": "naps",
        "axes": {"engine": ["command"], "command": ["nap"]},
        "repeats": count,
        "commands": {"nap": {"argv": ["sleep", str(seconds)]}},
        "measure": {"slices": 1, "steps": 1},
    }


def set_pace(script: Path, seconds: str) -> None:
    """How long steps of a script take by the clock that reads it from the file beside it."""
    new = script.with_name("new")
    new.write_text(f"{seconds}\n")
    new.rename(f"{script}.seconds")


@dataclass
class Scratch:
    """A folder with one sweep file, and runs of it."""

    sweep: dict
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="regatta-test-")))
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __post_init__(self) -> None:
        self.sweep_file.write_text(json.dumps(self.sweep, indent=1))

    @property
    def sweep_file(self) -> Path:
        return self.folder / "sweep.json"

    @property
    def results(self) -> Path:
        return self.folder / "out" / f"{self.sweep['name']}.h5"

    @property
    def run_folder(self) -> Path:
        return self.folder / "out" / f"{self.sweep['name']}.regatta"

    @property
    def journal(self) -> Path:
        return self.run_folder / "journal"

    def start(
        self, *options: str, under: tuple[str, ...] = (), **variables: str
    ) -> subprocess.Popen:
        """`regatta run`, or the command `under` that starts its ranks."""
        environment = {**os.environ, "REGATTA_HISTORY": "off", **variables, MARK: self.mark}
        command = [
            *under,
            str(BINARY),
            "run",
            str(self.sweep_file),
            "--out",
            str(self.folder / "out"),
            *options,
        ]
        with open(self.folder / "output.txt", "ab") as output:
            return subprocess.Popen(
                command, env=environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL
            )

    def run(self, *options: str, under: tuple[str, ...] = (), timeout: float = 600) -> int:
        process = self.start(*options, under=under)
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill_all()
            raise

    def output(self) -> str:
        return (self.folder / "output.txt").read_text(errors="replace")

    def report(self) -> dict:
        command = [str(BINARY), "report", str(self.results), "--json"]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    def details(self) -> str:
        """All tables and checks, in one line."""
        command = [str(BINARY), "report", str(self.results), "--details"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return " ".join(printed.split())

    def collect(self) -> dict:
        """The report of what is recorded so far, where a drain has left no result file."""
        command = [str(BINARY), "collect", str(self.run_folder)]
        subprocess.run(command, capture_output=True, check=False)
        return self.report()

    def plan(self) -> dict:
        command = [str(BINARY), "plan", str(self.sweep_file), "--json"]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    def processes(self) -> list[Process]:
        return marked_processes(self.mark)

    def kill_all(self) -> None:
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)

    def temporary_files(self) -> list[str]:
        """Files that a finished or killed and resumed run must not leave behind."""
        left = list(self.folder.rglob("*.tmp"))
        owner = hashlib.sha256(str(self.run_folder).encode()).hexdigest()[:8]
        for shared in (Path("/dev/shm"), Path(tempfile.gettempdir())):
            left += shared.glob(f"regatta-{os.getuid()}-{owner}*")
        return [str(path) for path in left]

    def remove(self) -> None:
        self.kill_all()
        shutil.rmtree(self.folder, ignore_errors=True)
