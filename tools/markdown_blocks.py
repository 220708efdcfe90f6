"""The fenced blocks of a Markdown page.

A word behind the tag names the file that the block is: ```python my_loop.py
Tags: `sh` is run by the test, `json` is read by it, `bash` names scripts that the test only checks (they install or
build), `console` and `text` show what a terminal showed, `python` and `c` belong to the test of their page.
"""

import re
from dataclasses import dataclass
from pathlib import Path

TAGS = {"", "sh", "json", "bash", "console", "text", "python", "c"}


@dataclass(frozen=True)
class Block:
    page: str
    line: int  # its first line of text
    tag: str
    text: str
    file: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: str, markdown: str) -> list[Block]:
    """All fenced blocks in order. Raises ValueError for one that is never closed."""
    found, tag, file, start, body = [], None, "", 0, []
    for number, line in enumerate(markdown.split("\n"), start=1):
        fence = re.match(r"```\s*(\S*)\s*(\S*)", line)
        if fence and tag is None:
            tag, file, start, body = fence.group(1), fence.group(2), number + 1, []
        elif fence:
            found.append(Block(page, start, tag or "", "\n".join(body), file))
            tag = None
        elif tag is not None:
            body.append(line)
    if tag is not None:
        raise ValueError(f"{page}:{start}: this block is never closed")
    return found


def write_files(found: list[Block], folder: Path) -> None:
    """Writes the blocks that are files."""
    for block in found:
        if block.file:
            (folder / block.file).write_text(block.text + "\n", encoding="utf-8")


def scripts_named(block: Block) -> list[str]:
    """Paths of scripts (*.sh, .ci/run, *.sbatch) that a block of commands names."""
    words = [word for line in block.text.split("\n") for word in line.split("#")[0].split()]
    return [word for word in words if re.search(r"\.(sh|sbatch)$|^\.ci/run$", word)]
