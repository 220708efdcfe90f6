"""Writes the tables of docs/background/gpu-h200.md from what a GPU answered: tests/gpu/answers, a run of scripts/gpu_check.sh.

usage: python3 -m scripts.gpu_table [--check]     --check: changes nothing; exit code 1 if the page tells otherwise
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.performance_page import table, time_text, wrapped
from tools import ROOT

JSON = dict[str, Any]
PAGE = ROOT / "docs" / "background" / "gpu-h200.md"
ANSWERS = ROOT / "tests" / "gpu" / "answers"
OURS, CORE = "native graph", "native, one core"
FRAMEWORKS = ("torch", "jax")
# As the check names them, and as the page does.
ARMS = {
    OURS: OURS,
    "native eager": "native eager",
    "torch replayed": "torch replayed",
    "torch compiled": "torch compiled",
    "torch eager": "torch eager",
    "jax": "JAX",
    CORE: "native on one core",
}
RESIDENT, COPIED, LENGTHS = "input: resident", "input: array", "lengths, input: array"
COUNTED = "conv1d-small, 140"  # the model whose kernels are shown
LIBRARYS = re.compile(r"cublas|cutlass|xmma|gemv|gemm|splitK")  # kernels, by what is in their names
NEAR = 0.05  # to 1: told with a digit more
RATES = {
    "fp32_flops_per_second": ("products in fp32, without tensor cores", 1e-12, "TFLOP/s"),
    "tf32_flops_per_second": ("products in tf32", 1e-12, "TFLOP/s"),
    "bf16_flops_per_second": ("products in bf16", 1e-12, "TFLOP/s"),
    "memory_bytes_per_second": ("the device's memory", 1e-12, "TB/s"),
    "upload_bytes_per_second": (
        "a batch to the device, the copy to pinned memory included",
        1e-9,
        "GB/s",
    ),
    "download_bytes_per_second": ("from the device", 1e-9, "GB/s"),
    "launch_seconds": ("a launch, one after the other", 1e6, "us"),
    "node_seconds": ("a node of a graph that waits for the one before", 1e6, "us"),
}


def read(name: str) -> JSON:
    return json.loads((ANSWERS / f"h200_{name}.json").read_text(encoding="utf-8"))


def median_of(arms: JSON, arm: str) -> float | None:
    slices = arms.get(arm, {}).get("slices")
    return statistics.median(slices) if slices else None


def times(arms: JSON, arm: str, other: str) -> tuple[float, float, float]:
    """How many times as long as `other` it takes, by rounds that both took: median, least, most."""
    ratios = [a / b for a, b in zip(arms[arm]["slices"], arms[other]["slices"])]
    return statistics.median(ratios), min(ratios), max(ratios)


def fastest(arms: JSON) -> str | None:
    """The fastest framework."""
    seconds = {arm: median_of(arms, arm) for arm in arms if arm.startswith(FRAMEWORKS)}
    known = {arm: each for arm, each in seconds.items() if each is not None}
    return min(known, key=lambda arm: known[arm], default=None)


def ratio_text(median: float, low: float, high: float) -> str:
    digits = 4 if abs(median - 1) < NEAR else 3
    return f"{median:.{digits}g}x [{low:.{digits}g}, {high:.{digits}g}]"


def ahead_text(arms: JSON) -> str:
    framework = fastest(arms)
    if framework is None or median_of(arms, OURS) is None:
        return "–"
    return f"{ratio_text(*times(arms, framework, OURS))} {ARMS[framework]}"


def time_cells(arms: JSON, shown: dict[str, str]) -> list[str]:
    return [time_text(median_of(arms, arm)) for arm in shown]


def bar_cells(bar: JSON) -> list[str]:
    asked = str(bar["asked"]).replace(" times", "x")
    return [asked, "reached" if bar["is_reached"] else "**missed**"]


def resident(timing: JSON) -> str:
    bars = {bar["trial"]: bar for bar in timing["bars"] if "ahead" in bar}
    rows = []
    for trial, arms in timing["tables"][RESIDENT].items():
        bar = bars.get(trial)
        ahead = ahead_text(arms)
        if bar is not None:
            told = ratio_text(*(bar["ahead"][each] for each in ("median", "low", "high")))
            ahead = f"{told} {ARMS[bar['fastest']]}"
        rows.append(
            [trial, *time_cells(arms, ARMS), ahead, *(bar_cells(bar) if bar else ["–", "–"])]
        )
    headings = ["model", *ARMS.values(), "fastest framework / native graph", "asked", ""]
    reached = sum(bar["is_reached"] for bar in bars.values())
    refused = {arms[arm]["refused"] for arms in timing["tables"][RESIDENT].values() for arm in arms}
    notes = [f"{reached} of {len(bars)} bars are reached.", faster_core(timing, RESIDENT)]
    notes += [f"–: {reason.partition(': ')[2]}." for reason in sorted(refused) if reason]
    return table(headings, rows) + "\n" + "\n".join(f"- {note}" for note in notes) + "\n"


def faster_core(timing: JSON, name: str) -> str:
    found = []
    for trial, arms in timing["tables"][name].items():
        core, ours = median_of(arms, CORE), median_of(arms, OURS)
        if core is not None and ours is not None and core < ours:
            found.append(f"{trial} ({time_text(core)} against {time_text(ours)})")
    return f"One core is ahead of the GPU in {', '.join(found) or 'none of them'}."


def copied(timing: JSON) -> str:
    rows = [
        [trial, *time_cells(arms, ARMS), ahead_text(arms)]
        for trial, arms in timing["tables"][COPIED].items()
    ]
    headings = ["model", *ARMS.values(), "fastest framework / native graph"]
    return table(headings, rows) + f"\n- {faster_core(timing, COPIED)}\n"


def overtaking(lengths: list[tuple[int, float]]) -> str:
    """A sentence on lengths, from pairs of a length and of how many times as long one core takes there."""
    behind = [length for length, ratio in lengths if ratio <= 1]
    if not behind:
        shortest = lengths[0][0]
        return (
            f"The GPU is ahead of one core at each of these lengths, {shortest} being the shortest."
        )
    ahead = [length for length, _ in lengths if length > max(behind)]
    if not ahead:
        return "One core is ahead of the GPU at the longest of these lengths."
    return f"The GPU overtakes one core between lengths {max(behind)} and {ahead[0]}."


def crossover(timing: JSON) -> str:
    rows, lengths = [], []
    for trial, arms in timing["tables"][LENGTHS].items():
        length = int(trial.split(", ")[1])
        ratio = times(arms, CORE, OURS)
        lengths.append((length, ratio[0]))
        shown = {arm: ARMS[arm] for arm in (OURS, "native eager", CORE)}
        rows.append([str(length), *time_cells(arms, shown), ratio_text(*ratio)])
    headings = ["length", OURS, "native eager", ARMS[CORE], "one core / native graph"]
    return table(headings, rows) + f"\n- {overtaking(lengths)}\n"


def calibration(limits: JSON) -> str:
    rows = [
        [what, f"{limits[key] * scale:.3g} {unit}"]
        for key, (what, scale, unit) in RATES.items()
        if key in limits
    ]
    return table(["what", "measured"], rows)


def kind_of(kernel: JSON) -> str:
    """Own kernels by their names, a tiled convolution by its blocks; what libraries bring by who brings it."""
    name = kernel["kernel"].removeprefix("void ").replace("regatta::", "")
    if LIBRARYS.search(name):
        return "product of cuBLASLt"
    own = re.match(r"\w+", name)
    if own is None:
        raise ValueError(f"no kernel: {name}")
    if own[0] == "tiled_product" and "Gathered" not in name:
        return "tiled product"
    if own[0] == "tiled_product":
        return f"tiled convolution, {kernel['grid'].strip('()').replace(', ', ' x ')} blocks"
    functor = re.search(r"<\d+, (\w+)", name)
    return f"`{own[0]}` {functor[1]}" if functor else f"`{own[0]}`"


def busiest(kernels: list[JSON], key: str) -> str:
    known = [kernel[key] for kernel in kernels if kernel[key] is not None]
    return f"{max(known):.0f}" if known else "–"


def kernels(counters: JSON) -> str:
    groups: dict[str, list[JSON]] = {}
    for kernel in counters[COUNTED]:
        groups.setdefault(kind_of(kernel), []).append(kernel)
    rows = [
        [
            kind,
            str(len(each)),
            f"{sum(kernel['us'] for kernel in each):.1f}",
            busiest(each, "sm_percent"),
            busiest(each, "dram_percent"),
        ]
        for kind, each in groups.items()
    ]
    rows.sort(key=lambda row: -float(row[2]))
    return table(["kernels", "number", "us in all", "SM %, at most", "memory %, at most"], rows)


def steps(counters: JSON, timing: JSON) -> str:
    rows = []
    for trial, each in counters.items():
        tiled = [kernel["us"] for kernel in each if kind_of(kernel).startswith("tiled convolution")]
        graph = median_of(timing["tables"][RESIDENT][trial], OURS)
        cells = [str(len(each)), f"{sum(kernel['us'] for kernel in each):.1f} us"]
        cells += [str(len(tiled)), f"{sum(tiled):.1f} us" if tiled else "–", time_text(graph)]
        rows.append([trial, *cells])
    headings = ["model", "kernels of an eager step", "in all", "convolutions", "in all", OURS]
    return table(headings, rows)


# By the name that its marks in the page have.
TABLES: dict[str, Callable[[], str]] = {
    "resident": lambda: resident(read("timing")),
    "copied": lambda: copied(read("timing")),
    "lengths": lambda: crossover(read("timing")),
    "limits": lambda: calibration(read("limits")),
    "steps": lambda: steps(read("counters"), read("timing")),
    "kernels": lambda: kernels(read("counters")),
}


def replaced(page: str, name: str, text: str) -> str:
    """The page with that text between the marks of that name. Raises ValueError where they are not there."""
    begin, end = f"<!-- gpu_table.py: {name} -->\n", f"<!-- gpu_table.py: end of {name} -->\n"
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"the page lacks '{begin.strip()}' or '{end.strip()}'")
    return f"{before}{begin}\n{wrapped(text)}\n{end}{after}"


def page_of(page: str) -> str:
    for name, text in TABLES.items():
        page = replaced(page, name, text())
    return page


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="changes nothing")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    old = options.page.read_text(encoding="utf-8")
    new = page_of(old)
    if options.check:
        return 0 if new == old else 1
    options.page.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
