"""Helpers for tests of `regatta-worker feed`: files whose rows tell which they are, and the feed's own process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Callable

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
WORKER = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin" / "regatta-worker"
os.environ["REGATTA_WORKER"] = str(WORKER)
sys.path[:0] = [str(ROOT), str(ROOT / "workers" / "python")]

from regatta.feed import Feed  # noqa: E402

ROWS, WIDTH, BATCH = 403, 6, 20
STEPS_PER_EPOCH = ROWS // BATCH
DEADLINE_SECONDS = 20.0


def until(holds: Callable[[], bool]) -> bool:
    """Whether it holds at some time before the deadline."""
    end = time.monotonic() + DEADLINE_SECONDS
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def children_of(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(word) for word in text.split()]


def is_gone(process: int) -> bool:
    """No such process, or one that only waits for its parent to look at it."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


class WithFiles(unittest.TestCase):
    """x.npy holds bytes, y.npy the number of the row."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.x = np.random.default_rng(0).integers(0, 256, (ROWS, WIDTH), np.uint8)
        self.y = np.arange(ROWS)
        np.save(self.folder / "x.npy", self.x)
        np.save(self.folder / "y.npy", self.y)

    def words(self, *options: object) -> list[str]:
        files = ["--data", self.folder / "x.npy", "--labels", self.folder / "y.npy"]
        return [str(word) for word in (*files, "--batch", BATCH, *options)]

    def feed(self, *options: object, patience_seconds: float = 60.0) -> Feed:
        feed = Feed(self.words(*options), patience_seconds)
        self.addCleanup(feed.close)
        return feed

    def run_alone(self, script: str, *arguments: object) -> subprocess.Popen[str]:
        """A consumer in a process group of its own, as a worker of the launcher is."""
        command = [sys.executable, "-c", script, *(str(argument) for argument in arguments)]
        variables = {**os.environ, "PYTHONPATH": str(ROOT / "workers" / "python")}
        consumer = subprocess.Popen(
            command,
            env=variables,
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
            process_group=0,
        )
        self.addCleanup(consumer.communicate)
        self.addCleanup(consumer.kill)
        return consumer
