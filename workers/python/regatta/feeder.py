"""The process `regatta-worker feed` and the socket that leads to it (docs/reference/worker-protocol.md, "Feed")."""

from __future__ import annotations

import math
import os
import shutil
import signal
import socket
import struct
import subprocess
import threading
import weakref
from pathlib import Path
from typing import BinaryIO, Callable, TypeVar

from .older import anonymous_file, received_with_descriptors

PROGRAM = "regatta-worker"
OPENING_PATIENCE = 10  # times as long: a file that has to be converted is read whole first
# A wait is so many ticks: one in which both processes were stopped counts as one, too.
TICK_SECONDS = 1.0
END_SECONDS = 5.0  # to end by itself, before it is ended
PIECE_BYTES = 1 << 16
TOLD_BYTES = 4096  # at the end of what it wrote to stderr
REFUSED = 2  # its exit code

Answer = TypeVar("Answer")


class FeedError(RuntimeError):
    """The process ended: `line` is the last that it wrote, `is_refused` whether it refused what it was asked for."""

    def __init__(self, status: int, line: str) -> None:
        self.line, self.is_refused = line, status == REFUSED
        how = f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit code {status}"
        what = line or "it said nothing (is memory short?)"
        super().__init__(f"{PROGRAM} feed ended ({how}): {what}")


def program() -> str:
    """Beside this package, as it is built and installed; a copy of the package looks in PATH."""
    beside = os.path.normpath(Path(__file__).resolve().parent / "../../../../bin" / PROGRAM)
    named = os.environ.get("REGATTA_WORKER") or (beside if os.path.isfile(beside) else None)
    found = named or shutil.which(PROGRAM)
    if found is None:
        raise FileNotFoundError(
            f"{PROGRAM} is neither {beside} nor in PATH (it makes the batches); set REGATTA_WORKER to its path"
        )
    return found


class Feeder:
    """Ends with this object, with close() or with this process."""

    def __init__(self, words: list[str], patience_seconds: float) -> None:
        self._patience_seconds = patience_seconds
        self._tick_seconds = min(TICK_SECONDS, patience_seconds)
        part, whole = math.modf(self._tick_seconds)
        command = [program(), "feed", *words]
        # The kernel ends it with the thread that started it. Another thread may be gone long before its batches are
        # read: then the end of the link has to do.
        if threading.current_thread() is threading.main_thread():
            command += ["--parent", str(os.getpid())]
        self._link, theirs = socket.socketpair()
        limit = struct.pack("ll", int(whole), int(part * 1e6))
        self._link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        # A file, since somebody would have to read a pipe.
        self._told = open(anonymous_file("regatta-feed"), "rb")  # noqa: SIM115
        with theirs:
            self.process = subprocess.Popen(
                [*command, "--fd", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._told,
                pass_fds=[theirs.fileno()],
            )
        self.close = weakref.finalize(self, _end, self.process, self._link, self._told, os.getpid())

    def opening(self) -> tuple[bytes, int, bytes]:
        """Its first line, the descriptor that came with it, and what it said behind it."""
        said = b""
        fds: list[int] = []
        while b"\n" not in said:
            piece, some = self._patiently(
                lambda: received_with_descriptors(self._link, PIECE_BYTES, 1), OPENING_PATIENCE
            )
            if not piece:
                raise self._death()
            said, fds = said + piece, fds + some
        line, _, rest = said.partition(b"\n")
        return line, fds[0], rest

    def say(self, said: bytes) -> None:
        try:
            os.write(self._link.fileno(), said)
        except (BrokenPipeError, ConnectionResetError):
            pass  # batches made before it ended are there: its end is told behind them

    def hear(self) -> bytes:
        """At least one byte. Raises FeedError at the end."""
        link = self._link.fileno()
        said = self._patiently(lambda: os.read(link, PIECE_BYTES))
        if not said:
            raise self._death()
        return said

    def _patiently(self, ask: Callable[[], Answer], times: int = 1) -> Answer:
        """The answer. Raises FeedError where the other end is closed, RuntimeError where nothing comes."""
        seconds = times * self._patience_seconds
        for _ in range(max(1, math.ceil(seconds / self._tick_seconds))):
            try:
                return ask()
            except BlockingIOError:
                pass
            except ConnectionResetError:
                raise self._death() from None
        raise RuntimeError(
            f"{PROGRAM} feed gave nothing for {seconds:g} s (it runs, and waits for its data); look at the storage"
        )

    def _death(self) -> FeedError:
        status = _status_of(self.process)
        end = os.fstat(self._told.fileno()).st_size
        told = os.pread(self._told.fileno(), TOLD_BYTES, max(0, end - TOLD_BYTES))
        lines = told.decode(errors="replace").strip().splitlines() or [""]
        return FeedError(status, lines[-1].replace("regatta: error: ", "", 1))


def _status_of(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _end(process: subprocess.Popen[bytes], link: socket.socket, told: BinaryIO, owner: int) -> None:
    if os.getpid() != owner:  # a forked copy of the process that reads the batches
        return
    try:
        link.shutdown(socket.SHUT_RDWR)  # forked copies may hold the descriptor open
    except OSError:  # it is gone already
        pass
    link.close()
    _status_of(process)
    told.close()
