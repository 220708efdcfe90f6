"""Units (x.hpp and x.cpp of one folder, a Python module), who includes whom, circles, and how full a room is.

A room's face, ROOM/ROOM.hpp, lists what the sources of the room offer; it is no unit unless it has a source."""

import ast
from collections import Counter
from functools import lru_cache

import cpp_source
from tree import CPP, Tree

CIRCLES = "tests/architecture/circles.txt"
FULL_ROOMS = "tests/architecture/full_rooms.txt"
MOST_UNITS = 25
PRODUCT = ("include/*", "src/*", "launcher/*", "workers/native/*")
PYTHON_ROOT = "workers/python/"
ROOTS = ("include/", "src/", "launcher/", "tests/", "workers/native/", "")


def resolve(tree: Tree, path: str, header: str) -> str | None:
    """The file of the tree that a quoted (or regatta/) header names, as the compiler would find it."""
    files = _file_set(tree)
    own = path.rpartition("/")[0] + "/"
    return next((root + header for root in (own, *ROOTS) if root + header in files), None)


@lru_cache(maxsize=8)
def _file_set(tree: Tree) -> frozenset[str]:
    return frozenset(tree.files)


def unit_of(path: str) -> str:
    """`engine/session` for include/regatta/engine/session.hpp and src/engine/session.cpp alike."""
    return path.removeprefix("src/").removeprefix("include/regatta/").rsplit(".", 1)[0]


def is_face(path: str) -> bool:
    """Whether this is ROOM/ROOM.hpp, no door of a folder."""
    folder, _, name = path.rpartition("/")
    return not path.startswith("include/") and name == folder.rpartition("/")[2] + ".hpp"


def listed(tree: Tree, path: str) -> list[str]:
    """Lines of one of the lists beside this file, without comments."""
    if path not in tree.files:
        return []
    lines = (line.split("#")[0].strip() for line in tree.text(path).split("\n"))
    return [line for line in lines if line]


def include_graph(tree: Tree) -> dict[str, set[str]]:
    """Unit -> units that one of its files includes, over the whole product."""
    graph: dict[str, set[str]] = {}
    for path in tree.matching(*CPP):
        if not path.startswith(tuple(pattern.rstrip("*") for pattern in PRODUCT)):
            continue
        used = graph.setdefault(unit_of(path), set())
        for _, header, quoted in cpp_source.includes(tree.text(path)):
            found = resolve(tree, path, header) if quoted or header.startswith("regatta/") else None
            implements = found and is_face(found) and _room(found) == _room(path)
            if found and not (implements and not path.endswith(".hpp")):
                used.add(unit_of(found))
    return {unit: used - {unit} for unit, used in graph.items()}


def _room(path: str) -> str:
    return path.rpartition("/")[0]


def import_graph(tree: Tree) -> dict[str, set[str]]:
    """Python module -> modules of the tree that it imports; an import inside a function counts too."""
    paths = {module_of(path): path for path in tree.matching("*.py")}
    graph = {}
    for module, path in paths.items():
        package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
        wanted: set[str] = set()
        for node in tree.nodes(path):
            if isinstance(node, ast.Import):
                wanted.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = absolute(package, node.module or "", node.level)
                names = {f"{base}.{alias.name}" for alias in node.names}
                wanted |= {name if _known(name, package, paths) else base for name in names}
        graph[module] = {known for name in wanted if (known := _known(name, package, paths))}
        graph[module].discard(module)
    return graph


def _known(name: str, package: str, paths: dict[str, str]) -> str | None:
    """The module of the tree that a name means: its full name, or a neighbour in a folder of scripts."""
    return next((full for full in (f"{package}.{name}", name) if full in paths), None)


def module_of(path: str) -> str:
    name = path.removeprefix(PYTHON_ROOT).removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")


def absolute(package: str, module: str, level: int) -> str:
    if level == 0:
        return module
    parts = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join([*parts, *filter(None, [module])])


def circles_of(graph: dict[str, set[str]]) -> list[frozenset[str]]:
    """Sets of nodes that reach one another, each of two nodes or more (Kosaraju, without recursion)."""
    order: list[str] = []
    seen: set[str] = set()
    for start in sorted(graph):
        _finish(graph, start, seen, order)
    users: dict[str, set[str]] = {node: set() for node in graph}
    for node, used in graph.items():
        for other in used & graph.keys():
            users[other].add(node)
    taken: set[str] = set()
    found = []
    for start in reversed(order):
        members: list[str] = []
        _finish(users, start, taken, members)
        if len(members) > 1:
            found.append(frozenset(members))
    return sorted(found, key=sorted)


def _finish(graph: dict[str, set[str]], start: str, seen: set[str], order: list[str]) -> None:
    """Appends all that is reached from `start` and not yet seen, each after what it uses."""
    if start in seen:
        return
    seen.add(start)
    stack = [(start, iter(sorted(graph[start])))]
    while stack:
        node, rest = stack[-1]
        following = next((n for n in rest if n in graph and n not in seen), None)
        if following is None:
            order.append(node)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(sorted(graph[following]))))


def circles(tree: Tree) -> list[str]:
    """Units that include one another in a circle and are not listed; lines of the list that are out of date."""
    found = circles_of(include_graph(tree)) + circles_of(import_graph(tree))
    known = [frozenset(line.split()) for line in listed(tree, CIRCLES)]
    problems = []
    for circle in found:
        line = " ".join(sorted(circle))
        if circle in known:
            continue
        old = next((other for other in known if circle < other), None)
        if old is None:
            problems.append(f"{line}: these include one another in a circle")
        else:
            problems.append(f"{CIRCLES}: '{' '.join(sorted(old))}' has shrunk; write '{line}'")
    for old in known:
        if not any(circle <= old for circle in found):
            problems.append(
                f"{CIRCLES}: '{' '.join(sorted(old))}' is no circle any more; take it out"
            )
    return problems


def room_sizes(tree: Tree) -> Counter[str]:
    """Units of each row of docs/architecture.md that holds product code, without those of its rooms."""
    paths = _product_files(tree)
    sources = {unit_of(path) for path in paths if not path.endswith(".hpp")}
    units = {
        (tree.folder_of(path), unit_of(path))
        for path in paths
        if not is_face(path) or unit_of(path) in sources
    }
    return Counter(room for room, _ in units if room)


def _product_files(tree: Tree) -> list[str]:
    folders = tuple(pattern.rstrip("*") for pattern in PRODUCT)
    found = [path for path in tree.matching(*CPP) if path.startswith(folders)]
    return found + tree.matching(PYTHON_ROOT + "*.py")


def full_rooms(tree: Tree) -> list[str]:
    """Rooms with more units than a reader keeps in mind, but for listed ones, which may only shrink."""
    allowed = {}
    for line in listed(tree, FULL_ROOMS):
        room, _, count = line.partition(" ")
        allowed[room] = int(count)
    sizes, problems = room_sizes(tree), []
    for room, count in sorted(sizes.items()):
        most = allowed.get(room, MOST_UNITS)
        if count > most:
            problems.append(
                f"{room}: {count} units, more than {most}; give a part of it a room of its own"
            )
        elif room in allowed and count <= MOST_UNITS:
            problems.append(f"{FULL_ROOMS}: {room} has {count} units now; take the line out")
        elif room in allowed and count < most:
            problems.append(f"{FULL_ROOMS}: {room} has {count} units now; write '{room} {count}'")
    gone = sorted(allowed.keys() - sizes.keys())
    return problems + [f"{FULL_ROOMS}: {room} is no room; take the line out" for room in gone]
