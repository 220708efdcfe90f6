"""How batches reach TensorFlow: as arrays, as tensors that stay, through tf.data or through Regatta's loader."""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Tuple

import numpy as np
import tensorflow as tf

from ...inputs import Batches, Settings, casts_in_step
from .versions import automatic_pool_size, autotune, threading_of

Batch = Tuple[np.ndarray, np.ndarray]


def as_float32(x: Any, scale: float | None) -> tf.Tensor:
    """float64 and, where there is a scale, bytes as float32; other whole numbers stay."""
    x = tf.convert_to_tensor(x)
    if x.dtype == tf.float64:
        return tf.cast(x, tf.float32)
    if scale is None or x.dtype != tf.uint8:
        return x
    x = tf.cast(x, tf.float32)
    return x if scale == 1 else x * scale


def as_column(y: np.ndarray) -> np.ndarray:
    """A class, too, is a column: targets as Keras wants them."""
    return y.reshape(-1, 1) if y.ndim == 1 else y


def columns_of(batches: Batches) -> list[Batch]:
    return [(x, as_column(y)) for x, y in zip(batches.xs, batches.ys)]


def number(level: str) -> int:
    """0, 1, ... or tf.data's AUTOTUNE."""
    return autotune() if level == "auto" else int(level)


def dataset_of(
    x: Any, y: Any, rows: int, settings: Settings, scale: float | None
) -> tf.data.Dataset:
    """The rows of x and y again and again, in order, in batches; its map makes them float32, if the step does not.

    Its threads belong to the iterator and end with it. tf.data would share the pool of operations
    (one thread, so that two mapping threads would be one): it gets a pool of its own.
    """
    threads, prefetch = settings.own["map_threads"], settings.own["prefetch"]
    options = tf.data.Options()
    pool = automatic_pool_size() if threads == "auto" else int(threads)
    threading_of(options).private_threadpool_size = pool
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat()
    dataset = dataset.batch(rows, drop_remainder=True)
    if not casts_in_step(settings):
        dataset = dataset.map(
            lambda x, y: (as_float32(x, scale), y),
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


def calls_of(batches: list[Batch], settings: Settings, scale: float | None) -> list[Any]:
    """The inputs of successive calls of a Keras loop, again and again: each goes on where the last one ended.

    A Keras loop begins its dataset anew in every call, so each has a dataset of its own.
    """
    steps, rows = settings.steps_per_call, len(batches[0][0])
    calls = len(batches) // math.gcd(len(batches), steps)
    firsts = [call * steps for call in range(calls)]
    if settings.input == "pipeline":
        count = steps if len(batches) > steps else len(batches)
        wholes = [joined(batches, first, count) for first in firsts]
        return [dataset_of(*whole, rows, settings, scale) for whole in wholes]
    arrays = [joined(batches, first, steps) for first in firsts]
    if settings.input == "array":
        return arrays
    return [(as_float32(x, scale), tf.constant(y)) for x, y in arrays]


def endless(things: list[Any]) -> Any:
    """A function that gives them one after the other, again and again."""
    return itertools.cycle(things).__next__


def keras_call(model: Any, loop: str, following: Callable[[], Any], rows: int) -> Callable[[], Any]:
    """One call of a loop of Keras on the arrays (or, of a single batch, the tensors) that come next."""
    if loop == "train_on_batch":
        return lambda: model.train_on_batch(*following())
    if loop == "fit":
        return lambda: model.fit(*following(), batch_size=rows, shuffle=False, verbose=0)
    if loop == "predict_on_batch":
        return lambda: model.predict_on_batch(following()[0])
    return lambda: model.predict(following()[0], batch_size=rows, verbose=0)
