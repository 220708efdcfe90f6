"""The text of docs/background/performance.md, from the runs that native_vs_frameworks.py recorded."""

from __future__ import annotations

import math
import statistics
import textwrap
from collections.abc import Callable
from typing import Any

from bench.workloads import Row

JSON = dict[str, Any]
OVERHEAD_BAR_SECONDS = 0.1e-6
THREADS_BAR = 0.95
THREADS_MISSED = {  # limits of the workload
    "conv1d-medium, 140": "kernel gradients of the widest layers gain least, because both threads read the whole input of a layer "
    "from the cache that they share. Smaller pieces made it slower."
}
UNKNOWN = "the reason is not known yet"
PRECISION_BAR = 4.0
CLEARLY_SLOWER = 1.2  # than the fastest framework: no longer a candidate for it
PRECISION_ROW = "conv1d-medium, 140"  # the row that the bar is for
ARITHMETIC = "different arithmetic: the mean results of the first 3 steps lie "

GRAPH_HEADINGS = ["workload", "native graph", "fastest framework", "faster by", "goal"]
GRAPH_HEADINGS += ["", "GFLOP/s"]

TITLE = "# Performance of the native engine\n"
INTRODUCTION = f"""Times are for one thread, fp32, batch 32 and training steps, unless said. Every row is a sweep of Regatta: arms interleaved
on one core, in fresh processes. Only frameworks that were shown to do the same work (losses, gradients, updates) count.

- "Faster by" is the fastest framework's time over the native engine's: the median and range over runs or, of one run, its
  [interval](measuring.md).
- The first run times every arm. Later runs leave out arms that failed or took over {CLEARLY_SLOWER:g} times the fastest framework's time.
  `bench/records/native_vs_frameworks.json` has all times.
- Peaks are what `regatta-worker calibrate` reached in the same run.
- `bench/native_vs_frameworks.py` writes this page; no figure is typed by hand. [Summing gradients](exchange.md) and
  [a second rank](rank-scaling.md) have pages of their own.
"""

REPEAT = """## Repeat it

```bash
bash scripts/setup-engines.sh torch jax tensorflow
python3 -m bench.native_vs_frameworks --fresh
python3 -m bench.native_vs_frameworks --only mlp-10 --quick
build/bin/bench_kernels --benchmark_filter=medium
```

Use an idle machine. A run without `--fresh` is added to the earlier ones. `bench_engine_steps` shows graph, graph without
fusion and eager side by side, `bench_kernels` each kernel alone.
"""


def time_text(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds >= 1000:
        return f"{float(f'{seconds:.3g}'):,.0f} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def table(headings: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def elapsed(arms: JSON, name: str) -> float | None:
    """Time of a step, by the ratio that was judged where there is one."""
    arm, native = (
        arms[name],
        next(iter(each for label, each in arms.items() if label.startswith("native"))),
    )
    if arm.get("ratio") and native["seconds"]:
        return arm["ratio"] * native["seconds"]
    return arm["seconds"]


def fastest(arms: JSON) -> str | None:
    """The fastest framework that was not shown to do other work."""
    able = {
        name: elapsed(arms, name)
        for name, arm in arms.items()
        if not name.startswith("native") and arm["seconds"] and arm["verified"] != "no"
    }
    return min(able, key=able.__getitem__, default=None)


def recorded(runs: list[JSON], name: str, part: str) -> list[JSON]:
    """The results of runs for one row, oldest first."""
    found = [run["rows"].get(name, {}).get(part) for run in runs]
    return [each for each in found if each]


def middle(values: list[float]) -> float:
    return statistics.median(values)


def ratio_text(ratios: list[float], arm: JSON) -> str:
    """The factor with its interval (one run) or the range of runs."""
    if len(ratios) > 1:
        return f"{middle(ratios):.3g}x [{min(ratios):.3g}, {max(ratios):.3g}]"
    low, high = arm["low"], arm["high"]
    interval = f" [{low:.3g}, {high:.3g}]" if low and high else " (no interval)"
    return f"{ratios[0]:.3g}x{interval}"


def against(found: list[JSON], native: str) -> tuple[str, list[float], JSON] | None:
    """The fastest framework of the last run, its ratios in all runs, and its arm in the last."""
    name = fastest(found[-1])
    if name is None or found[-1][native]["seconds"] is None:
        return None
    ratios = [
        arms[name]["seconds"] / arms[native]["seconds"]
        if arms[name]["ratio"] is None
        else arms[name]["ratio"]
        for arms in found
        if name in arms
        and arms[name]["seconds"]
        and arms[native]["seconds"]
        and arms[name]["verified"] != "no"
    ]
    return name, ratios, found[-1][name]


def peak_of(runs: list[JSON]) -> float:
    return max(run["calibration"]["core_peak_flops_per_second"] for run in runs)


def graph_line(runs: list[JSON], row: Row) -> tuple[list[str], str]:
    """A line of the table, and what is to be said where the bar is missed."""
    found = recorded(runs, row.name, "graph")
    if not found:
        return [row.name, *["not measured"] * 2, "–", f"{row.bar:g}x", "–", "–"], ""
    arms = found[-1]
    pair = against(found, "native graph")
    if arms["native graph"]["seconds"] is None:
        reason = arms["native graph"]["reason"] or "not built"
        other = fastest(arms) or "–"
        return [row.name, "not built yet", other, "–", f"{row.bar:g}x", "–", "–"], reason
    seconds = middle([each["native graph"]["seconds"] for each in found])
    counters = recorded(runs, row.name, "counters")[-1]
    rate = counters["flop"] / seconds
    share = rate / peak_of(runs)
    rate_text = f"{rate * 1e-9:.3g} ({share:.0%})" if counters["flop"] > 1000 else "–"
    bar = f"{row.bar:g}x" + (f", {row.share_bar:.0%} of peak" if row.share_bar else "")
    if pair is None:
        return [row.name, time_text(seconds), "none ran", "–", bar, "–", rate_text], ""
    name, ratios, arm = pair
    is_met = middle(ratios) >= row.bar and share >= row.share_bar
    line = [
        row.name,
        time_text(seconds),
        name,
        ratio_text(ratios, arm),
        bar,
        "met" if is_met else "**missed**",
        rate_text,
    ]
    return line, "" if is_met else row.missed or UNKNOWN


def median_interval(values: list[float]) -> tuple[float, float, float]:
    """The median, and order statistics that hold the true one in at least 95 % of cases; infinite for fewer than 6."""
    ordered = sorted(values)
    count = len(ordered)
    outside, rank = 0.0, 0
    while rank < count // 2:
        outside += 2 * math.comb(count, rank) / 2**count
        if outside > 0.05:
            break
        rank += 1
    if rank == 0:
        return middle(ordered), -math.inf, math.inf
    return middle(ordered), ordered[rank - 1], ordered[-rank]


def overhead_text(overheads: list[float]) -> tuple[str, bool | None]:
    """Seconds an operation, and whether they keep to the bar: None where noise is wider than it."""
    center, low, high = median_interval(overheads)
    if low > OVERHEAD_BAR_SECONDS or high <= OVERHEAD_BAR_SECONDS:
        return time_text(max(center, 0.0)), high <= OVERHEAD_BAR_SECONDS
    return f"below {time_text(high)}" if math.isfinite(high) else "does not show", None


def eager_line(runs: list[JSON], row: Row) -> list[str]:
    found = recorded(runs, row.name, "eager")
    counted = recorded(runs, row.name, "counters")
    if not found or not counted or found[-1]["native eager"]["seconds"] is None:
        return [row.name, "not measured", *["–"] * 6]
    pair = against(found, "native eager")
    counters = counted[-1]
    overhead, is_small = overhead_text(
        [value for each in counted for value in each["eager_overheads_per_op_seconds"]]
    )
    line = [
        row.name,
        time_text(middle([each["native eager"]["seconds"] for each in found])),
        str(counters["eager_ops"]),
        overhead,
        f"{counters['eager_seconds'] / counters['graph_seconds']:.3g}x",
    ]
    if pair is None:
        return [*line, "none ran", "–", "–"]
    name, ratios, arm = pair
    is_ahead = middle(ratios) > 1
    verdict = "**missed**" if is_small is False or not is_ahead else "met" if is_small else "ahead"
    return [
        *line,
        name,
        ratio_text(ratios, arm),
        verdict,
    ]


def eager_reasons(rows: list[Row], lines: list[list[str]]) -> str:
    """The reasons why eager misses its bar; rows with the same reason together."""
    reasons: dict[str, list[str]] = {}
    for row, line in zip(rows, lines, strict=True):
        if line[-1] == "**missed**":
            reason = row.eager_missed or UNKNOWN
            reasons.setdefault(reason, []).append(row.name)
    return "".join(f"- {'; '.join(names)}: {reason}\n" for reason, names in reasons.items())


def range_text(values: list[float], text: Callable[[float], str]) -> str:
    return f"{text(min(values))} to {text(max(values))}"


def bytes_text(size: float) -> str:
    for unit, of in (("MiB", 2**20), ("KiB", 2**10)):
        if size >= of:
            return f"{size / of:.3g} {unit}"
    return f"{size:.0f} bytes"


def planning_text(runs: list[JSON], rows: list[Row]) -> str:
    counters = [each[-1] for row in rows if (each := recorded(runs, row.name, "counters"))]
    if not counters:
        return "Not measured.\n"
    build = range_text([each["plan_seconds"] for each in counters], time_text)
    arenas = [each["arena_bytes"] for each in counters]
    return (
        f"Building a session takes {build}; beyond a millisecond nearly all of it goes to choosing kernels by timing, and later "
        f"sessions read the choice. Temporary memory (the arena) takes {range_text(arenas, bytes_text)}.\n"
    )


def threads_text(runs: list[JSON]) -> str:
    lines, missed = [], set()
    for run in runs:
        for name, found in run["threads"].items():
            gain = found["cores_gain"]
            native = found["speedups"].get("native")
            others = ", ".join(
                f"{engine} {value:.2f}x"
                for engine, value in found["speedups"].items()
                if engine != "native"
            )
            share = native / gain if native else 0.0
            met = "met" if share >= THREADS_BAR else "**missed**"
            if share < THREADS_BAR:
                missed.add(name)
            own = f"{native:.2f}x" if native else "–"
            lines.append([name, own, f"{gain:.2f}x", f"{share:.2f}", met, others or "–"])
    if not lines:
        return "Not measured.\n"
    headings = ["workload", "two threads", "two cores of FMA loops", "share", "goal 0.95", "others"]
    reasons = "".join(f"- {name}: {THREADS_MISSED.get(name, UNKNOWN)}\n" for name in sorted(missed))
    text = table(headings, lines)
    return f"{text}\n{reasons}" if reasons else text


def gain_text(found: JSON) -> str:
    """How much faster the other level is, with the interval."""
    if not (found["low"] and found["high"]):
        return f"{1 / found['ratio']:.3g}x"
    return f"{1 / found['ratio']:.3g}x [{1 / found['high']:.3g}, {1 / found['low']:.3g}]"


def precision_text(runs: list[JSON]) -> str:
    lines = []
    for name, found in [each for run in runs for each in run.get("precision", {}).items()]:
        if found["ratio"] is None:
            lines.append([name, *["–"] * 4, found["detail"] or "not measured"])
            continue
        met = "met" if 1 / found["ratio"] >= PRECISION_BAR else "**missed**"
        times = [time_text(found["plain"]), time_text(found["other"])]
        bar = met if name == PRECISION_ROW else ""
        detail = found["detail"].removeprefix(ARITHMETIC)
        lines.append([name, *times, gain_text(found), bar, detail])
    headings = ["workload", "fp32", "bf16", "faster by", f"goal {PRECISION_BAR:g}x"]
    headings.append("first 3 results")
    return table(headings, lines) if lines else "Not measured.\n"


def savings_text(runs: list[JSON]) -> str:
    lines = []
    for found in [each for run in runs for each in run.get("savings", [])]:
        start = [found["name"], found["level"]]
        if found["ratio"] is None:
            lines.append([*start, "–", "–", found["detail"] or "not measured"])
            continue
        times = [time_text(found["plain"]), time_text(found["other"])]
        lines.append([*start, *times, gain_text(found)])
    headings = ["workload", "level", "without it", "with it", "faster by"]
    return table(headings, lines) if lines else "Not measured.\n"


def versions_text(run: JSON) -> str:
    return ", ".join(f"{name} {version}" for name, version in run["versions"].items() if version)


def runs_text(runs: list[JSON]) -> str:
    """All are of one machine and commit (comparable())."""
    engines = list(dict.fromkeys(map(versions_text, runs)))
    last, quick = runs[-1], sum(run["quick"] for run in runs)
    calibrations = [run["calibration"] for run in runs]
    peaks = [each["core_peak_flops_per_second"] * 1e-9 for each in calibrations]
    memory = [each["memory_bytes_per_second"] * 1e-9 for each in calibrations]
    return (
        f"{len(runs)} runs{f', {quick} of them quick' if quick else ''}, {runs[0]['utc']} to {last['utc']}, on {last['machine']}, commit "
        f"{last.get('engine', '–')}. A core did {range_text(peaks, '{:.0f}'.format)} GFLOP/s, memory "
        f"{range_text(memory, '{:.0f}'.format)} GB/s; the load was {range_text([run['load'] for run in runs], '{:.2f}'.format)}. A worker "
        f"took {last['worker']['bytes'] / 2**20:.1f} MiB and was ready in "
        f"{range_text([run['worker']['ready_seconds'] for run in runs], time_text)}. {'; '.join(engines)}.\n"
    )


def tile_text(runs: list[JSON]) -> str:
    lines = "\n".join(runs[-1].get("tile", ["not measured"]))
    return (
        "A register tile of a product with its loads, before the last run (`bench_tile`); the peak above has multiply-adds "
        f"alone:\n\n```text\n{lines}\n```\n"
    )


def axes_parts(runs: list[JSON]) -> list[str]:
    """The gains from labelled axes."""
    return [
        "## bf16\n",
        "The axis `precision` rounds operands of dense layers and 1-D convolutions to bf16 and sums in fp32, on tile registers "
        "(AMX). This is other arithmetic, so it is never a default and never compared with a framework's fp32.\n",
        precision_text(runs),
        "## Less work for the same result\n",
        "Two axes save work, exact but for rounding: `algorithm` fft convolves by Fourier transforms, `rewrite` algebraic "
        "pools before the linear convolutions that commute with it.\n",
        savings_text(runs),
    ]


def comparable(runs: list[JSON]) -> list[JSON]:
    """Runs of the last run's machine and engine; a first look is none."""
    last = runs[-1]
    same = ("machine", "engine")
    found = [run for run in runs if all(run.get(key) == last.get(key) for key in same)]
    return [run for run in found if not run.get("first_look")] or found


def wrapped(page: str) -> str:
    """Prose in lines of at most 118 columns; tables, headings and code stay as they are."""
    done: list[str] = []
    open_text: list[str] = []
    in_code = False
    for line in [*page.split("\n"), ""]:
        in_code ^= line.startswith("```")
        is_prose = bool(line) and not in_code and line[0] not in "#|`<"
        if open_text and (not is_prose or line.startswith("- ")):
            text = " ".join(open_text)
            indent = "  " if text.startswith("- ") else ""
            done += textwrap.wrap(
                text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
            open_text = []
        if is_prose:
            open_text.append(line.strip())
        else:
            done.append(line)
    return "\n".join(done[:-1])


def answer(lines: list[list[str]]) -> str:
    """In how many workloads the bar of the graph is met."""
    met = sum(line[5] == "met" for line in lines)
    factors = [float(line[3].partition("x")[0]) for line in lines if "x" in line[3]]
    if not factors:
        return ""
    return (
        f"In graph mode a step of the native engine is {min(factors):.3g} to {max(factors):.3g} times as fast as that of the fastest "
        f"framework, depending on the workload. {met} of {len(lines)} goals are met.\n"
    )


def page_of(runs: list[JSON], rows: list[Row], trainings: str = "") -> str:
    runs = comparable(runs)
    graph = [graph_line(runs, row) for row in rows]
    missed = [(line[0], reason) for line, reason in graph if reason]
    eager = [eager_line(runs, row) for row in rows]
    parts = [
        TITLE,
        answer([line for line, _ in graph]),
        INTRODUCTION,
        "## Graph\n",
        table(GRAPH_HEADINGS, [line for line, _ in graph]),
        "GFLOP/s count products, padding included, over the time of a step (share of the peak).\n",
        "".join(f"- {name}: {reason}\n" for name, reason in missed),
        tile_text(runs),
        "## Eager\n",
        "The overhead of an operation is (eager - graph without fusion) / operations, with the same kernels; the goal is 0.1 us. "
        '"Ahead" means ahead of every framework, with an overhead too small to measure: its upper 95 % limit is shown.\n',
        table(
            [
                "workload",
                "native eager",
                "operations",
                "overhead each",
                "eager / graph",
                "fastest framework's eager",
                "faster by",
                "",
            ],
            eager,
        ),
        eager_reasons(rows, eager),
        "## Two threads\n",
        threads_text(runs),
        *axes_parts(runs),
        trainings,
        "## Planning and memory\n",
        planning_text(runs, rows),
        "## Runs\n",
        runs_text(runs),
        REPEAT,
    ]
    return wrapped("\n".join(part for part in parts if part))
