"""Groups of sources that the compiler may take together, so that no name of one source means something in another.

usage: together.py LIST GROUPS

LIST has a line "TARGET<tab>SOURCE" for each source, GROUPS gets "TARGET<tab>SOURCE<tab>GROUP". A source keeps its names
of anonymous namespaces to itself as long as it is compiled alone. In one unit with others it would collide with the same
name there, hide a function that another source calls, or be shadowed by a variable. Sources between which that could
happen come into different groups; CMake is told these groups, and nobody has to choose names for their neighbours.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

MOST_TOGETHER = 8  # larger units gain little more and keep one core busy at the end of a build
WORD = re.compile(r"[A-Za-z_]\w*")
NOISE = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)" | "(?:\\.|[^"\\\n])*" | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL | re.VERBOSE,
)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)", re.MULTILINE)
PREPROCESSED = re.compile(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
TEMPLATE = re.compile(r"^\s*template\s*<")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]")
TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+class)?|concept)\s+(\w+)")
OPENED = re.compile(r"^using\s+namespace\s+(?:::)?([\w:]+)")
ALIAS = re.compile(r"^(?:using|namespace)\s+(?:[\w:\s]*::)?(\w+)")
USING = re.compile(r"^using (?:::)?([\w:]+)::\w+ ?;")
CALLED = re.compile(r"(?<![\w.>:])([A-Za-z_]\w*)\s*(?:<[^<>;(){}]*>\s*)?\(")
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\s*\((\w+),\s*(\w+)\)")
DECLARATOR = re.compile(r"(\w+)\s*(?:<[^<>]*>\s*)?[(={\[;]")
UNQUALIFIED = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*|(?<=[^-]>)[A-Za-z_]\w*|(?<=[^:]:)[A-Za-z_]\w*")


KEYWORDS = {
    "alignas",
    "catch",
    "constexpr",
    "decltype",
    "if",
    "INSTANTIATE_TEST_SUITE_P",
    "namespace",
    "noexcept",
    "operator",
    "static_assert",
}
FUNCTION, DEFINED = "function", "definition"  # for names that are no aliases


@dataclass
class Source:
    """A source or header as far as its names matter."""

    declared: set[str] = field(default_factory=set)  # at the scope of namespaces
    own: dict[str, str] = field(
        default_factory=dict
    )  # names of anonymous namespaces and macros; aliases as they are written
    opened: set[str] = field(default_factory=set)  # `using namespace`
    used: set[str] = field(default_factory=set)  # words that may mean a name of the namespace
    called: set[str] = field(default_factory=set)  # words that may mean its functions
    includes: list[str] = field(default_factory=list)


def without_template(text: str) -> str:
    """A declaration without `template <...>` in front of it."""
    while TEMPLATE.match(text):
        depth = 0
        for at, sign in enumerate(text):
            depth += {"<": 1, ">": -1}.get(sign, 0)
            if sign == ">" and depth == 0:
                text = text[at + 1 :]
                break
        else:
            return text
    return text.strip()


def names_of(declaration: str) -> dict[str, str]:
    """Names that one declaration makes; `declaration` ends with its '{' or ';'. An alias has its text as value."""
    text = without_template(ATTRIBUTE.sub(" ", declaration)).strip()
    if found := TEST.match(text):
        return {f"{found[1]}_{found[2]}_Test": DEFINED}
    if found := ALIAS.match(text):
        return {found[1]: " ".join(text.split()).replace("using ::", "using ")}
    if (
        (found := DECLARATOR.search(text))
        and found[1] not in KEYWORDS
        and text[found.end() - 1] == "("
    ):
        return {found[1]: FUNCTION}
    found = TYPE.search(text) or found
    return {} if found is None or found[1] in KEYWORDS else {found[1]: DEFINED}


def read_names(text: str, source: Source) -> None:
    """Walks over the scopes of namespaces; what stands inside other braces declares nothing there."""
    scopes: list[str] = []  # kind of each open brace: "named", "anonymous", "enum" or "other"
    begin = 0
    for sign in re.finditer(r"[{};]", text):
        at = sign.start()
        piece = text[begin : at + 1]
        is_outside = all(scope in ("named", "anonymous") for scope in scopes)
        if sign[0] == "{":
            head = re.match(r"\s*(?:inline\s+)?namespace\b\s*([\w:]*)\s*\{", piece)
            if head and is_outside:
                scopes.append("named" if head[1] else "anonymous")
                begin = at + 1
                continue
            if is_outside:
                add_declaration(piece, scopes, source)
            scopes.append(
                "enum"
                if is_outside and re.match(r"\s*enum\s+\w*\s*(?::[^{]*)?\{", piece)
                else "other"
            )
        elif sign[0] == "}":
            if scopes and scopes.pop() == "enum":
                add_names(dict.fromkeys(WORD.findall(text[begin:at]), DEFINED), scopes, source)
        elif is_outside:
            add_declaration(piece, scopes, source)
        begin = at + 1


def add_declaration(declaration: str, scopes: list[str], source: Source) -> None:
    if found := OPENED.match(declaration.strip()):
        source.opened.add(found[1])
    else:
        add_names(names_of(declaration), scopes, source)


def add_names(names: dict[str, str], scopes: list[str], source: Source) -> None:
    source.declared |= names.keys()
    if "anonymous" in scopes:
        source.own.update(names)


def read_source(path: Path) -> Source:
    whole = path.read_text(encoding="utf-8", errors="replace")
    source = Source(includes=INCLUDE.findall(whole))
    text = NOISE.sub(" ", whole)
    source.own.update(dict.fromkeys(DEFINE.findall(text), DEFINED))
    text = PREPROCESSED.sub("", text)
    read_names(text, source)
    source.used = set(UNQUALIFIED.findall(text))
    source.called = set(CALLED.findall(text))
    return source


def collides(name: str, kind: str, other: Source) -> bool:
    """Whether a name that a source keeps to itself means something else in another one."""
    if kind == FUNCTION:  # a variable may have its name
        return name in other.own or name in other.called
    if name not in other.used or other.own.get(name) == kind != DEFINED:
        return False
    found = USING.match(kind)
    return name in other.own or found is None or found[1] not in other.opened


class Project:
    """Sources and headers, each read once."""

    def __init__(self, root: Path) -> None:
        self.folders = [
            root / "include",
            root / "src",
            root / "launcher",
            root / "workers",
            root / "tests",
            root,
        ]
        self.read: dict[Path, Source] = {}
        self.seen: dict[Path, set[Path]] = {}

    def source(self, path: Path) -> Source:
        if path not in self.read:
            self.read[path] = read_source(path)
        return self.read[path]

    def headers(self, path: Path) -> set[Path]:
        """All headers of the project that a source includes, directly or not."""
        if path not in self.seen:
            self.seen[path] = set()
            for name in self.source(path).includes:
                header = next(
                    (
                        each / name
                        for each in [path.parent, *self.folders]
                        if (each / name).is_file()
                    ),
                    None,
                )
                if header is not None:
                    self.seen[path] |= {header} | self.headers(header)
        return self.seen[path]

    def means_something(self, one: Path, other: Path) -> bool:
        """Whether a name that `one` keeps to itself means something in `other`."""
        own, others = self.source(one).own, self.source(other)
        if any(collides(name, kind, others) for name, kind in own.items()):
            return True
        beyond = self.headers(other) - self.headers(one)
        return any(own.keys() & self.source(header).declared for header in beyond)

    def groups_of(self, sources: list[Path]) -> list[list[Path]]:
        """Each source into the first group with room where it collides with none."""
        groups: list[list[Path]] = []
        for path in sources:
            for group in groups:
                if len(group) < MOST_TOGETHER and not any(
                    self.means_something(path, other) or self.means_something(other, path)
                    for other in group
                ):
                    group.append(path)
                    break
            else:
                groups.append([path])
        return groups


def main() -> None:
    listed, answer = Path(sys.argv[1]), Path(sys.argv[2])
    targets: dict[str, list[Path]] = defaultdict(list)
    for line in listed.read_text(encoding="utf-8").splitlines():
        target, source = line.split("\t")
        targets[target].append(Path(source))
    project = Project(Path(__file__).resolve().parent.parent)
    lines = [
        f"{target}\t{path}\t{number}\n"
        for target, sources in targets.items()
        for number, group in enumerate(project.groups_of(sources))
        for path in group
    ]
    answer.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
