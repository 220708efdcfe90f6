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

from bench.performance_page import table, time_text
from bench.scaling import AGENTS, RECORD, SYNC_SECONDS, TRIAL_SECONDS
from tools import ROOT, page_part

JSON = dict[str, Any]
PAGE = ROOT / "docs" / "background" / "scaling.md"
LITTLE_IDLE = 0.05
MUCH_IDLE = 0.5
PARTS = {
    "link": "messages between ranks (MPI)",
    "parse": "from frames to messages",
    "dispatch": "coordinator and scheduler, tasks of the blocks included",
    "store": "records, until the thread that writes them has them",
    "pack": "from messages to frames",
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


def with_quick_disk(rows: list[JSON]) -> Iterator[tuple[JSON, list[str]]]:
    """Rows of the shortest sync, each with the cells that its line begins with."""
    for agents in AGENTS:
        for trial in TRIAL_SECONDS:
            row = of(rows, agents, trial, SYNC_SECONDS[0])
            yield row, [f"{agents:,}", time_text(trial), count(per_second(row))]


def runs(record: JSON) -> str:
    lines = []
    for row, cells in with_quick_disk(record["alone"]):
        cells += [
            count(row["decisions"] / row["window_seconds"]),
            micro(cpu_of_trial(row)),
            percent(row["busy_share"]),
            percent(row["idle_share"]),
            f"{row['inbox_median']} / {row['inbox_p99']} / {row['inbox_most']}",
            f"{time_text(row['wait_p50_seconds'])} / {time_text(row['wait_p99_seconds'])}",
            f"{time_text(row['window_seconds'])} / {time_text(row['ideal_seconds'])}",
        ]
        lines.append(cells)
    headings = ["agents", "trial", "trials/s", "decisions/s", "us a trial", "busy", "idle"]
    return table([*headings, "messages waiting", "they wait", "run / ideal"], lines)


def syncs(record: JSON) -> str:
    lines = []
    for agents in AGENTS:
        for trial in (TRIAL_SECONDS[1], TRIAL_SECONDS[3]):
            rows = [of(record["alone"], agents, trial, sync) for sync in SYNC_SECONDS]
            cells = [percent(row["idle_share"]) for row in rows]
            cells += [count(row["trials_in_window"] / row["syncs"]) for row in rows]
            lines.append([f"{agents:,}", time_text(trial), *cells])
    headings = ["agents", "trial", *(f"idle, {time_text(sync)}" for sync in SYNC_SECONDS)]
    return table(
        [*headings, *(f"trials a sync, {time_text(sync)}" for sync in SYNC_SECONDS)], lines
    )


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
        for row, cells in with_quick_disk(record["groups"])
    ]
    headings = ["agents", "trial", "trials/s", "busy", "idle", "idle, free coordinator"]
    return table([*headings, "a group's wait", "longest attempt"], lines)


def parts(record: JSON) -> str:
    trial = TRIAL_SECONDS[1]
    rows = [
        of(record["alone"], agents, trial, SYNC_SECONDS[0]) for agents in (AGENTS[0], AGENTS[-1])
    ]
    rows += record["singles"]
    names = [f"{row['agents']:,} agents, blocks of {row['arms']}" for row in rows]
    lines = []
    for name, text in PARTS.items():
        each = [row[f"{name}_seconds"] / row["trials_in_window"] for row in rows]
        lines.append([text, *map(micro, each)])
    lines.append(["together", *(micro(cpu_of_trial(row)) for row in rows)])
    return table(["us a trial", *names], lines)


# ---- what it rests on --------------------------------------------------------------------------------------


def link(record: JSON) -> str:
    lines = []
    for each in record["link"]:
        cells = [str(each["ranks"]), micro(each["probe_seconds"])]
        for way, _size in (("receive", "received_bytes"), ("send", "sent_bytes")):
            for place in range(len(each["rounds"][0]["sizes"])):
                found = [one["sizes"][place][f"{way}_seconds"] for one in each["rounds"]]
                cells.append(micro(statistics.median(found)))
        lines.append(cells)
    sizes = record["link"][0]["rounds"][0]["sizes"]
    headings = ["ranks", "idle probe"]
    headings += [f"receive {size['received_bytes']:,} B" for size in sizes]
    headings += [f"send {size['sent_bytes']:,} B" for size in sizes]
    return table(headings, lines)


def flat(record: JSON) -> str:
    """How much dearer with the most ranks than with the fewest."""
    few, many = record["link"][0], record["link"][-1]

    def ratio(way: str) -> float:
        costs = [
            statistics.mean(
                statistics.median(one["sizes"][place][f"{way}_seconds"] for one in each["rounds"])
                for place in range(len(each["rounds"][0]["sizes"]))
            )
            for each in (few, many)
        ]
        return costs[1] / costs[0]

    probe = many["probe_seconds"] / few["probe_seconds"]
    return (
        f"From {few['ranks']} to {many['ranks']} ranks: {ratio('receive'):.2f} times for a message received, "
        f"{ratio('send'):.2f} for one sent, {probe:.2f} for an idle probe.\n"
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
        "foretold",
        "took",
        "foretold / took",
        "CPU of rank 0: took / foretold",
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
    "link": lambda record: link(record) + "\n" + flat(record),
    "forecasts": forecasts,
}


def main() -> None:
    record = json.loads(RECORD.read_text())
    for name, text_of in TABLES.items():
        page_part.write(PAGE, f"scaling: {name}", text_of(record).rstrip("\n"))


if __name__ == "__main__":
    main()
