"""The input pipeline of torch: a DataLoader over the rows of the batches."""

from __future__ import annotations

import itertools
from typing import Iterator

import numpy as np
import torch
from torch.utils.data import DataLoader, Sampler, TensorDataset

Batch = tuple[np.ndarray, np.ndarray]


class Endless(Sampler):
    """All rows in order, again and again: an epoch that ended would start its processes anew."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __iter__(self) -> Iterator[int]:
        return itertools.cycle(range(self.rows))


class Loader:
    """Batches in the order of `batches`; each is put together from its rows, as a DataLoader does.

    With `workers` of them processes do that ahead of the step. They are forked here, so they stay
    in this process's group and on its cores, and they end with `close`.
    """

    def __init__(self, batches: list[Batch], workers: int) -> None:
        x, y = (torch.from_numpy(np.concatenate(parts)) for parts in zip(*batches))
        loader = DataLoader(
            TensorDataset(x, y),
            batch_size=len(batches[0][0]),
            sampler=Endless(len(x)),
            num_workers=workers,
        )
        self.batches = iter(loader)

    def __call__(self) -> list[torch.Tensor]:
        return next(self.batches)

    def close(self) -> None:
        """Ends the processes: torch's iterator waits for them when nobody holds it any more."""
        self.batches = iter(())
