"""Tables of a result file as `regatta query --format csv` writes them, for tests that compare two runs."""

from __future__ import annotations

import csv
import io
import subprocess
from pathlib import Path

from tools.regatta_process import BINARY

TIMES = {
    "peak_memory",
    "start_time",
    "prepare_time",
    "t_start",
    "t_end",
    "train_time",
    "evaluate_time",
}


def rows(file: Path, table: str, hidden: set[str] = TIMES) -> list[dict[str, str]]:
    """All of a table that does not tell the time."""
    command = [str(BINARY), "query", str(file), "--format", "csv", "--table", table]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [
        {key: value for key, value in row.items() if key not in hidden}
        for row in csv.DictReader(io.StringIO(text))
    ]
