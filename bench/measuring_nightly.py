"""Repeats the live A/A test (T2) and the live coverage test (T4) for hours; one line of a table a round.

    python3 -m bench.measuring_nightly --hours 8 [--table measuring_nightly.csv]

Every round has a fresh seed, which stands in its line: `tests/measuring/aa_test.py --seed N --once` repeats one.
The table is appended to, never rewritten, so that nights add up. Its columns:

    utc           when the round began
    seed          of T2; T4 has the next one
    load          1-minute load average when the round began: what else the machine did
    aa            contrasts between identical code (T2), and of these:
    aa_same, aa_undecided, aa_false
    contrasts     contrasts of known effects within 3 % (T4), and of these:
    held          intervals that hold the truth (95 % are promised)
    wrong_side    verdicts that name the wrong winner
    error_median, error_max   of T4's estimates, as a share
    seconds       the round took
    problem       why a round gave no figures; else empty

The last line printed sums the table up. Exit code 1 if a round gave no figures.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from tools.bars import fresh_seed, middle
from tools.known_contrasts import aa, short_contrasts
from tools.planted import MeasuringError

COLUMNS = (
    "utc", "seed", "load", "aa", "aa_same", "aa_undecided", "aa_false", "contrasts", "held", "wrong_side",
    "error_median", "error_max", "seconds", "problem",
)  # fmt: skip


def figures(seed: int) -> dict[str, object]:
    pairs = [aa("native", seed), aa("numpy", seed)]
    short = short_contrasts(seed + 1)
    errors = [each.error for each in short.contrasts]
    return {
        "aa": sum(len(pair.contrasts) for pair in pairs),
        "aa_same": sum(pair.count("same") for pair in pairs),
        "aa_undecided": sum(pair.count("undecided") for pair in pairs),
        "aa_false": sum(pair.false for pair in pairs),
        "contrasts": len(short.contrasts),
        "held": sum(each.holds for each in short.contrasts),
        "wrong_side": short.false,
        "error_median": f"{middle(errors):.5f}",
        "error_max": f"{max(errors):.5f}",
    }


def round_of(seed: int) -> dict[str, object]:
    start = time.monotonic()
    line: dict[str, object] = {
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": seed,
        "load": f"{os.getloadavg()[0]:.2f}",
    }
    try:
        line |= figures(seed)
    except MeasuringError as error:
        line["problem"] = str(error).splitlines()[0]
    return {**line, "seconds": f"{time.monotonic() - start:.0f}"}


def append(table: Path, line: dict[str, object]) -> None:
    is_new = not table.exists()
    with open(table, "a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(line)


def summary(table: Path) -> str:
    with open(table, newline="") as file:
        lines = [line for line in csv.DictReader(file) if not line["problem"]]

    def total(column: str) -> int:
        return sum(int(line[column]) for line in lines)

    return (
        f"{len(lines)} rounds: A/A {total('aa_same')} same, {total('aa_undecided')} undecided, "
        f"{total('aa_false')} false of {total('aa')}; {total('held')} of {total('contrasts')} intervals hold the truth"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--hours", type=float, required=True, help="no round starts after this time"
    )
    parser.add_argument("--table", type=Path, default=Path("measuring_nightly.csv"))
    options = parser.parse_args()
    end = time.monotonic() + options.hours * 3600
    failed = False
    while True:
        line = round_of(fresh_seed())
        append(options.table, line)
        failed = failed or "problem" in line
        print(", ".join(f"{name} {value}" for name, value in line.items()), flush=True)
        if time.monotonic() >= end:
            break
    print(summary(options.table))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
