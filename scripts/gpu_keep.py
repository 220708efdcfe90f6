"""Keeps what a run of scripts/gpu_check.sh brought: tests/gpu/answers/NAME_*.json, a case, arm, row or kernel on a line.

usage: python3 -m scripts.gpu_keep RESULTS NAME     RESULTS: its folder OUT, NAME: of the device, as h200

Floats get four digits. Names of one machine (UUIDs, bus ids, paths) are not kept; look at the result all the same.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tarfile
from pathlib import Path
from typing import Any

from tools import ROOT

ANSWERS = ROOT / "tests" / "gpu" / "answers"
RESULTS = ("counters", "limits", "same_work", "sanitizers", "summary", "timing")
IN_ARCHIVE = {name: f"kept/{name}.json" for name in ("answers", "sweep", "sweep_of_frameworks")}
OF_A_PHASE = ("number", "name", "result", "seconds")
OF_A_CASE = ("name", "got", "details")
NOT_KEPT = ("uuid", "name", "plugin", "commit")
DIGITS = 4
LARGE = 1e4  # floats from there on have no fraction
NAMES_ONE = re.compile(r" \(GPU-[0-9a-f-]+\)")  # behind a device's name
ONE_MACHINE = re.compile(r"GPU-[0-9a-f]{8}|[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.|\"/")


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if abs(short) >= LARGE else short
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items() if name != "uuid"}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return value


def is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list)


def is_a_line(value: Any) -> bool:
    """Numbers and texts side by side, or a record of such and of lists of them."""
    if isinstance(value, list):
        return all(is_plain(each) for each in value)
    if isinstance(value, dict):
        return all(
            is_plain(each)
            or all(is_plain(part) for part in (each.values() if isinstance(each, dict) else each))
            for each in value.values()
        )
    return True


def text_of(value: Any, depth: int = 0) -> str:
    if depth > 0 and is_a_line(value):
        return json.dumps(value, ensure_ascii=False)
    pad = " " * (depth + 1)
    if isinstance(value, dict):
        inner = [f"{pad}{json.dumps(k)}: {text_of(each, depth + 1)}" for k, each in value.items()]
        return "{\n" + ",\n".join(inner) + "\n" + " " * depth + "}"
    inner = [pad + text_of(each, depth + 1) for each in value]
    return "[\n" + ",\n".join(inner) + "\n" + " " * depth + "]"


def found_in(results: Path) -> dict[str, Any]:
    """By the name that it is kept under; what a run did not bring is left out."""
    found = {
        name: json.loads((results / f"{name}.json").read_text())
        for name in RESULTS
        if (results / f"{name}.json").exists()
    }
    with tarfile.open(results / "kept.tgz") as archive:
        for name, member in IN_ARCHIVE.items():
            if member in archive.getnames() and (file := archive.extractfile(member)) is not None:
                found[name] = json.load(file)
    return found


def tidied(found: dict[str, Any]) -> dict[str, Any]:
    """With the device's name in front, and of phases and cases what is compared and told."""
    device = {"device": found["limits"]["name"]} if "limits" in found else {}
    tidy: dict[str, Any] = dict(found)
    for name in ("limits", "timing", "summary", "answers"):
        if name in found:
            tidy[name] = device | {k: v for k, v in found[name].items() if k not in NOT_KEPT}
    if "limits" in found:  # rates, some of which are whole numbers by chance
        tidy["limits"] = {
            k: v if isinstance(v, str) else float(v) for k, v in tidy["limits"].items()
        }
    for name, part, kept in (("summary", "phases", OF_A_PHASE), ("answers", "cases", OF_A_CASE)):
        if name in found:
            tidy[name][part] = [
                {key: each[key] for key in kept if key in each} for each in found[name][part]
            ]
    return tidy


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument("name")
    arguments = parser.parse_args()
    for name, value in tidied(found_in(arguments.results)).items():
        file = ANSWERS / f"{arguments.name}_{name}.json"
        text = NAMES_ONE.sub("", text_of(rounded(value))) + "\n"
        file.write_text(text)
        print(f"{file.relative_to(ROOT)}: {len(text.splitlines())} lines")
        for line in text.splitlines():
            if ONE_MACHINE.search(line):
                print(f"  names one machine: {line.strip()[:100]}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
