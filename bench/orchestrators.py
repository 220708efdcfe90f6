"""The same tasks through Regatta and through other orchestrators, in the same minutes: writes docs/background/orchestrators.md.

usage: python3 -m bench.orchestrators [--rounds 5] [--fresh] [--record FILE] [--page FILE] [--page-only]
Needs an idle machine, the default preset (build/, or REGATTA_BINARY_DIR), `scripts/install-packages.sh build orchestrators` and
`scripts/setup-orchestrators.sh`. In each round every way runs once, in fresh processes: kinds of work in an order that is drawn,
and within a kind its ways in an order that is drawn. Rounds add up in the record; prints after each how long the rest will take.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bench.native_vs_frameworks import git, machine_text
from bench.noop_runs import block_times, noops, start_seconds
from bench.orchestrators_page import JSON, PAGE, RECORD, page_of
from bench.peer_tasks import MEASURE_SECONDS, seconds_of, steady
from tools import ROOT
from tools.interpreters import cache_folder
from tools.regatta_process import BINARY, Scratch

PYTHON = cache_folder() / "orchestrators" / "bin" / "python"
TASKS = ROOT / "bench" / "peer_tasks.py"
MPIRUN = ("mpirun", "--oversubscribe", "-n", "3")
# Ray tells nobody that it was used; mpirun as the root of a container.
VARIABLES = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
FIRST_LOOK, MOST_TRIALS = 2000, 100_000
PATIENCE_SECONDS = 90
SETTLE_SECONDS = 20
LOOK_SECONDS = 3

Way = Callable[[], JSON]
Sweep = Callable[[int], JSON]  # asks for so many trials


# ---- Regatta ---------------------------------------------------------------------------------------------


def commands(count: int) -> JSON:
    return {
        "regatta": 1,
        "name": "commands",
        "axes": {"engine": ["command"], "command": ["true"]},
        "repeats": count,
        "commands": {"true": {"argv": ["/bin/true"]}},
        "measure": {"slices": 1, "steps": 1},
    }


def trials_per_second(sweep: Sweep, count: int, *options: str) -> float:
    """From the first trial's start until the journal was written last: all of them are on disk by then."""
    scratch = Scratch(sweep(count))
    try:
        if scratch.run("--ranks", "2", *options) != 0:
            raise RuntimeError(scratch.output())
        times = block_times(scratch)
        end = max(scratch.journal.stat().st_mtime, *(end for _, end in times))
    finally:
        scratch.remove()
    if len(times) != count:
        raise RuntimeError(f"{len(times)} of {count} trials are in the journal")
    return count / (end - times[0][0])


@functools.cache
def trials_of(sweep: Sweep, *options: str) -> int:
    """How many take about as long as the tasks of others are timed."""
    return min(MOST_TRIALS, round(trials_per_second(sweep, FIRST_LOOK, *options) * MEASURE_SECONDS))


def regatta(sweep: Sweep, *options: str) -> JSON:
    count = trials_of(sweep, *options)
    return {"per_second": trials_per_second(sweep, count, *options), "tasks": count}


def regatta_start() -> JSON:
    first, whole = start_seconds(3)
    return {"first": first, "whole": whole}


# ---- others ----------------------------------------------------------------------------------------------


def last_line(command: list[str]) -> JSON:
    """The JSON on a program's last line, run in a folder of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, **VARIABLES, "RAY_TMPDIR": folder},
            timeout=PATIENCE_SECONDS,
        )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def peer(name: str, kind: str) -> JSON:
    """The result of a peer. A peer that hangs or fails has another try, and the page says so."""
    try:
        return asked(name, kind)
    except (RuntimeError, subprocess.TimeoutExpired) as problem:
        print(f"{problem}; once more", file=sys.stderr, flush=True)
    time.sleep(SETTLE_SECONDS)  # services that it started end by themselves
    return {**asked(name, kind), "tries": 2}


def asked(name: str, kind: str) -> JSON:
    runs = [*MPIRUN, str(PYTHON), "-m", "mpi4py.futures"] if name == "mpi4py" else [str(PYTHON)]
    begin = time.time()
    told = last_line([*runs, str(TASKS), name, kind])
    if "first_wall" in told:
        return {"first": told["first_wall"] - begin, "whole": time.time() - begin}
    return told


def spawn_loop() -> JSON:
    return last_line([str(BINARY.parent / "bench_spawn_loop"), str(MEASURE_SECONDS)])


def parallel(count: int) -> None:
    """GNU parallel reads a line for each process, and is told to add nothing of it to the command."""
    with tempfile.TemporaryDirectory() as home:
        subprocess.run(
            ["parallel", "-j2", "-n0", "/bin/true"],
            input="\n".join(map(str, range(count))),
            text=True,
            env={**os.environ, "PARALLEL_SHELL": "/bin/sh", "PARALLEL_HOME": home},
            check=True,
        )


def parallel_rate() -> JSON:
    """Without what its own start takes."""
    told = steady(parallel)
    start = min(seconds_of(parallel, 1) for _ in range(3))
    count = told["tasks"]
    return {"per_second": (count - 1) / (count / told["per_second"] - start), "tasks": count}


Ways = dict[str, dict[str, Way]]


def pools(kind: str) -> dict[str, Way]:
    names = {
        "mpi4py.futures": "mpi4py",
        "concurrent.futures": "concurrent",
        "Ray": "ray",
        "Dask": "dask",
    }
    return {title: functools.partial(peer, name, kind) for title, name in names.items()}


def ways() -> Ways:
    """The ways to time: by kind of work, and the program that does it."""
    chunks = {f"{title}, in chunks": way for title, way in pools("chunks").items()}
    batched = functools.partial(regatta, noops)
    return {
        "one": {"Regatta": functools.partial(regatta, noops, "--one-by-one"), **pools("one")},
        "batched": {"Regatta": batched, **pools("all"), **chunks},
        "command": {
            "Regatta": functools.partial(regatta, commands),
            "posix_spawn loop": spawn_loop,
            "HyperQueue": functools.partial(peer, "hyperqueue", "command"),
            "GNU parallel": parallel_rate,
        },
        "kept": {
            "Regatta": batched,
            "Optuna, add_trial": functools.partial(peer, "optuna", "add"),
            "Optuna, ask and tell": functools.partial(peer, "optuna", "ask"),
            "Ray Tune": functools.partial(peer, "ray-tune", "tune"),
        },
        "start": {"Regatta": regatta_start, **pools("start")},
    }


# ---- rounds ----------------------------------------------------------------------------------------------


def round_of(timed: Ways, number: int) -> JSON:
    """Every way once. Ways of one kind follow each other, so that a ratio is one of the same minute."""
    draw = random.Random(number)
    found: JSON = {}
    for kind in draw.sample(list(timed), len(timed)):
        found[kind] = {
            name: timed[kind][name]() for name in draw.sample(list(timed[kind]), len(timed[kind]))
        }
    return found


def run(timed: Ways, record: JSON, rounds: int, file: Path) -> None:
    while len(record["rounds"]) < rounds:
        start = time.monotonic()
        record["rounds"].append(round_of(timed, len(record["rounds"])))
        seconds = time.monotonic() - start
        record["seconds"] += seconds
        file.write_text(json.dumps(record) + "\n")
        left = rounds - len(record["rounds"])
        print(
            f"round {len(record['rounds'])}: {seconds:.0f} s, "
            f"{left} more in {left * seconds / 60:.0f} minutes",
            flush=True,
        )


def first_word_line(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]


def busy_cores() -> float:
    """The cores that others keep busy at this moment: an average of the load would tell of programs that have ended,
    too.
    """

    def idle_seconds() -> float:
        _user, _nice, _system, idle, waiting, *_ = Path("/proc/stat").read_text().split()[1:]
        return (int(idle) + int(waiting)) / os.sysconf("SC_CLK_TCK")

    before = idle_seconds()
    start = time.monotonic()
    time.sleep(LOOK_SECONDS)
    idle = (idle_seconds() - before) / (time.monotonic() - start)
    return max(0.0, (os.cpu_count() or 1) - idle)


def new_record() -> JSON:
    """Where, when and of which versions."""
    measured = ["include", "src", "launcher", "workers/native"]
    changed = "+" if git("status", "--porcelain", "--", *measured) else ""
    versions = last_line([str(PYTHON), str(TASKS), "versions", "all"])
    return {
        "machine": machine_text(),
        "disk": first_word_line("stat", "-f", "-c", "%T", tempfile.gettempdir()),
        "utc": datetime.now(UTC).isoformat(timespec="minutes"),
        "load": busy_cores(),
        "commit": git("log", "-1", "--format=%h", "--", *measured) + changed,
        "versions": {
            **versions,
            "Python": first_word_line(str(PYTHON), "--version").split()[-1],
            "GNU parallel": first_word_line("parallel", "--version").split()[-1],
            "mpirun": first_word_line("mpirun", "--version").split()[-1],
        },
        "seconds": 0.0,
        "rounds": [],
    }


def missing() -> list[str]:
    """The parts that have to be installed or built first."""
    found = []
    if not os.access(PYTHON, os.X_OK):
        found.append("run scripts/setup-orchestrators.sh")
    if not (shutil.which("parallel") and shutil.which("mpirun")):
        found.append("run scripts/install-packages.sh build orchestrators")
    for program in (BINARY, BINARY.parent / "bench_spawn_loop"):
        if not program.exists():
            found.append(f"build {program} (cmake --build --preset default)")
    return found


def options_of(what: str | None, rounds: int, record: Path, page: Path) -> argparse.Namespace:
    """The command line of a program that adds rounds to a record and writes a page of it."""
    parser = argparse.ArgumentParser(
        description=what, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--fresh", action="store_true", help="forget the recorded rounds")
    parser.add_argument("--record", type=Path, default=record)
    parser.add_argument("--page", type=Path, default=page)
    parser.add_argument("--page-only", action="store_true")
    return parser.parse_args()


def main() -> int:
    options = options_of(__doc__, 5, RECORD, PAGE)
    if not options.page_only:
        if lacking := missing():
            print(*(f"bench.orchestrators: {what}" for what in lacking), sep="\n", file=sys.stderr)
            return 2
        is_new = options.fresh or not options.record.exists()
        record = new_record() if is_new else json.loads(options.record.read_text())
        run(ways(), record, options.rounds, options.record)
    options.page.write_text(page_of(json.loads(options.record.read_text())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
