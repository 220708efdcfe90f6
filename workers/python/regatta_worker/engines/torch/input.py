"""How batches reach torch: as arrays, as tensors that stay, through a DataLoader or through Regatta's loader."""

from __future__ import annotations

import itertools
from typing import Iterator, Tuple

import numpy as np
import torch
from torch.utils.data import DataLoader, Sampler, TensorDataset

Batch = Tuple[np.ndarray, np.ndarray]


def as_float32(x: torch.Tensor, scale: float | None) -> torch.Tensor:
    """float64 and, where there is a scale, bytes as float32; other whole numbers stay."""
    if x.dtype == torch.float64:
        return x.float()
    if scale is None or x.dtype != torch.uint8:
        return x
    return x.float() if scale == 1 else x.float() * scale


class FloatRows(TensorDataset):
    """Each sample becomes float32 as it is taken, in the process that takes it."""

    def __init__(self, x: torch.Tensor, y: torch.Tensor, scale: float | None) -> None:
        super().__init__(x, y)
        self.scale = scale

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        x, y = super().__getitem__(index)
        return as_float32(x, self.scale), y


class Endless(Sampler):
    """All rows in order, again and again: an epoch that ended would start its processes anew."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __iter__(self) -> Iterator[int]:
        return itertools.cycle(range(self.rows))


def rows_of(batches: list[Batch], scale: float | None, casts: bool) -> TensorDataset:
    """`casts`: samples of another type become float32 here."""
    x, y = (torch.from_numpy(np.concatenate(parts)) for parts in zip(*batches))
    return FloatRows(x, y, scale) if casts else TensorDataset(x, y)


class Loader:
    """Batches of so many rows, in order; each is put together from its rows, as a DataLoader does.

    With `workers` of them processes do that ahead of the step. They are forked here, so they stay
    in this process's group and on its cores, and they end with `close`.
    """

    def __init__(self, rows: TensorDataset, batch: int, workers: int) -> None:
        loader = DataLoader(
            rows,
            batch_size=batch,
            sampler=Endless(len(rows)),
            num_workers=workers,
        )
        self.batches = iter(loader)

    def __call__(self) -> list[torch.Tensor]:
        return next(self.batches)

    def close(self) -> None:
        """Ends the processes: torch's iterator waits for them when nobody holds it any more."""
        self.batches = iter(())
