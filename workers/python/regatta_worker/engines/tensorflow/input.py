"""How batches reach TensorFlow: as arrays, as tensors that stay, or through tf.data."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import tensorflow as tf

from ...inputs import Batches, Settings

Batch = tuple[np.ndarray, np.ndarray]


def as_float32(x: Any) -> tf.Tensor:
    x = tf.convert_to_tensor(x)
    return tf.cast(x, tf.float32) if x.dtype == tf.float64 else x


def columns_of(batches: Batches) -> list[Batch]:
    """Targets as Keras wants them: a class, too, is a column."""
    ys = [y[:, None] if y.ndim == 1 else y for y in batches.ys]
    return list(zip(batches.xs, ys))


def number(level: str) -> int:
    """0, 1, ... or tf.data's AUTOTUNE."""
    return tf.data.AUTOTUNE if level == "auto" else int(level)


def dataset_of(x: Any, y: Any, rows: int, settings: Settings) -> tf.data.Dataset:
    """The rows of x and y again and again, in order, in batches; float64 is cast in its map.

    Its threads belong to the iterator and end with it. tf.data would share the pool of operations
    (one thread, so that two mapping threads would be one): it gets a pool of its own.
    """
    threads, prefetch = settings.own["map_threads"], settings.own["prefetch"]
    options = tf.data.Options()
    options.threading.private_threadpool_size = 0 if threads == "auto" else int(threads)
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat()
    dataset = dataset.batch(rows, drop_remainder=True).map(
        lambda x, y: (as_float32(x), y),
        num_parallel_calls=None if threads == "1" else number(threads),
    )
    if prefetch != "0":
        dataset = dataset.prefetch(number(prefetch))
    return dataset.with_options(options)


class Stream:
    """Batches of a dataset in a loop of ours."""

    def __init__(self, dataset: tf.data.Dataset) -> None:
        self.batches = iter(dataset)

    def __call__(self) -> tuple[tf.Tensor, tf.Tensor]:
        return next(self.batches)

    def close(self) -> None:
        """Ends the iterator's threads: it goes when nobody holds it any more."""
        self.batches = iter(())


def joined(batches: list[Batch], first: int, count: int) -> Batch:
    """`count` batches from batch `first` on, around the end, as one."""
    chosen = [batches[(first + i) % len(batches)] for i in range(count)]
    if count == 1:
        return chosen[0]
    x, y = (np.concatenate(parts) for parts in zip(*chosen))
    return x, y


def calls_of(batches: list[Batch], settings: Settings) -> list[Any]:
    """What successive calls of a Keras loop are given, again and again: each goes on where the last one ended.

    A Keras loop begins its dataset anew in every call, so each has a dataset of its own.
    """
    steps, rows = settings.steps_per_call, len(batches[0][0])
    firsts = [call * steps for call in range(math.lcm(len(batches), steps) // steps)]
    if settings.input == "pipeline":
        count = steps if len(batches) > steps else len(batches)
        return [dataset_of(*joined(batches, first, count), rows, settings) for first in firsts]
    arrays = [joined(batches, first, steps) for first in firsts]
    if settings.input == "array":
        return arrays
    return [(as_float32(x), tf.constant(y)) for x, y in arrays]


def endless(things: list[Any]) -> Any:
    """A function that gives them one after the other, again and again."""
    return itertools.cycle(things).__next__
