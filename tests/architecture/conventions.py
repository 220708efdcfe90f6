"""Rules of the tree that are neither arrows nor sizes: words, names, links, dependencies."""

import re

import cpp_source
from tree import CPP, Tree

BLOB_BYTES = 1_000_000
# First word of a comment -> how many such comments are left. Lower a number; never raise it.
CUT_COMMENTS_LEFT = {
    "of": 0,
    "that": 0,
    "those": 0,
    "what": 0,
    "which": 0,
    "who": 0,
    "whoever": 0,
    "whose": 0,
}
PAGE_COLUMNS = 118
OUR_FOLDERS = (
    "bench",
    "docs",
    "include",
    "launcher",
    "scripts",
    "slurm",
    "src",
    "tests",
    "tools",
    "workers",
)
# Written in pieces, so that this file does not hold what it forbids.
FORBIDDEN = {
    r"(?<![\w.~])/" + "(work|home|root)/": "a path of somebody's machine",
    "pypi" + r"\.org|pythonhosted" + r"\.org": "a package registry's host",
    r"(deb|security)\." + r"debian\.org": "a package registry's host",
}


def forbidden_words(tree: Tree) -> list[str]:
    """Paths of one machine and hosts of registries, in any tracked text."""
    problems = []
    for path in tree.files:
        for number, line in enumerate(tree.text(path).split("\n"), start=1):
            problems += [
                f"{path}:{number}: '{found.group()}': {why}"
                for pattern, why in FORBIDDEN.items()
                if (found := re.search(pattern, line))
            ]
    return problems


def large_blobs(tree: Tree) -> list[str]:
    """Files beyond the limit."""
    sizes = {path: (tree.root / path).stat().st_size for path in tree.files}
    return [f"{p}: {n} bytes, more than {BLOB_BYTES}" for p, n in sizes.items() if n > BLOB_BYTES]


def _body(code: str, begin: int) -> str:
    """The text behind the `{` of the function whose head holds `begin`."""
    depth = 0
    for at in range(begin, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if code[at] == "{" and depth == 0:
            return code[at + 1 :].lstrip()
    return ""


def kernels_that_do_not_begin(tree: Tree) -> list[str]:
    """Kernels that may read what the one before them has not written yet (device.cuh says why)."""
    problems = []
    for path in tree.matching("*.cuh", "*.cu"):
        if not path.startswith("src/engine/cuda/"):
            continue
        code = cpp_source.strip_literals(tree.text(path))
        for match in re.finditer(r"\b__global__\b", code):
            if not _body(code, match.end()).startswith("device::begin();"):
                line = code.count("\n", 0, match.start()) + 1
                problems.append(f"{path}:{line}: a kernel that does not call device::begin() first")
    return problems


def using_in_headers(tree: Tree) -> list[str]:
    """`using namespace` in a header, wherever it stands."""
    problems = []
    for path in tree.matching("*.hpp", "*.cuh"):
        code = cpp_source.strip_literals(tree.text(path))
        for match in re.finditer(r"\busing\s+namespace\b", code):
            line = code.count("\n", 0, match.start()) + 1
            problems.append(f"{path}:{line}: using namespace in a header; name what you use")
    return problems


def unguarded_headers(tree: Tree) -> list[str]:
    """Headers without #pragma once."""
    return [
        f"{path}: no #pragma once"
        for path in tree.matching("*.hpp", "*.cuh")
        if not re.search(r"^#pragma once$", tree.text(path), re.MULTILINE)
    ]


def undocumented_parts(tree: Tree) -> list[str]:
    """Third-party parts of the build or the package lists that docs/dependencies.md does not name."""
    documented = set(re.findall(r"`([^`\s]+)`", tree.text("docs/dependencies.md")))
    problems = []
    for path in tree.matching("*CMakeLists.txt", "*.cmake"):
        code = re.sub(r"#[^\n]*", "", tree.text(path))
        for part in re.findall(r"\b(?:find_package|pkg_check_modules)\s*\(\s*(\w+)", code):
            if part not in documented:
                problems.append(f"{path}: {part} is not in docs/dependencies.md")
    for path in tree.matching("scripts/packages-*.txt"):
        for line in tree.text(path).split("\n"):
            package = line.split("#")[0].strip()
            if package and package not in documented:
                problems.append(f"{path}: {package} is not in docs/dependencies.md")
    return problems


def _anchors(markdown: str) -> set[str]:
    """Anchors of the headings, as code hosts make them."""
    anchors = set()
    for heading in re.findall(r"^#+\s+(.*)$", markdown, re.MULTILINE):
        anchors.add(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"))
    return anchors


def broken_links(tree: Tree) -> list[str]:
    """Relative links and anchors in Markdown that lead nowhere."""
    problems = []
    for path in tree.matching("*.md"):
        text = re.sub(r"^```.*?^```", "", tree.text(path), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            linked = (tree.root / path).parent / file if file else tree.root / path
            if not linked.exists():
                problems.append(f"{path}: the link {target} leads nowhere")
            elif anchor and anchor not in _anchors(linked.read_text(encoding="utf-8")):
                problems.append(f"{path}: the link {target} names no heading")
    return problems


def stale_paths(tree: Tree) -> list[str]:
    """Paths of the tree that a page names in backquotes and that are gone: neither a file, nor a folder, nor
    a unit (`src/stats/verdict`), nor a pattern that fits one."""
    folders = {path.rpartition("/")[0] for path in tree.files}
    folders |= {parent for folder in folders for parent in _parents(folder)}
    units = {path.rpartition(".")[0] for path in tree.files}
    problems = []
    for path in tree.matching("*.md"):
        text = re.sub(r"^```.*?^```", "", tree.text(path), flags=re.MULTILINE | re.DOTALL)
        for named in re.findall(r"`(\w+/[\w./*-]*)`", text):
            if named.split("/")[0] not in {*OUR_FOLDERS, *tree.rows.keys() - {"results"}}:
                continue
            places = [place + named.rstrip("/") for place in ("", "src/", "include/regatta/")]
            known = any(
                place in folders or place in units or place in tree.files for place in places
            )
            if not known and not ("*" in named and tree.matching(*places)):
                problems.append(f"{path}: `{named}` is nowhere in the tree")
    return problems


def _parents(folder: str) -> list[str]:
    parts = folder.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def wide_lines(tree: Tree) -> list[str]:
    """Lines of pages that are wider than a window; tables and blocks of code are what they are."""
    problems = []
    for path in tree.matching("*.md"):
        in_code = False
        for number, line in enumerate(tree.text(path).split("\n"), start=1):
            in_code ^= line.startswith("```")
            if len(line) > PAGE_COLUMNS and not in_code and not line.startswith("|"):
                problems.append(f"{path}:{number}: {len(line)} columns, more than {PAGE_COLUMNS}")
    return problems


def _hash_comments(text: str) -> list[tuple[int, str]]:
    """(line, words) of each comment of Python, a shell script or CMake; of docstrings the first line."""
    found: list[tuple[int, str]] = []
    alone_before = -1  # line of a comment that stands alone: the next one may go on with it
    for line, code in enumerate(text.split("\n"), start=1):
        match = re.search(r"(?:^|\s)#+\s+(.*)|^\s*\"\"\"(.+)", code)
        if not match:
            continue
        words = match.group(1) or match.group(2) or ""
        is_alone = code.lstrip().startswith("#")
        if is_alone and alone_before == line - 1:
            found[-1] = (found[-1][0], f"{found[-1][1]} {words}")
        else:
            found.append((line, words))
        alone_before = line if is_alone else -1
    return found


def _comments(tree: Tree) -> list[tuple[str, str]]:
    """(path:line, words) of each comment in the sources."""
    found: list[tuple[str, str]] = []
    for path in tree.matching(*CPP, "*.py", "*.sh", "*.cmake", "*CMakeLists.txt"):
        is_cpp = path.endswith((".cpp", ".hpp", ".cu", ".cuh"))
        read = cpp_source.comments if is_cpp else _hash_comments
        comments = read(tree.text(path))
        found += [(f"{path}:{line}", words) for line, words in comments]
    return found


def cut_word(words: str) -> str | None:
    """The word of CUT_COMMENTS_LEFT that a comment begins with, unless it asks a question."""
    words = re.sub(r"^\w+\.\w+: ", "", words)  # "log.cpp: What ..." heads a part of a header
    if re.match(r"[^.:;]*\?(\s|$)", words):
        return None
    first = re.match(r"[a-z]+\b", words, re.IGNORECASE)
    return first.group().lower() if first and first.group().lower() in CUT_COMMENTS_LEFT else None


def cut_comments(tree: Tree, left: dict[str, int] = CUT_COMMENTS_LEFT) -> list[str]:
    """Comments that begin with "what", "of", ...: name the thing, then say what it is. Some are left; there
    may not be more."""
    found: dict[str | None, list[str]] = {word: [] for word in left}
    for place, words in _comments(tree):
        if (word := cut_word(words)) in found:
            found[word].append(f"{place}: {words[:60]}")
    return [
        f"{line}: a comment that begins with '{word}'; name the thing"
        f" ({len(lines)} such comments, {left[word]} allowed)"
        for word, lines in found.items()
        if len(lines) > left[word]
        for line in lines
    ]


def misnamed_files(tree: Tree) -> list[str]:
    """C++ files that are not named in lower_case."""
    return [
        f"{path}: name it in lower_case"
        for path in tree.matching(*CPP)
        if not re.fullmatch(r"[a-z0-9_/]+\.\w+", path)
    ]
