#!/usr/bin/env python3
"""A worker that speaks the protocol (docs/reference/worker-protocol.md) and misbehaves as it is told.

Steps last --step-us microseconds, known by construction; with --exact no clock is asked how long they took. Standard
library only.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers" / "python"))
import regatta_worker  # noqa: F401  # the package regatta leaves the link to a worker that is no loop of a user's
from regatta.wire import LINK, VERSION, pack_sample, pieces


class Link:
    """Frames over descriptor 3."""

    def __init__(self, fd: int) -> None:
        self.stream = os.fdopen(fd, "rb", closefd=False)
        self.fd = fd

    def receive(self) -> dict[str, Any]:
        line = self.stream.readline()
        if not line:
            sys.exit(0)
        message = json.loads(line)
        self.stream.read(message.get("bytes", 0))
        return message

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.fd, data) :]

    def send(self, payload: bytes = b"", **message: Any) -> None:
        if payload:
            message["bytes"] = len(payload)
        self.write(json.dumps(message).encode() + b"\n" + payload)


# ---- ways to misbehave: each instead of the answer, or before it -----------------------


def hang() -> NoReturn:
    while True:
        time.sleep(3600)


def segv() -> NoReturn:
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)
    hang()


def oom(link: Link, arm: int | None) -> None:
    """Touches memory until it is refused (then says so) or the kernel kills us."""
    held = []
    try:
        while True:
            held.append(b"x" * (16 << 20))
    except MemoryError:
        held.clear()
        link.send(type="error", arm=arm, kind="out_of_memory", message="no memory left", final=True)


def flood_log() -> NoReturn:
    line = b"the same line again and again\n" * 2048
    while True:
        os.write(1, line)


def flood_link(link: Link) -> NoReturn:
    """A header that never ends."""
    link.write(b'{"type": "samples", "flood": "')
    while True:
        link.write(b"x" * 65536)


def spin() -> NoReturn:
    while True:
        pass


def wait_at(file: Path) -> None:
    """The first process that comes here makes the file, and goes on when there is one more of its name and `.go`."""
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    while not Path(f"{file}.go").exists():
        time.sleep(0.001)


def spawn_orphan() -> None:
    """A grandchild in a session of its own that outlives everybody who does not look for it."""
    program = "import time\nwhile True: time.sleep(3600)"
    subprocess.Popen([sys.executable, "-c", program, "regatta-orphan"], start_new_session=True)


def zeros_to_share() -> str:
    """The path of sealed memory that holds no rank's gradients."""
    memory = os.memfd_create("zeros", os.MFD_ALLOW_SEALING)
    os.truncate(memory, 1 << 16)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    return f"/proc/{os.getpid()}/fd/{memory}"


# ---- answers ---------------------------------------------------------------------------


def wait_until(end_ns: int, sleep: bool) -> None:
    if sleep:
        time.sleep(max(0, end_ns - time.monotonic_ns()) * 1e-9)
    while time.monotonic_ns() < end_ns:
        pass


class Fake:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.link = Link(LINK)
        self.armed = options.behave != "ok" and self.is_chosen_attempt()

    def is_chosen_attempt(self) -> bool:
        """Counts this start in --count-file; starts are numbered from 1, each by its own line."""
        if self.options.count_file is None:
            return True
        with open(self.options.count_file, "a+") as counter:
            counter.write(f"{os.getpid()}\n")
            counter.flush()
            counter.seek(0)
            attempt = counter.readlines().index(f"{os.getpid()}\n") + 1
        return self.options.only_attempt in (None, attempt)

    def misbehave(self, message: dict[str, Any]) -> bool:
        """Does what --behave says; whether the request is answered by it."""
        behave, arm = self.options.behave, message.get("arm")
        if behave == "hang":
            hang()
        elif behave == "segv":
            segv()
        elif behave == "exit":
            os._exit(3)
        elif behave == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif behave == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        elif behave == "spin":
            spin()
        elif behave == "eof":
            os.close(LINK)
            hang()
        elif behave == "giant":
            self.link.send(type="samples", arm=arm, bytes=1 << 40)
            hang()
        elif behave == "wait":
            wait_at(self.options.wait_file)
            return False
        elif behave == "flood-log":
            flood_log()
        elif behave == "flood-link":
            flood_link(self.link)
        elif behave == "oom":
            oom(self.link, arm)
        elif behave == "garbage":
            self.link.write(b"\x00\xff this is no frame\n")
        elif behave == "error":
            self.link.send(
                type="error", arm=arm, kind="reported", message="told to fail", final=True
            )
        elif behave == "spawn-orphan":
            spawn_orphan()
            return False
        elif behave == "kill-parent":
            os.kill(os.getppid(), signal.SIGKILL)
            hang()
        elif behave == "stop-parent":
            os.kill(os.getppid(), signal.SIGSTOP)
            time.sleep(0.1)
            return False
        elif behave == "slow":
            time.sleep(self.options.slow_seconds)
            return False
        else:  # lie and stop-mid-slice change the answer itself
            return False
        return True

    def hello(self, _: dict[str, Any]) -> None:
        version = 99 if self.lies("hello") else VERSION
        self.link.send(
            type="ready",
            version=version,
            engine=self.options.engine,
            engine_version="fake",
            modes=["eager", "graph"],
            devices=["cpu"],
            details={"step_us": str(self.options.step_us)},
            answers_together=self.options.answers_together,
            packed=self.options.packed,
        )

    def prepare(self, message: dict[str, Any]) -> None:
        if self.options.beside:
            with open(f"{self.options.beside}.notes", "a") as notes:
                notes.write(f"{message['parameters'].get('seed')}\n")
        arm = message["arm"] + self.lies("prepare")
        self.steps_per_call = message["parameters"].get("steps_per_call") or 1
        shared = {"member": zeros_to_share()} if self.options.shares_zeros else {}
        self.link.send(
            type="prepared",
            arm=arm,
            seconds=0.0,
            peak_bytes=self.options.peak_mib << 20,
            eager_ops=1,
            **shared,
        )

    def join(self, message: dict[str, Any]) -> None:
        self.link.send(type="joined", arm=message["arm"])

    def check(self, message: dict[str, Any]) -> None:
        losses = [[float(self.lies("check") + 1)] for _ in range(message["steps"])]
        self.link.send(type="checked", arm=message["arm"], losses=losses)

    def slice(self, message: dict[str, Any]) -> None:
        counts = [message[name] for name in ("reentry_steps", "steps", "group")]
        if any(count % self.steps_per_call for count in counts):
            text = f"{counts} steps are no whole calls of {self.steps_per_call}"
            self.link.send(
                type="error", arm=message["arm"], kind="reported", message=text, final=True
            )
            return
        records = self.run("reentry", message["reentry_steps"], message, halt=False)
        records += self.run(
            message["phase"], message["steps"], message, halt=self.stops_mid_slice()
        )
        if self.lies("slice"):
            records = records[: len(records) // 2]
        if self.armed and self.options.on == "samples" and self.misbehave(message):
            return
        told = json.loads(self.options.tells.pop(0)) if self.options.tells else {}
        for piece, is_last in pieces(b"".join(records)):
            more = told if is_last else {}
            self.link.send(piece, type="samples", arm=message["arm"], last=is_last, **more)

    def run(self, phase: str, steps: int, message: dict[str, Any], halt: bool) -> list[bytes]:
        """Steps of known length; one packed record for each group of them."""
        records = []
        arm = message["arm"] + self.lies("slice")
        start = time.monotonic_ns()
        left = steps
        while left > 0:
            count = min(message["group"], left)
            wait_until(start + count * self.options.step_us * 1000, self.options.sleep)
            planted = start + count * self.options.step_us * 1000
            end = planted if self.options.exact else time.monotonic_ns()
            records.append(pack_sample(message["slice"], arm, phase, count, start, end))
            start, left = end, left - count
            if halt and left <= steps // 2:
                os.kill(os.getpid(), signal.SIGSTOP)
                halt = False
        return records

    def release(self, message: dict[str, Any]) -> None:
        self.link.send(type="released", arm=message["arm"])

    def stop(self, _: dict[str, Any]) -> NoReturn:
        sys.exit(0)

    def lies(self, where: str) -> int:
        return int(self.armed and self.options.behave == "lie" and self.options.on == where)

    def stops_mid_slice(self) -> bool:
        return self.armed and self.options.behave == "stop-mid-slice"

    def serve(self) -> NoReturn:
        answers = {
            name: getattr(self, name)
            for name in ("hello", "prepare", "join", "check", "slice", "release", "stop")
        }
        while True:
            message = self.link.receive()
            is_place = self.armed and message["type"] == self.options.on
            if is_place and self.misbehave(message):
                continue
            answers[message["type"]](message)


BEHAVIOURS = (
    "ok hang segv exit oom lie flood-log flood-link garbage slow stop-mid-slice spawn-orphan error "
    "kill-parent stop-parent kill stop spin eof giant wait"
).split()
PLACES = ("hello", "prepare", "check", "slice", "samples")  # the last: made, and not sent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--behave", choices=BEHAVIOURS, default="ok")
    parser.add_argument("--on", choices=PLACES, default="slice")
    parser.add_argument("--engine", default="native", help="name it says it is")
    parser.add_argument("--step-us", type=int, default=100)
    parser.add_argument(
        "--exact", action="store_true", help="report --step-us, however long the machine took"
    )
    parser.add_argument(
        "--tells", nargs="+", help="JSON of what goes with the samples of the first slices"
    )
    parser.add_argument("--peak-mib", type=int, default=1, help="memory that it says an arm takes")
    parser.add_argument(
        "--sleep", action="store_true", help="sleep through steps instead of spinning"
    )
    parser.add_argument("--slow-seconds", type=float, default=1.0, help="delay of --behave slow")
    parser.add_argument(
        "--answers-together", action="store_true", help="say that it takes requests ahead"
    )
    parser.add_argument("--packed", default="", help="say that it reads messages packed so")
    parser.add_argument("--count-file", help="each start appends its pid here")
    parser.add_argument(
        "--only-attempt", type=int, help="misbehave only in this start (needs --count-file)"
    )
    parser.add_argument(
        "--shares-zeros", action="store_true", help="as a rank that has written over what it shares"
    )
    parser.add_argument("--wait-file", type=Path, help="where --behave wait tells that it waits")
    parser.add_argument(
        "--beside",
        help="the file of this name and `.orders` holds more options, if it is there; each arm that is prepared appends "
        "its seed to that with `.notes`",
    )
    options = parser.parse_args()
    if options.beside and Path(f"{options.beside}.orders").exists():
        more = shlex.split(Path(f"{options.beside}.orders").read_text())
        options = parser.parse_args([*sys.argv[1:], *more])
    Fake(options).serve()


if __name__ == "__main__":
    main()
