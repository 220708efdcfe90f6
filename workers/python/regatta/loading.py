"""Batches of data files for a loop of one's own, made ahead by a process of Regatta's."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .feed import Feed
from .feeder import FeedError

if TYPE_CHECKING:
    import numpy as np


def batches(
    data: str | os.PathLike[str],
    labels: str | os.PathLike[str] | None = None,
    batch: int = 32,
    threads: int = 1,
    depth: int = 0,
    seed: int = 0,
    dtype: str = "file",
    scale: float = 1.0,
    order: str = "shuffled",
    epochs: int | None = None,
    csv_label: str | None = None,
    copy: bool = False,
    table: Mapping[str, str | bool | Sequence[str]] | None = None,
) -> Batches:
    """Tuples of arrays, one for each array of the files, whose rows belong together. They are valid until the next
    turn, unless each is a `copy`: what goes into a queue, to a thread or to another process has to be one. Without
    `epochs` there is no end.

    `table` has the keys that say how a CSV file is read: {"delimiter": ";", "drop": ["id"]}.

    `dtype` "float32" makes the first array value * `scale`; "file" leaves it as it is. docs/guide/your-data.md says what the
    others mean. Raises ValueError for files that cannot be read.
    """
    if epochs is not None and (not isinstance(epochs, int) or epochs < 1):
        raise ValueError(
            f"epochs is {epochs!r} (a whole number from 1 on, or None: no end); correct it"
        )
    words = {
        "--data": os.fspath(data),
        "--labels": None if labels is None else os.fspath(labels),
        "--csv-label": csv_label,
        "--batch": batch,
        "--threads": threads,
        "--depth": depth,
        "--seed": seed,
        "--dtype": dtype,
        "--scale": scale,
        "--order": order,
        **{f"--csv-{key}": _word(value) for key, value in (table or {}).items()},
    }
    given = [(name, str(value)) for name, value in words.items() if value is not None]
    try:
        feed = Feed([word for pair in given for word in pair])
    except FeedError as error:
        raise _as_told(error) from None
    return Batches(feed, epochs, copy)


def _word(value: str | bool | Sequence[str]) -> str:
    """As an option of a command has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else ",".join(value)


class Batches:
    """They belong to one process and one thread: another one makes its own."""

    def __init__(self, feed: Feed, epochs: int | None, copy: bool) -> None:
        self._feed, self._copies, self._owner = feed, copy, os.getpid()
        self._left = -1 if epochs is None else epochs * feed.steps_per_epoch
        self._error: Exception | None = None

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> tuple[np.ndarray, ...]:
        if os.getpid() != self._owner:  # two readers would take one another's batches
            raise RuntimeError(
                f"these batches are those of process {self._owner}, which forked this one; make others here"
            )
        if self._error is not None:
            raise self._error
        if self._left == 0:
            self._feed.close()
            raise StopIteration
        try:
            arrays = self._feed.places[self._feed.next()]
        except FeedError as error:
            self._error = _as_told(error)
            raise self._error from None
        self._left -= 1
        return tuple(array.copy() for array in arrays) if self._copies else arrays

    def close(self) -> None:
        """Ends the process that makes them; so does the end of this object."""
        self._left = 0
        self._feed.close()


def _as_told(error: FeedError) -> Exception:
    return ValueError(error.line) if error.is_refused else error
