"""One result, bit for bit, whoever shares its steps: 1, 2, 4 and 8 ranks, 2 nodes with 2 ranks each, ranks on two
instruction sets. Prints a hash of the parameters for each model and seed; exits with 1 unless all trials have it.

    python3 tests/process/same_bits.py --seeds 10

Steps are those in which workers were shown to do the same work, with dropout. Trainings that go on with other ranks
are tests/workers/train_in_ranks_test.cpp, whose hashes test_workers prints.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator

from tools import instruction_sets, two_nodes
from tools.normed import NORMED
from tools.regatta_process import Scratch

RUN_SECONDS = 1500
Hashes = dict[tuple[str, int], set[str]]


def sweep(ranks: list[int], seeds: int) -> dict:
    return {
        "regatta": 1,
        "name": "bits",
        "axes": {
            "model": ["mlp-784", "conv1d-small", NORMED],
            "seed": list(range(seeds)),
            "ranks": ranks,
        },
        "compare": {"over": ["ranks"], "baseline": {"ranks": 1}},
        "measure": {"slices": 2, "steps": 3},
    }


def trials_of(ranks: list[int], seeds: int, *options: str, under: tuple[str, ...] = ()) -> list:
    scratch = Scratch(sweep(ranks, seeds))
    try:
        status = scratch.run(*options, under=under, timeout=RUN_SECONDS)
        trials = scratch.report()["trials"]
        wrong = [trial["reason"] for trial in trials if trial["status"] != "finished"]
        if status != 0 or wrong or len(trials) != 3 * seeds * len(ranks):
            raise SystemExit(f"status {status}, {len(trials)} trials, {wrong}\n{scratch.output()}")
        return trials
    finally:
        scratch.remove()


def on_two_nodes(seeds: int) -> list:
    nodes = two_nodes.TwoNodes()
    try:
        trials = trials_of([1, 4], seeds, under=nodes.mpirun(2))
    finally:
        nodes.remove()
    if any(trial["nodes"] != 2 for trial in trials if trial["ranks"] == 4):
        raise SystemExit("trials of 4 ranks were not on both nodes")
    return trials


def on_two_sets(seeds: int) -> list:
    trials = trials_of([1, 2, 4], seeds, under=instruction_sets.mpirun(["avx2", ""] * 2))
    leaders = {trial["kernels"].split(";")[0] for trial in trials if trial["ranks"] == 4}
    if leaders != {"avx2"}:
        raise SystemExit(f"rank 0 of 4 was to compute in AVX2: {leaders}")
    return trials


def all_trials(seeds: int) -> Iterator[tuple[str, list]]:
    """By what shares the steps; says what cannot be tried here."""
    yield "1, 2, 4, 8 ranks", trials_of([1, 2, 4, 8], seeds, "--ranks", "8")
    if two_nodes.can_be_made():
        yield "2 nodes x 2", on_two_nodes(seeds)
    else:
        print("2 nodes: not tried, needs root, and ip, unshare and mpirun")
    if instruction_sets.has_avx512():
        yield "AVX2 beside AVX-512", on_two_sets(seeds)
    else:
        print("two instruction sets: not tried, this processor has no AVX-512")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    by_cell: dict[tuple[str, int], dict[str, set[str]]] = defaultdict(dict)
    for setup, trials in all_trials(seeds):
        for trial in trials:
            cell = by_cell[trial["model"], trial["seed"]]
            cell.setdefault(setup, set()).add(trial["parameter_hash"])
    differing = 0
    for (model, seed), cell in sorted(by_cell.items()):
        found = set.union(*cell.values())
        same = len(found) == 1 and all(found)
        differing += not same
        print(f"{model} seed {seed}: {found.pop() if same else cell}")
    print(f"{len(by_cell)} cells by {list(next(iter(by_cell.values())))}: {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
