"""The tables of docs/background/scaling.md, from what bench/scaling.py recorded.

python3 -m bench.scaling_page
"""

from __future__ import annotations

import itertools
import json
import math
import statistics
from collections.abc import Iterator
from typing import Any

from bench.performance_page import table, time_text, wrapped
from bench.scaling import AGENTS, RECORD, SYNC_SECONDS, TRIAL_SECONDS
from tools import ROOT, page_part

JSON = dict[str, Any]
PAGE = ROOT / "docs" / "background" / "scaling.md"
LITTLE_IDLE = 0.05
MUCH_IDLE = 0.5
PARTS = {
    "link": "MPI",
    "parse": "unpacking messages",
    "dispatch": "coordinator and scheduler",
    "store": "records",
    "pack": "packing messages",
    "progress": "what is shown of the run",
}


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"


def count(value: float) -> str:
    return f"{float(f'{value:.3g}'):,.0f}"


def micro(seconds: float) -> str:
    return f"{1e6 * seconds:.3g}"


def per_second(row: JSON) -> float:
    return row["trials_in_window"] / row["window_seconds"]


def cpu_of_trial(row: JSON) -> float:
    return row["cpu_seconds"] / row["trials_in_window"]


# ---- what one coordinator serves ---------------------------------------------------------------------------


def length_with(rows: list[JSON], idle: float) -> float | None:
    """The length of a trial at which agents are idle for this share of the time; rows by length."""
    for short, long in itertools.pairwise(rows):
        if short["idle_share"] >= idle > long["idle_share"]:
            part = (short["idle_share"] - idle) / (short["idle_share"] - long["idle_share"])
            logs = [math.log(row["trial_seconds"]) for row in (short, long)]
            return math.exp(logs[0] + part * (logs[1] - logs[0]))
    return None


def shortest(rows: list[JSON], idle: float) -> str:
    found = length_with(rows, idle)
    if found is not None:
        return time_text(float(f"{found:.2g}"))
    return f"< {time_text(rows[0]['trial_seconds'])}" if rows[0]["idle_share"] < idle else "–"


def limits(record: JSON) -> str:
    numbers = sorted({row["agents"] for row in record["limits"]})
    lines = []
    for agents in numbers:
        rows = sorted(
            (r for r in record["limits"] if r["agents"] == agents), key=lambda r: r["trial_seconds"]
        )
        full = rows[0]
        lines.append(
            [
                f"{agents:,}",
                shortest(rows, LITTLE_IDLE),
                shortest(rows, MUCH_IDLE),
                count(max(map(per_second, rows))),
                micro(cpu_of_trial(full)),
                percent(full["busy_share"]),
            ]
        )
    headings = [
        "agents",
        f"{percent(LITTLE_IDLE)} idle",
        f"{percent(MUCH_IDLE)} idle",
        "most trials/s",
    ]
    return table([*headings, "CPU of rank 0, us a trial", "busy with the shortest"], lines)


# ---- all runs ----------------------------------------------------------------------------------------------


def of(rows: list[JSON], agents: int, trial: float, sync: float) -> JSON:
    return next(
        row
        for row in rows
        if row["agents"] == agents and row["trial_seconds"] == trial and row["sync_seconds"] == sync
    )


def with_quick_disk(rows: list[JSON], numbers: tuple[int, ...]) -> Iterator[tuple[JSON, list[str]]]:
    """Rows of the shortest sync, each with the cells that its line begins with. The longest trials say nothing more."""
    for agents in numbers:
        for trial in TRIAL_SECONDS[:-1]:
            row = of(rows, agents, trial, SYNC_SECONDS[0])
            yield row, [f"{agents:,}", time_text(trial), count(per_second(row))]


def runs(record: JSON) -> str:
    lines = []
    for row, cells in with_quick_disk(record["alone"], AGENTS):
        cells += [
            percent(row["busy_share"]),
            percent(row["idle_share"]),
            time_text(row["wait_p50_seconds"]),
        ]
        lines.append(cells)
    headings = ["agents", "trial", "trials/s", "rank 0 busy", "agents idle", "a message waits"]
    return table(headings, lines)


def syncs(record: JSON) -> str:
    lines = []
    for agents in AGENTS:
        for trial in (TRIAL_SECONDS[1], TRIAL_SECONDS[3]):
            rows = [of(record["alone"], agents, trial, sync) for sync in SYNC_SECONDS]
            cells = [percent(row["idle_share"]) for row in rows]
            cells.append(count(rows[-1]["trials_in_window"] / rows[-1]["syncs"]))
            lines.append([f"{agents:,}", time_text(trial), *cells])
    headings = ["agents", "trial", *(f"idle, {time_text(sync)}" for sync in SYNC_SECONDS)]
    return table([*headings, f"trials a sync, {time_text(SYNC_SECONDS[-1])}"], lines)


def groups(record: JSON) -> str:
    shares = ("busy_share", "idle_share", "free_idle_share")
    waits = ("p50", "p99", "longest")
    lines = [
        [
            *cells,
            *(percent(row[share]) for share in shares),
            " / ".join(time_text(row[f"gang_wait_{wait}_seconds"]) for wait in waits),
            time_text(row["longest_attempt_seconds"]),
        ]
        for row, cells in with_quick_disk(record["groups"], (AGENTS[0], AGENTS[-1]))
    ]
    headings = ["agents", "trial", "trials/s", "rank 0 busy", "agents idle"]
    return table([*headings, "idle, free coordinator", "a group's wait", "longest attempt"], lines)


def parts(record: JSON) -> str:
    """Rank 0's CPU time of a trial of 10 ms, and the largest parts of it."""
    trial = TRIAL_SECONDS[1]
    few, many = (
        of(record["alone"], agents, trial, SYNC_SECONDS[0]) for agents in (AGENTS[0], AGENTS[-1])
    )
    [single] = record["singles"]
    shares = {name: many[f"{name}_seconds"] / many["cpu_seconds"] for name in PARTS}
    largest = sorted(shares, key=shares.__getitem__, reverse=True)[:3]
    return wrapped(
        f"A trial of {time_text(trial)} costs rank 0 {micro(cpu_of_trial(few))} us with {few['agents']} agents and "
        f"{micro(cpu_of_trial(many))} us with {many['agents']:,}, in blocks of {few['arms']}. A trial alone in its block costs "
        f"{micro(cpu_of_trial(single))} us with {single['agents']} agents. The largest parts with {many['agents']:,} agents are "
        + ", ".join(f"{PARTS[name]} ({percent(shares[name])})" for name in largest)
        + ".\n"
    )


# ---- what it rests on --------------------------------------------------------------------------------------


def link(record: JSON) -> str:
    few, many = record["link"][0], record["link"][-1]

    def costs(way: str) -> str:
        found = [
            statistics.median(one["sizes"][place][f"{way}_seconds"] for one in each["rounds"])
            for each in record["link"]
            for place in range(len(each["rounds"][0]["sizes"]))
        ]
        return f"{micro(min(found))} to {micro(max(found))} us"

    probes = [each["probe_seconds"] for each in record["link"]]
    return wrapped(
        f"With {few['ranks']} to {many['ranks']} ranks, a received message costs {costs('receive')}, one sent {costs('send')}, and "
        f"an idle probe {micro(min(probes))} to {micro(max(probes))} us.\n"
    )


def span(values: list[float], text: str = "{:.2f}") -> str:
    middle, low, high = (text.format(f(values)) for f in (statistics.median, min, max))
    return f"{middle} [{low}, {high}]"


def forecasts(record: JSON) -> str:
    lines = []
    for place, first in enumerate(record["slept"][0]):
        rounds = [each[place] for each in record["slept"]]
        what = f"{first['trials']:,} trials that sleep {time_text(first['trial_seconds'])}, blocks of {first['arms']}"
        lines.append([str(first["ranks"]), what, *compared(rounds), cpu(rounds)])
    for place, first in enumerate(record["programs"][0]):
        rounds = [each[place] for each in record["programs"]]
        what = f"`regatta run`, {first['trials']:,} times `sleep {first['program_seconds']:g}`"
        lines.append([str(first["ranks"]), what, *compared(rounds), "–"])
    headings = [
        "ranks",
        "run",
        "estimated",
        "took",
        "estimated / took",
        "CPU of rank 0: took / estimated",
    ]
    return table(headings, lines)


def compared(rounds: list[JSON]) -> list[str]:
    foretold = [each["foretold_seconds"] for each in rounds]
    took = [each["whole_seconds"] for each in rounds]
    ratios = [a / b for a, b in zip(foretold, took, strict=True)]
    return [
        time_text(statistics.median(foretold)),
        time_text(statistics.median(took)),
        span(ratios),
    ]


def cpu(rounds: list[JSON]) -> str:
    return span([each["cpu_seconds"] / each["foretold_cpu_seconds"] for each in rounds])


TABLES = {
    "limits": limits,
    "runs": runs,
    "syncs": syncs,
    "groups": groups,
    "parts": parts,
    "link": link,
    "forecasts": forecasts,
}


def main() -> None:
    record = json.loads(RECORD.read_text())
    for name, text_of in TABLES.items():
        page_part.write(PAGE, f"scaling: {name}", text_of(record).rstrip("\n"))


if __name__ == "__main__":
    main()
