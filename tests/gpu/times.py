"""The times of an arm that phase 30 measures."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field


@dataclass
class ArmTimes:
    prepare_seconds: float = 0.0
    first_seconds: float = 0.0  # the first step compiles or captures, beside those of other arms
    warm_seconds: float = 0.0  # a step behind those
    slices: list[float] = field(default_factory=list)  # seconds of a step, by round
    refused: str = ""

    @property
    def median(self) -> float | None:
        return statistics.median(self.slices) if self.slices else None


Table = dict[str, dict[str, ArmTimes]]  # by trial, by arm


@dataclass
class Range:
    """Over rounds."""

    median: float
    low: float
    high: float


def ratio(arm: ArmTimes, other: ArmTimes) -> Range | None:
    """How many times as long as `other` it takes; by rounds that both took."""
    quotients = [a / b for a, b in zip(arm.slices, other.slices)]
    if not quotients:
        return None
    return Range(statistics.median(quotients), min(quotients), max(quotients))
