"""Helpers that the phases of the check share: the places of files, the time left, and the results to keep."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

ABSENT = 77  # exit code of a phase whose tool or device is not here


def bundle() -> Path:
    """The folder that scripts/gpu_bundle.sh makes."""
    return Path(os.environ["REGATTA_GPU_BUNDLE"])


def out() -> Path:
    return Path(os.environ["OUT"])


def kept() -> Path:
    """The folder that comes back in kept.tgz: `out` has as many files as come back."""
    return Path(os.environ["kept"])


def log() -> Path:
    """Where workers write what they say."""
    return Path(os.environ.get("REGATTA_GPU_PHASE_LOG") or out() / "log.txt")


def is_emulated() -> bool:
    return os.environ.get("REGATTA_GPU_CHECK_PLUGIN") == "emulated"


def group() -> str:
    """The group of trials that is asked for."""
    return "emulated" if is_emulated() else "gpu"


class Clock:
    """Seconds that are left of a phase: it ends by itself before it is ended."""

    def __init__(self) -> None:
        self.end = time.monotonic() + 0.9 * float(os.environ.get("REGATTA_GPU_PHASE_SECONDS", "60"))

    @property
    def left(self) -> float:
        return self.end - time.monotonic()


def keep(name: str, found: Any, folder: Path | None = None) -> None:
    """NAME.json in the folder of results; written after each part, since a phase may be ended at any time."""
    folder = folder or out()
    part = folder / f"{name}.json.part"
    part.write_text(json.dumps(found, indent=1) + "\n")
    part.replace(folder / f"{name}.json")


def absent(what: str) -> NoReturn:
    print(f"not here: {what}")
    sys.exit(ABSENT)
