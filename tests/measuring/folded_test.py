"""T9: work that was not done gets no verdict, however right the answers are."""

from __future__ import annotations

import json
import math

from tools import bars
from tools.bars import Bar
from tools.planted import MULTIPLIES, PLAIN, Outcome, counts, measured, planted_sweep

CONTRASTS = 3
MEASURE = {"per_contrast": "1s"}
IMPOSSIBLE = "faster than the hardware"
BATCH = 256  # 0.8 MFLOP in a step that takes nanoseconds


def folded(seed: int) -> Outcome:
    honest = counts([MULTIPLIES])
    sweep = planted_sweep(seed, CONTRASTS, honest, [*honest, "--fold"], MEASURE)
    axes = {"engine": ["native@base", "native@planted"], "model": "mlp-10", "batch": BATCH}
    sweep["axes"] = {**axes, "seed": [seed]}
    return measured("folded work", sweep, lambda _: -math.inf, None)


def words_about(repeat: int, report: dict) -> str:
    """All that is said about one comparison: its contrast if it has one, its trials, or why there is none."""
    contrasts = [each for each in report["contrasts"] if (each["a"]["repeat"] or 0) == repeat]
    trials = [each for each in report["trials"] if (each["repeat"] or 0) == repeat]
    ids = {trial["id"] for trial in trials}
    missing = [each for each in report["no_contrasts"] if ids & set(each["trials"])]
    return json.dumps([contrasts, trials, missing])


def attempt(seed: int) -> tuple[list[Outcome], list[Bar]]:
    outcome = folded(seed)
    judged = sum(each.verdict in PLAIN for each in outcome.contrasts)
    named = sum(IMPOSSIBLE in words_about(i, outcome.report) for i in range(CONTRASTS))
    return [outcome], [
        Bar(f"faster, slower or same: {judged}, none", judged == 0),
        Bar(f"'{IMPOSSIBLE}': {named} of {CONTRASTS}, all", named == CONTRASTS),
    ]


if __name__ == "__main__":
    bars.run("T9 folded work", attempt)
