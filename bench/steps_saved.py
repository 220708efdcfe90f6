"""Steps that a run took, against a plan with one number of squares fixed in advance for the same interval.

    python3 bench/steps_saved.py FILE.h5 [--json]

Who fixes n before measuring has to choose one that gives every contrast of the sweep the wanted interval: +-half_width
(1 %), or a tenth of the difference where that is more, as Regatta's stopping rule has it. From the recorded squares of
each contrast: their spread (interquartile range / 1.349), the n at which the usual 95 % interval of a median
(1.96 * 1.2533 * spread / sqrt(n), valid for one look) is that narrow, at least 7; the largest of these n is the plan's.
Contrasts that Regatta did not decide are counted at what they took. Two plans with one n for all:
- squares: n squares, of as many steps as those recorded. It knows already how long a slice of each arm has to be.
- steps: n steps of every arm, as `timeit -n` or a loop in a script have it: those that the most demanding arm needs.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections import defaultdict

import h5py
import numpy as np

STEADY = 3
HALF_WIDTH = 0.01
FEWEST = 7


def squares_of(file: h5py.File, block: int) -> dict[int, dict[int, tuple[float, int]]]:
    """Square -> arm -> (log of seconds per step, steps) of scored slices."""
    samples = file["samples"]
    chosen = (samples["block_index"][:] == block) & (samples["phase"][:] == STEADY)
    columns = [samples[name][:][chosen] for name in ("square", "arm", "wall_s", "steps")]
    sums: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for square, arm, seconds, steps in zip(*columns, strict=True):
        sums[int(square)][int(arm)][0] += float(seconds)
        sums[int(square)][int(arm)][1] += float(steps)
    return {
        square: {arm: (math.log(s / n), int(n)) for arm, (s, n) in arms.items()}
        for square, arms in sums.items()
    }


def spread(values: list[float]) -> float:
    low, high = np.quantile(values, [0.25, 0.75])
    return float(high - low) / 1.349


def contrast(file: h5py.File, block: int, arm: int) -> dict[str, float] | None:
    squares = [each for each in squares_of(file, block).values() if 0 in each and arm in each]
    values = [each[arm][0] - each[0][0] for each in squares]
    if len(values) < 2:
        return None
    wanted = max(HALF_WIDTH, abs(float(np.median(values))) / 10)
    needed = math.ceil((1.96 * 1.2533 * spread(values) / wanted) ** 2)
    steps = [each[arm][1] + each[0][1] for each in squares]
    fixed = max(FEWEST, needed)
    most = max(statistics.median(each[of][1] for each in squares) for of in (0, arm))
    seconds = [math.exp(each[of][0]) for each in squares for of in (0, arm)]
    return {
        "squares": len(values),
        "spread": spread(values),
        "fixed": fixed,
        "fixed_steps": fixed * most,
        "seconds": sum(math.exp(each[of][0]) * each[of][1] for each in squares for of in (0, arm)),
        "step_seconds": 2 * statistics.mean(seconds),
        "steps": sum(steps),
        "steps_of_square": sum(steps) / len(steps),
    }


def contrasts(file: h5py.File) -> list[dict[str, float]]:
    starts = file["blocks/arm_start"][:]
    found = []
    for block, (start, arms) in enumerate(zip(starts, file["blocks/n_arms"][:], strict=True)):
        clone = int(file["blocks/has_clone"][block])
        for arm in range(1, int(arms) - clone):
            if one := contrast(file, block, arm):
                found.append({"block": block, "arm": arm, **one})
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with h5py.File(options.file) as file:
        found = contrasts(file)
    if not found:
        print("no contrasts with two squares in this file", file=sys.stderr)
        return 2
    plan = max(each["fixed"] for each in found)
    taken = sum(each["steps"] for each in found)
    squares = sum(plan * each["steps_of_square"] for each in found)
    most = max(each["fixed_steps"] for each in found)
    steps = 2 * most * len(found)
    seconds = sum(most * each["step_seconds"] for each in found) / sum(
        each["seconds"] for each in found
    )
    if options.json:
        saved = {"squares": squares / taken, "steps": steps / taken, "seconds_of_steps": seconds}
        print(json.dumps({"contrasts": found, "plan": plan, "plan_steps": most, "saved": saved}))
        return 0
    print("block  arm  squares  spread  fixed n      steps")
    for each in found:
        print(
            f"{each['block']:5}  {each['arm']:3}  {each['squares']:7}  {100 * each['spread']:5.2f}%"
            f"  {each['fixed']:7}  {each['steps']:9}"
        )
    print(f"taken: {taken:.3g} steps")
    print(f"plan of {plan} squares for each: {squares:.3g} steps, {squares / taken:.1f}x")
    print(
        f"plan of {most:.3g} steps for each arm: {steps:.3g} steps, {steps / taken:.1f}x ({seconds:.1f}x the time)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
