"""Batches of data files for a loop of one's own, made ahead by a process of Regatta's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterator

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
) -> Iterator[tuple[np.ndarray, ...]]:
    """Tuples of arrays, one for each array of the files, whose rows belong together. They are valid until the next
    turn: copy what is to be kept. Without `epochs` there is no end.

    `dtype` "float32" makes the first array value * `scale`; "file" leaves it as it is. docs/datasets.md says what the
    others mean. Raises ValueError for files that cannot be read.
    """
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
    }
    given = [(name, str(value)) for name, value in words.items() if value is not None]
    try:
        feed = Feed([word for pair in given for word in pair])
    except FeedError as error:
        raise _as_told(error) from None
    return _turns(feed, epochs)


def _turns(feed: Feed, epochs: int | None) -> Iterator[tuple[np.ndarray, ...]]:
    with feed:
        left = -1 if epochs is None else epochs * feed.steps_per_epoch
        while left != 0:
            try:
                place = feed.next()
            except FeedError as error:
                raise _as_told(error) from None
            yield feed.places[place]
            left -= 1


def _as_told(error: FeedError) -> Exception:
    return ValueError(error.line) if error.is_refused else error
