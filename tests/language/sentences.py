"""Every sentence that the programs say: literals of C++ and Python that people read.

python3 tests/language/sentences.py           # sentences that are hard to read, with file and line
python3 tests/language/sentences.py --list    # all of them
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP_FOLDERS = ("src", "launcher", "workers/native")
PYTHON_FOLDERS = ("workers/python", "scripts")
MOST_WORDS = 25
FEWEST_WORDS = 4  # shorter texts are names, units and parts of tables

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>\w*)\((?P<raw>.*?)\)(?P=tag)"|"(?P<text>(?:\\.|[^"\\\n])*)"'
    r"|'(?:\\.|[^'\\])+'|\#include[^\n]*|(?P<other>[^\s\"'/#]+|[/#])",
    re.DOTALL,
)
_HARD_SUBJECT = re.compile(r"^(?:what|who|whoever|which|those)\b", re.IGNORECASE)
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(<])|\n+")
_ESCAPES = {"n": "\n", "t": " ", '"': '"', "\\": "\\", "'": "'"}


@dataclass(frozen=True)
class Sentence:
    path: str
    line: int
    text: str

    @property
    def words(self) -> int:
        return len([word for word in self.text.split() if re.search(r"[\w{}]", word)])


def _unescaped(text: str) -> str:
    return re.sub(
        r"\\(u[0-9a-f]{4}|x[0-9a-f]+|.)",
        lambda m: _ESCAPES.get(m.group(1), " "),
        text,
        flags=re.DOTALL,
    )


def literals(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of each literal; neighbours are one, as the compiler takes them."""
    text, line = "", 0
    for token in _TOKEN.finditer(source):
        if token.group(0).startswith(("//", "/*")):
            continue
        part = token.group("raw") if token.group("raw") is not None else token.group("text")
        if part is None:
            if text:
                yield line, text
            text = ""
            continue
        if not text:
            line = source.count("\n", 0, token.start()) + 1
        text += part if token.group("raw") is not None else _unescaped(part)
    if text:
        yield line, text


def python_literals(source: str) -> Iterator[tuple[int, str]]:
    """Texts of messages; docstrings are comments."""
    tree = ast.parse(source)
    documentation = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
    }
    parts = {
        part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            pieces = [
                piece.value if isinstance(piece, ast.Constant) else "{}" for piece in node.values
            ]
            yield node.lineno, "".join(str(piece) for piece in pieces)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in documentation
            and node not in parts
        ):
            yield node.lineno, node.value


def _is_prose(text: str) -> bool:
    """Neither a style sheet nor HTML, SVG, JSON, code or a command."""
    if re.search(r"[{;]\s*[\w-]+\s*:\s*[^{}]+;", text) or re.match(
        r"^\s*(?:--|[\w.]+\(|\{\")", text
    ):
        return False
    return bool(re.search(r"[a-z]{2,} [a-z]+ [a-z]", text))


def sentences_of(path: str, found: Iterator[tuple[int, str]]) -> Iterator[Sentence]:
    for line, text in found:
        plain = re.sub(r"<[^<>]*>", " ", text)
        for part in _END.split(plain):
            sentence = Sentence(path, line, " ".join(part.split()))
            if sentence.words >= FEWEST_WORDS and _is_prose(sentence.text):
                yield sentence


def all_sentences(root: Path = ROOT) -> list[Sentence]:
    """The sentences of product code, in the order of files."""
    found: list[Sentence] = []
    for folder in CPP_FOLDERS:
        for file in sorted((root / folder).rglob("*.?pp")):
            path = str(file.relative_to(root))
            found += sentences_of(path, literals(file.read_text(encoding="utf-8")))
    for folder in PYTHON_FOLDERS:
        for file in sorted((root / folder).rglob("*.py")):
            path = str(file.relative_to(root))
            found += sentences_of(path, python_literals(file.read_text(encoding="utf-8")))
    return found


def problem_of(sentence: Sentence) -> str:
    """Why it is hard to read; empty if it is not."""
    if sentence.words > MOST_WORDS:
        return f"{sentence.words} words, more than {MOST_WORDS}: split it"
    if _HARD_SUBJECT.match(sentence.text) and not sentence.text.rstrip().endswith("?"):
        return "its subject is what, who, which or those: name the thing"
    return ""


def problems(sentences: list[Sentence]) -> list[str]:
    return [
        f"{each.path}:{each.line}: {problem}: {each.text}"
        for each in sentences
        if (problem := problem_of(each))
    ]


def main() -> int:
    sentences = all_sentences()
    if "--list" in sys.argv[1:]:
        for each in sentences:
            print(f"{each.path}:{each.line}: {each.text}")
        return 0
    found = problems(sentences)
    print("\n".join([*found, f"{len(sentences)} sentences, {len(found)} are hard to read"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
