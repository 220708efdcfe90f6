"""The bars of a measuring test: attempts with seeds, one repeat in the open, and tables of what was found."""

from __future__ import annotations

import argparse
import secrets
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tools.planted import MeasuringError, Outcome

ATTEMPTS = 2  # the first, and one repeat under a fresh seed
HEADINGS = (
    "what", "n", "faster", "same", "slower", "undecided", "none", "false", "held",
    "error med", "error max", "blocks", "processes", "resolution", "seconds",
)  # fmt: skip
VERDICTS = ("faster", "same", "slower", "undecided", "none")


@dataclass(frozen=True)
class Bar:
    """A count or figure, and whether it is enough."""

    what: str
    is_met: bool


def percent(value: float) -> str:
    return f"{100 * value:.2f} %"


def middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def row(outcome: Outcome) -> list[str]:
    found = outcome.contrasts
    if not found:
        return [outcome.name, "0", *["-"] * (len(HEADINGS) - 3), f"{outcome.seconds:.1f}"]
    errors = [each.error for each in found]
    verdicts = Counter(each.verdict for each in found)
    return [
        outcome.name,
        str(len(found)),
        *[str(verdicts[verdict]) for verdict in VERDICTS],
        str(outcome.false),
        str(sum(each.holds for each in found)),
        percent(middle(errors)),
        percent(max(errors)),
        f"{middle([each.blocks for each in found]):g}",
        f"{middle([each.processes for each in found]):g}",
        percent(middle([each.resolution for each in found])),
        f"{outcome.seconds:.1f}",
    ]


def table(rows: list[list[str]], headings: tuple[str, ...] = HEADINGS) -> str:
    lines = [list(headings), *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headings))]

    def text(line: list[str]) -> str:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        return "  ".join([line[0].ljust(widths[0]), *cells[1:]])

    return "\n".join(text(line) for line in lines)


def flags_text(outcome: Outcome) -> str:
    counted = Counter(flag for each in outcome.contrasts for flag in each.flags)
    listed = ", ".join(f"{flag} {count}" for flag, count in counted.most_common())
    return f"  flags of {outcome.name}: {listed or 'none'}"


Attempt = Callable[[int], tuple[list[Outcome], list[Bar]]]


def attempt_once(attempt: Attempt, seed: int) -> bool:
    try:
        outcomes, bars = attempt(seed)
    except MeasuringError as error:
        print(error)
        return False
    print(table([row(outcome) for outcome in outcomes]))
    for outcome in outcomes:
        print(flags_text(outcome))
    for bar in bars:
        print(f"  {'met   ' if bar.is_met else 'MISSED'} {bar.what}")
    return all(bar.is_met for bar in bars)


def fresh_seed() -> int:
    return secrets.randbelow(1_000_000)


def run(title: str, attempt: Attempt) -> None:
    """Exits with 0 if all bars are met at the first or at the second attempt."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--seed", type=int, help="of the first attempt; default: a fresh one")
    parser.add_argument("--once", action="store_true", help="no repeat")
    options = parser.parse_args()
    seed = fresh_seed() if options.seed is None else options.seed
    for number in range(1 if options.once else ATTEMPTS):
        if number:
            seed = fresh_seed()
            print(f"REPEATED under a fresh seed, {seed}, because a bar was missed")
        print(f"{title}, seed {seed}", flush=True)
        if attempt_once(attempt, seed):
            sys.exit(0)
    sys.exit(1)
