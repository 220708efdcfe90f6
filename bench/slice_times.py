"""What a comparison compares, of each trial: the time of a slice / its steps."""

from __future__ import annotations

import statistics
from collections.abc import Iterable


def medians_of_slices(samples: Iterable[dict[str, str]]) -> dict[str, float]:
    """A sample alone says little of an engine that starts work and waits for it when its slice ends."""
    slices: dict[str, dict[tuple[str, str], tuple[float, int]]] = {}
    for sample in samples:
        own, at = (
            slices.setdefault(sample["trial_hash"], {}),
            (sample["block_index"], sample["slice"]),
        )
        seconds, steps = own.get(at, (0.0, 0))
        own[at] = (seconds + float(sample["wall_s"]), steps + int(sample["steps"]))
    return {
        trial: statistics.median(seconds / steps for seconds, steps in own.values())
        for trial, own in slices.items()
    }
