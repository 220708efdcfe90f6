"""Runs of Regatta whose trials do nothing, as benchmarks set them beside something else: what is left is orchestration.

`regatta bench` measures what orchestration costs by itself.
"""

from __future__ import annotations

import time

from tools import journal
from tools.regatta_process import Scratch


def noops(count: int) -> dict:
    return {
        "regatta": 1,
        "name": "noop",
        "axes": {"model": ["noop"]},
        "repeats": count,
        "measure": {"slices": 1, "steps": 1},
    }


def block_times(scratch: Scratch) -> list[tuple[float, float]]:
    """Start and end (wall clock) of each recorded block, in the order of their starts."""
    return sorted(journal.block_times(record) for record in journal.results(scratch.journal))


def start_seconds(ranks: int) -> tuple[float, float]:
    """Seconds from the command line to the first trial, and of the whole sweep of four no-op trials."""
    scratch = Scratch(noops(4))
    start = time.time()
    assert scratch.run("--ranks", str(ranks)) == 0, scratch.output()
    whole = time.time() - start
    first = block_times(scratch)[0][0] - start
    scratch.remove()
    return first, whole
