"""kill -9 of every kind of process at random moments; then the same command again.

After each kill: no process is left soon after; the journal only ever grows; and once the run is
resumed every acknowledged block is kept and each trial stands exactly once in the file.

    python3 tests/process/random_kills.py --kills 30 --seed 7
    python3 tests/process/random_kills.py --kills 10 --hosts --drain
    python3 tests/process/random_kills.py --kills 500 --quick

With --quick the trials are no-ops, which go to their worker in lots, and programs that end at once. With --hosts the ranks are on two hosts of a host file (this machine twice, under names of its own, which takes root),
and ranks alone are killed. With --drain the launcher gets SIGUSR1 right after the kill.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass

from tools import journal
from tools.regatta_process import PATIENCE_SECONDS, Process, Scratch, rank_number, wait_until
from tools.seeds import add_seed

ROLES = ["worker", "spawner", "keeper", "rank", "rank 0", "mpirun", "launcher"]
RANKS = ["rank", "rank 0"]
LOOK_SECONDS = 0.01
SKIPPED = 77
WORK_LEFT = 75
# In ssh's place: a host of its own as far as its name tells.
REMOTE_SHELL = """#!/bin/sh
host=$1
shift
exec unshare --uts sh -c "hostname $host; exec sh -c \\"\\$0\\"" "$*"
"""
ORPHAN_SECONDS = 20  # they end within one; a busy machine takes longer
BLOCKS = 16
QUICK_BLOCKS = 6000


@dataclass(frozen=True)
class Work:
    """A sweep whose trials all finish, unless somebody is killed."""

    sweep: dict
    trials: int
    enough: int  # lines of the journal after which the next sweep begins


def compared() -> Work:
    sweep = {
        "regatta": 1,
        "name": "kills",
        "axes": {
            "engine": ["native", "numpy"],
            "model": ["mlp-10"],
            "seed": list(range(BLOCKS)),
        },
        "compare": {"over": ["engine"], "baseline": {"engine": "native"}},
        "measure": {"slices": 2, "steps": 200},
        "limits": {"trial_timeout": "20s"},
    }
    return Work(sweep, 2 * BLOCKS, BLOCKS)


def quick() -> Work:
    sweep = {
        "regatta": 1,
        "name": "quick",
        "axes": {"engine": ["native", "command"], "model": ["noop"], "command": ["end"]},
        "repeats": QUICK_BLOCKS // 2,
        "commands": {"end": {"argv": ["true"]}},
        "measure": {"slices": 1, "steps": 1},
        "limits": {"trial_timeout": "20s", "attempts": 10},  # each kill of a worker is one
    }
    return Work(sweep, QUICK_BLOCKS, 2 * QUICK_BLOCKS)


def two_hosts(scratch: Scratch) -> dict[str, str]:
    """Variables for Open MPI: names that are none of this machine's are started by the remote shell."""
    shell, hosts = scratch.folder / "remote-shell", scratch.folder / "hosts"
    shell.write_text(REMOTE_SHELL)
    shell.chmod(0o755)
    hosts.write_text("nodea slots=1\nnodeb slots=1\n")
    return {
        "OMPI_MCA_plm_rsh_agent": str(shell),
        "OMPI_MCA_orte_default_hostfile": str(hosts),
        "OMPI_MCA_btl": "tcp,self",  # the hosts share one /dev/shm
    }


def hosts_can_be_made() -> bool:
    return subprocess.run(["unshare", "--uts", "true"], stderr=subprocess.DEVNULL).returncode == 0


def victim(scratch: Scratch, role: str, chance: random.Random) -> Process | None:
    found = []
    for process in scratch.processes():
        try:
            number = rank_number(process) if process.role == "rank" else None
        except OSError:
            continue
        name = "rank 0" if number == 0 else process.role
        if name == role:
            found.append(process)
    return chance.choice(found) if found else None


def complain(problem: str, scratch: Scratch) -> None:
    print(scratch.output()[-4000:], file=sys.stderr)
    raise AssertionError(problem)


def check_no_orphans(scratch: Scratch) -> None:
    if not wait_until(lambda: not scratch.processes(), ORPHAN_SECONDS):
        left = [f"{p.pid} {p.role}" for p in scratch.processes()]
        complain(f"still alive {ORPHAN_SECONDS} s after the kill: {left}", scratch)


def journal_lines(scratch: Scratch) -> list[journal.Record]:
    """Whole records; a torn last one does not count."""
    return journal.records(scratch.journal)


def kill_once(scratch: Scratch, role: str, chance: random.Random, options) -> bool:
    """Starts a run and kills one process of this role in the middle. False if the run ended before."""
    variables = two_hosts(scratch) if options.hosts else {}
    process = scratch.start("--ranks", "2", **variables)
    time.sleep(chance.uniform(0.05, 1.5))
    target = None
    while target is None and process.poll() is None:
        target = victim(scratch, role, chance)
        if target is None:
            time.sleep(LOOK_SECONDS)
    if target is None:
        return False
    try:
        os.kill(target.pid, signal.SIGKILL)
    except (
        ProcessLookupError
    ):  # it has ended by itself, and the run goes on: no second one may start beside it
        process.wait(PATIENCE_SECONDS)
        return False
    if options.drain:
        process.send_signal(signal.SIGUSR1)
    if role in ("worker", "spawner", "keeper"):  # costs one attempt at most; the run goes on
        process.wait(PATIENCE_SECONDS)
    else:
        if not wait_until(lambda: process.poll() is not None, PATIENCE_SECONDS):
            complain(
                f"the launcher goes on {PATIENCE_SECONDS} s after the end of its {role}", scratch
            )
        if role in RANKS and process.returncode not in (0, WORK_LEFT):
            complain(f"the launcher ends with {process.returncode}", scratch)
    check_no_orphans(scratch)
    return True


def check_results(scratch: Scratch, work: Work) -> None:
    report = scratch.report()
    planned = sorted(trial["id"] for trial in scratch.plan()["trials"])
    recorded = sorted(trial["id"] for trial in report["trials"])
    if planned != recorded:
        complain(f"planned and recorded trials differ: {set(planned) ^ set(recorded)}", scratch)
    status = Counter(trial["status"] for trial in report["trials"])
    if status != {"finished": work.trials}:
        complain(f"not all trials finished: {status}", scratch)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    add_seed(parser)
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--drain", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.hosts and not hosts_can_be_made():
        print("skipped: hosts with names of their own take root")
        return SKIPPED
    roles = RANKS if options.hosts else ROLES
    chance = random.Random(options.seed)
    print(f"seed {options.seed}")
    done: Counter[str] = Counter()
    work = quick() if options.quick else compared()
    scratch = Scratch(work.sweep)
    while sum(done.values()) < options.kills:
        role = roles[sum(done.values()) % len(roles)]
        before = journal_lines(scratch)
        hit = kill_once(scratch, role, chance, options)
        after = journal_lines(scratch)
        if after[: len(before)] != before:
            complain("the journal lost lines that it had before", scratch)
        if not hit or len(after) > work.enough:
            finish(scratch, after, work)
            scratch = Scratch(work.sweep)
        done[role] += hit
    finish(scratch, journal_lines(scratch), work)
    kills = ", ".join(f"{role} {count}" for role, count in done.items())
    print(
        f"{sum(done.values())} kills ({kills}): nothing acknowledged lost, no orphan, no temporary file"
    )
    return 0


def finish(scratch: Scratch, kept: list[journal.Record], work: Work) -> None:
    """The same command again, to the end."""
    code = scratch.run("--ranks", "2")
    if code != 0:
        complain(f"the resumed run ended with {code}", scratch)
    if journal_lines(scratch)[: len(kept)] != kept:
        complain("resuming changed lines of the journal", scratch)
    check_results(scratch, work)
    check_no_orphans(scratch)
    if scratch.temporary_files():
        complain(f"temporary files are left: {scratch.temporary_files()}", scratch)
    scratch.remove()


if __name__ == "__main__":
    sys.exit(main())
