"""Runs the short scripts of docs/questions/checks, each in several fresh processes, and puts what they print into the pages.

They time with the frameworks' own means, or timeit, what the sweeps found: python3 -m scripts.question_checks NAME...
A script of several environments runs in each of them by turns.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from statistics import median

from scripts.printed_run import ROOT, write_printed

QUESTIONS = ROOT / "docs" / "questions"
PROCESSES = 7
PAGE_OF_CHECK = {
    "first_call": "versions",
    "fit_one_step": "tf2-execution-modes",
    "jax_step": "tensorflow-against-pytorch",
    "keras2_step": "tf2-execution-modes",
    "loader": "slow-step-checklist",
    "operands": "gpu-against-cpu",
    "predict": "tf2-execution-modes",
    "tensorflow_step": "tensorflow-against-pytorch",
    "torch_step": "tensorflow-against-pytorch",
    "versions": "versions",
}


def environments(script: Path) -> list[str]:
    """Its first line names them: `# python@torch`, or several with commas between."""
    first = script.read_text(encoding="utf-8").partition("\n")[0]
    return first.partition("@")[2].split(",")


def printed_by(environment: str, script: Path) -> dict[str, float]:
    """The figures that one process printed: "NAME | MILLISECONDS" a line."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    python = cache / "regatta" / "engines" / environment / "bin" / "python"
    command = [str(python), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{script.name} in {environment}: {done.stderr}")
    return {
        n.strip(): float(v) for n, v in re.findall(r"^(.+) \| (\S+)$", done.stdout, re.MULTILINE)
    }


def milliseconds(script: Path) -> dict[str, float]:
    """The figures of one process, or of one in each of several environments by turns: rows "NAME: ENVIRONMENT"."""
    names = environments(script)
    if len(names) == 1:
        return printed_by(names[0], script)
    of_each = {name: printed_by(name, script) for name in names}
    return {f"{row}: {name}": of_each[name][row] for row in of_each[names[0]] for name in names}


def table(runs: list[dict[str, float]]) -> str:
    """Median, least and most over processes; against the first line of as many rows ("32 rows: ...")."""
    width = max(map(len, runs[0]))
    lines = []
    firsts: dict[str, str] = {}
    for name in runs[0]:
        values = [run[name] for run in runs]
        line = f"{name:{width}}  {median(values):7.3f} ms [{min(values):.3f}, {max(values):.3f}]"
        first = firsts.setdefault(name.partition(": ")[0] if ": " in name else "", name)
        ratios = [run[name] / run[first] for run in runs]
        times = f"  {median(ratios):.2f} times the first [{min(ratios):.2f}, {max(ratios):.2f}]"
        lines.append(line + ("" if name == first else times))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checks", nargs="+", choices=sorted(PAGE_OF_CHECK), metavar="NAME")
    for check in parser.parse_args().checks:
        script = QUESTIONS / "checks" / f"{check}.py"
        runs = [milliseconds(script) for _ in range(PROCESSES)]
        begin = f"<!-- what checks/{check}.py printed in {PROCESSES} processes: scripts/question_checks.py -->\n"
        write_printed(
            QUESTIONS / f"{PAGE_OF_CHECK[check]}.md",
            begin,
            f"$ python3 checks/{check}.py\n{table(runs)}",
        )


if __name__ == "__main__":
    main()
