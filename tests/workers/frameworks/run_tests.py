#!/usr/bin/env python3
"""Runs an engine's tests with the interpreter that has the engine, as the launcher would find it.

usage: run_tests.py ENVIRONMENT TEST-FILE...     fails if there is no such environment
       run_tests.py ENVIRONMENT FOLDER           the same with all tests of a folder beside this one
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.interpreters import interpreter

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    environment, files = sys.argv[1], sys.argv[2:]
    python = interpreter(environment)
    if python is None:
        print(f"{environment} is not installed; run scripts/setup-engines.sh {environment}")
        return 1
    build = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build"))
    package = os.environ.get("REGATTA_PYTHON_PACKAGE", str(ROOT / "workers" / "python"))
    variables = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((package, str(HERE), str(ROOT))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "REGATTA_WORKER": str(build / "bin" / "regatta-worker"),
    }
    paths = [str(HERE / file) for file in files]
    discovers = ["discover", "-s"] if Path(paths[0]).is_dir() else []
    command = [python, "-m", "unittest", *discovers, *paths]
    return subprocess.run(command, env=variables, cwd=HERE, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
