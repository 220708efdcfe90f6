"""A loop of several ranks: rank 0 talks to Regatta, and the others hear from it what it was told.

Each call of the package in rank 0 leaves a line with its answer, which the other ranks read: so all take the same steps
and stop after the same one. A script that is started by hand under torchrun has no such lines; then each rank counts
for itself.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import functools
import json
import os
import signal
import socket
import sys
import threading
import time
from typing import Any, Callable, Generator, Iterator, TypeVar

VARIABLE = (
    "REGATTA_MEETING"  # "ADDRESS PORT WORD": where rank 0 is heard, and the word that opens it
)
STEPS = (
    "step",
    "end",
    "should_stop",
)  # these stand in one order in all ranks; other calls may be left out
LISTEN_SECONDS = 300.0
END_SECONDS = 5.0
RETRY_SECONDS = 0.05

Answer = TypeVar("Answer")


def number() -> int:
    """The rank of this process; 0 where there are no others."""
    text = os.environ.get("RANK", "0")
    return int(text) if text.isdigit() else 0


def count() -> int:
    text = os.environ.get("WORLD_SIZE", "1")
    return int(text) if text.isdigit() else 1


def show_stacks_when_asked() -> None:
    """Regatta asks before it ends a rank that waits for another one."""
    asked_for = os.environ.get("PYTHONFAULTHANDLER") and "RANK" in os.environ
    if asked_for and signal.getsignal(signal.SIGUSR2) is signal.SIG_DFL:
        with contextlib.suppress(ValueError, OSError):  # no standard error
            faulthandler.register(signal.SIGUSR2, all_threads=True)


def shared(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """The answer of rank 0 in all ranks."""
    name = function.__name__

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Answer:
        other = listener()
        if other is not None:
            answer: Answer = other.hear(name)
            return answer
        answer = function(*arguments, **named)
        speaker = teller()
        if speaker is not None:
            speaker.tell(name, answer)
        return answer

    return call


@functools.lru_cache(maxsize=None)
def teller() -> Teller | None:
    """In rank 0, where others may listen."""
    if VARIABLE not in os.environ or number() != 0 or count() == 1:
        return None
    return Teller(*os.environ[VARIABLE].split(" "))


@functools.lru_cache(maxsize=None)
def listener() -> Listener | None:
    """In the other ranks."""
    if VARIABLE not in os.environ or number() == 0:
        return None
    return Listener(*os.environ[VARIABLE].split(" "))


def meet() -> None:
    """Rank 0 listens, and the others look for it."""
    teller()
    listener()


class Teller:
    """A rank that begins to listen hears everything from the beginning."""

    def __init__(self, address: str, port: str, word: str) -> None:
        self.word = word.encode() + b"\n"
        self.lock = threading.Lock()
        self.said = b""
        self.ears: list[socket.socket] = []
        self.missing = count() - 1  # ranks that did not begin to listen
        self.server = socket.socket()
        self.server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.server.bind((address, int(port)))
        self.server.listen(count())
        self.all_listen = threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()
        atexit.register(
            self.all_listen.wait, END_SECONDS
        )  # one that comes late finds all that was said

    def accept(self) -> None:
        while True:
            try:
                ear, _ = self.server.accept()
                ear.settimeout(LISTEN_SECONDS)
                if ear.makefile("rb").readline(len(self.word)) != self.word:
                    ear.close()
                    continue
                ear.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self.lock:
                    ear.sendall(self.said)
                    self.ears.append(ear)
                    self.missing -= 1
                    if self.missing == 0:
                        self.said = b""
                        self.all_listen.set()
            except OSError:  # this one went away; another may come
                if self.server.fileno() < 0:
                    return

    def tell(self, name: str, answer: Any = None) -> None:
        line = json.dumps([name, answer]).encode() + b"\n"
        with self.lock:
            if self.missing > 0:
                self.said += line
            for ear in list(self.ears):
                try:
                    ear.sendall(line)
                except OSError:  # a rank that has ended; Regatta sees that
                    self.ears.remove(ear)

    def steps(self, inner: Generator[Any, None, None]) -> Generator[Any, None, None]:
        """The steps of a loop, each told before it is taken."""
        try:
            for step in inner:
                self.tell("step", step.number)
                yield step
        finally:
            inner.close()
            self.tell("end")


class Listener:
    def __init__(self, address: str, port: str, word: str) -> None:
        self.known: dict[str, Any] = {}  # answers that stay the same as long as this process lives
        self.stream = self.connected(address, int(port), word).makefile("rb")

    @staticmethod
    def connected(address: str, port: int, word: str) -> socket.socket:
        deadline = time.monotonic() + LISTEN_SECONDS
        while True:
            try:
                link = socket.create_connection((address, port), timeout=LISTEN_SECONDS)
                link.sendall(word.encode() + b"\n")
                link.settimeout(
                    None
                )  # rank 0 may compute for as long as it likes; Regatta ends both
                return link
            except OSError:
                if time.monotonic() > deadline:
                    sys.exit(f"rank {number()}: rank 0 does not call regatta (at {address}:{port})")
                time.sleep(RETRY_SECONDS)

    def hear(self, wanted: str) -> Any:
        """The next answer of this name. Of calls that this rank does not make the answers are passed over."""
        if wanted in self.known:
            return self.known[wanted]
        while True:
            line = self.stream.readline()
            if not line:
                sys.exit(f"rank {number()}: rank 0 has ended, and said nothing of {wanted}")
            name, answer = json.loads(line)
            if name not in STEPS and name not in ("report", "parts"):
                self.known[name] = answer
            if name == wanted:
                return answer
            if name in STEPS:
                raise RuntimeError(
                    f"rank 0 is at regatta's {name}, and rank {number()} at {wanted}: all ranks ask in the same order"
                )

    def steps(self, step: Any) -> Iterator[Any]:
        while True:
            name, answer = self.next_step()
            if name == "end":
                return
            step.number = answer
            yield step

    def next_step(self) -> tuple[str, Any]:
        while True:
            line = self.stream.readline()
            if not line:
                sys.exit(f"rank {number()}: rank 0 has ended in the middle of its steps")
            name, answer = json.loads(line)
            if name in ("step", "end"):
                return name, answer
