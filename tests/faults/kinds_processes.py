"""Faults of engines, ranks, launchers and signals."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from bout import BAD_INPUT, DONE, SOME_FAILED, WORK_LEFT, Bout, Place, orders, rows, signal_all
from kinds import Kind, Try
from places import IN_A_WORKER, RECOVERY, call, crash, place_at

from tools import journal
from tools.regatta_process import BINARY, PATIENCE_SECONDS, wait_until

LATE_SECONDS = 0.3
STOPPED_SECONDS = 3  # longer than a worker may be silent here
HANGS = ("hang", "stop", "spin", "eof", "giant")


# ---- engines -----------------------------------------------------------------------------


def engine(tried: Try) -> None:
    """Once: the trial is repeated, unless its program has never started. Always: it fails, and the others do not."""
    behave, how = tried.variant.split()
    bout = tried.bout("4s" if behave in HANGS else "20s")
    if tried.point == RECOVERY:
        crash(bout, tried.chance)
    on = IN_A_WORKER.get(tried.point) or tried.chance.choice(list(IN_A_WORKER.values()))
    told = orders(behave, on)
    if how == "once":
        never_starts = behave == "exit" and on == "hello"
        bout.repeats = 1
        code = bout.end(bout.begin(Place(orders=told + " --only-attempt 1")))
        bout.expect_code(code, SOME_FAILED if never_starts else DONE)
        bout.finish(*(("--rerun", "failed") if never_starts else ()))
        return
    bout.repeats = 3 * len(bout.expected)
    bout.expect_code(bout.end(bout.begin(Place(orders=told))), SOME_FAILED)
    states = {t["engine"]: set() for t in bout.scratch.report()["trials"]}
    for trial in bout.scratch.report()["trials"]:
        states[trial["engine"]].add(trial["status"])
    if states["native@good"] != {"finished"} or "failed" not in states["native@bad"]:
        bout.complain(f"I2: the trials of the engines are {states}")
    bout.finish("--rerun", "failed")


# ---- ranks, mpirun, launcher -------------------------------------------------------------


def killed(role: str, tried: Try) -> None:
    bout = tried.bout()

    def act(_: Bout, process: subprocess.Popen) -> None:
        if role == "launcher":
            process.kill()
        else:
            bout.send(role, signal.SIGKILL)

    place = place_at(tried.point, bout, tried.chance)
    bout.crashes += 1
    code = bout.session(place, act)
    tried.is_reached = code is not None
    if tried.is_reached:
        bout.expect_code(code, *([-signal.SIGKILL] if role == "launcher" else [DONE, WORK_LEFT]))
    bout.finish()


def agent_stopped(tried: Try) -> None:
    """Nobody hears of it again: whoever waits asks the run to drain."""
    bout = tried.bout()

    def act(_: Bout, process: subprocess.Popen) -> None:
        bout.send("rank 1", signal.SIGSTOP)
        bout.let_go()
        time.sleep(0.3)
        process.send_signal(signal.SIGUSR1)

    place = place_at(tried.point, bout, tried.chance)
    bout.crashes += 1
    code = bout.session(place, act)
    tried.is_reached = code is not None
    if tried.is_reached:
        bout.expect_code(code, DONE, WORK_LEFT)
    bout.finish()


def agent_exits(tried: Try) -> None:
    """Just before it starts its first worker, without a word to MPI."""
    bout = tried.bout()
    bout.crashes += 1
    code = bout.end(bout.begin(call("ftruncate", "*/agent-1-*.log", "", 1, "exit")))
    tried.is_reached = bout.is_reached()
    bout.expect_code(code, WORK_LEFT)
    bout.finish()


def agent(tried: Try) -> None:
    if tried.variant == "exits":
        agent_exits(tried)
    elif tried.variant == "stopped":
        agent_stopped(tried)
    else:
        killed("rank 1", tried)


def rank_0(tried: Try) -> None:
    """Behind the last record the launcher does rank 0's work."""
    killed("launcher" if tried.point in (10, 11) else "rank 0", tried)


def starters(tried: Try) -> None:
    killed(tried.variant, tried)


# ---- signals -----------------------------------------------------------------------------


def signals(tried: Try) -> None:
    bout = tried.bout()
    ended_by: list[int] = []

    def act(_: Bout, process: subprocess.Popen) -> None:
        for word in tried.variant.split():
            if word == "pause":
                bout.let_go()
                time.sleep(tried.chance.uniform(0, 0.3))
            elif process.poll() is None:
                process.send_signal(signal.Signals[word])
                ended_by.append(-signal.Signals[word])

    place = place_at(tried.point, bout, tried.chance)
    bout.crashes += 1  # a second one stops at once
    code = bout.session(place, act)
    tried.is_reached = code is not None
    if tried.is_reached:
        late = (
            [code for code in ended_by if code != -signal.SIGUSR1]
            if tried.point in (10, 11, 12)
            else []
        )
        bout.expect_code(code, DONE, WORK_LEFT, *late)
        if bout.seconds > 12:
            bout.complain(f"I6: a drain took {bout.seconds:.1f} s")
    bout.finish()


# ---- two launchers, locks ----------------------------------------------------------------


def second_launcher(tried: Try) -> None:
    bout = tried.bout()

    def act(_: Bout, process: subprocess.Popen) -> None:
        before = bout.scratch.journal.exists() and bout.scratch.journal.read_bytes()
        other = bout.scratch.start("--ranks", "2")
        if not wait_until(lambda: other.poll() is not None, PATIENCE_SECONDS):
            bout.complain("I6: a second launcher does not end")
        bout.expect_code(other.returncode, BAD_INPUT)
        if before and not bout.scratch.journal.read_bytes().startswith(before):
            bout.complain("I1: a second launcher has changed the journal")
        if process.poll() is not None:
            bout.complain("a second launcher has ended the first one")

    code = bout.session(place_at(tried.point, bout, tried.chance), act)
    tried.is_reached = code is not None
    bout.expect_code(code, DONE, *([] if tried.is_reached else [None]))
    bout.finish()


def stale_lock(tried: Try) -> None:
    """The folder's owner has died, and nobody holds its lock."""
    bout = tried.bout()
    if tried.point == RECOVERY:
        crash(bout, tried.chance)
    bout.scratch.run_folder.mkdir(parents=True, exist_ok=True)
    os.chmod(bout.scratch.run_folder, 0o700)
    pid = tried.chance.choice(
        [os.getpid(), 4194000]
    )  # another one's by now, or above all that are given
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    own = f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    owner = bout.scratch.run_folder / "owner.7"
    owner.touch(0o600)
    inode = owner.stat().st_ino
    owner.write_text(f"held {inode} {socket.gethostname()} {own} {pid} 1 - -\n")
    bout.finish()


def copied_folder(tried: Try) -> None:
    bout = tried.bout()
    crash(bout, tried.chance)
    copy = bout.scratch.folder / "copy"
    shutil.copytree(bout.scratch.folder / "out", copy)
    bout.finish()
    command = [str(BINARY), "run", str(bout.scratch.sweep_file), "--out", str(copy), "--ranks", "2"]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE_SECONDS, check=False)
    bout.expect_code(done.returncode, DONE)
    for name in (bout.scratch.results.name, bout.scratch.results.with_suffix(".html").name):
        shutil.move(copy / name, bout.scratch.results.with_name(name))
    if rows(bout.scratch) != bout.expected:
        bout.complain("I2: the copied folder has other results")


def launchers(tried: Try) -> None:
    ways = {"second": second_launcher, "stale": stale_lock, "copied": copied_folder}
    ways[tried.variant](tried)


# ---- stopped and late --------------------------------------------------------------------


def late(tried: Try) -> None:
    bout = tried.bout("2s")

    def act(_: Bout, process: subprocess.Popen) -> None:
        if tried.variant == "all":
            stopped = bout.scratch.processes()
        else:
            stopped = bout.named(tried.variant)
        signal_all(stopped, signal.SIGSTOP)
        bout.let_go()
        time.sleep(STOPPED_SECONDS if tried.variant == "all" else LATE_SECONDS)
        signal_all(stopped, signal.SIGCONT)

    code = bout.session(place_at(tried.point, bout, tried.chance), act)
    tried.is_reached = code is not None
    bout.expect_code(code, DONE, *([] if tried.is_reached else [None]))
    kinds = [record.kind for record in journal.records(bout.scratch.journal)]
    if "failed_attempt" in kinds:
        bout.complain("a trial failed that was only late")
    bout.finish()


ALL = tuple(range(14))
KINDS = (
    Kind(
        "an engine ends: killed, SIGSEGV, exit 3, out of memory",
        engine,
        (3, 4, 5, 13),
        tuple(f"{b} {how}" for b in ("kill", "segv", "exit") for how in ("once", "always"))
        + ("oom always",),  # a worker that says so is not asked again
        "engine",
        {"segv always": (4, 13), "exit always": (3, 5)},
    ),
    Kind(
        "an engine hangs: asleep, stopped, in a loop",
        engine,
        (3, 4, 5, 13),
        ("hang once", "stop once", "spin once", "hang always"),
        "engine",
        {"hang always": (4,)},
    ),
    Kind(
        "an engine sends garbage, a giant frame, floods, hangs up",
        engine,
        (3, 4, 5, 13),
        tuple(f"{b} once" for b in ("garbage", "giant", "flood-link", "flood-log", "eof"))
        + ("garbage always",),
        "engine",
        {"garbage always": (5, 13)},
    ),
    Kind(
        "a rank other than 0: killed, stopped, exit 0",
        agent,
        (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13),
        ("killed", "stopped", "exits"),
        "ranks",
        {"stopped": (1, 4, 7, 9, 12, 13), "exits": (3,)},
    ),
    Kind("rank 0 killed (P10, P11: who writes the file)", rank_0, ALL, ("killed",), ""),
    Kind(
        "`mpirun` or the launcher killed",
        starters,
        ALL,
        ("launcher", "mpirun"),
        "",
        {"mpirun": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13)},
    ),
    Kind(
        "SIGUSR1 once, twice, in a drain; SIGTERM once, twice",
        signals,
        ALL,
        (
            "SIGUSR1",
            "SIGUSR1 pause SIGUSR1",
            "SIGTERM",
            "SIGTERM pause SIGTERM",
        ),
        "",
    ),
    Kind(
        "a second launcher, a stale lock, a copied folder",
        launchers,
        ALL,
        ("second", "stale", "copied"),
        "",
        {"stale": (0, 13), "copied": (13,)},
    ),
    Kind(
        "everything stopped for 3 s; a rank or `mpirun` for 0.3 s",
        late,
        ALL,
        ("all", "rank 0", "rank 1", "mpirun"),
        "",
        {"all": (0, 2, 4, 6, 8, 10, 12, 13)},
    ),
)
