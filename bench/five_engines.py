"""Five engines in five minutes: how much of the wall time is scored (bar B10), and whether clones are called the same.

    python3 -m bench.five_engines [--runs 10] [--only share clones] [--for 5m] [--batches 1,32,256] [--keep FOLDER]

Both ask about one network in PyTorch (eager, the baseline), TensorFlow (graph), JAX, NumPy and the native engine.

share    At three batches: the share of the wall time that is scored, and how many of the comparisons are decided. Met
         where the median share is 30 % or more, or all are decided in every run.
clones   At one batch (the second of `--batches`), with PyTorch eager and TensorFlow graph in the sweep twice each. A
         pair of clones is the same within the resolution where it has an interval and nobody is called faster. Met
         where both pairs are, in nine of ten sweeps.

Nothing else may run on the machine. Results are kept in FOLDER, and what lies there is not measured again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.answer_runs import (
    FASTER_OR_SLOWER,
    JSON,
    Answer,
    Bar,
    Run,
    ask_all,
    kept_run,
    percent,
    spread,
)

MARGIN = 0.01
LEAST_SHARE = 0.3
LEAST_SAME = 0.9
MODE_OF = {
    "torch": "eager",
    "tensorflow": "graph",
    "jax": "graph",
    "numpy": "eager",
    "native": "graph",
}
CLONED = ("torch", "tensorflow")


def modes() -> list[JSON]:
    """Points of the grid that are left out, so that each engine has one mode."""
    return [
        {"engine": engine, "mode": "graph" if mode == "eager" else "eager"}
        for engine, mode in MODE_OF.items()
    ]


def share_sweep(batches: list[int]) -> JSON:
    return {
        "regatta": 1,
        "name": "share",
        "axes": {
            "engine": list(MODE_OF),
            "mode": ["eager", "graph"],
            "model": "digits-mlp",
            "batch": batches,
        },
        "exclude": modes(),
        "compare": {"over": ["engine", "mode"], "baseline": {"engine": "torch", "mode": "eager"}},
        "measure": {"margin": f"{MARGIN:.0%}"},
    }


def clones_sweep(batch: int) -> JSON:
    """A comparison of one factor: clones differ in `repeat`, and nothing else of the sweep does."""
    sweep = share_sweep([batch])
    once = [engine for engine in MODE_OF if engine not in CLONED]
    return sweep | {
        "name": "clones",
        "repeats": 2,
        "exclude": [*modes(), {"engine": once, "repeat": 1}],
        "compare": {
            "over": ["engine", "mode", "repeat"],
            "pairs": "one-factor",
            "baseline": {"engine": "torch", "mode": "eager", "repeat": 0},
        },
    }


def share_bars(runs: list[Run]) -> list[Bar]:
    shares = [each.scored_share for each in runs]
    told = [each.told for each in runs]
    of = len(runs[0].answers)
    found = f"{spread(shares, percent)}; told {spread(told, '{:.0f}'.format)} of {of}"
    is_met = sorted(shares)[len(shares) // 2] >= LEAST_SHARE or all(count == of for count in told)
    return [Bar(f"share: {LEAST_SHARE:.0%} scored, or all told", found, is_met)]


def are_clones(name: str) -> bool:
    """Whether both arms of "A against B" are the same but for being measured again."""
    a, b = (arm.removesuffix(", again") for arm in name.split(" against "))
    return a == b


def clones_of(found: Run) -> dict[str, Answer]:
    return {name: answer for name, answer in found.answers.items() if are_clones(name)}


def same_within_resolution(found: Run) -> bool:
    clones = clones_of(found)
    return len(clones) == len(CLONED) and all(
        each.has_interval and each.verdict not in FASTER_OR_SLOWER for each in clones.values()
    )


def clones_bars(runs: list[Run]) -> list[Bar]:
    same = sum(map(same_within_resolution, runs))
    clones = [each for found in runs for each in clones_of(found).values()]
    verdicts = {name: sum(each.verdict == name for each in clones) for name in ("same", "faster", "slower")}  # fmt: skip
    resolutions = [each.resolution for each in clones]
    found = (
        f"{same} of {len(runs)} sweeps; of {len(clones)} pairs "
        + ", ".join(f"{count} {name}" for name, count in verdicts.items())
        + f"; resolution {spread(resolutions, percent)}"
    )
    return [Bar(f"clones: the same within the resolution in {LEAST_SAME:.0%}", found, same >= LEAST_SAME * len(runs))]  # fmt: skip


QUESTIONS = {
    "share": (share_sweep, share_bars),
    "clones": (lambda batches: clones_sweep(batches[len(batches) // 2]), clones_bars),
}


def ask(question: str, options: argparse.Namespace, keep: Path) -> list[Bar]:
    sweep_of, bars_of = QUESTIONS[question]
    runs = []
    for number in range(1, options.runs + 1):
        folder = keep / question
        found = kept_run(sweep_of(options.batches), folder / f"run-{number}", options.limit)
        runs.append(found)
        print(
            f"{question} {number}: {found.wall_seconds:.0f} s, {percent(found.scored_share)} scored, "
            f"{found.told} of {len(found.answers)} told"
        )
        shown = clones_of(found) if question == "clones" else found.answers
        for name, answer in shown.items():
            print(f"  {name}: {answer.text()}")
    return bars_of(runs)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=list(QUESTIONS), default=list(QUESTIONS))
    parser.add_argument("--for", dest="limit", default="5m")
    return ask_all(parser, ask)


if __name__ == "__main__":
    sys.exit(main())
