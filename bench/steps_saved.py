"""Steps that a run took, against plans with one number fixed in advance for the same interval.

    python3 -m bench.steps_saved FILE.h5 [--json]

Who fixes n before measuring has to choose one that gives every contrast of the sweep the wanted interval. From the
recorded squares of each contrast: their spread (interquartile range / 1.349), the n at which the usual 95 % interval of
a median (1.96 * 1.2533 * spread / sqrt(n), valid for one look) is that narrow, at least 7; the largest of these n is the
plan's. So each plan knows already how noisy the machine is going to be. Contrasts that Regatta did not decide are counted
at what they took. What n counts:
- squares: n squares, of as many steps as those recorded. It knows already how long a slice of each arm has to be.
- steps: n steps of every arm, as `timeit -n` or a loop in a script have it: those that the most demanding arm needs.
What is wanted:
- half_width: +-1 %, all that can be wanted before it is known how much the arms differ.
- as stopped: +-1 %, or a tenth of the difference where that is more, as Regatta's stopping rule has it. It knows
  already how much the arms of each contrast differ.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass

import h5py
import numpy as np

STEADY = 3
HALF_WIDTH = 0.01
FEWEST = 7


@dataclass(frozen=True)
class Squares:
    """Steps of one contrast; both arms' steps are counted."""

    block: int
    arm: int
    squares: int
    spread: float  # spread of log(time / baseline's time)
    difference: float  # log, without its sign
    steps: int
    arm_steps: float  # the arm with more, in one square


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


def fixed(square: Squares, wanted: float) -> int:
    """Squares for an interval of +-wanted."""
    return max(FEWEST, math.ceil((1.96 * 1.2533 * square.spread / wanted) ** 2))


def contrast(file: h5py.File, block: int, arm: int) -> Squares | None:
    squares = [each for each in squares_of(file, block).values() if 0 in each and arm in each]
    values = [each[arm][0] - each[0][0] for each in squares]
    if len(values) < 2:
        return None
    return Squares(
        block=block,
        arm=arm,
        squares=len(values),
        spread=spread(values),
        difference=abs(float(np.median(values))),
        steps=sum(each[of][1] for each in squares for of in (0, arm)),
        arm_steps=max(statistics.median(each[of][1] for each in squares) for of in (0, arm)),
    )


def contrasts(file: h5py.File) -> list[Squares]:
    found = []
    for block, arms in enumerate(file["blocks/n_arms"][:]):
        clone = int(file["blocks/has_clone"][block])
        for arm in range(1, int(arms) - clone):
            if one := contrast(file, block, arm):
                found.append(one)
    return found


def saved(found: list[Squares], wanted: list[float]) -> dict[str, float]:
    """How many times the steps taken each plan needs, and its n."""
    needed = [fixed(each, half_width) for each, half_width in zip(found, wanted, strict=True)]
    taken = sum(each.steps for each in found)
    n_squares = max(needed)
    n_steps = max(n * each.arm_steps for n, each in zip(needed, found, strict=True))
    return {
        "n_squares": n_squares,
        "squares": sum(n_squares * each.steps / each.squares for each in found) / taken,
        "n_steps": n_steps,
        "steps": 2 * n_steps * len(found) / taken,
    }


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
    plans = {
        "half_width": saved(found, [HALF_WIDTH] * len(found)),
        "as stopped": saved(found, [max(HALF_WIDTH, each.difference / 10) for each in found]),
    }
    if options.json:
        print(json.dumps({"contrasts": [asdict(each) for each in found], "plans": plans}))
        return 0
    print("block  arm  squares  spread  difference      steps")
    for each in found:
        print(
            f"{each.block:5}  {each.arm:3}  {each.squares:7}  {100 * each.spread:5.2f}%"
            f"  {math.exp(each.difference):9.3f}x  {each.steps:9}"
        )
    print(f"taken: {sum(each.steps for each in found):.3g} steps")
    for wanted, plan in plans.items():
        print(f"{wanted}, {plan['n_squares']} squares for each: {plan['squares']:.1f}x")
        print(f"{wanted}, {plan['n_steps']:.3g} steps of each arm: {plan['steps']:.1f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
