"""`regatta duel` beside hyperfine on ten pairs whose truth is known: writes a part of docs/background/verdicts.md.

usage: python3 -m bench.duel_vs_hyperfine [--rounds 3] [--fresh] [--record FILE] [--page FILE] [--page-only]
Needs an idle machine, the default preset (build/, or REGATTA_BINARY_DIR) and hyperfine (apt-get install hyperfine).
In each round both tools are asked once about each pair: pairs in an order that is drawn, for each the tools in an order
that is drawn, and which program comes first is drawn, too. Rounds add up in the record.

Each pair does the same work twice, or one does a known multiple of the other's. `duel` is asked as it comes: margin 1 %,
30 s at most. hyperfine is asked as it comes but for its shell, which `duel` has none of: one run to warm up, on the core
that `duel` takes, and as many runs as it chooses. Two readings of the same runs are counted (bench/other_rules.py):

- plus-minus: "A ran R +- S times faster than B", as it prints, is a difference if 1 lies outside of R +- S. It has no
  word for "same": where there is no difference, "undecided" is the best that it can say.
- t test: its own scripts/welch_ttest.py, p < 0.05; what is no difference is "almost the same".
"""

from __future__ import annotations

import functools
import json
import random
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from bench import other_rules
from bench.duel_vs_hyperfine_page import JSON, PAGE, PAIRS, RECORD, Pair, write_page
from bench.native_vs_frameworks import git, machine_text
from bench.orchestrators import Ways, busy_cores, first_word_line, options_of, run
from bench.verdict_table import hyperfine_times
from tools.planted import MULTIPLIES, PLANTED
from tools.regatta_process import BINARY

PATIENCE_SECONDS = 120  # four times what `duel` may take
TURNED = {"slower": "faster", "faster": "slower"}


def command_lines(pair: Pair) -> tuple[str, str]:
    """The base and the other one."""
    if not pair.steps:
        return pair.base, pair.other
    spin = f"{PLANTED} --multiplies {MULTIPLIES} --standalone"
    return f"{spin} {pair.steps}", f"{spin} {round(pair.work * pair.steps)}"


def about_other(verdict: str, is_other_first: bool) -> str:
    """The same said of the other program, where it was said of the first."""
    return verdict if is_other_first else TURNED.get(verdict, verdict)


def duel(pair: Pair) -> JSON:
    is_other_first = random.random() < 0.5
    base, other = command_lines(pair)
    lines = [other, base] if is_other_first else [base, other]
    command = [str(BINARY), "duel", *lines, "--json"]
    start = time.monotonic()
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    seconds = time.monotonic() - start
    if done.returncode != 0:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")
    (contrast,) = json.loads(done.stdout)["contrasts"]
    verdict = about_other(contrast["verdict"] or "undecided", is_other_first)
    ratio = contrast["ratio"]
    if ratio and not is_other_first:
        ratio = 1 / ratio
    return {"seconds": seconds, "verdict": verdict, "ratio": ratio}


def hyperfine(pair: Pair) -> JSON:
    is_other_first = random.random() < 0.5
    base, other = command_lines(pair)
    lines = [other, base] if is_other_first else [base, other]
    start = time.monotonic()
    found = hyperfine_times(lines, PATIENCE_SECONDS)
    seconds = time.monotonic() - start
    other_times, base_times = found if is_other_first else reversed(found)
    return {
        "seconds": seconds,
        "verdict": other_rules.hyperfine(base_times, other_times),
        "welch": other_rules.hyperfine_welch(base_times, other_times),
        "ratio": sum(other_times) / len(other_times) * len(base_times) / sum(base_times),
        "runs": [len(base_times), len(other_times)],
    }


def ways() -> Ways:
    return {
        pair.name: {
            "duel": functools.partial(duel, pair),
            "hyperfine": functools.partial(hyperfine, pair),
        }
        for pair in PAIRS
    }


def new_record() -> JSON:
    """Where, when and of which versions."""
    measured = ["include", "src", "launcher"]
    changed = "+" if git("status", "--porcelain", "--", *measured) else ""
    return {
        "machine": machine_text(),
        "utc": datetime.now(UTC).isoformat(timespec="minutes"),
        "load": busy_cores(),
        "commit": git("log", "-1", "--format=%h", "--", *measured) + changed,
        "hyperfine": first_word_line("hyperfine", "--version").split()[-1],
        "seconds": 0.0,
        "rounds": [],
    }


def missing() -> list[str]:
    """The parts that have to be installed or built first."""
    found = []
    if shutil.which("hyperfine") is None:
        found.append(
            "hyperfine, which duel is compared with, is not installed: apt-get install hyperfine"
        )
    for program in (BINARY, Path(PLANTED)):
        if not program.exists():
            found.append(
                f"{program} is not there: cmake --build --preset default (with REGATTA_BUILD_TESTS on)"
            )
    return found  # fmt: skip


def main() -> int:
    options = options_of(__doc__, 3, RECORD, PAGE)
    if not options.page_only:
        if lacking := missing():
            print(*(f"bench.duel_vs_hyperfine: {what}" for what in lacking), sep="\n", file=sys.stderr)  # fmt: skip
            return 2
        is_new = options.fresh or not options.record.exists()
        record = new_record() if is_new else json.loads(options.record.read_text())
        run(ways(), record, options.rounds, options.record)
    write_page(options.page, json.loads(options.record.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
