#!/usr/bin/env python3
"""Runs an engine's tests with the interpreter that has the engine, as the launcher would find it.

usage: run_tests.py ENVIRONMENT TEST-FILE...     fails if there is no such environment
       run_tests.py --missing ENVIRONMENT...     prints those that are not installed
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def interpreter(environment: str) -> str | None:
    """In the user's cache folder; an engine of that name also in the python3 of PATH."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    python = Path(cache) / "regatta" / "engines" / environment / "bin" / "python"
    if os.access(python, os.X_OK):
        return str(python)
    question = (
        f"import importlib.util, sys; sys.exit(importlib.util.find_spec({environment!r}) is None)"
    )
    if (
        "-" not in environment
        and subprocess.run(["python3", "-c", question], check=False).returncode == 0
    ):
        return "python3"
    return None


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "--missing":
        print(*(name for name in sys.argv[2:] if interpreter(name) is None))
        return 0
    environment, files = sys.argv[1], sys.argv[2:]
    python = interpreter(environment)
    if python is None:
        print(f"{environment} is not installed; run scripts/setup-engines.sh {environment}")
        return 1
    package = os.environ.get("REGATTA_PYTHON_PACKAGE", str(ROOT / "workers" / "python"))
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((package, str(HERE))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
    }
    command = [python, "-m", "unittest", *(str(HERE / file) for file in files)]
    return subprocess.run(command, env=variables, cwd=HERE, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
