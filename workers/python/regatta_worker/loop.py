"""The timed loop."""

from __future__ import annotations

import time
from itertools import repeat
from typing import Callable

from regatta.wire import MAX_SAMPLES, REENTRY_SAMPLES, pack_sample


def group_sizes(steps: int, group: int) -> list[int]:
    """7 steps in groups of 3: [3, 3, 1]."""
    if group < 1 or steps < 0 or steps // group >= MAX_SAMPLES:
        raise ValueError(f"a slice of {steps} steps in groups of {group} (at most 2^22 samples)")
    whole, rest = divmod(steps, group)
    return [group] * whole + [rest] * bool(rest)


def stamp_steps(
    step: Callable[[], object],
    wait: Callable[[], object],
    groups: list[int],
    wait_each: bool = False,
) -> list[int]:
    """Nanoseconds on the steady clock: before the first group of so many calls, and after each.

    `wait` returns when all steps are done; the last stamp is taken after it, or each of them.
    """
    stamps = [0] * (len(groups) + 1)
    now = time.perf_counter_ns
    stamps[0] = now()
    for i, group in enumerate(groups, 1):
        step()
        if group > 1:  # a loop for one step costs more than its stamp
            for _ in repeat(None, group - 1):
                step()
        if wait_each:
            wait()
        stamps[i] = now()
    if groups and not wait_each:
        wait()
        stamps[-1] = now()
    return stamps


def run_slice(
    step: Callable[[], object],
    wait: Callable[[], object],
    arm: int,
    phase: str,
    slice_number: int,
    reentry_steps: int,
    steps: int,
    group: int,
    steps_per_call: int = 1,
    wait_each: bool = False,
) -> bytes:
    """Re-entry steps, then the others; packed samples of all of them.

    One call of `step` takes `steps_per_call` steps; whoever asks counts in whole calls.
    """
    if any(count % steps_per_call for count in (reentry_steps, steps, group)):
        raise ValueError(
            f"{reentry_steps} and {steps} steps in groups of {group} are no whole calls of "
            f"{steps_per_call} steps"
        )
    reentry_calls, calls = reentry_steps // steps_per_call, steps // steps_per_call
    calls_of_group = group // steps_per_call
    reentry_group = max(calls_of_group, -(-reentry_calls // REENTRY_SAMPLES))
    plan = [
        ("reentry", group_sizes(reentry_calls, reentry_group)),
        (phase, group_sizes(calls, calls_of_group)),
    ]
    records = []
    for name, groups in plan:
        stamps = stamp_steps(step, wait, groups, wait_each)
        for count, start, end in zip(groups, stamps, stamps[1:]):
            records.append(pack_sample(slice_number, arm, name, count * steps_per_call, start, end))
    return b"".join(records)
