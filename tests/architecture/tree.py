"""The source tree as the checks see it, and the table of docs/architecture.md that rules it."""

import ast
import fnmatch
import re
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

CPP = ("*.cpp", "*.hpp", "*.cu", "*.cuh")


class Tree:
    """Files under `root` that git tracks or would track."""

    def __init__(self, root: Path, files: list[str] | None = None) -> None:
        self.root = root
        self._files = files
        self._texts: dict[str, str] = {}
        self._matching: dict[tuple[str, ...], list[str]] = {}
        self._nodes: dict[str, list[ast.AST]] = {}

    @cached_property
    def files(self) -> list[str]:
        """Paths relative to the root, sorted."""
        if self._files is not None:
            return sorted(self._files)
        command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True)
        paths = {path for path in listed.stdout.split("\0") if path}
        return sorted(path for path in paths if (self.root / path).is_file())

    def matching(self, *patterns: str) -> list[str]:
        if patterns not in self._matching:
            fits = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns)).match
            self._matching[patterns] = [file for file in self.files if fits(file)]
        return self._matching[patterns]

    def text(self, path: str) -> str:
        if path not in self._texts:
            file = self.root / path
            self._texts[path] = file.read_text(encoding="utf-8", errors="replace")
        return self._texts[path]

    def nodes(self, path: str) -> list[ast.AST]:
        """Everything in the syntax tree of a Python file."""
        if path not in self._nodes:
            self._nodes[path] = list(ast.walk(ast.parse(self.text(path))))
        return self._nodes[path]

    @cached_property
    def rows(self) -> dict[str, "Row"]:
        return parse_table(self.text("docs/architecture.md"))

    def folder_of(self, path: str) -> str | None:
        """The row a file belongs to, or None if it lies outside the table."""
        path = path.removeprefix("src/").removeprefix("include/regatta/")
        candidates = [name for name in self.rows if path.startswith(name + "/")]
        return max(candidates, key=len, default=None)

    def house_of(self, row: str) -> str:
        """The row that a room belongs to: `engine` for `engine/ir`; a row that is no room is its own house."""
        return min((name for name in self.rows if f"{row}/".startswith(name + "/")), key=len)


@dataclass(frozen=True)
class Row:
    """One folder: what it may include and link."""

    folder: str
    uses: frozenset[str]
    third_party: dict[str, int | None] = field(
        default_factory=dict
    )  # name -> most files, if limited


def parse_table(markdown: str) -> dict[str, Row]:
    """Rows of the table whose head is | folder | what lives there | may use | third-party code |."""
    lines = markdown.split("\n")
    try:
        start = next(i for i, line in enumerate(lines) if re.match(r"\|\s*folder\s*\|", line))
    except StopIteration:
        raise ValueError("docs/architecture.md: no table that starts with | folder |") from None
    cells = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        cells.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    names = [row[0].strip("`/") for row in cells]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"docs/architecture.md: several rows for {', '.join(sorted(twice))}")
    return {row[0].strip("`/"): _row(row, names) for row in cells}


def _row(cells: list[str], names: list[str]) -> Row:
    folder, _, uses, third_party = cells
    limits: dict[str, int | None] = {}
    for item in filter(None, (part.strip() for part in third_party.split(","))):
        match = re.fullmatch(r"([^()]+?)(?: \((\d+) files?\))?", item)
        if item == "none":
            continue
        if not match:
            raise ValueError(f"docs/architecture.md: cannot read '{item}' in the row of {folder}")
        limits[match.group(1)] = int(match.group(2)) if match.group(2) else None
    return Row(folder.strip("`/"), _uses(uses, names), limits)


def _uses(cell: str, names: list[str]) -> frozenset[str]:
    if cell == "nothing":
        return frozenset()
    if cell == "all":
        return frozenset(names)
    if cell.startswith("all but "):
        return frozenset(names) - frozenset(_words(cell.removeprefix("all but "), names))
    return frozenset(_words(cell, names))


def _words(cell: str, names: list[str]) -> list[str]:
    words = [word.strip(" `") for word in cell.split(",")]
    unknown = [word for word in words if word not in names]
    if unknown:
        raise ValueError(f"docs/architecture.md: '{unknown[0]}' is no folder of the table")
    return words
