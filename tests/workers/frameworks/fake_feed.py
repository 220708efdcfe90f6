"""A feed without a process, which spoils a place as soon as it is given back: who still reads it computes nonsense."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from regatta_worker import safetensors
from regatta_worker.order import Order, split

SPOILED = 0xC1  # in each byte: no number of any type that a step could take for a sample


def held_as(x: np.ndarray, kind: str, scale: float) -> np.ndarray:
    if x.dtype != np.float32 or kind == "float32":
        return x
    return np.rint(x / np.float32(scale)).astype(np.uint8) if kind == "uint8" else x.astype(kind)


class FakeFeed:
    """Gives what `regatta-worker feed` gives for the same words; two places, and no batch is ready before it is asked for."""

    depth = 2

    def __init__(self, words: list[str], patience_seconds: float = 60.0) -> None:
        self.words = dict(zip(words[::2], words[1::2]))
        self.at = -1
        self.x, self.y = self.made()
        first = self.batch(0)
        self.places = [tuple(self.place(like) for like in first) for _ in range(self.depth)]

    def made(self) -> tuple[np.ndarray, np.ndarray]:
        """(batches, rows, ...)"""
        if "--training" in self.words:
            return self.run()
        tensors = safetensors.read(self.words["--batches"])
        x, y = tensors["x"], tensors["y"]
        if self.words["--give"] == "file":
            x = held_as(x, self.words["--as"], float(self.words.get("--x-scale", 1)))
        return x, y

    def run(self) -> tuple[np.ndarray, np.ndarray]:
        words, tensors = self.words, safetensors.read(self.words["--training"])
        seed, batch = int(words["--seed"]), int(words["--batch"])
        training, _ = split(len(tensors["x"]), float(words["--validation"]), seed)
        order, first = Order(training, batch, seed), int(words["--first-step"])
        rows = np.array([order.rows_of(step) for step in range(first, 100)])
        return tensors["x"][rows], tensors["y"][rows]

    def batch(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        return self.x[number % len(self.x)], self.y[number % len(self.y)]

    @staticmethod
    def place(like: np.ndarray) -> np.ndarray:
        return np.ndarray(like.shape, like.dtype, mmap.mmap(-1, like.nbytes))

    def next(self) -> int:
        if self.at >= 0:
            for view in self.places[self.at % self.depth]:
                view.reshape(-1).view(np.uint8)[:] = SPOILED
        self.at += 1
        for view, array in zip(self.places[self.at % self.depth], self.batch(self.at)):
            view[...] = array
        return self.at % self.depth

    def seconds(self) -> dict[str, float]:
        names = ("wait", "compute", "read", "decode", "collate", "slot_wait")
        return {**dict.fromkeys(names, 1.0), "batches": self.at + 1.0}

    def close(self) -> None:
        """The views stay, as those of a feed do."""


def fake_open(words: list[str], settings: Any) -> FakeFeed:
    """In the place of fed.open_feed."""
    return FakeFeed(words)
