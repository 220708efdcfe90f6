"""Runs the Python of docs/reference/results.md, and compares its tables of variables with a result file.

usage: check_docs.py PAGE FILE, in a folder that holds results/quickstart.h5
"""

import re
import sys
from pathlib import Path

import netCDF4


def python_blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)


def documented_variables(page: str) -> dict[str, set[str]]:
    """The names in the first column of the table below each heading of a group."""
    documented = {}
    for group, section in re.findall(
        r"^### `/(\w+)`\n(.*?)(?=^##)", page, flags=re.DOTALL | re.MULTILINE
    ):
        rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
        documented[group] = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    return documented


def stored_variables(file: Path) -> dict[str, set[str]]:
    with netCDF4.Dataset(file) as dataset:
        groups = {
            name: set(group.variables) for name, group in dataset.groups.items() if name != "cube"
        }
    groups["trials"] = {
        "f_<parameter>" if name.startswith("f_") else name for name in groups["trials"]
    }
    return groups


def main() -> None:
    page = Path(sys.argv[1]).read_text(encoding="utf-8")
    documented, stored = documented_variables(page), stored_variables(Path(sys.argv[2]))
    documented["trials"].discard("m_<result>")  # these trials run no programs that tell any
    assert documented.keys() == stored.keys(), documented.keys() ^ stored.keys()
    for group, names in stored.items():
        assert documented[group] == names, f"/{group}: {sorted(documented[group] ^ names)}"
    blocks = python_blocks(page)
    assert len(blocks) >= 5, f"only {len(blocks)} blocks of Python found"
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, sys.argv[1], "exec"), namespace)


if __name__ == "__main__":
    main()
