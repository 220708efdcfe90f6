"""A kind of fault: where it is tried, and in which variants."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from bout import Bout, Rows


@dataclass
class Try:
    """One fault at one point."""

    expected: Rows
    point: int
    variant: str
    chance: random.Random
    is_reached: bool = True  # false: the run ended before, so nothing was tried
    count: int = 1  # faults
    bouts: list[Bout] = field(default_factory=list)

    def bout(self, trial_timeout: str = "20s") -> Bout:
        self.bouts.append(Bout(self.expected, trial_timeout))
        return self.bouts[-1]


@dataclass(frozen=True)
class Kind:
    name: str
    attempt: Callable[[Try], None]
    points: tuple[int, ...]
    variants: tuple[str, ...]
    why_not: str  # at the other points; the name of a reason
    only_at: dict[str, tuple[int, ...]] = field(
        default_factory=dict
    )  # variants that fit few points

    def variants_at(self, point: int) -> list[str]:
        if point not in self.points:
            return []
        return [v for v in self.variants if point in self.only_at.get(v, self.points)]
