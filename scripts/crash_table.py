"""Tries every crash state and all the damage that tests/crashes knows, and writes the tables of docs/background/reliability.md.

Takes some minutes. The programs must be built.
usage: python3 -m scripts.crash_table [--build FOLDER] [--seed NUMBER] [--write PAGE]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from tools import ROOT, page_part

STATES = re.compile(
    r"^(?P<what>.+): (?P<operations>\d+) operations, (?P<points>\d+) points \(all states of (?P<whole>\d+)\), "
    r"(?P<built>\d+) states built, (?P<resumed>\d+) that differ resumed, (?P<lost>\d+) lost",
    re.MULTILINE,
)
DAMAGE = re.compile(
    r"^(?P<what>.+): (?P<files>\d+) (?:journals|files)(?P<ends>(?:, \d+ [a-z ]+)*), (?P<wrong>0 wrong|all refused)",
    re.MULTILINE,
)


def grouped(number: str) -> str:
    return f"{int(number):,}"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def states(output: str) -> str:
    head = ["recorded", "operations", "power fails at", "of which every state", "states built"]
    counts = ("operations", "points", "whole", "built", "resumed", "lost")
    found = [match.groupdict() for match in STATES.finditer(output)]
    total = {name: str(sum(int(each[name]) for each in found)) for name in counts}
    rows = [
        [each["what"], *(grouped(each[name]) for name in counts)]
        for each in [*found, {"what": "together", **total}]
    ]
    return table([*head, "that differ: resumed", "lost"], rows)


def damage(output: str) -> str:
    rows = []
    for match in DAMAGE.finditer(output):
        ends = [each for each in match["ends"].split(", ") if each]
        if match["wrong"] == "all refused":
            ends = [f"{match['files']} refused"]
        told = [re.sub(r"\d+", lambda number: grouped(number[0]), each) for each in ends]
        rows.append([match["what"], grouped(match["files"]), ", ".join(told), "0"])
    return table(["damaged", "files", "outcome", "wrong"], rows)


def page_text(output: str) -> str:
    return f"{states(output)}\n\n{damage(output)}"


def tried(build: Path, seed: int) -> str:
    environment = {**os.environ, "REGATTA_WHOLE": "1", "REGATTA_SEED": str(seed)}
    done = subprocess.run(
        [build / "bin" / "test_crashes"], env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, help="the page whose tables are replaced")
    options = parser.parse_args()
    text = page_text(tried(options.build, options.seed))
    print(text)
    if options.write:
        page_part.write(options.write, "crash_table.py", text)


if __name__ == "__main__":
    main()
