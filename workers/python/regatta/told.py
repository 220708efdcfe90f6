"""Numbers that a script tells of its trial beside times and losses: a residual, an accuracy, bytes (docs/guide/any-program.md)."""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any

from . import ranks
from .curve import as_number
from .worker import current

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,43}")
FILE = "REGATTA_RESULTS_FILE"

_told: dict[str, dict[str, Any]] = {}


def result(name: str, value: Any, unit: str = "") -> None:
    """Tells a number of this trial; the last one of a name counts. `value` may be a tensor of one element.

    In a loop of `steps()` it becomes a column of the results. Elsewhere it is a JSON line, which the engine `command`
    reads: in the file that it names, or on standard output.
    """
    if not NAME.fullmatch(name):
        raise ValueError(
            f"result {name!r}: a name has letters, digits, _, . and -, a letter first, at most 44"
        )
    number = as_number(f"regatta.result: {name}", value)
    if ranks.number() != 0:  # the results of a trial are those of rank 0
        return
    worker = current()
    if worker is None:
        line = json.dumps({name: {"value": number, "unit": unit}})
        if FILE not in os.environ:
            print(line, flush=True)
            return
        with open(os.environ[FILE], "a") as file:
            file.write(line + "\n")
        return
    if worker.trains():
        raise RuntimeError("a sweep that trains takes numbers by regatta.report(step, NAME=...)")
    _told[name] = {"unit": unit, "values": [_as_json(number)]}


def told() -> str:
    """All of them, as a worker tells it; empty if there are none."""
    return json.dumps(_told, separators=(",", ":")) if _told else ""


def _as_json(number: float) -> float | str:
    if math.isfinite(number):
        return number
    return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"
