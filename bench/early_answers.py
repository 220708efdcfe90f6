"""How soon `regatta run --for 3m` answers about models of a user's own, and whether it is right (bar B4).

    python3 -m bench.early_answers [--runs 5] [--only resnet ...] [--for 3m] [--reference 15m] [--caches cold,warm]
                                   [--batches 1,32,256] [--keep FOLDER]

Each question is a sweep at three batches: two ways to run the same model (bench/user_models). It is asked `--runs`
times as it is, and as often with engines whose compile caches outlive a run and are filled (`--caches warm`; each run
has caches of its own otherwise). Once it is asked for `--reference`, as the truth. A folder that
holds results already is not measured again, so that a part may be run now and the rest later. Nothing else may run on
the machine.

Printed of each run: when each batch had its first interval, its verdict and interval, whether that is right, by how
much the time limit was overrun, and the share of the wall time that is scored. Right is what has no verdict opposite to
the reference's, and an interval that overlaps the reference's. Then each figure's median and range, and the bars; exit
code 1 if one is missed.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from bench.answer_runs import (
    JSON,
    NO_ANSWER,
    Bar,
    Run,
    ask_all,
    is_right,
    kept_run,
    name_of,
    percent,
    seconds_of,
    spread,
    with_kept_caches,
    words,
)

MARGIN = 0.01  # as sweeps have it by default
FIRST_INTERVAL_SECONDS = {"cold": 110.0, "warm": 75.0}
RESOLUTION = 0.15
ENGINES_OF = {  # question: model, arguments, engine and mode of the baseline, of the other
    "resnet": ("resnet", {}, ("torch", "eager"), ("torch", "graph")),
    "deep-resnet": ("resnet", {"stages": 3, "blocks": 4}, ("torch", "eager"), ("torch", "graph")),
    "transformer": ("transformer", {}, ("torch", "eager"), ("torch", "graph")),
    "transformer-tensorflow": (
        "transformer",
        {},
        ("tensorflow", "eager"),
        ("tensorflow", "graph"),
    ),
    "transformer-jax": ("transformer", {}, ("torch", "graph"), ("jax", "graph")),
}


def sweep_of(question: str, batches: list[int]) -> JSON:
    model, arguments, baseline, other = ENGINES_OF[question]
    over = [
        name
        for name, ours, theirs in zip(("engine", "mode"), baseline, other, strict=True)
        if ours != theirs
    ]
    arm = dict(zip(("engine", "mode"), baseline, strict=True))
    return {
        "regatta": 1,
        "name": question,
        "axes": {
            "engine": sorted({baseline[0], other[0]}),
            "mode": sorted({baseline[1], other[1]}),
            "model": {
                "name": question,
                "python": f"{model}.py:build",
                "batch": f"{model}.py:make_batch",
                "args": arguments,
            },
            "batch": batches,
        },
        "compare": {"over": over, "baseline": {name: arm[name] for name in over}},
        "measure": {"margin": f"{MARGIN:.0%}"},
    }


def comparisons_of(question: str, batches: list[int]) -> list[str]:
    """The names of what is asked, whether or not a run answers it."""
    _, _, baseline, other = ENGINES_OF[question]
    arms = [dict(zip(("engine", "mode"), arm, strict=True)) for arm in (other, baseline)]
    return [" against ".join(name_of(arm | {"batch": batch}) for arm in arms) for batch in batches]


def with_all(found: Run, comparisons: list[str]) -> Run:
    """The run with all comparisons. One without a ratio has no answer, for instance because it was not shown to be the
    same work.
    """
    return replace(
        found, answers={name: found.answers.get(name, NO_ANSWER) for name in comparisons}
    )


def print_run(title: str, found: Run, limit_seconds: float, reference: Run | None) -> None:
    print(
        f"{title}: {found.wall_seconds:.0f} s, {found.wall_seconds - limit_seconds:+.0f} s to the limit (longest start "
        f"{found.longest_start_seconds:.0f} s), {percent(found.scored_share)} scored"
    )
    for name, answer in found.answers.items():
        first = found.first_interval.get(name)
        at = "never" if first is None else f"at {first:.0f} s"
        judged = ""
        if reference is not None:
            judged = ", right" if is_right(answer, reference.answers[name]) else ", NOT RIGHT"
        print(f"  {name}: first interval {at}; {answer.text()}{judged}")


def resolution_of(found: Run) -> float:
    """The report's resolution is the largest of its comparisons."""
    return max(answer.resolution for answer in found.answers.values())


def bars_of(cache: str, runs: list[Run], limit_seconds: float, reference: Run) -> list[Bar]:
    demanded = FIRST_INTERVAL_SECONDS[cache]
    firsts = [first for each in runs for first in each.first_interval.values()]
    all_first = all(
        each.first_interval.get(name, limit_seconds) <= demanded
        for each in runs
        for name in each.answers
    )
    resolutions = [resolution_of(each) for each in runs]
    overruns = [each.wall_seconds - limit_seconds for each in runs]
    in_time = all(
        overrun <= each.longest_start_seconds for overrun, each in zip(overruns, runs, strict=True)
    )
    right = [
        all(is_right(answer, reference.answers[name]) for name, answer in each.answers.items())
        for each in runs
    ]
    return [
        Bar(f"{cache}: every batch has an interval at {demanded:.0f} s", spread(firsts), all_first),
        Bar(
            f"{cache}: resolution of the report at most {RESOLUTION:.0%}",
            spread(resolutions, percent),
            max(resolutions) <= RESOLUTION,
        ),
        Bar(f"{cache}: overrun at most the longest start", spread(overruns), in_time),
        Bar(f"{cache}: right in all", f"{sum(right)} of {len(right)}", all(right)),
    ]


def ask(question: str, options: argparse.Namespace, keep: Path) -> list[Bar]:
    sweep = sweep_of(question, options.batches)
    limit_seconds = seconds_of(options.limit)
    folder = keep / question
    comparisons = comparisons_of(question, options.batches)
    reference = with_all(kept_run(sweep, folder / "reference", options.reference), comparisons)
    print_run(f"{question}, reference", reference, seconds_of(options.reference), None)
    bars = []
    for cache in options.caches:
        runs = []
        asked = sweep if cache == "cold" else with_kept_caches(sweep, folder / "kept-caches")
        if cache == "warm":
            kept_run(asked, folder / "fills-caches", options.limit)
        for number in range(1, options.runs + 1):
            place = folder / f"{cache}-{number}"
            found = kept_run(asked, place, options.limit)
            runs.append(with_all(found, comparisons))
            print_run(f"{question}, {cache} {number}", runs[-1], limit_seconds, reference)
        print(
            f"{question}, {cache}: scored {spread([each.scored_share for each in runs], percent)}"
        )
        bars += [
            Bar(f"{question}, {bar.what}", bar.found, bar.is_met)
            for bar in bars_of(cache, runs, limit_seconds, reference)
        ]
    return bars


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=list(ENGINES_OF), default=list(ENGINES_OF))
    parser.add_argument("--for", dest="limit", default="3m")
    parser.add_argument("--reference", default="15m")
    parser.add_argument("--caches", type=words, default=["cold", "warm"])
    return ask_all(parser, ask)


if __name__ == "__main__":
    sys.exit(main())
