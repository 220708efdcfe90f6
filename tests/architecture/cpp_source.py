"""Reads C++ well enough to count: comments and literals blanked, includes, functions with their lines.

A brace counter, not a compiler: it knows namespaces, classes, initialisers, constructor initialiser
lists, lambdas, raw strings, digit separators and preprocessor branches (the first one counts).
"""

import re
from dataclasses import dataclass
from functools import lru_cache

_LITERAL = re.compile(
    r"""//[^\n]*(?:\\\n[^\n]*)*        # line comment, with continuations
      | /\*.*?\*/                      # block comment
      | (?:u8|[uUL])?R"([^()\\\s]{0,16})\((.*?)\)\1"   # raw string
      | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"               # string
      | (?<![0-9a-zA-Z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'   # character, not a digit separator
    """,
    re.VERBOSE | re.DOTALL,
)
_TYPE = re.compile(r"^(?:typedef\s+)?(?:class|struct|union|enum)\b")
_LAMBDA = re.compile(
    r"\]\s*(?:\([^{}]*\))?\s*(?:(?:mutable|constexpr|noexcept)\s*)*(?:->\s*[^{};=]+)?$"
)
_OPERATOR = re.compile(r"\boperator\s*(?:\(\s*\)|\[\s*\]|[-+*/%^&|~!=<>,]+|\"\"\s*\w+)")


@dataclass(frozen=True)
class Function:
    name: str
    first_line: int
    last_line: int

    @property
    def lines(self) -> int:
        return self.last_line - self.first_line + 1


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


@lru_cache(maxsize=4096)
def strip_literals(text: str) -> str:
    """The same text and line numbers, with comments blanked and literals emptied."""

    def replace(match: re.Match[str]) -> str:
        found = match.group(0)
        if found.startswith("/"):
            return _blank(found)
        return '"' + _blank(found[1:-1]) + '"'

    return _LITERAL.sub(replace, text)


@lru_cache(maxsize=4096)
def comments(text: str) -> list[tuple[int, str]]:
    """(line, words) of each comment; the lines of a comment that goes over several are one."""
    found: list[tuple[int, str]] = []
    ended = (-1, 0)  # last line and column of the comment before
    for match in _LITERAL.finditer(text):
        if not match.group().startswith("//"):
            continue
        line = text.count("\n", 0, match.start()) + 1
        begin = text.rfind("\n", 0, match.start()) + 1
        words = match.group().lstrip("/!<").strip()
        if ended == (line - 1, match.start() - begin) and not text[begin : match.start()].strip():
            found[-1] = (found[-1][0], f"{found[-1][1]} {words}")
        else:
            found.append((line, words))
        ended = (line, match.start() - begin)
    return found


def strip_directives(text: str) -> str:
    """Blanks preprocessor lines, and every branch but the first of an #if (braces must balance)."""
    lines = text.split("\n")
    skipping: list[bool] = []  # one for each open #if: are we past its first branch?
    continued = False
    for number, line in enumerate(lines):
        directive = re.match(r"\s*#\s*(\w+)", line)
        is_directive = continued or directive is not None
        if directive and not continued:
            word = directive.group(1)
            if word in ("if", "ifdef", "ifndef"):
                skipping.append(False)
            elif word in ("else", "elif") and skipping:
                skipping[-1] = True
            elif word == "endif" and skipping:
                skipping.pop()
        continued = is_directive and line.endswith("\\")
        if is_directive or any(skipping):
            lines[number] = ""
    return "\n".join(lines)


@lru_cache(maxsize=4096)
def includes(text: str) -> list[tuple[int, str, bool]]:
    """(line, path, quoted) for each #include that is not in a comment."""
    found = []
    code = strip_literals(text).split("\n")
    for number, line in enumerate(text.split("\n"), start=1):
        match = re.match(r'\s*#\s*include\s*([<"])([^">]+)[">]', line)
        if match and code[number - 1].lstrip().startswith("#"):
            found.append((number, match.group(2), match.group(1) == '"'))
    return found


def _without_templates(head: str) -> str:
    """Drops leading `template <...>` and attributes."""
    head = re.sub(r"\[\[.*?\]\]", " ", head).strip()
    while head.startswith("template"):
        depth, opening = 0, head.find("<")
        if opening < 0:
            break
        for end in range(opening, len(head)):
            depth += {"<": 1, ">": -1}.get(head[end], 0)
            if depth == 0:
                break
        head = head[end + 1 :].strip()
        head = re.sub(r"^requires\s+[\w:]+(?:<[^(){}]*?>)?\s+", "", head)
    return head


def _top_level(head: str) -> str:
    """The head with what stands in parentheses removed (the parentheses stay)."""
    out, depth = [], 0
    for character in head:
        if character == ")":
            depth -= 1
        if depth == 0:
            out.append(character)
        if character == "(":
            depth += 1
    return "".join(out)


def _kind(head: str) -> str:
    """The kind of thing that a brace after `head` opens at namespace or class scope."""
    head = _without_templates(head)
    if re.search(r"\bnamespace\b", head) or re.match(r'^extern\s*"\s*"$', head):
        return "scope"
    if _LAMBDA.search(head):
        return "function"
    if head.count("(") > head.count(")"):
        return "member"  # a default argument: f(T x = {1})
    flat = _top_level(_OPERATOR.sub("operator", head))
    if re.search(r"(?<![=!<>])=(?!=)", flat):
        return "initialiser"
    if _TYPE.match(flat) and not re.search(r"\w\s*\(\)", re.sub(r"\balignas\s*\(\)", "", flat)):
        return "scope"
    parameters_end = flat.find(")")
    if parameters_end < 0:
        return "initialiser"
    members = re.search(r"(?<!:):(?!:)", flat[parameters_end:])
    if members and re.search(r"[\w>]\s*$", flat):
        return "member"  # Foo() : a_{1}: the body is still to come
    return "function"


def _name(head: str) -> str:
    head = _without_templates(head)
    match = re.search(r"(operator\s*(?:\(\)|[^\s\w(]+)|[~\w:]+)\s*\(([^()]*)", head)
    if not match:
        return "lambda"
    if match.group(1).startswith(("TEST", "TYPED_TEST")):
        return f"{match.group(1)}({' '.join(match.group(2).split())})"
    return match.group(1)


class _Scanner:
    def __init__(self, code: str) -> None:
        self.code = code
        self.functions: list[Function] = []

    def line(self, position: int) -> int:
        return self.code.count("\n", 0, position) + 1

    def close(self, opening: int) -> int:
        """The position of the brace that closes the one at `opening`."""
        depth = 0
        for match in re.compile(r"[{}]").finditer(self.code, opening):
            depth += 1 if match.group() == "{" else -1
            if depth == 0:
                return match.start()
        raise ValueError(f"line {self.line(opening)}: this brace is never closed")

    def scan(self, start: int, end: int) -> None:
        """Finds the functions between two positions, at namespace or class scope."""
        head_start = position = start
        while position < end:
            character = self.code[position]
            if character in ";}" or (character == ":" and self._is_access(head_start, position)):
                head_start = position + 1
            elif character == "{":
                position, head_start = self._brace(head_start, position)
            position += 1

    def _is_access(self, head_start: int, position: int) -> bool:
        return self.code[head_start:position].strip() in ("public", "private", "protected")

    def _brace(self, head_start: int, opening: int) -> tuple[int, int]:
        """Handles one brace; returns its closing position and where the next head starts."""
        head = self.code[head_start:opening]
        kind, closing = _kind(head.strip()), self.close(opening)
        if kind == "function":
            first = head_start + len(head) - len(head.lstrip())
            self.functions.append(Function(_name(head), self.line(first), self.line(closing)))
        elif kind == "scope":
            self.scan(opening + 1, closing)
        else:
            self._lambdas(opening + 1, closing)
        if kind == "member" or kind == "initialiser":
            return closing, head_start if kind == "member" else closing + 1
        return closing, closing + 1

    def _lambdas(self, start: int, end: int) -> None:
        """Functions written inside an initialiser."""
        position = start
        while (position := self.code.find("{", position, end)) >= 0:
            head = re.split(r"[;{}]", self.code[start:position])[-1]
            if _LAMBDA.search(head.strip()):
                closing = self.close(position)
                self.functions.append(Function("lambda", self.line(position), self.line(closing)))
                position = closing
            position += 1


@lru_cache(maxsize=4096)
def functions(text: str) -> list[Function]:
    """Every function with a body, lambdas inside functions counted with their function."""
    code = strip_directives(strip_literals(text))
    scanner = _Scanner(code)
    scanner.scan(0, len(code))
    return scanner.functions
