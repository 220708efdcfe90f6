"""S1 to S4 of the search with real trainings: `regatta run`, many times, where tests/search replays a table.

- S1: sweeps/train-digits.json, each search on a draw of the digits of its own (bench/digits_draws.py). Does the set hold the truly best
  of the forty, is the leader within the margin of it?
- S2: one configuration forty times, each on a draw of its own. How often is there a single winner?
- S3: the searches of S1. How far are the reported test accuracy, and what the search saw, from the truth of the leader?
- S4: the same configuration 39 times with a lower learning rate, which costs two margins, and once as it is. Is that in the set?

The truth is the mean under seeds that no search has, on a draw that no search has. Writes docs/background/search.md. Searches that are recorded are
not run again. Some 8 minutes on two idle cores.

usage: python3 -m bench.search_live [--searches 30] [--equals 20] [--planted 30] [--build FOLDER] [--record FILE] [--fresh] [--page-only]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.search_page import LIVE_RECORD, write_page
from bench.search_regret import TUNED, Bench, example, report_of, search_commit, sweep_on, tuned
from bench.trainings import JSON, planned
from tools import ROOT

COPIES = 40
TRUTH_SEEDS = range(30_000, 30_050)
PLANTED_SEEDS = range(40_000, 40_100)
GOOD = {
    "model": "mlp-128",
    "batch": 64,
    "learning_rate": 0.01,
    "weight_decay": 0,
    "schedule": "cosine",
}
WORSE = {**GOOD, "learning_rate": 0.0013}  # by two margins
RATE = ("learning_rate",)  # all that differs among copies
DIGITS = 6
FIRST_DRAW = {"searches": 2_000_000, "equals": 3_000_000, "planted": 4_000_000}


def named(configuration: JSON) -> str:
    return json.dumps(configuration, sort_keys=True)


def copies_of(configuration: JSON, bench: Bench, first_draw: int) -> JSON:
    """A search among copies of a configuration, each with luck of its own."""
    sweep = example()
    del sweep["samples"]
    model = next(
        each for each in sweep["axes"]["model"]["choice"] if each["name"] == configuration["model"]
    )
    draws = {f"draw{i}": bench.digits.draw(first_draw + i) for i in range(COPIES)}
    axes = {name: [level] for name, level in {**configuration, "model": model}.items()}
    sweep["axes"] = {"engine": ["native"], **axes, "dataset": list(draws)}
    return {**sweep, "name": f"copies-{first_draw}", "datasets": draws}


def finalist(each: JSON, trial: JSON) -> JSON:
    figures = {
        "searched": each["searched"],
        "validation": each["validation"]["mean"],
        "test": each["test"]["mean"] if each["test"] else None,  # none where every run diverged
    }
    rounded = {name: None if v is None else round(v, DIGITS) for name, v in figures.items()}
    return {"configuration": trial, "in_set": each["in_set"], **rounded}


def found_by(bench: Bench, sweep: JSON, kept: tuple[str, ...]) -> JSON:
    """The kept figures of a search's finalists, the leader first, and its cost in whole trainings."""
    report = report_of(bench.build, sweep, bench.folder)
    trials = {trial["id"]: trial for trial in report["trials"]}
    learning = report["learning"]
    assert learning["over"] and learning["ranking"][0]["trial"] == learning["leader"]
    cost = learning["cost"]
    return {
        "finalists": [
            finalist(each, {name: trials[each["trial"]][name] for name in kept})
            for each in learning["ranking"]
        ],
        "trainings": sum(cost[part] for part in ("search", "clones", "trained_on", "fresh")),
    }


def search(bench: Bench, number: int) -> JSON:
    draw = FIRST_DRAW["searches"] + number
    sweep = sweep_on(bench.digits.draw(draw), draw)
    return found_by(bench, {**sweep, "sample_seed": example().get("sample_seed", 0)}, TUNED)


def search_among_equals(bench: Bench, number: int) -> JSON:
    return found_by(bench, copies_of(GOOD, bench, FIRST_DRAW["equals"] + COPIES * number), RATE)


def search_for_planted(bench: Bench, number: int) -> JSON:
    """One of forty is better; its place differs from search to search."""
    sweep = copies_of(WORSE, bench, FIRST_DRAW["planted"] + COPIES * number)
    better = f"draw{(7 * number) % COPIES}"
    rate = [GOOD["learning_rate"]]
    sweep["axes"]["dataset"].remove(better)
    sweep["include"] = [{"dataset": [better], "learning_rate": rate}]
    return found_by(bench, sweep, RATE)


def truth(bench: Bench) -> JSON:
    """Every run of the forty under fresh seeds: paired differences need them one by one."""
    trials = planned(bench.build, {**example(), "name": "truth"}, bench.folder)
    configurations = [tuned(trial.parameters) for trial in trials]
    found = [
        {metric: [round(value, DIGITS) for value in values] for metric, values in runs.items()}
        for runs in bench.runs(configurations, TRUTH_SEEDS)
    ]
    return dict(zip(map(named, configurations), found, strict=True))


def series(
    record: JSON, name: str, count: int, one: Callable[[int], JSON], keep: Callable[[], None]
) -> None:
    done = record.setdefault(name, {})
    for number in range(1, count + 1):
        if str(number) in done:
            continue
        start = time.monotonic()
        done[str(number)] = one(number)
        keep()
        print(f"{name} {number}: {time.monotonic() - start:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--searches", type=int, default=30)
    parser.add_argument("--equals", type=int, default=20)
    parser.add_argument("--planted", type=int, default=30)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--record", type=Path, default=LIVE_RECORD)
    parser.add_argument("--fresh", action="store_true", help="forget the recorded searches")
    parser.add_argument("--page-only", action="store_true")
    options = parser.parse_args()
    record: JSON = {}
    if options.record.exists() and not options.fresh:
        record = json.loads(options.record.read_text())
    if not options.page_only:

        def keep() -> None:
            options.record.write_text(json.dumps(record) + "\n")

        record["commit"] = search_commit()
        with tempfile.TemporaryDirectory(prefix="regatta-live-") as folder:
            bench = Bench(options.build, Path(folder))
            if "truth" not in record:
                record["truth"] = truth(bench)
                good, worse = bench.truths([GOOD, WORSE], PLANTED_SEEDS)
                record["planted_truth"] = {"good": good, "worse": worse}
                keep()
            series(record, "searches", options.searches, lambda n: search(bench, n), keep)
            series(record, "equals", options.equals, lambda n: search_among_equals(bench, n), keep)
            series(record, "planted", options.planted, lambda n: search_for_planted(bench, n), keep)
    write_page()


if __name__ == "__main__":
    main()
