"""Interpreters that have an engine, as the launcher would find them.

usage: python3 -m tools.interpreters [ENVIRONMENT...]     prints those that are not installed, of all if none is named
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools import ROOT


def cache_folder() -> Path:
    """Where the scripts that install something for this user put it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "regatta"


def interpreter(environment: str) -> str | None:
    """In the user's cache folder; an engine of that name also in the python3 of PATH."""
    python = cache_folder() / "engines" / environment / "bin" / "python"
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


def environments() -> list[str]:
    """The environments that scripts/setup-engines.sh installs: one file of exact versions for each."""
    return sorted(path.stem for path in (ROOT / "workers/python/locks").glob("*.txt"))


if __name__ == "__main__":
    print(*(name for name in sys.argv[1:] or environments() if interpreter(name) is None))
