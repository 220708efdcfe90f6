"""Batches that the process `regatta-worker feed` makes, in memory that it shares with this one: nothing is copied here."""

from __future__ import annotations

import json
import mmap
import os
import time
from typing import TYPE_CHECKING, Any

from .feeder import PROGRAM, Feeder, FeedError

if TYPE_CHECKING:
    import numpy as np

VERSION = 1
BATCH, START, STOP = b"b", b"s", b"t"  # a batch; the clock of who reads them starts, or stops


class Feed:
    """Batches that `regatta-worker feed` makes, where it put them. For one thread at a time."""

    def __init__(self, words: list[str], patience_seconds: float = 60.0) -> None:
        """`words` are the arguments behind `feed`. Raises FeedError with what it refused."""
        self._feeder = Feeder(words, patience_seconds)
        self._at = -1  # the batch that is held
        self._known = 0  # batches that were ready at some time
        self._returned = 0
        self._edge = 0  # the batch before which something is to be done
        self._wait = self._compute = 0.0
        self._since: float | None = None  # when the batch came; None: the clock stands still
        try:
            line, fd, ready = self._feeder.opening()
            self._known = len(ready)
            self._lay_out(json.loads(line.decode(errors="replace")), fd)
        except BaseException:
            self.close()
            raise

    def _lay_out(self, header: dict[str, Any], fd: int) -> None:
        import numpy as np

        if header["version"] != VERSION:
            os.close(fd)
            raise RuntimeError(
                f"{PROGRAM} speaks version {header['version']} of the feed, this package {VERSION}; "
                "take both from one Regatta"
            )
        # Shared: a page of a private mapping that was written to once would never show another batch. Writable, as
        # frameworks want it; what is written into a batch is gone with it.
        slab = mmap.mmap(fd, header["slab_bytes"])
        os.close(fd)
        self.depth: int = header["depth"]
        self.steps_per_epoch: int = header["steps_per_epoch"]
        fields = [
            ((header["batch"], *f["shape"]), f["type"], f["offset"]) for f in header["fields"]
        ]
        begins = [place * header["place_bytes"] for place in range(self.depth)]
        self.places: list[tuple[np.ndarray, ...]] = [
            tuple(np.ndarray(shape, type_, slab, begin + at) for shape, type_, at in fields)
            for begin in begins
        ]
        self._lump = max(1, self.depth // 4)  # so many are given back together
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
        if not self._feeder.close.alive:
            raise RuntimeError("this feed is closed; make another one")
        begin, said = time.perf_counter(), b""
        if self._since is None:
            said = START
        else:
            self._compute += begin - self._since
        self._since = begin
        due, is_short = at - self._returned, at >= self._known
        if due >= self._lump or is_short:
            said += BATCH * due
            self._returned = at
        if said:
            self._feeder.say(said)
        if is_short:
            self._await(BATCH)
            self._since = time.perf_counter()
            self._wait += self._since - begin
        self._edge = min(self._known, self._returned + self._lump)

    def _await(self, wanted: bytes) -> None:
        """One more of these at least; batches that come beside it are known as well."""
        heard = b""
        while wanted not in heard:
            heard = self._feeder.hear()
            self._known += heard.count(BATCH)

    # ---- times and the end -------------------------------------------------------------------------

    def seconds(self) -> dict[str, float]:
        """Where the time went so far: `wait` (there was no batch) and `compute` (there was one) of the caller, the
        others of the threads that make batches, all together; and how many `batches` there were. All these clocks
        stand still from this call to the caller's next batch."""
        if self._since is not None and self._feeder.close.alive:
            self._compute += time.perf_counter() - self._since
            self._since, self._edge = None, 0
            try:
                self._feeder.say(STOP)
                self._await(STOP)
            except FeedError:  # told when the next batch is asked for
                pass
        own = {"wait": self._wait, "compute": self._compute, "batches": float(self._at + 1)}
        return {**own, **dict(zip(self._parts, self._parts_seconds.tolist()))}

    def close(self) -> None:
        """Ends the process. Arrays that are still held stay what they were."""
        self._edge, self.places = 0, []
        self._feeder.close()

    def __enter__(self) -> Feed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
