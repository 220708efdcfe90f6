"""Batches that the process `regatta-worker feed` makes, in memory that it shares with this one: nothing is copied here.

One socket leads to it. It begins with a line of JSON that says how the memory is cut, and the memory's descriptor;
from then on a byte comes for each batch that is ready, and a byte goes for each that is given back.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
import weakref
from pathlib import Path
from typing import Any, Callable, TypeVar

VERSION = 1
PROGRAM = "regatta-worker"
OPENING_PATIENCE = 10  # times as long: a file that has to be converted is read whole first
TICK_SECONDS = (
    1.0  # a wait is so many of these: one in which both processes were stopped counts as one, too
)
END_SECONDS = 5.0  # to end by itself, before it is ended
PIECE_BYTES = 1 << 16
TOLD_BYTES = 4096  # of what it wrote to stderr

Answer = TypeVar("Answer")


class FeedError(RuntimeError):
    """The process ended: `line` is the last that it wrote, `is_refused` whether it refused what it was asked for."""

    def __init__(self, status: int, line: str) -> None:
        self.line, self.is_refused = line, status == 2
        how = f"exit code {status}"
        if status < 0:
            how = f"killed by {signal.Signals(-status).name}"
        super().__init__(
            f"{PROGRAM} feed ended ({how}): {line or 'it said nothing (is memory short?)'}"
        )


def _program() -> str:
    """Beside this package, as it is built and installed; a copy of the package looks in PATH."""
    beside = Path(__file__).resolve().parents[4] / "bin" / PROGRAM
    named = os.environ.get("REGATTA_WORKER") or (str(beside) if beside.is_file() else None)
    found = named or shutil.which(PROGRAM)
    if found is None:
        raise FileNotFoundError(
            f"{PROGRAM} is neither {beside} nor in PATH (it makes the batches); set REGATTA_WORKER to its path"
        )
    return found


class Feed:
    """Batches that `regatta-worker feed` makes, where it put them. For one thread at a time."""

    def __init__(self, words: list[str], patience_seconds: float = 60.0) -> None:
        """`words` are the arguments behind `feed`. Raises FeedError with what it refused."""
        self._patience_seconds = patience_seconds
        self._link, theirs = socket.socketpair()
        self._tick_seconds = min(TICK_SECONDS, patience_seconds)
        part, whole = math.modf(self._tick_seconds)
        limit = struct.pack("ll", int(whole), int(part * 1e6))
        self._link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        self._errors = os.memfd_create(
            "regatta-feed"
        )  # written to without a reader that could fall behind
        with theirs:
            self._process = _start(words, theirs.fileno(), self._errors)
        self._end = weakref.finalize(
            self, _end_of, self._process, self._link, self._errors, os.getpid()
        )
        self._at, self._returned, self._known = (
            -1,
            0,
            0,
        )  # batch of the last turn; given back; known to be ready
        self._edge = 0  # the batch before which something is to be done
        self._wait = self._compute = 0.0
        self._since: float | None = (
            None  # when the caller got its batch; None: its time does not count
        )
        try:
            self._lay_out(*self._opening())
        except BaseException:
            self.close()
            raise

    def _opening(self) -> tuple[dict[str, Any], int]:
        """How the memory is cut, and its descriptor."""
        text, fds = b"", []
        while b"\n" not in text:
            piece, some, _, _ = self._patiently(
                lambda: socket.recv_fds(self._link, PIECE_BYTES, 1), OPENING_PATIENCE
            )
            if not piece:
                raise self._death()
            text, fds = text + piece, fds + list(some)
        line, _, ready = text.partition(b"\n")
        self._known = len(ready)
        header = json.loads(line)
        if header["version"] != VERSION:
            os.close(fds[0])
            raise RuntimeError(
                f"{PROGRAM} speaks version {header['version']} of the feed, this package {VERSION}; "
                "take both from one Regatta"
            )
        return header, fds[0]

    def _lay_out(self, header: dict[str, Any], fd: int) -> None:
        import numpy as np

        # Shared: a page of a private mapping that was written to once would never show another batch. Writable, as
        # frameworks want it; what is written into a batch is gone with it.
        slab = mmap.mmap(fd, header["slab_bytes"])
        os.close(fd)
        self.depth: int = header["depth"]
        self.steps_per_epoch: int = header["steps_per_epoch"]
        self.places: list[tuple[np.ndarray, ...]] = [
            tuple(
                np.ndarray(
                    (header["batch"], *field["shape"]),
                    field["type"],
                    slab,
                    place * header["place_bytes"] + field["offset"],
                )
                for field in header["fields"]
            )
            for place in range(self.depth)
        ]
        self._lump = max(1, self.depth // 4)  # given back at once
        self._parts: list[str] = header["times"]
        self._parts_seconds = np.ndarray(len(self._parts), np.float64, slab, header["times_offset"])

    # ---- batches -----------------------------------------------------------------------------------

    def next(self) -> int:
        """The place of the next batch; gives the one before back, which is filled again."""
        at = self._at + 1
        if at >= self._edge:
            self._turn(at)
        self._at = at
        return at % self.depth

    def _turn(self, at: int) -> None:
        """Gives back what is due before batch `at`, and waits for that one if it is not known to be ready."""
        begin = time.perf_counter()
        if self._since is not None:
            self._compute += begin - self._since
        self._since = begin
        due, is_short = at - self._returned, at >= self._known
        if due >= self._lump or (due > 0 and is_short):
            self._give_back(due)
        if is_short:
            self._await()
            self._since = time.perf_counter()
            self._wait += self._since - begin
        self._edge = min(self._known, self._returned + self._lump)

    def _give_back(self, count: int) -> None:
        if not self._end.alive:
            raise RuntimeError("this feed is closed; make another one")
        self._returned += count
        try:
            os.write(self._link.fileno(), bytes(count))
        except (BrokenPipeError, ConnectionResetError):
            pass  # what it made before it ended is there: its end is told behind that

    def _await(self) -> None:
        """At least one more batch."""
        if not self._end.alive:
            raise RuntimeError("this feed is closed; make another one")
        link = self._link.fileno()
        ready = self._patiently(lambda: os.read(link, PIECE_BYTES))
        if not ready:
            raise self._death()
        self._known += len(ready)

    def _patiently(self, ask: Callable[[], Answer], times: int = 1) -> Answer | bytes:
        """The answer; nothing where the other end is closed."""
        seconds = times * self._patience_seconds
        for _ in range(max(1, math.ceil(seconds / self._tick_seconds))):
            try:
                return ask()
            except BlockingIOError:
                pass
            except ConnectionResetError:
                return b""
        raise RuntimeError(
            f"{PROGRAM} feed gave nothing for {seconds:.0f} s (it runs, and waits for its data); look at the storage"
        )

    def _death(self) -> FeedError:
        status = _status_of(self._process)
        size = os.fstat(self._errors).st_size
        told = os.pread(self._errors, TOLD_BYTES, max(0, size - TOLD_BYTES)).decode(
            errors="replace"
        )
        lines = told.strip().splitlines() or [""]
        return FeedError(status, lines[-1].removeprefix("regatta: error: "))

    # ---- times and the end -------------------------------------------------------------------------

    def seconds(self) -> dict[str, float]:
        """Where the time went so far: `wait` (there was no batch) and `compute` (there was one) of the caller, the
        others of the threads that make batches, all together; and how many `batches` there were. The caller's clock
        stands still from this call to its next batch."""
        if self._since is not None:
            self._compute += time.perf_counter() - self._since
            self._since, self._edge = None, 0
        own = {"wait": self._wait, "compute": self._compute, "batches": float(self._at + 1)}
        return {**own, **dict(zip(self._parts, self._parts_seconds.tolist()))}

    def close(self) -> None:
        """Ends the process. Arrays that are still held stay what they were."""
        self._edge, self.places = 0, []
        self._end()

    def __enter__(self) -> Feed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _start(words: list[str], link: int, errors: int) -> subprocess.Popen[bytes]:
    command = [_program(), "feed", *words, "--fd", str(link)]
    # The kernel ends it with the thread that started it. Another thread may be gone long before its batches are read:
    # then the end of the link has to do.
    if threading.current_thread() is threading.main_thread():
        command += ["--parent", str(os.getpid())]
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=errors, pass_fds=[link])


def _status_of(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _end_of(process: subprocess.Popen[bytes], link: socket.socket, errors: int, owner: int) -> None:
    if os.getpid() != owner:  # a forked copy of the process that reads the batches
        return
    try:
        link.shutdown(socket.SHUT_RDWR)  # forked copies may hold the descriptor open
    except OSError:  # it is gone already
        pass
    link.close()
    _status_of(process)
    os.close(errors)
