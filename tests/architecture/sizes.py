"""Sizes of files and functions against the ceilings, and the figures that the docs quote."""

import ast
import math
import re
from functools import lru_cache

import cpp_source
from tree import CPP, Tree

FILE_LINES = 700
FUNCTION_LINES = 60
MAIN_LINES = 40
SOURCE = (*CPP, "*.py", "*.sh", "*.cmake", "*CMakeLists.txt", "*.sbatch")


def file_lines(tree: Tree) -> dict[str, int]:
    return {path: tree.text(path).count("\n") for path in tree.matching(*SOURCE)}


def is_table(code: str) -> bool:
    """Whether a function does nothing but return rows: it may be as long as it has rows."""
    body = re.search(r"\{\s*return\s*\{(.*)\};\s*\}\s*$", code)
    return body is not None and ";" not in body.group(1)


@lru_cache(maxsize=4)
def function_lines(tree: Tree) -> dict[str, int]:
    """Lines of each C++ and Python function that is no table, keyed by "path:line: name"."""
    found = {}
    for path in tree.matching(*CPP):
        code = cpp_source.strip_literals(tree.text(path)).split("\n")
        for function in cpp_source.functions(tree.text(path)):
            if is_table(" ".join(code[function.first_line - 1 : function.last_line])):
                continue
            found[f"{path}:{function.first_line}: {function.name}"] = function.lines
    for path in tree.matching("*.py"):
        for node in tree.nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                found[f"{path}:{node.lineno}: {node.name}"] = lines
    return found


def percentile(values: list[int], share: float) -> int:
    """The smallest value that at least this share of all values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def file_sizes(tree: Tree) -> list[str]:
    return [
        f"{path}: {lines} lines, more than {FILE_LINES}; split it by concept"
        for path, lines in file_lines(tree).items()
        if lines > FILE_LINES
    ]


def function_sizes(tree: Tree) -> list[str]:
    problems = []
    for name, lines in function_lines(tree).items():
        most = MAIN_LINES if name.endswith(": main") else FUNCTION_LINES
        if lines > most:
            problems.append(f"{name}: {lines} lines, more than {most}; name its parts")
    return problems


def summary(tree: Tree) -> str:
    files, functions = list(file_lines(tree).values()), list(function_lines(tree).values())
    return (
        f"{len(files)} files: median {percentile(files, 0.5)}, p90 {percentile(files, 0.9)}, "
        f"max {max(files)} lines; {len(functions)} functions: median {percentile(functions, 0.5)}, "
        f"p90 {percentile(functions, 0.9)}, p99 {percentile(functions, 0.99)}, max {max(functions)} lines"
    )
