"""Arrows between folders: #include, links and third-party code, against docs/architecture.md."""

import ast
import re
import sys
from collections import Counter

import cpp_source
from tree import CPP, Tree
from units import absolute, module_of, resolve

# Third-party part -> how its headers and its CMake targets are named.
THIRD_PARTY = {
    "fmt": (r"fmt/", r"fmt::"),
    "nlohmann/json": (r"nlohmann/", r"nlohmann_json::"),
    "Boost.Math": (r"boost/", r"Boost::"),
    "oneTBB": (r"(oneapi/)?tbb/", r"TBB::"),
    "zlib": (r"zlib\.h$", r"ZLIB::"),
    "libzip": (r"zip\.h$", r"PkgConfig::libzip"),
    "libjpeg": (r"jpeglib\.h$", r"JPEG::"),
    "libpng": (r"png\.h$", r"PNG::"),
    "HDF5": (r"hdf5(_hl)?\.h$|H5\w*\.h$", r"(HDF5::|hdf5::)"),
    "MPI": (r"mpi(-ext)?\.h$", r"MPI::"),
    "CLI11": (r"CLI/", r"CLI11::"),
    "CUDA": (
        r"(cuda(_\w+)?\.h$|cuda/|cublasLt\.h$|cudnn\w*\.h$|vector_(types|functions)\.h$|nvml\.h$|nvtx3/|nccl\.h$)",
        r"CUDA::",
    ),
    "hwloc": (r"hwloc(\.h$|/)", r"PkgConfig::hwloc"),
    "GoogleTest": (r"(gtest|gmock)/", r"GTest::"),
    "Google Benchmark": (r"benchmark/", r"benchmark::"),
}
SYSTEM_FOLDERS = ("sanitizer/", "sys/", "linux/", "netinet/", "arpa/", "asm/", "bits/", "net/")
EVERYTHING = ("tests", "bench")  # may use private headers too
OUR_PACKAGES = ("bench", "regatta_worker", "scripts", "tools")
SEARCHERS = {"optuna"}  # libraries that benchmarks compare the search with
ORCHESTRATORS = {"dask", "distributed", "hyperqueue", "mpi4py", "ray"}  # and beside the rest
READERS = {
    "h5py",
    "matplotlib",
    "netCDF4",
    "xarray",
}  # readers of result files and drawing libraries, outside of the product


def third_party_of(header: str) -> str | None:
    """The part a <header> belongs to, "?" if unknown, None if it is the system's."""
    for name, (pattern, _) in THIRD_PARTY.items():
        if re.match(pattern, header):
            return name
    return "?" if "/" in header and not header.startswith(SYSTEM_FOLDERS) else None


def include_arrows(tree: Tree) -> list[str]:
    """Includes of another folder that the includer's row does not name; foreign private headers."""
    problems = []
    for path in tree.matching(*CPP):
        own = tree.folder_of(path)
        if own is None:
            problems.append(
                f"{path}: lies in no folder of docs/architecture.md; add a row or move it"
            )
            continue
        for line, header, quoted in cpp_source.includes(tree.text(path)):
            public = header.startswith("regatta/")
            if not quoted and not public:
                continue
            problem = _arrow(tree, path, header, public)
            if problem:
                problems.append(f'{path}:{line}: "{header}": {problem}')
    return problems


def _arrow(tree: Tree, path: str, header: str, public: bool) -> str | None:
    own = tree.folder_of(path) or ""
    if header.startswith("../"):
        return "climbs out of its folder; include by <folder>/<file>"
    used = tree.folder_of(resolve(tree, path, header) or header.removeprefix("regatta/"))
    if used is None:
        return "no folder of docs/architecture.md" if public else None
    if used == own or (own in EVERYTHING and used in tree.rows[own].uses):
        return None
    same_house = tree.house_of(used) == tree.house_of(own)
    if public and same_house and used == tree.house_of(own):
        return None
    if not public and not same_house:
        return f"a private header of {used} (only {used} and the tests may include it)"
    if used not in tree.rows[own].uses:
        return f"{own} may not use {used} (docs/architecture.md)"
    return None


def unused_arrows(tree: Tree) -> list[str]:
    """Folders that a row names although none of its C++ files includes a header of theirs."""
    used: dict[str, set[str]] = {}
    for path in tree.matching(*CPP):
        own = tree.folder_of(path) or ""
        targets = used.setdefault(own, set())
        for _, header, _ in cpp_source.includes(tree.text(path)):
            if found := resolve(tree, path, header):
                targets.add(tree.folder_of(found) or own)
    problems = []
    for own in sorted(used.keys() & tree.rows.keys() - set(EVERYTHING)):
        # The row of a folder with rooms is that of their common library, too.
        rooms = [room for room in used if f"{room}/".startswith(own + "/")]
        reached = set().union(*(used[room] for room in rooms))
        problems += [
            f"docs/architecture.md: {own} may use {name}, but includes nothing of it"
            for name in sorted(tree.rows[own].uses - reached)
        ]
    return problems


def cycles(tree: Tree) -> list[str]:
    """Folders of the table that use one another in a circle."""
    rows = {
        name: set(row.uses) - {name} for name, row in tree.rows.items() if name not in EVERYTHING
    }
    while free := [name for name, uses in rows.items() if not uses & rows.keys()]:
        for name in free:
            del rows[name]
    return (
        [f"docs/architecture.md: {', '.join(sorted(rows))} use one another in a circle"]
        if rows
        else []
    )


def _cmake_code(text: str) -> str:
    return re.sub(r"#[^\n]*", "", text)


def link_arrows(tree: Tree) -> list[str]:
    """CMake link lists that differ from the table: folders under src/ link exactly their row."""
    problems = []
    for path in tree.matching("*CMakeLists.txt"):
        own = tree.folder_of(path)
        if own is None or own in EVERYTHING:
            continue
        code, row = _cmake_code(tree.text(path)), tree.rows[own]
        linked = set(re.findall(r"\bregatta_([a-z]+)\b(?!\s*\()", code)) & tree.rows.keys() - {own}
        for listed in re.findall(r"\bUSES\s+([^)]*?)(?=\)|[A-Z_]{4,})", code):
            linked |= set(listed.split())
        for listed in re.findall(r"\bROOMS\s+([^)]*?)(?=\)|[A-Z_]{4,})", code):
            linked |= {f"{tree.house_of(own)}/{room}" for room in listed.split()}
        problems += [
            f"{path}: links {name}, which its row in docs/architecture.md does not name"
            for name in sorted(linked - row.uses)
        ]
        is_room = tree.house_of(own) != own
        if path == (f"{own}/CMakeLists.txt" if is_room else f"src/{own}/CMakeLists.txt"):
            problems += [
                f"{path}: does not link {name}, which its row in docs/architecture.md names"
                for name in sorted(row.uses - linked)
            ]
    return problems


def wide_rooms(tree: Tree) -> list[str]:
    """Rooms without a library of their own that may use what the row of their folder's library does not name."""
    problems = []
    for name, row in tree.rows.items():
        house = tree.house_of(name)
        if house == name or f"{name}/CMakeLists.txt" in tree.files or house.startswith("workers"):
            continue
        foreign = {used for used in row.uses if tree.house_of(used) != house}
        problems += [
            f"docs/architecture.md: {name} may use {used}, which the row of {house} does not name"
            for used in sorted(foreign - tree.rows[house].uses)
        ]
    return problems


def third_party_includes(tree: Tree) -> list[str]:
    """Third-party headers in a folder, or in more files, than the table allows; in public headers."""
    problems = []
    files: Counter[tuple[str, str]] = Counter()
    for path in tree.matching(*CPP):
        own = tree.folder_of(path)
        used = set()
        for line, header, quoted in cpp_source.includes(tree.text(path)):
            name = None if quoted else third_party_of(header)
            if name == "?":
                problems.append(
                    f"{path}:{line}: <{header}>: unknown part; name it in arrows.py and the docs"
                )
            elif name and path.startswith("include/"):
                problems.append(f"{path}:{line}: <{header}>: third-party code in a public header")
            elif name and own and name not in tree.rows[own].third_party:
                problems.append(
                    f"{path}:{line}: <{header}>: {own} may not use {name} (docs/architecture.md)"
                )
            elif name and own:
                used.add((own, name))
        files.update(used)
    for (own, name), count in sorted(files.items()):
        most = tree.rows[own].third_party[name]
        if most is not None and count > most:
            problems.append(
                f"{own}: {count} files include {name}; docs/architecture.md allows {most}"
            )
    return problems


def third_party_links(tree: Tree) -> list[str]:
    """Third-party CMake targets that a folder's row does not name."""
    problems = []
    for path in tree.matching("*CMakeLists.txt"):
        own = tree.folder_of(path)
        if own is None:
            continue
        for target in re.findall(r"\b\w+::\w+", _cmake_code(tree.text(path))):
            names = [
                name for name, (_, pattern) in THIRD_PARTY.items() if re.match(pattern, target)
            ]
            if names and names[0] not in tree.rows[own].third_party:
                problems.append(
                    f"{path}: {target}: {own} may not use {names[0]} (docs/architecture.md)"
                )
    return problems


def python_imports(tree: Tree) -> list[str]:
    """Modules imported by workers/python that are neither the standard library's, nor in the row of their
    room, nor modules of a room that this row names."""
    problems = []
    modules = {module_of(path): path for path in tree.matching("workers/python/*.py")}
    for path in modules.values():
        own = tree.folder_of(path)
        row = tree.rows[own or "workers/python"]
        for line, names in _imported(tree, path):
            known = next((modules[name] for name in names if name in modules), None)
            part = names[-1].split(".")[0]
            used = tree.folder_of(known) if known else None
            if known and used != own and used not in row.uses:
                problems.append(f"{path}:{line}: {own} may not use {used} (docs/architecture.md)")
            elif not known and part not in {*row.third_party, *sys.stdlib_module_names}:
                problems.append(f"{path}:{line}: imports {part}, which its row does not name")
    return problems


def _imported(tree: Tree, path: str) -> list[tuple[int, list[str]]]:
    """(line, full names that an import may mean, the longest first) of each import."""
    package = module_of(path)
    if not path.endswith("__init__.py"):
        package = package.rpartition(".")[0]
    found = []
    for node in tree.nodes(path):
        if isinstance(node, ast.Import):
            found += [(node.lineno, [alias.name]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = absolute(package, node.module or "", node.level)
            found += [(node.lineno, [f"{base}.{alias.name}", base]) for alias in node.names]
    return found


def unknown_imports(tree: Tree) -> list[str]:
    """Imports of Python files outside workers/python that lead nowhere: to no neighbour, no module of the
    root or of the worker, nothing of the standard library and no third-party package of the table."""
    modules = {module_of(path) for path in tree.matching("*.py")}
    folders = {".".join(name.split(".")[:-1]) for name in modules}
    third_party = {name for row in tree.rows.values() for name in row.third_party}
    known = (
        third_party
        | READERS
        | SEARCHERS
        | ORCHESTRATORS
        | set(sys.stdlib_module_names)
        | {name.split(".")[0] for name in folders}
    )
    problems = []
    for path in tree.matching("*.py"):
        package = module_of(path).rpartition(".")[0]
        for line, names in _imported(tree, path):
            base = names[-1]
            beside = any(f"{package}.{name}" in modules for name in names)
            inside = any(name in modules or name in folders for name in names)
            is_ours = base.split(".")[0] in OUR_PACKAGES
            if not (inside or beside) and (is_ours or base.split(".")[0] not in known):
                problems.append(f"{path}:{line}: imports {base}, which is nowhere; see tools/")
    return problems
