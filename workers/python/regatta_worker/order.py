"""The rows that a step reads: a pure function of (seed, epoch, step), the same as that of regatta/data/plan.hpp."""

from __future__ import annotations

import math

import numpy as np

from .same_work import random_bits

MOST_SAMPLES = 1 << 32  # a dataset has fewer
SPLIT_STREAM = 0x73706C6974  # "split" in ASCII, apart from the streams of weights and batches
ORDER_STREAM = 1 << 34

_FIRST_FACTOR, _SECOND_FACTOR = np.uint32(0x85EBCA6B), np.uint32(0xC2B2AE35)


def random_number(seed: int, counter: int) -> int:
    """64 bits."""
    return int(random_bits(seed, np.array([counter], dtype=np.uint64))[0])


def _below(words: np.ndarray, places: np.uint32) -> np.ndarray:
    """Words whose upper bits depend on all of each (MurmurHash3's finaliser, the middle of it), made less than
    `places`, which fits into 17 bits."""
    words = words * _FIRST_FACTOR
    words = (words ^ (words >> np.uint32(13))) * _SECOND_FACTOR
    return ((words >> np.uint32(17)) * places) >> np.uint32(15)


def _sum_below(a: np.ndarray, b: np.ndarray, places: np.uint32) -> np.ndarray:
    both = a + b
    # The difference wraps around where `both` is below `places`.
    return np.minimum(both, both - places)


class Permutation:
    """Moves 0 .. size - 1 by a Feistel cipher over a x b >= size places; who lands beyond `size` walks on."""

    def __init__(self, size: int, key: int) -> None:
        if not 1 <= size < MOST_SAMPLES:
            raise ValueError(f"a permutation of {size} places (it has 1 to 2^32 - 1)")
        left = math.ceil(math.sqrt(size))
        self.size = size
        self.left, self.right = np.uint32(left), np.uint32(-(-size // left))
        self.rounds = (random_bits(key, np.arange(4)) >> np.uint64(32)).astype(np.uint32)

    def _moved(self, places: np.ndarray) -> np.ndarray:
        left, right = places % self.left, places // self.left
        for i in (0, 2):
            left = _sum_below(left, _below(right + self.rounds[i], self.left), self.left)
            right = _sum_below(right, _below(left + self.rounds[i + 1], self.right), self.right)
        return right * self.left + left

    def images(self) -> np.ndarray:
        """Where 0, 1, ... go: (size,) of int64, which indexing takes as it is."""
        images = self._moved(np.arange(self.size, dtype=np.uint32))
        beyond = np.flatnonzero(images >= self.size)
        while beyond.size:
            images[beyond] = self._moved(images[beyond])
            beyond = beyond[images[beyond] >= self.size]
        return images.astype(np.int64)


def order_of_epoch(samples: int, seed: int, epoch: int) -> np.ndarray:
    """(samples,) places in the training part, shuffled."""
    key = random_number(random_number(seed, ORDER_STREAM), epoch)
    return Permutation(samples, key).images()


def split(rows: int, validation: float, seed: int, own: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the training part, in the order that epochs shuffle, and of the validation part.

    `own`: how many of the last rows are a validation part that the data bring along; 0: the seed draws it."""
    if own:
        return np.arange(rows - own), np.arange(rows - own, rows)
    held_out = math.floor(rows * validation + 0.5)
    if held_out == 0:
        return np.arange(rows), np.empty(0, dtype=np.int64)
    images = Permutation(rows, random_number(seed, SPLIT_STREAM)).images()
    return images[held_out:], images[:held_out]


def _tested_of_classes(classes: np.ndarray, tested: int) -> dict[int, int]:
    """How many rows of each class are tested: the same share of all, what is left over where the remainders are
    largest, and never all rows of a class."""
    kinds, counts = np.unique(classes, return_counts=True)
    rows = dict(zip(kinds.tolist(), counts.tolist()))
    quota = {kind: count * tested // len(classes) for kind, count in rows.items()}
    left = tested - sum(quota.values())
    for kind in sorted(rows, key=lambda each: (-(rows[each] * tested % len(classes)), each)):
        if left and quota[kind] + 1 < rows[kind]:
            quota[kind] += 1
            left -= 1
    return quota


def tested_rows(rows: int, classes: np.ndarray | None, share: float = 0.2) -> np.ndarray:
    """Whether each row is in the test part: (rows,) of bool, the same as row_parts of src/data/batches/row_parts.cpp."""
    tested = min(max(math.floor(rows * share + 1e-9), 1), rows - 1)
    drawn = Permutation(rows, random_number(rows, 0)).images()
    is_tested = np.zeros(rows, dtype=bool)
    if classes is not None:
        due = _tested_of_classes(classes, tested)
        for row in drawn.tolist():
            kind = int(classes[row])
            if due[kind]:
                is_tested[row] = True
                due[kind] -= 1
    if not is_tested.any():
        is_tested[drawn[:tested]] = True
    return is_tested


class Order:
    """The rows of each step of a run; an epoch ends where no whole batch is left."""

    def __init__(self, training: np.ndarray, batch: int, seed: int) -> None:
        self.training, self.batch, self.seed = training, batch, seed
        self.steps_per_epoch = len(training) // batch
        self.epoch, self.rows = -1, training

    def rows_of(self, step: int) -> np.ndarray:
        """(batch,) rows of the data."""
        epoch, at = divmod(step, self.steps_per_epoch)
        if epoch != self.epoch:
            self.rows = self.training[order_of_epoch(len(self.training), self.seed, epoch)]
            self.epoch = epoch
        return self.rows[at * self.batch : (at + 1) * self.batch]
