"""The bars of the CUDA engine, beside its results: with inputs that stay on the device."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from times import ArmTimes, Range, Table, ratio

OURS = "native graph"
FRAMEWORKS = ("torch", "jax")
AHEAD = 1.0  # times as fast as the fastest framework, in every trial
FAR_AHEAD = 3.0
SMALL = ("mlp-10", "mlp-784", "conv1d-small, 140", "cnn-28")  # their steps are mostly launches
MOST_MICROSECONDS = {"conv1d-small, 140": 30.0}


@dataclass
class Bar:
    trial: str
    us: float
    low_us: float
    high_us: float
    fastest: str  # framework
    fastest_us: float
    ahead: Range  # the framework's time over ours
    asked: str
    is_reached: bool

    def line(self) -> str:
        mark = "reached" if self.is_reached else "MISSED"
        return (
            f"{mark:8} {self.trial:20} {self.us:9.1f} us ({self.low_us:.1f} to {self.high_us:.1f})  "
            f"{self.fastest} {self.fastest_us:.1f} us  {self.ahead.median:.2f} times "
            f"({self.ahead.low:.2f} to {self.ahead.high:.2f}), asked: {self.asked}"
        )


def line(name: str, times: dict[str, ArmTimes]) -> str:
    cells = []
    ours = times.get(OURS, ArmTimes())
    for arm, each in times.items():
        if each.median is None:
            cells.append(f"{arm} – ({each.refused or 'no time left'})")
            continue
        quotient = ratio(each, ours)
        cells.append(
            f"{arm} {each.median * 1e6:.1f} us" + (f" ({quotient.median:.2f})" if quotient else "")
        )
    return f"{name}: " + ", ".join(cells)


def bar(trial: str, times: dict[str, ArmTimes]) -> Bar | str:
    """Or why there is none."""
    ours = times.get(OURS, ArmTimes())
    if ours.median is None:
        return ours.refused or "not measured"
    others = {
        arm: each.median
        for arm, each in times.items()
        if arm.startswith(FRAMEWORKS) and each.median is not None
    }
    if not others:
        return f"{ours.median * 1e6:.1f} us, and no framework to compare it with"
    fastest = min(others, key=lambda arm: others[arm])
    ahead = ratio(times[fastest], ours)
    if ahead is None:
        return "no round that both took"
    least = FAR_AHEAD if trial in SMALL else AHEAD
    most = MOST_MICROSECONDS.get(trial)
    us = ours.median * 1e6
    return Bar(
        trial,
        us,
        min(ours.slices) * 1e6,
        max(ours.slices) * 1e6,
        fastest,
        others[fastest] * 1e6,
        ahead,
        f"{least:g} times" + (f", {most:g} us" if most else ""),
        ahead.median >= least and (most is None or us <= most),
    )


def bars(table: Table) -> tuple[list[dict[str, Any]], str]:
    """For the file, and to be read."""
    kept, lines = (
        [],
        ["-- bars: native graph and the fastest framework; medians, ranges over rounds"],
    )
    for trial, times in table.items():
        found = bar(trial, times)
        if isinstance(found, str):
            kept.append({"trial": trial, "without": found})
            lines.append(f"{'unknown':8} {trial:20} {found}")
        else:
            kept.append(asdict(found))
            lines.append(found.line())
    reached = sum(bool(each.get("is_reached")) for each in kept)
    lines.append(f"{reached} of {len(kept)} bars are reached")
    return kept, "\n".join(lines)
