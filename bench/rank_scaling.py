"""The gain of a second rank on a second core, the cost of shards for the same bits, and the cost of the exchange.

    python3 -m bench.rank_scaling [--rounds 5] [--fresh] [--page-only]

Each round is a run of Regatta for each model, in fresh processes: one rank with one shard and with eight, and two ranks,
measured in turns; then, where that is quick, two ranks with and without their exchange. Then two ranks at two levels of
an axis, in turns. The record is bench/records/rank_scaling.json;
docs/background/rank-scaling.md is written from it. It wants an otherwise idle machine of two cores.
"""

from __future__ import annotations

import statistics
import sys
from typing import Any

from bench.allreduce import time_text
from bench.orchestrators import options_of
from bench.orchestrators_page import IDLE_LOAD, spread_text
from bench.performance_page import UNKNOWN, table
from bench.rounds import run_rounds
from tools import ROOT
from tools.regatta_process import Scratch

JSON = dict[str, Any]
RECORD = ROOT / "bench" / "records" / "rank_scaling.json"
PAGE = ROOT / "docs" / "background" / "rank-scaling.md"
BATCHES = {"mlp-784": 256, "conv1d-small": 256, "conv1d-medium": 64}  # samples of a step
EXPLAINED = ("mlp-784", "conv1d-small")  # measured without the exchange, too
SHARDS = 8
NORMED = {
    "name": "conv1d-normed",
    "input": [140, 30],
    "layers": [
        *[{"conv1d": 64, "kernel": 5, "activation": "relu"}, {"batch_norm": True}] * 3,
        {"global_average_pool": True},
        {"dense": 1, "activation": "sigmoid"},
    ],
    "loss": "binary_crossentropy",
    "optimizer": {"adam": {"learning_rate": 0.001}},
}
# model, batch, axis, its usual level, the other one
LEVELS = (
    ("mlp-784", 64, "optimizer_state", "replicated", "sharded"),
    ("mlp-784", 256, "optimizer_state", "replicated", "sharded"),
    (NORMED, 256, "batch_statistics", "shard", "batch"),
)
TAX_BAR = ("conv1d-medium", 0.05)
EXCHANGE_BAR = 0.95
MISSED = {
    "mlp-784": "waiting and the exchange itself are only a part. Step by step, the ranks also computed longer with the exchange than without, most likely because each writes gradients where the other core has just read, and updates from sums that the other has just written. The gradients of the largest layer come last, so nothing is left to hide the exchange behind."
}


def sweep_of(model: str) -> JSON:
    return {
        "regatta": 1,
        "name": "rank-scaling",
        "axes": {"model": model, "batch": BATCHES[model], "ranks": [1, 2], "shards": [1, SHARDS]},
        "exclude": [{"shards": 1, "ranks": 2}],
        "compare": {"over": ["shards", "ranks"], "baseline": {"shards": 1, "ranks": 1}},
        "measure": {
            "margin": "2%",
            "half_width": "5%",
            "per_contrast": "8s" if model in EXPLAINED else "20s",
            "explain": model in EXPLAINED,
        },
    }


def levels_of(model: str | JSON, batch: int, axis: str, usual: str, other: str) -> JSON:
    return {
        "regatta": 1,
        "name": "rank-levels",
        "axes": {"model": [model], "batch": batch, "ranks": 2, axis: [usual, other]},
        "compare": {"over": [axis], "baseline": {axis: usual}},
        "measure": {"margin": "2%", "half_width": "5%", "per_contrast": "8s"},
    }


def level_ratio(*level: Any) -> float:
    """Time of a step at the other level / at the usual one."""
    [contrast] = report_of(levels_of(*level))["contrasts"]
    return contrast["ratio"]


def without_exchange(report: JSON) -> float | None:
    """Time of two ranks that exchange nothing / time of the same ranks."""
    if not report["why"]:
        return None
    [changes] = [each["changes"] for each in report["why"] if "ranks 2" in each["label"]]
    [change] = [each for each in changes if each["change"] == "exchange_off"]
    return change["ratio"]


def report_of(sweep: JSON) -> JSON:
    scratch = Scratch(sweep)
    try:
        status = scratch.run("--ranks", "2", timeout=1800)
        if status != 0:
            raise RuntimeError(f"{sweep['axes']}: regatta ended with {status}\n{scratch.output()}")
        return scratch.report()
    finally:
        scratch.remove()


def measured(model: str) -> JSON:
    report = report_of(sweep_of(model))
    ratios = {each["a"]["ranks"]: each["ratio"] for each in report["contrasts"]}
    [alone] = [each for each in report["trials"] if each["ranks"] == 1 and each["shards"] == 1]
    return {
        "seconds": alone["step_time"],
        "sharded": ratios[1],
        "two_ranks": ratios[2],
        "without_exchange": without_exchange(report),
        "same_work": all(trial["verified"] == "yes" for trial in report["trials"]),
    }


def verdict(is_met: bool) -> str:
    return "met" if is_met else "**missed**"


def tax_bar(model: str, taxes: list[float]) -> str:
    if model != TAX_BAR[0]:
        return ""
    return f", {TAX_BAR[1]:.0%} at most: {verdict(statistics.median(taxes) <= TAX_BAR[1])}"


def kept_text(kept: list[float]) -> str:
    if not kept:
        return "–"
    bar = f"{EXCHANGE_BAR:g} at least: {verdict(statistics.median(kept) >= EXCHANGE_BAR)}"
    return f"{spread_text(kept, lambda value: f'{value:.3f}')}, {bar}"


def why_missed(rounds: list[JSON]) -> str:
    kept = {model: [each[model]["without_exchange"] for each in rounds] for model in EXPLAINED}
    missed = [model for model in EXPLAINED if statistics.median(kept[model]) < EXCHANGE_BAR]
    if not missed:
        return ""
    return "\n" + "\n".join(f"- {model}: {MISSED.get(model, UNKNOWN)}" for model in missed) + "\n"


def row_of(model: str, rounds: list[JSON]) -> list[str]:
    of_model = [each[model] for each in rounds]
    taxes = [each["sharded"] - 1 for each in of_model]
    gains = [1 / each["two_ranks"] for each in of_model]
    kept = [each["without_exchange"] for each in of_model if each["without_exchange"]]
    return [
        f"{model}, batch {BATCHES[model]}",
        time_text(statistics.median(each["seconds"] for each in of_model)),
        spread_text(taxes, lambda value: f"{value * 100:.1f} %") + tax_bar(model, taxes),
        spread_text(gains, lambda value: f"{value:.3g}x"),
        spread_text([gain / 2 for gain in gains], lambda value: f"{value * 100:.0f} %"),
        kept_text(kept),
    ]


def gain_text(rounds: list[JSON]) -> str:
    """The least and the largest gain of a second rank, over the models."""
    gains = [
        statistics.median(1 / each[model]["two_ranks"] for each in rounds) for model in BATCHES
    ]
    return f"{min(gains):.2f} to {max(gains):.2f}"


HEADINGS = [
    "model",
    "a step, one rank",
    "8 shards cost",
    "two ranks gain",
    "efficiency",
    "of the gain without exchange",
]


def level_row(at: int, rounds: list[JSON]) -> list[str]:
    model, batch, axis, usual, other = LEVELS[at]
    ratios = [each["levels"][at] - 1 for each in rounds]
    name = model if isinstance(model, str) else model["name"]
    return [
        f"{name}, batch {batch}",
        f"`{axis}` {other}, not {usual}",
        spread_text(ratios, lambda value: f"{value * 100:+.1f} %"),
    ]


def page_of(record: JSON) -> str:
    rounds = record["rounds"]
    load = "" if record["load"] <= IDLE_LOAD else "**The machine was not idle.** "
    same = all(each[model]["same_work"] for each in rounds for model in BATCHES)
    same_text = (
        "same work in all trials" if same else "**not all trials were shown to do the same work**"
    )
    return f"""# What a second rank gains on one host

With a second rank on a second core the native engine trains {gain_text(rounds)} times as fast, depending on the model. Medians over {len(rounds)} round{"s" if len(rounds) > 1 else ""} [lowest, highest]; {same_text}. `bench/rank_scaling.py` writes this page; no figure is typed by hand.

| column | meaning |
|---|---|
| a step, one rank | the best that one core does, with one shard |
| 8 shards cost | how much longer one core takes with the eight shards that any number of ranks share bit for bit |
| two ranks gain | two ranks of four shards each, beside one rank at its best |
| efficiency | half of that gain |
| of the gain without exchange | the gain as a share of what the same ranks gain without exchanging gradients |

{table(HEADINGS, [row_of(model, rounds) for model in BATCHES])}
{why_missed(rounds)}
What a level of an axis changes in the step time of two ranks with {SHARDS} shards (positive is slower):

{table(["model", "level", "a step takes"], [level_row(at, rounds) for at in range(len(LEVELS))])}

{load}Measured {record["utc"]} on {record["machine"]}.

```bash
python3 -m bench.rank_scaling
```
"""


def one_round() -> JSON:
    return {
        **{model: measured(model) for model in BATCHES},
        "levels": [level_ratio(*level) for level in LEVELS],
    }


def main() -> int:
    return run_rounds(options_of(__doc__, 5, RECORD, PAGE), one_round, page_of)


if __name__ == "__main__":
    sys.exit(main())
