"""The cost of a sweep of very many trials beside its trials: no-op trials, on two ranks.

    python3 -m bench.large_runs [--trials 100000] [--build build] [--json]

- whole: from the command line to the finished files; how much of it passes before the first trial and behind the last.
- again: the same command once more, when nothing is left to do.
- status: `regatta status` of the finished run, and of one whose journal was cut in its middle.
- resume: from the command line to the first new trial, of the one that was cut.

Wall and CPU time (of a command and all that it started), and the largest resident set of its process and of rank 0.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bench.noop_runs import noops
from tools.regatta_process import MARK, marked_processes

POLL_SECONDS = 0.02
PATIENCE_SECONDS = 3600


@dataclass
class Cost:
    wall: float = 0.0
    cpu: float = 0.0
    own_mib: float = 0.0  # the command's largest process but the ranks
    rank_mib: float = 0.0  # rank 0's; 0: it started none
    parts: dict[str, float] = field(default_factory=dict)  # seconds since it began


def peak_mib(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    lines = (line.split() for line in status.splitlines())
    return next((int(words[1]) / 1024 for words in lines if words[:1] == ["VmHWM:"]), 0.0)


def watched(command: list[str], until: Callable[[], bool] = lambda: False) -> Cost:
    """Runs a command to its end, or until something holds; then it is asked to stop."""
    cost = Cost()
    mark = f"large-{os.getpid()}-{time.monotonic_ns()}"
    start = time.monotonic()
    child = subprocess.Popen(
        command,
        env={**os.environ, MARK: mark},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while time.monotonic() < start + PATIENCE_SECONDS:
        ended, _, usage = os.wait4(child.pid, os.WNOHANG)
        if ended:
            cost.cpu = usage.ru_utime + usage.ru_stime
            break
        if not cost.wall and until():
            cost.wall = time.monotonic() - start
            os.killpg(child.pid, signal.SIGTERM)
        for process in marked_processes(mark):
            if process.role == "rank":
                cost.rank_mib = max(cost.rank_mib, peak_mib(process.pid))
            elif process.role == "launcher":
                cost.own_mib = max(cost.own_mib, peak_mib(process.pid))
        time.sleep(POLL_SECONDS)
    cost.wall = cost.wall or time.monotonic() - start
    return cost


class Run:
    """A folder with a sweep and its results."""

    def __init__(self, build: Path, folder: Path, trials: int) -> None:
        self.program = str(build / "bin" / "regatta")
        sweep = noops(trials)
        name = sweep["name"]
        self.file = folder / f"{name}.json"
        self.file.write_text(json.dumps(sweep))
        self.results = folder / f"{name}.regatta"
        self.journal = self.results / "journal"
        self.samples = self.results / "samples.bin"
        self.command = [self.program, "run", str(self.file), "--out", str(folder), "--ranks", "2"]

    def size(self) -> int:
        return self.samples.stat().st_size if self.samples.exists() else 0

    def whole(self) -> Cost:
        first: list[float] = []

        def note_first() -> bool:
            if not first and self.size() > 0:
                first.append(time.time())
            return False

        start = time.time()
        cost = watched(self.command, note_first)
        last = self.journal.stat().st_mtime
        cost.parts = {
            "first trial": (first[0] if first else last) - start,
            "last trial": last - start,
            "result file": self.results.with_suffix(".h5").stat().st_mtime - start,
        }
        return cost

    def status(self) -> Cost:
        return watched([self.program, "status", str(self.results)])

    def resume(self) -> Cost:
        size = self.size()
        return watched(self.command, lambda: self.size() > size)

    def cut(self) -> None:
        os.truncate(self.journal, self.journal.stat().st_size // 2)


def costs(build: Path, trials: int) -> dict[str, Cost]:
    folder = Path(tempfile.mkdtemp(prefix="regatta-large-"))
    try:
        run = Run(build, folder, trials)
        found = {"whole": run.whole(), "again": watched(run.command), "status": run.status()}
        run.cut()
        found["status of half"] = run.status()
        found["resume of half"] = run.resume()
        return found
    finally:
        shutil.rmtree(folder)


def line(name: str, cost: Cost) -> str:
    parts = ", ".join(f"{part} at {seconds:.2f} s" for part, seconds in cost.parts.items())
    numbers = f"{cost.wall:8.2f} {cost.cpu:8.2f} {cost.own_mib:8.0f} {cost.rank_mib:8.0f}"
    return f"{name:<16}{numbers}  {parts}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = costs(arguments.build, arguments.trials)
    if arguments.json:
        print(json.dumps({name: asdict(cost) for name, cost in found.items()}))
        return 0
    print(f"{arguments.trials} trials    wall s    CPU s      MiB   rank 0")
    for name, cost in found.items():
        print(line(name, cost))
    return 0


if __name__ == "__main__":
    sys.exit(main())
