"""The part of a page that a program writes, between two lines of its name."""

from __future__ import annotations

import sys
from pathlib import Path


def marks(program: str) -> tuple[str, str]:
    return f"<!-- {program}: begin -->", f"<!-- {program}: end -->"


def write(page: Path, program: str, text: str) -> None:
    """Ends the program if the page lacks its lines."""
    begin, end = marks(program)
    before, _, rest = page.read_text().partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{program}: {page} lacks the lines '{begin}' and '{end}'")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")
