"""Promises at the doors: public functions have a caller, keys have a reader, rules have a text, exit codes have names."""

import re
from collections import Counter
from functools import lru_cache

import cpp_source
from tree import CPP, Tree
from units import listed

UNCALLED = "tests/architecture/uncalled.txt"
UNREAD = "tests/architecture/unread.txt"
RULE_BOOK = "docs/background/measuring.md"
EXIT_CODES = "include/regatta/base/exit_code.hpp"
EXIT_CODES_PAGE = "docs/reference/commands.md"
SPEC = "include/regatta/sweep/spec.hpp"
PRODUCT = tuple(
    f"{folder}/{kind}" for folder in ("include", "src", "launcher", "workers") for kind in CPP
)
# Struct of the sweep file -> how a variable or a member of it is called, where its type does not tell.
STRUCTS = {"Sweep": ("sweep", "spec"), "Measure": ("measure",), "Limits": ("limits",)}
_HEAD = re.compile(r"[{};]")
_SCOPE = re.compile(r"\b(namespace|class|struct|union)\b[^()=]*$|\bextern\s*\"")
_USE = r"\b([a-z_]\w*)\b(?=\s*(?:[(,)}]|<[^<>();]*>\s*\())"  # also as<T>()


@lru_cache(maxsize=8)
def _code(tree: Tree) -> dict[str, str]:
    """The product's C++ without comments, literals and directives."""
    return {
        path: cpp_source.strip_directives(cpp_source.strip_literals(tree.text(path)))
        for path in tree.matching(*PRODUCT)
    }


def _heads(code: str) -> list[str]:
    """The text before each `;` and `{` at namespace or class scope."""
    heads, start = [], 0
    scopes: list[bool] = []
    for match in _HEAD.finditer(code):
        head, end = code[start : match.start()], match.group()
        if all(scopes):
            heads.append(head)
        if end == "{":
            scopes.append(_SCOPE.search(head) is not None)
        elif end == "}" and scopes:
            scopes.pop()
        start = match.end()
    return heads


def _declares(head: str) -> str | None:
    """The function that a head declares or defines: a lower-case name between a type and a parenthesis."""
    head = re.sub(r"\[\[.*?\]\]|\b(public|private|protected)\s*:", " ", head)
    found = re.search(r"([\w>&*\]])\s*[\s&*](?:\w+::)*([a-z_]\w*)\s*\(", head)
    before = head[: found.end(1)].split() if found else []
    if not found or not before or before[-1] in ("return", "else", "new", "using", "operator"):
        return None
    return found.group(2)


def uncalled_functions(tree: Tree) -> list[str]:
    """Functions that a public header declares and no code of the product calls, but for listed ones."""
    uses: Counter[str] = Counter()
    declared: dict[str, str] = {}
    for path, code in _code(tree).items():
        names = [name for head in _heads(code) if (name := _declares(head))]
        uses.update(re.findall(_USE, code))
        uses.subtract(names)
        if path.startswith("include/"):
            declared |= dict.fromkeys(names, path)
    dead = {f"{path}: {name}" for name, path in declared.items() if uses[name] <= 0}
    return _against(
        tree, UNCALLED, dead, "no code of the product calls it; delete it with its tests"
    )


def _against(tree: Tree, path: str, found: set[str], why: str) -> list[str]:
    """Items that were found and are not listed, and items that are listed and were not found."""
    known = set(listed(tree, path))
    return [f"{item}: {why}" for item in sorted(found - known)] + [
        f"{path}: '{item}' is mended; take the line out" for item in sorted(known - found)
    ]


def unread_keys(tree: Tree) -> list[str]:
    """Members of Sweep, Measure and Limits that nothing mentions but the reader of the file and the codec."""
    no_reader = r"sweep/(?:read/)?(?:reader|read_\w+|schema\w*)\.|src/protocol/"
    code = {
        path: text
        for path, text in _code(tree).items()
        if not re.search(no_reader, path) and path != SPEC
    }
    dead = set()
    for struct, members in _members(tree).items():
        pattern = rf"\b{struct}\s*(?:const\s*)?[&*]?\s*(\w+)\b"
        read: set[str] = set()
        for text in code.values():
            owners = "|".join({*STRUCTS[struct], *re.findall(pattern, text)})
            read |= set(
                re.findall(rf"\b(?:{owners})(?:\(\))?\s*(?:\.|->)(\w+)\b(?!\s*=[^=])", text)
            )
        dead |= {f"{struct}::{member}" for member in members - read}
    return _against(
        tree, UNREAD, dead, f"read from the sweep file ({SPEC}) and by nobody after that"
    )


def _members(tree: Tree) -> dict[str, set[str]]:
    code = _code(tree).get(SPEC, "")
    found = {}
    for struct in STRUCTS:
        body = re.search(rf"\bstruct {struct} \{{(.*?)\n\}};", code, re.DOTALL)
        text = re.sub(r"\{[^{}]*\}", "", body.group(1)) if body else ""
        found[struct] = set(re.findall(r"(\w+)\s*(?:=[^;]*)?;", text)) - {"operator"}
    return found


def unknown_rules(tree: Tree) -> list[str]:
    """Rules (R7) and tests (T3) that a file names and docs/background/measuring.md has no heading or row for."""
    if RULE_BOOK not in tree.files:
        return [f"{RULE_BOOK}: the rule book is missing"]
    known = set(re.findall(r"^(?:#+ |\| )\**([RT]\d+)\b", tree.text(RULE_BOOK), re.MULTILINE))
    problems = []
    for path in tree.matching(*CPP, "*.py", "*.md", "*.sh", "*CMakeLists.txt"):
        if path.startswith("tests/architecture/"):
            continue
        for number, line in enumerate(tree.text(path).split("\n"), start=1):
            if "R" not in line and "T" not in line:
                continue
            for rule in re.findall(r"(?<![\w%.{<-])([RT]\d{1,2})(?![\w.>(-])", _prose(path, line)):
                if rule not in known:
                    problems.append(f"{path}:{number}: {rule} has no text in {RULE_BOOK}")
    return problems


def _prose(path: str, line: str) -> str:
    """The comment of a line of C++; elsewhere the line, without code in backquotes."""
    if path.endswith((".cpp", ".hpp", ".cu", ".cuh")):
        return line.partition("//")[2]
    return re.sub(r"`[^`]*`", "", line)


def rules_without_place(tree: Tree) -> list[str]:
    """Rules of docs/background/measuring.md that do not say where they live, or name a unit that is nowhere."""
    stems = {path.rsplit("/", 1)[-1].rsplit(".", 1)[0] for path in tree.files}
    problems = []
    book = tree.text(RULE_BOOK) if RULE_BOOK in tree.files else ""
    for rule, text in re.findall(r"^### (R\d+)\b(.*?)(?=^##|\Z)", book, re.MULTILINE | re.DOTALL):
        place = re.search(r"^- Where: (.*?)(?=^- |^$|\Z)", text, re.MULTILINE | re.DOTALL)
        if place is None:
            problems.append(f"{RULE_BOOK}: {rule} does not say where it lives (- Where: ...)")
        for unit in re.findall(r"`(\w+)`", place.group(1) if place else ""):
            if unit not in stems and not re.search(rf"\b{unit}\(", "".join(_code(tree).values())):
                problems.append(f"{RULE_BOOK}: {rule} lives in `{unit}`, which is nowhere")
    return problems


def exit_codes(tree: Tree) -> list[str]:
    """Literals for the exit codes of the programs, outside the header that names them."""
    before = (
        r"\breturn|\b_?exit\s*\(|\bcode\s*[=!]?=|_code\s*[=!]?=|\bexit_[a-z_]+(?<!_seconds)\s*="
    )
    literal = re.compile(rf"(?:(?:{before})\s*\{{?\s*(?:2|3|70|74|75)|[?:]\s*7[045])\b(?!\.)")
    problems = []
    for path, code in _code(tree).items():
        if path == EXIT_CODES or not path.startswith(("launcher/", "workers/")):
            continue
        for number, line in enumerate(code.split("\n"), start=1):
            if found := literal.search(line):
                problems.append(
                    f"{path}:{number}: {found.group()}: an exit code as a number; name it ({EXIT_CODES})"
                )
    named = tree.text(EXIT_CODES) if EXIT_CODES in tree.files else ""
    page = tree.text(EXIT_CODES_PAGE) if named else ""
    for name, value in re.findall(r"constexpr int (\w+) =\s*(\d+);", named):
        if not re.search(rf"^\| {value} \| \w", page, re.MULTILINE):
            problems.append(
                f"{EXIT_CODES_PAGE}: does not say what exit code {value} ({name}) means"
            )
    return problems
