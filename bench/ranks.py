"""What sharing a training step among ranks gains here, and what it costs: docs/ranks.md has the table.

    python3 -m bench.ranks [--rounds 5] [--fresh] [--page-only]

Each round is one run of `regatta run` on two ranks, in fresh processes: one rank with one shard (the best that one rank
does), one with the shards that two share (the sharding tax), two ranks, and these again without their exchange (the
twin of `measure.explain`), arms of one block each. Ratios are those that the report gives; shown are medians over the
rounds. The record is bench/records/ranks.json. It wants an otherwise idle machine.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import Any

from bench.native_vs_frameworks import machine_text
from bench.orchestrators import busy_cores, options_of
from bench.orchestrators_page import IDLE_LOAD, spread_text
from bench.performance_page import table
from tools import ROOT, page_part
from tools.regatta_process import Scratch

JSON = dict[str, Any]
RECORD = ROOT / "bench" / "records" / "ranks.json"
PAGE = ROOT / "docs" / "ranks.md"
BATCH = 256
MODELS = {"mlp-784": "4s", "conv1d-small": "20s", "conv1d-medium": "120s"}
LENGTHS = {"conv1d-medium": 140}  # positions: what a step can take in a minute's comparison
SHARDS = 8


def sweep(model: str) -> JSON:
    axes: JSON = {"model": [model], "batch": [BATCH], "shards": [1, SHARDS], "ranks": [1, 2]}
    if model in LENGTHS:
        axes["length"] = [LENGTHS[model]]
    return {
        "regatta": 1,
        "name": "ranks",
        "axes": axes,
        "exclude": [{"shards": [1], "ranks": [2]}],
        "compare": {"over": ["shards", "ranks"], "baseline": {"shards": 1, "ranks": 1}},
        "measure": {"per_contrast": MODELS[model], "explain": True},
    }


def told_by(report: JSON) -> JSON:
    """Ratios of times: two ranks against one, shards against none, no exchange against two ranks."""
    ratios = {
        (each["a"]["ranks"], each["a"]["shards"]): each["ratio"] for each in report["contrasts"]
    }
    rows = {(row["ranks"], row["shards"]): row for row in report["trials"]}
    changes = [
        change
        for cell in report["why"]
        for change in cell["changes"]
        if change["change"] == "exchange_off" and change["ratio"] is not None
    ]
    return {
        "step_seconds": rows[1, 1]["step_time"],
        "two_ranks": ratios[2, SHARDS],
        "tax": ratios[1, SHARDS],
        "exchange_off": changes[0]["ratio"],
        "exposed_share": rows[2, SHARDS]["exposed_exchange"] / rows[2, SHARDS]["step_time_mean"],
        "verified": [row["verified"] for row in report["trials"]],
    }


def measured(model: str) -> JSON:
    scratch = Scratch(sweep(model))
    try:
        code = scratch.run("--ranks", "2", timeout=1800)
        if code != 0:
            raise RuntimeError(f"{model}: exit status {code}\n{scratch.output()}")
        return told_by(scratch.report())
    finally:
        scratch.remove()


def one_round() -> JSON:
    return {model: measured(model) for model in MODELS}


def times(value: float) -> str:
    return f"{value:.2f}x"


def signed_percent(value: float) -> str:
    return f"{100 * value:+.1f} %"


def page_of(record: JSON) -> str:
    rows = []
    for model in MODELS:
        each = [round_[model] for round_ in record["rounds"]]
        name = f"{model}, length {LENGTHS[model]}" if model in LENGTHS else model
        seconds = sorted(one["step_seconds"] for one in each)[len(each) // 2]
        rows.append(
            [
                name,
                f"{1e3 * seconds:.3g} ms",
                spread_text([one["tax"] - 1 for one in each], signed_percent),
                spread_text([1 / one["two_ranks"] for one in each], times),
                spread_text([1 / (one["two_ranks"] * one["exchange_off"]) for one in each], times),
                spread_text([one["exchange_off"] for one in each], times),
            ]
        )
    headings = [
        f"batch {BATCH}",
        "one rank",
        f"tax of {SHARDS} shards",
        "two ranks",
        "without exchange",
        "with / without",
    ]
    warning = (
        "**The machine was not idle: believe no figure here.** "
        if record["load"] > IDLE_LOAD
        else ""
    )
    return (
        f"{table(headings, rows)}\n{warning}Medians of {len(record['rounds'])} runs [lowest, highest], "
        f"{record['utc']},\n{record['machine']}.\n"
    )


def main() -> int:
    options = options_of(__doc__, 5, RECORD, PAGE)
    if not options.page_only:
        is_new = options.fresh or not options.record.exists()
        record = {"rounds": []} if is_new else json.loads(options.record.read_text())
        record |= {
            "machine": machine_text(),
            "utc": datetime.now(UTC).isoformat(timespec="minutes"),
            "load": busy_cores(),
        }
        while len(record["rounds"]) < options.rounds:
            record["rounds"].append(one_round())
            options.record.write_text(json.dumps(record, indent=1) + "\n")
            print(f"round {len(record['rounds'])}", flush=True)
    text = page_of(json.loads(options.record.read_text()))
    page_part.write(options.page, "ranks", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
