"""Tests mirror sources: each unit is named by a test of its own folder, or stands with a reason in untested.txt."""

import re
from functools import lru_cache

import cpp_source
from tree import CPP, Tree
from units import resolve, unit_of

UNTESTED = "tests/architecture/untested.txt"
SOURCES = ("src/*.cpp", "launcher/*.cpp")


def _untested(tree: Tree) -> dict[str, str]:
    if UNTESTED not in tree.files:
        return {}
    lines = [line for line in tree.text(UNTESTED).split("\n") if line and not line.startswith("#")]
    return {
        path.strip(): reason.strip() for path, _, reason in (line.partition(":") for line in lines)
    }


def _top(path: str) -> str:
    """`engine` for src/engine/cpu/gemm.cpp, `launcher` for launcher/os/wait.cpp."""
    return path.removeprefix("src/").split("/")[0]


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0]


class _Tests:
    """The names in the tests of one folder: units by their headers or in the tests' file names, and functions."""

    def __init__(self, tree: Tree, top: str) -> None:
        paths = tree.matching(*(f"tests/{top}/{kind}" for kind in CPP))
        self.stems = {_stem(path).removesuffix("_test") for path in paths}
        self.headers: set[str] = set()
        self.words: set[str] = set()
        for path in paths:
            text = tree.text(path)
            found = (resolve(tree, path, header) for _, header, _ in cpp_source.includes(text))
            self.headers |= {header for header in found if header}
            self.words |= set(re.findall(r"\w+", cpp_source.strip_literals(text)))


@lru_cache(maxsize=64)
def _tests_of(tree: Tree, top: str) -> _Tests:
    return _Tests(tree, top)


def _is_named(tree: Tree, path: str) -> bool:
    """Whether a test includes the unit's header, has its name, or, where a source has no header of its
    own, includes a header of its room that it implements and calls a function that it defines."""
    tests = _tests_of(tree, _top(path))
    if _stem(path) in tests.stems:
        return True
    own_headers = [header for header in tree.matching("*.hpp") if unit_of(header) == unit_of(path)]
    if own_headers:
        return any(header in tests.headers for header in own_headers)
    return any(
        header in tests.headers and _defined(tree, path, header) & tests.words
        for header in _implemented(tree, path)
    )


def _implemented(tree: Tree, path: str) -> list[str]:
    """The headers that a source may implement: the first quoted one, and those of its room that it includes."""
    quoted = [header for _, header, quoted in cpp_source.includes(tree.text(path)) if quoted]
    found = [header for name in quoted if (header := resolve(tree, path, name))]
    room = path.rpartition("/")[0]
    return [h for i, h in enumerate(found) if i == 0 or h.rpartition("/")[0] == room]


def _defined(tree: Tree, path: str, header: str) -> set[str]:
    """Functions that a source defines and a header declares."""
    names = {f.name.rsplit("::", 1)[-1] for f in cpp_source.functions(tree.text(path))}
    return names & set(re.findall(r"\w+", cpp_source.strip_literals(tree.text(header))))


def mirrored_tests(tree: Tree) -> list[str]:
    """Units that no test names and nobody excused; excuses that are out of date or give no reason."""
    problems, excused = [], _untested(tree)
    sources = tree.matching(*SOURCES)
    unnamed = [path for path in sources if not _is_named(tree, path)]
    for path in unnamed:
        if not any(_covers(line, path) for line in excused):
            problems.append(
                f"{path}: no test in tests/{_top(path)} names it (its header, or the file)"
            )
    for line, reason in excused.items():
        if not any(_covers(line, path) for path in sources):
            problems.append(f"{UNTESTED}: {line} does not exist; take the line out")
        elif not any(_covers(line, path) for path in unnamed):
            problems.append(f"{UNTESTED}: {line} has a test now; take the line out")
        elif not reason:
            problems.append(f"{UNTESTED}: {line} has no reason")
    return problems


def _covers(line: str, path: str) -> bool:
    """Whether a line of untested.txt means this file: by its path, or by a folder with a slash at the end."""
    return path == line or (line.endswith("/") and path.startswith(line))


def misplaced_tests(tree: Tree) -> list[str]:
    """Tests of a room's unit that do not lie in the room's mirror: src/a/b/x.cpp has tests/a/b/x_test.cpp."""
    homes: dict[tuple[str, str], set[str]] = {}
    for path in tree.matching("src/*", "include/regatta/*", "launcher/*"):
        unit = unit_of(path)
        homes.setdefault((unit.split("/")[0], _stem(path)), set()).add(unit.rpartition("/")[0])
    problems = []
    for path in tree.matching("tests/*_test.cpp"):
        folder, stem = path.removeprefix("tests/").rpartition("/")[0], _stem(path)
        home = homes.get((folder.split("/")[0], stem.removesuffix("_test")), {folder})
        rooms = {tree.folder_of(f"{place}/x") for place in home}
        own = tree.folder_of(f"{folder}/x")
        if own not in rooms | _rooms_named(tree, path):
            problems.append(f"{path}: belongs into tests/{sorted(home)[0]}, where its unit lies")
    return problems


def _rooms_named(tree: Tree, path: str) -> set[str | None]:
    """Rooms of which a test includes a header."""
    headers = (header for _, header, _ in cpp_source.includes(tree.text(path)))
    return {tree.folder_of(found) for header in headers if (found := resolve(tree, path, header))}
