"""Small bugs, made by rules from shipped C++: statements and guards dropped, bounds, signs and indices shifted."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Mutant(NamedTuple):
    name: str  # stays the same while its line does
    file: str
    line: int
    rule: str
    begin: int  # in the text of the file
    end: int
    planted: str


class Rule(NamedTuple):
    name: str
    pattern: str
    planted: str | Callable[[re.Match[str]], str]
    always: bool = False  # every place, not only those that are drawn


def negated(match: re.Match[str]) -> str:
    return f"{match[1]}(!({match[2]}))"


def next_number(match: re.Match[str]) -> str:
    return str(int(match[0]) + 1)


ARGUMENTS = r"\((?:[^();{}]|\((?:[^();{}]|\((?:[^();{}]|\([^();{}]*\))*\))*\))*\)"
CONDITION = r"\(((?:[^();{}]|\((?:[^();{}]|\((?:[^();{}]|\([^();{}]*\))*\))*\))+)\)"
RULES = [
    Rule("barrier", r"__sync(?:threads|warp)\(\w*\);", ";", always=True),
    Rule("mask", r"\bkAllLanes\b(?! =)", "0x0000ffffU", always=True),
    Rule(
        "guard",
        rf"(?<=\n)[ ]*if {CONDITION} (?:return|continue|throw)\b[^;{{}}]*;",
        "",
        always=True,
    ),
    Rule(
        "call to CUDA",
        rf"(?<=\n)[ ]*(?:require\(|static_cast<void>\()?cuda[A-Z]\w+{ARGUMENTS}[^;{{}}]*;",
        ";",
        always=True,
    ),
    Rule("stride", r"(?<=; )(\w[\w.]*) \+= ([^;),]*)(?=\) |, )", r"\1 += \2 + 1", always=True),
    Rule("workspace", r"\b(workspace(?:_bytes)?) (\+|<=|<|>) ", r"\1 - 64 \2 ", always=True),
    Rule("minimum", r"\bmin(?=[(<])", "max", always=True),
    Rule("maximum", r"\bmax(?=[(<])", "min", always=True),
    Rule(
        "call",
        rf"(?<=\n)[ ]+(?!return\b|throw\b|delete\b|require\(cuda|static_cast)[a-z][\w.>:-]*{ARGUMENTS};",
        ";",
    ),
    Rule("assignment", r"(?<=\n)[ ]+(?:\*?[\w.\[\]>-]+(?:\([^()]*\))?) [-+*/]?= [^;{}]*;", ";"),
    Rule("condition", rf"(\bif (?:constexpr )?|\bwhile ){CONDITION}", negated),
    Rule("less", r" < ", " <= "),
    Rule("at most", r" <= ", " < "),
    Rule("greater", r" > ", " >= "),
    Rule("at least", r" >= ", " > "),
    Rule("equal", r" == ", " != "),
    Rule("different", r" != ", " == "),
    Rule("plus", r"(?<=[\w)\]]) \+ (?=[\w(])", " - "),
    Rule("minus", r"(?<=[\w)\]]) - (?=[\w(])", " + "),
    Rule("times", r"(?<=[\w)\]]) \* (?=[\w(])", " + "),
    Rule("divided", r"(?<=[\w)\]]) / (?=[\w(])", " * "),
    Rule("remainder", r"(?<=[\w)\]]) % (?=[\w(])", " / "),
    Rule("and", r" && ", " || "),
    Rule("or", r" \|\| ", " && "),
    Rule("index", r"(?<=\w)\[([\w.]+)\](?=[^\w({])", r"[\1 + 1]"),
    Rule("number", r"(?<![\w.\"])\d{1,2}(?![\w.\"])", next_number),
    Rule("true", r"\btrue\b", "false"),
    Rule("false", r"\bfalse\b", "true"),
    Rule("choice", r" \? ([^?:;]+) : ([^?:;]+)(?=[;,)])", r" ? \2 : \1"),
]

# Text that no test can see: strings, declarations, constants of the language, promises to the
# compiler.
HIDDEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ ]*#[^\n]*|\bstatic_assert\([^;]*;'
    r"|\btemplate <[^\n]*>|\bnamespace [^\n]*|^[ ]*using [^\n]*|\[\[[^\]]*\]\]|\bexpect\([^;]*;"
    r"|\b__launch_bounds__\([^)]*\)|\breserve\([^;]*;",
    re.MULTILINE | re.DOTALL,
)


def blanked(text: str) -> str:
    """The text with what is no code replaced by as many control characters, so that places stay."""
    return HIDDEN.sub(lambda hidden: re.sub(r"[^\n]", "\x01", hidden[0]), text)


def name_of(file: str, rule: Rule, line: str, seen: Counter[tuple[str, str]]) -> str:
    key = (rule.name, line.strip())
    seen[key] += 1
    digest = hashlib.sha256(f"{file}|{rule.name}|{line.strip()}|{seen[key]}".encode())
    return digest.hexdigest()[:8]


def all_mutants(file: str, text: str) -> Iterator[tuple[Mutant, Rule]]:
    code = blanked(text)
    seen: Counter[tuple[str, str]] = Counter()
    for rule in RULES:
        for match in re.finditer(rule.pattern, code):
            if "\x01" in match[0] and rule.name not in ("guard", "call to CUDA", "call"):
                continue
            first = match.start() + len(match[0]) - len(match[0].lstrip())
            line = text[text.rfind("\n", 0, first) + 1 : text.find("\n", first)]
            planted = match.expand(rule.planted) if isinstance(rule.planted, str) else None
            if planted is None:
                planted = rule.planted(match)  # type: ignore[operator]
            name = name_of(file, rule, line, seen)
            number = text.count("\n", 0, first) + 1
            yield (
                Mutant(name, file, number, rule.name, match.start(), match.end(), planted),
                rule,
            )


def drawn_mutants(file: str, text: str, one_in: int) -> list[Mutant]:
    """All of rules that always count, and one in so many of the others, drawn by name: other changes of the file leave
    them as they are."""
    return [
        mutant
        for mutant, rule in all_mutants(file, text)
        if rule.always or int(mutant.name, 16) % one_in == 0
    ]


def planted_text(mutant: Mutant, text: str) -> str:
    return text[: mutant.begin] + mutant.planted + text[mutant.end :]


def described(mutant: Mutant, text: str) -> str:
    """file:line: what stood there -> what stands there now, on one line."""
    begin = text.rfind("\n", 0, mutant.begin + 1) + 1
    end = text.find("\n", mutant.end - 1)
    was = " ".join(text[begin:end].split())
    now = " ".join((text[begin : mutant.begin] + mutant.planted + text[mutant.end : end]).split())
    return f"{mutant.file}:{mutant.line}: {was}  ->  {now}"
