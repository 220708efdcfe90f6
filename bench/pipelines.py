"""The frameworks' own pipelines over the same files, which bench/loader_vs_pipelines.py sets beside the loader.

usage: python3 bench/pipelines.py torch|tensorflow|numpy|feed KIND BATCH SECONDS DATA [LABELS]

KIND: cifar, idx, csv or npy. Tries each way of its framework for SECONDS and prints the fastest one, as JSON. `feed` is
Regatta's loader, read from Python.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np


def read(kind: str, data: str, labels: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels, mapped where the format allows it."""
    if kind == "cifar":
        rows = np.memmap(data, np.uint8, "r").reshape(-1, 3073)
        return rows[:, 1:], rows[:, 0]
    if kind == "idx":
        assert labels is not None
        return np.memmap(data, np.uint8, "r", 16).reshape(-1, 8, 8), np.memmap(
            labels, np.uint8, "r", 8
        )
    if kind == "csv":
        table = np.loadtxt(data, np.float32, delimiter=",", skiprows=1)
        return table[:, :-1].copy(), table[:, -1].copy()
    assert labels is not None
    return np.load(data, mmap_mode="r"), np.load(labels, mmap_mode="r")


def torch_ways(
    x: np.ndarray, y: np.ndarray, batch: int
) -> Iterator[tuple[str, Callable[[], Iterator[Any]]]]:
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Items(Dataset):
        def __len__(self) -> int:
            return len(y)

        def __getitem__(self, i: int) -> tuple[np.ndarray, Any]:
            return np.array(x[i]), y[i].item()

    class Batches(Items):
        """Fetched a batch at a time, as DataLoader allows it since 2.0."""

        def __getitems__(self, indices: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
            return torch.from_numpy(np.ascontiguousarray(x[indices])), torch.from_numpy(
                np.ascontiguousarray(y[indices])
            )

    def way(dataset: Dataset, workers: int, collate: Any) -> Callable[[], Iterator[Any]]:
        loader: DataLoader = DataLoader(
            dataset,
            batch,
            shuffle=True,
            num_workers=workers,
            persistent_workers=workers > 0,
            drop_last=True,
            collate_fn=collate,
        )
        return lambda: itertools.chain.from_iterable(loader for _ in itertools.count())

    for workers in (0, 1, 2):
        yield f"items, {workers} workers", way(Items(), workers, None)
        yield f"batches, {workers} workers", way(Batches(), workers, lambda batch: batch)


def tensorflow_ways(
    x: np.ndarray, y: np.ndarray, batch: int
) -> Iterator[tuple[str, Callable[[], Iterator[Any]]]]:
    import tensorflow as tf

    rows, labels = np.ascontiguousarray(x), np.ascontiguousarray(y)

    def slices() -> Iterator[Any]:
        data = tf.data.Dataset.from_tensor_slices((rows, labels)).shuffle(len(labels)).repeat()
        return iter(data.batch(batch, True, tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE))

    def gathered() -> Iterator[Any]:
        held_rows, held_labels = tf.constant(rows), tf.constant(labels)
        order = tf.data.Dataset.range(len(labels)).shuffle(len(labels)).repeat().batch(batch, True)
        data = order.map(
            lambda i: (tf.gather(held_rows, i), tf.gather(held_labels, i)), tf.data.AUTOTUNE
        )
        return iter(data.prefetch(tf.data.AUTOTUNE))

    yield "slices, autotuned", slices
    yield "gathered, autotuned", gathered


def numpy_ways(
    x: np.ndarray, y: np.ndarray, batch: int
) -> Iterator[tuple[str, Callable[[], Iterator[Any]]]]:
    def gathered() -> Iterator[Any]:
        random = np.random.default_rng(0)
        while True:
            order = random.permutation(len(y))
            for at in range(0, len(order) - batch + 1, batch):
                rows = order[at : at + batch]
                yield x[rows], y[rows]

    yield "gathered", gathered


def feed_ways(files: list[str], batch: int) -> Iterator[tuple[str, Callable[[], Iterator[Any]]]]:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "build/share/regatta/python"))
    import regatta

    for threads in (0, 1, 2):
        yield (
            f"{threads} threads",
            lambda threads=threads: regatta.batches(*files, batch=batch, threads=threads),
        )


def seconds_per_batch(batches: Iterator[Any], seconds: float) -> float:
    def take(limit: float) -> float:
        begin, count = time.perf_counter(), 0
        while time.perf_counter() - begin < limit:
            next(batches)
            count += 1
        return (time.perf_counter() - begin) / count

    take(seconds / 4)  # workers, caches and what is tuned
    return take(seconds)


def main() -> None:
    framework, kind, batch, seconds, data, *labels = sys.argv[1:]
    if framework == "feed":
        ways = feed_ways([data, *labels], int(batch))
    else:
        makers = {"torch": torch_ways, "tensorflow": tensorflow_ways, "numpy": numpy_ways}
        ways = makers[framework](*read(kind, data, labels[0] if labels else None), int(batch))
    tried = {name: seconds_per_batch(way(), float(seconds)) for name, way in ways}
    best = min(tried, key=tried.__getitem__)
    print(json.dumps({"seconds_per_batch": tried[best], "best": best, "tried": tried}))


if __name__ == "__main__":
    main()
