"""The text of docs/background/search.md, from what search_regret.py and search_live.py recorded."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any

from bench.performance_page import median_interval, table, wrapped
from tools import ROOT

JSON = dict[str, Any]
PAGE = ROOT / "docs" / "background" / "search.md"
REGRET_RECORD = ROOT / "bench" / "records" / "search_regret.json"
LIVE_RECORD = ROOT / "bench" / "records" / "search_live.json"
METRICS = ("validation", "test")
MARGIN = 0.01  # the one of sweeps/train-digits.json
ALPHA = 0.05

TITLE = "# How good the search is\n"
INTRODUCTION = """All search among networks like those of [train-digits](../questions/which-learns-best.md) with the native
engine; [training.md](../guide/training.md#search) says what the search does. Each search has a draw of the digits of its own:
another order of rows, pixels and classes. "True" accuracy is a mean under seeds and on a draw that no search has.
`bench/search_regret.py` and `bench/search_live.py` write this page from real searches; no figure is typed by hand.
"""

REPEAT = """## Repeat it

```bash
bash scripts/setup-engines.sh optuna
python3 -m bench.search_regret --fresh
python3 -m bench.search_live --fresh
```

Each takes some 10 minutes on two idle cores and needs NumPy. `tests/search` replays thousands of searches on recorded
trainings in every run of the tests.
"""


def points(value: float) -> str:
    """A difference of accuracies; without a sign where it rounds to nothing."""
    text = f"{100 * value:.2f}"
    return text.removeprefix("-") if float(text) == 0 else text


def interval_text(values: list[float]) -> str:
    """The median with its sign interval."""
    center, low, high = median_interval(values)
    if not math.isfinite(low):
        return f"{points(center)} (n = {len(values)}, no interval)"
    return f"{points(center)} [{points(low)}, {points(high)}]"


def tail(count: int, of: int, share: float, upper: bool) -> float:
    """Chance of so many or more (upper), or so many or fewer."""
    range_of = range(count, of + 1) if upper else range(count + 1)
    return sum(math.comb(of, k) * share**k * (1 - share) ** (of - k) for k in range_of)


def clopper_pearson(count: int, of: int) -> tuple[float, float]:
    def bound(upper: bool) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):  # halvings: beyond the digits of a double
            middle = (low + high) / 2
            is_beyond = (tail(count, of, middle, upper) > ALPHA / 2) == upper
            low, high = (low, middle) if is_beyond else (middle, high)
        return (low + high) / 2

    return 0.0 if count == 0 else bound(True), 1.0 if count == of else bound(False)


def count_text(count: int, of: int) -> str:
    low, high = clopper_pearson(count, of)
    return f"{count} of {of}, {count / of:.0%} [{low:.0%}, {high:.0%}]"


# ---- beside other searches --------------------------------------------------------------------------

WHOLE = ("regatta", "random", "TPE")
ALONE = ("halving alone", "random of the search alone", "TPE of the search alone")
TITLES = {
    "regatta": "Regatta",
    "random": "random search",
    "TPE": "Optuna's TPE",
    "halving alone": "Regatta without fresh seeds",
    "random of the search alone": "random search",
    "TPE of the search alone": "Optuna's TPE",
}


def key_of(configuration: JSON) -> str:
    return json.dumps(configuration, sort_keys=True)


def regrets(record: JSON, name: str, metric: str) -> list[float]:
    """One for each search, in the record's order."""
    return [
        record["best"][metric]
        - record["truths"][key_of(search["choices"][name]["configuration"])][metric]
        for search in record["searches"].values()
    ]


def optimism(record: JSON, name: str) -> list[float]:
    """The reported figures less the true ones."""
    found = []
    for search in record["searches"].values():
        choice = search["choices"][name]
        truth = record["truths"][key_of(choice["configuration"])]["validation"]
        found.append(choice["reported"] - truth)
    return found


def regret_line(record: JSON, name: str, ours: str) -> list[str]:
    found = {metric: regrets(record, name, metric) for metric in METRICS}
    behind = [
        a - b for a, b in zip(found["test"], regrets(record, ours, "test"), strict=True)
    ]  # by search: both had the same split
    within = sum(regret <= MARGIN for regret in found["test"])
    budget = "regatta" if name in WHOLE else "halving alone"
    trainings = [search["trainings"][budget] for search in record["searches"].values()]
    return [
        TITLES[name],
        f"{statistics.median(trainings):.0f}",
        interval_text(found["test"]),
        points(max(found["test"])),
        count_text(within, len(found["test"])),
        interval_text(found["validation"]),
        "–" if name == ours else interval_text(behind),
        interval_text(optimism(record, name)),
    ]


def regret_text(record: JSON) -> str:
    headings = [
        "search",
        "trainings",
        "regret, test",
        "worst",
        "within 1 point",
        "regret, validation",
    ]
    headings += ["beyond Regatta's", "reported beyond true"]
    lines = [regret_line(record, name, group[0]) for group in (WHOLE, ALONE) for name in group]
    of = len(record["searches"])
    return (
        "## Beside random search and TPE\n\n"
        f"{of} searches by commit {record.get('commit', 'unknown')}. Regatta draws forty configurations. Random search and TPE train as many "
        "to the end as Regatta's search was worth in samples. They train one after the other under one seed and choose the best "
        "validation accuracy. Random search begins with Regatta's forty; TPE is Optuna's `TPESampler` with its defaults. The first "
        "three rows count Regatta's trainings of finalists under fresh seeds; in the last three Regatta ends before them.\n\n"
        + table(headings, lines)
        + "\n- Regret: the best possible true accuracy less that of the choice, in points; median over searches [95 % interval by "
        "signs]. The best possible is the best that any of them chose, under other seeds: "
        f"{record['best']['test']:.1%} on test, {record['best']['validation']:.1%} on validation. A regret is known to about 0.1 points.\n"
        "- Beyond Regatta's: the difference of the regrets, paired by search.\n"
        "- Reported beyond true: the validation accuracy that a search reports, less the true one.\n"
    )


def answer(record: JSON) -> str:
    """The result of the table of regrets, in two sentences."""
    behind = [points(statistics.median(regrets(record, name, "test"))) for name in WHOLE]
    beyond = [points(statistics.median(optimism(record, name))) for name in WHOLE]
    return (
        f"Regatta's choice is {behind[0]} points of accuracy below the best possible, that of random search {behind[1]} and that of "
        f"Optuna's TPE {behind[2]}, with as much work. The accuracy that Regatta reports exceeds the true one by {beyond[0]} points, "
        f"that of random search by {beyond[1]} and that of TPE by {beyond[2]}.\n"
    )


# ---- S1 to S4 ---------------------------------------------------------------------------------------


def mean_of(values: list[float]) -> float:
    return sum(values) / len(values)


def student(degrees: float) -> float:
    """Quantile of Student's distribution for 95 % on both sides: the usual expansion, good to 0.002 from 10 degrees on."""
    z = statistics.NormalDist().inv_cdf(1 - ALPHA / 2)
    return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)


def student_mean(values: list[float]) -> tuple[float, float, float]:
    error = statistics.stdev(values) / math.sqrt(len(values))
    reach = student(len(values) - 1) * error
    return mean_of(values), mean_of(values) - reach, mean_of(values) + reach


def is_behind(best: list[float], other: list[float]) -> bool:
    """Whether paired seeds show that a configuration is worse than the best, at 5 %."""
    differences = [a - b for a, b in zip(best, other, strict=True)]
    return student_mean(differences)[1] > 0


def truly(record: JSON) -> tuple[str, set[str]]:
    """The best configuration, and those that cannot be distinguished from it."""
    runs = {name: each["validation"] for name, each in record["truth"].items()}
    best = max(runs, key=lambda name: mean_of(runs[name]))
    return best, {name for name in runs if not is_behind(runs[best], runs[name])}


def members(search: JSON) -> set[str]:
    return {key_of(each["configuration"]) for each in search["finalists"] if each["in_set"]}


def search_lines(record: JSON) -> list[list[str]]:
    searches = list(record["searches"].values())
    best, as_good = truly(record)
    truth = {name: mean_of(each["validation"]) for name, each in record["truth"].items()}
    held = sum(best in members(search) for search in searches)
    held_as_good = sum(bool(as_good & members(search)) for search in searches)
    leaders = [key_of(search["finalists"][0]["configuration"]) for search in searches]
    led = sum(truth[leader] >= truth[best] - MARGIN for leader in leaders)
    of = len(searches)
    return [
        ["S1", f"the set holds the truly best of forty, or one of the {len(as_good)} that 50 seeds cannot tell from it",
         count_text(held_as_good, of), "95 %"],
        ["S1", "the set holds the truly best itself", count_text(held, of), "95 %"],
        ["S1", "the leader is within the margin of the truly best", count_text(led, of), "90 %"],
    ]  # fmt: skip


def beyond_text(values: list[float]) -> str:
    center, low, high = student_mean(values)
    return f"{points(center)} points [{points(low)}, {points(high)}]"


def reported_lines(record: JSON) -> list[list[str]]:
    tests, seen = [], []
    for search in record["searches"].values():
        leader = search["finalists"][0]
        truth = record["truth"][key_of(leader["configuration"])]
        tests.append(leader["test"] - mean_of(truth["test"]))
        seen.append(leader["searched"] - mean_of(truth["validation"]))
    equals = [search["finalists"] for search in record["equals"].values()]
    # All of them are the same under the same seeds, and none is there for its test or validation.
    every = [each for finalists in equals for each in finalists]
    truth = {metric: mean_of([each[metric] for each in every]) for metric in METRICS}
    led = [finalists[0]["test"] - truth["test"] for finalists in equals]
    best_seen = [
        max(each["searched"] for each in finalists) - truth["validation"] for finalists in equals
    ]
    return [
        ["S3", "reported test accuracy of the leader less the true one, mean", beyond_text(tests), "0.1 points"],
        ["S3", "what the search saw of the leader less the truth, mean", beyond_text(seen), "above 0"],
        ["S3", "among equals: reported test accuracy less the true one, mean", beyond_text(led), "0.1 points"],
        ["S3", "among equals: the best that the search saw less the truth, mean", beyond_text(best_seen), "above 0"],
    ]  # fmt: skip


def planted_lines(record: JSON) -> list[list[str]]:
    equals = list(record["equals"].values())
    single = sum(sum(each["in_set"] for each in search["finalists"]) == 1 for search in equals)
    truth = record["planted_truth"]
    gap = truth["good"]["validation"] - truth["worse"]["validation"]
    planted = list(record["planted"].values())
    rate = max(
        each["configuration"]["learning_rate"] for search in equals for each in search["finalists"]
    )

    def is_planted(each: JSON) -> bool:
        return each["configuration"]["learning_rate"] == rate

    held = sum(
        any(is_planted(each) and each["in_set"] for each in search["finalists"])
        for search in planted
    )
    led = sum(is_planted(search["finalists"][0]) for search in planted)
    of = len(planted)
    return [
        ["S2", "a single winner among forty equals", count_text(single, len(equals)), "at most 5 %"],
        ["S4", f"one of forty is better by {points(gap)} points: it is in the set", count_text(held, of), "95 %"],
        ["S4", "it leads", count_text(led, of), "–"],
    ]  # fmt: skip


def live_text(record: JSON) -> str:
    lines = [*search_lines(record), *planted_lines(record), *reported_lines(record)]
    trainings = [search["trainings"] for search in record["searches"].values()]
    sizes = [
        sum(each["in_set"] for each in search["finalists"])
        for search in record["searches"].values()
    ]
    return (
        "## What it finds, with real trainings\n\n"
        f"Counted over whole runs of `regatta run`, by commit {record.get('commit', 'unknown')}. [Counts: Clopper–Pearson, means: Student, "
        "95 %.]\n\n"
        "- S1 and S3: the forty configurations of `sweeps/train-digits.json`, which share a draw.\n"
        "- S2: one configuration forty times, each on a draw of its own.\n"
        "- S4: that configuration once, and the others with a lower learning rate. As in S2, draws of their own mean more luck than in "
        "a real search.\n\n"
        + table(["", "what", "found", "wanted"], lines)
        + "\nThe truth among equals is the mean over all finalists: they differ by luck alone.\n"
        + f"A search of S1 was worth {mean_of(trainings):.0f} full trainings, instead of 480 for forty configurations under "
        f"twelve seeds; its set had {mean_of([float(size) for size in sizes]):.1f} members.\n"
    )  # fmt: skip


def page_of(regret: JSON | None, live: JSON | None) -> str:
    parts = [TITLE, INTRODUCTION]
    if regret and regret.get("best"):
        parts = [TITLE, answer(regret), INTRODUCTION, regret_text(regret)]
    if live and all(live.get(name) for name in ("truth", "searches", "equals", "planted")):
        parts.append(live_text(live))
    return wrapped("\n".join([*parts, REPEAT]))


def read(file: Path) -> JSON | None:
    return json.loads(file.read_text()) if file.exists() else None


def write_page() -> None:
    PAGE.write_text(page_of(read(REGRET_RECORD), read(LIVE_RECORD)))
