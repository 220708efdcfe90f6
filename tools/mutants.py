"""Planted bugs: each changes one shipped file and is linked in front of its library.

A folder of tests has a `mutants.py` that lists them and calls `main`:
mutants.py names                           NAME=FILE of each, for CMake
mutants.py places SOURCE_FOLDER            whether each finds the line that it changes
mutants.py plant NAME SOURCE_FOLDER OUT    the changed file
mutants.py find BINARY_DIR                 builds each and expects its tests to notice
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

LONGEST_SECONDS = 100  # time that a mutant may run: one that hangs was not noticed


class Mutant(NamedTuple):
    file: str
    shipped: str
    planted: str
    why: str


def planted_text(name: str, mutant: Mutant, text: str) -> str:
    if text.count(mutant.shipped) != 1:
        found = text.count(mutant.shipped)
        sys.exit(f"{mutant.file}: mutant {name} finds its place {found} times; quote it anew")
    return text.replace(mutant.shipped, mutant.planted)


def run_tests(program: Path, environment: dict[str, str], arguments: list[str]) -> str:
    """The output of the tests; nothing if they hang."""
    try:
        run = subprocess.run(
            [program, *arguments],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return ""
    return run.stdout


def failed_tests(output: str) -> list[str]:
    return sorted(set(re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", output, re.MULTILINE)))


def first_to_notice(program: Path) -> str:
    """The first test that fails: those after it could only hang on what is planted, and would tell nothing more."""
    return ", ".join(failed_tests(run_tests(program, {}, ["--gtest_fail_fast"])))


def find(
    folder: str, mutants: dict[str, Mutant], notice: Callable[[Path], str], binary_dir: Path
) -> int:
    build = ["cmake", "--build", str(binary_dir), "--target", f"{folder}_mutants"]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    if noticed := notice(binary_dir / "bin" / f"test_{folder}"):
        print(f"nothing is planted, and yet: {noticed}")
        return 1
    missed = 0
    for name, mutant in mutants.items():
        noticed = notice(binary_dir / "bin" / f"mutant_{folder}_{name}")
        print(f"{name}: {noticed or 'NOT FOUND'} ({mutant.why})", flush=True)
        missed += not noticed
    return 1 if missed else 0


def main(folder: str, mutants: dict[str, Mutant], notice: Callable[[Path], str]) -> None:
    """`notice` runs one mutant and says what noticed it; empty if nothing did."""
    match sys.argv[1:]:
        case ["names"]:
            print(";".join(f"{name}={mutant.file}" for name, mutant in mutants.items()))
        case ["places", source]:
            for name, mutant in mutants.items():
                planted_text(name, mutant, (Path(source) / mutant.file).read_text())
        case ["plant", name, source, out]:
            mutant = mutants[name]
            text = (Path(source) / mutant.file).read_text()
            Path(out).parent.mkdir(parents=True, exist_ok=True)
            Path(out).write_text(planted_text(name, mutant, text))
        case ["find", binary_dir]:
            sys.exit(find(folder, mutants, notice, Path(binary_dir)))
        case _:
            sys.exit(
                "usage: mutants.py names | places SOURCE_FOLDER | plant NAME SOURCE_FOLDER OUT | find DIR"
            )
