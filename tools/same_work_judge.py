"""Whether two arms did the same work, from the evidence of their workers: what the agent judges, for tests and tables.

The numbers are those of src/measure/same_work.hpp, which says where they come from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List

from regatta_worker.older import zipped
from regatta_worker.same_work import SHAKEN, SHAKEN_AGAIN, Evidence

Verified = str  # yes, close or no
Projections = Dict[str, List[float]]
Apart = Dict[str, float]

SMALL_LOSS, SMALL_NORM = 1e-2, 1e-3
PROBE = 1e-3
MOST_ROUNDING, TENSOR_SPREAD, MODEL_SPREAD = 10, 8, 2


@dataclass(frozen=True)
class Tolerances:
    """Relative. Up to the first three it is the same work, up to the last one it is close."""

    loss: float
    gradient: float
    update: float
    close_gradient: float


TOLERANCES = {
    "fp32": Tolerances(2e-5, 1e-3, 1e-2, 5e-2),
    "tf32": Tolerances(4e-3, 2e-2, 5e-2, 5e-2),
    "fp16": Tolerances(4e-3, 2e-2, 5e-2, 5e-2),
    "bf16": Tolerances(3e-2, 5e-2, 0.15, 0.15),
}


@dataclass(frozen=True)
class Sensitivity:
    """How far an arm's own results move when its weights are rounded otherwise, per step."""

    losses: list[float] = field(default_factory=list)
    gradients: list[Apart] = field(default_factory=list)
    updates: list[Apart] = field(default_factory=list)


@dataclass(frozen=True)
class Answer:
    verified: Verified
    text: str = ""
    loss: float = 0.0  # furthest apart, relative
    gradient: float = 0.0


def difference(a: Evidence, b: Evidence) -> str:
    """Empty if both did the same work in fp32, else what differs first and by how much. Nothing is known of what
    rounding does to the model: every step counts."""
    return compared(a, b).text


def judged(baseline: Any, other: Any, steps: int) -> Answer:
    """The answer for two trials, asked as the agent does: rounding is examined only if they disagree."""
    first, second = baseline.examine(steps), other.examine(steps)
    number_type = max(
        first.number_type or "fp32", second.number_type or "fp32", key=list(TOLERANCES).index
    )
    answer = compared(first, second, number_type)
    if answer.verified == "yes":
        return answer
    shaken = (baseline.examine(steps, how) for how in (SHAKEN, SHAKEN_AGAIN))
    return compared(first, second, number_type, sensitivity_of(*shaken))


def sensitivity_of(one: Evidence, other: Evidence) -> Sensitivity:
    each = 1 / math.sqrt(2)

    def of(left: list[Projections], right: list[Projections], resolution: dict) -> list[Apart]:
        pairs = zipped(left, right)
        apart = (tensors_apart(a, b, resolution) for a, b in pairs)
        return [{name: each * x for name, x in step.items()} for step in apart]

    losses = zipped(one.losses, other.losses)
    return Sensitivity(
        [each * loss_apart(a, b)[0] for a, b in losses],
        of(one.gradients, other.gradients, {}),
        of(one.updates, other.updates, one.resolution),
    )


def compared(
    a: Evidence,
    b: Evidence,
    number_type: str = "fp32",
    sensitivity: Sensitivity = Sensitivity(),
) -> Answer:
    """`a` is the baseline's; updates and gradients are compared where both have them."""
    allowed = TOLERANCES[number_type]
    if [len(step) for step in a.losses] != [len(step) for step in b.losses] or not a.losses:
        return Answer("no", f"{len(a.losses)} and {len(b.losses)} steps, or other rows")
    first = _losses(a, b, allowed, sensitivity, range(1))
    if first.verified == "no":
        return first
    tensors = Answer("yes")
    if a.gradients and b.gradients:
        text = _probes_apart(a.probe, b.probe)
        if text:
            return Answer("no", f"optimizer: {text}", first.loss)
        tensors = _evidence(a, b, allowed, sensitivity)
    later = _losses(a, b, allowed, sensitivity, range(1, len(a.losses)))
    # A loss that is off after an update is the consequence; what stands in the gradients is the cause.
    verified = max(tensors, later, key=_rank).verified
    loss = max(first.loss, later.loss)
    return Answer(verified, tensors.text or later.text, loss, tensors.gradient)


def _losses(
    a: Evidence, b: Evidence, allowed: Tolerances, sensitivity: Sensitivity, steps: range
) -> Answer:
    furthest = 0.0
    for step in steps:
        apart, row = loss_apart(b.losses[step], a.losses[step])
        own = sensitivity.losses[step] if sensitivity.losses else 0.0
        limit = max(allowed.loss, MOST_ROUNDING * own)
        furthest = max(furthest, apart)
        if not apart <= limit:
            x, y = a.losses[step][row], b.losses[step][row]
            text = f"losses of step {step + 1}: row {row}, {x:.6g} and {y:.6g}"
            return Answer("no", f"{text}, are {apart:.2g} apart (allowed {limit:.2g})", apart)
    return Answer("yes", loss=furthest)


def _rank(answer: Answer) -> int:
    return ("yes", "close", "no").index(answer.verified)


def _gradients(
    a: Evidence, b: Evidence, allowed: Tolerances, sensitivity: Sensitivity, step: int
) -> Answer:
    if a.gradients[step].keys() != b.gradients[step].keys():
        only = sorted(a.gradients[step].keys() ^ b.gradients[step].keys())
        return Answer("no", f"{only} only in one")
    apart = tensors_apart(b.gradients[step], a.gradients[step])
    rounding = over_steps(sensitivity.gradients)
    where = f"gradient of step {step + 1}"
    verified, text = _judge(apart, rounding, allowed.gradient, allowed.close_gradient, where)
    norm = abs(norms_apart(b.gradients[step], a.gradients[step]))
    if norm > allowed.gradient and verified == "yes":
        verified = "close" if norm <= allowed.close_gradient else "no"
        text = f"{where}: the norm of all is {norm:.2g} apart"
    return Answer(verified, text, gradient=max(apart.values(), default=0.0))


def _updates(
    a: Evidence, b: Evidence, allowed: Tolerances, sensitivity: Sensitivity, step: int
) -> Answer:
    # Not over all steps: later updates are those of weights that rounding has moved by then.
    rounding = sensitivity.updates[step] if sensitivity.updates else {}
    apart = tensors_apart(b.updates[step], a.updates[step], a.resolution)
    where = f"update of step {step + 1}"
    return Answer(*_judge(apart, rounding, allowed.update, allowed.close_gradient, where))


def _first_that_is_other(
    a: Evidence, b: Evidence, allowed: Tolerances, sensitivity: Sensitivity
) -> str:
    """The first difference is the cause; later ones may be its consequence."""
    for step in range(max(len(a.gradients), len(a.updates))):
        for judge, steps in ((_gradients, len(a.gradients)), (_updates, len(a.updates))):
            if step >= steps:
                continue
            answer = judge(a, b, allowed, sensitivity, step)
            if answer.verified == "no":
                return answer.text
    return ""


def _evidence(a: Evidence, b: Evidence, allowed: Tolerances, sensitivity: Sensitivity) -> Answer:
    found, gradient = Answer("yes"), 0.0
    for step in steps_that_count(len(a.gradients), sensitivity.gradients):
        answer = _gradients(a, b, allowed, sensitivity, step)
        gradient = max(gradient, answer.gradient)
        if _rank(answer) > _rank(found):
            found = answer
    for step in steps_that_count(len(a.updates), sensitivity.updates):
        answer = _updates(a, b, allowed, sensitivity, step)
        if _rank(answer) > _rank(found):
            found = answer
    if found.verified == "no":
        found = replace(found, text=_first_that_is_other(a, b, allowed, sensitivity))
    return replace(found, gradient=gradient)


def _judge(
    apart: Apart, rounding: Apart, same: float, close: float, where: str
) -> tuple[Verified, str]:
    """By the tensor that is furthest beyond what rounding explains."""
    of_any = max(same, MODEL_SPREAD * max(rounding.values(), default=0.0))
    beyond = {
        name: x / max(of_any, TENSOR_SPREAD * rounding.get(name, 0.0)) for name, x in apart.items()
    }
    worst = max(beyond, key=beyond.__getitem__, default=None)
    if worst is None or beyond[worst] <= 1:
        return "yes", ""
    text = f"{where}: {worst} is {apart[worst]:.2g} apart ({beyond[worst]:.2g} of what is allowed)"
    limit = max(close, max(rounding.values(), default=0.0))
    return ("close" if max(apart.values()) <= limit else "no"), text


def steps_that_count(steps: int, sensitivity: list[Apart]) -> list[int]:
    """The step that rounding moves least, or all where that is not known."""
    if len(sensitivity) != steps or steps == 0:
        return list(range(steps))
    return [min(range(steps), key=lambda step: max(sensitivity[step].values(), default=0.0))]


def over_steps(steps: list[Apart]) -> Apart:
    names = steps[0] if steps else {}
    return {name: max(step[name] for step in steps) for name in names}


def loss_apart(a: list[float], b: list[float]) -> tuple[float, int]:
    """The largest relative difference of a row, and the row."""
    size = max(math.fsum(map(abs, b)) / len(b), SMALL_LOSS)
    apart = [abs(x - y) / max(abs(x), abs(y), size) for x, y in zip(a, b)]
    apart = [math.inf if math.isnan(x) else x for x in apart]
    worst = max(apart)
    return worst, apart.index(worst)


def tensors_apart(
    a: Projections, b: Projections, resolution: dict[str, float] | None = None
) -> Apart:
    """By tensor: the difference, from its random sums, relative to the norm. A tensor that cancels to nothing is judged
    by the size of the others."""
    least = SMALL_NORM * max((max(a[name][0], b[name][0]) for name in a), default=0.0)
    found = {}
    for name, values in a.items():
        others = b[name]
        squares = [(x - y) ** 2 for x, y in zip(values[1:], others[1:])]
        apart = max(math.sqrt(math.fsum(squares) / len(squares)), abs(values[0] - others[0]))
        apart = max(0.0, apart - (resolution or {}).get(name, 0.0))
        norm = max(values[0], others[0], least)
        found[name] = apart / norm if apart > 0 else 0.0
        if math.isnan(apart):
            found[name] = math.inf
    return found


def norms_apart(a: Projections, b: Projections) -> float:
    """The norm of all tensors together, over the other one's, less 1."""
    squares = [math.fsum(values[0] ** 2 for values in tensors.values()) for tensors in (a, b)]
    if squares[1] == 0:
        return 0.0 if squares[0] == 0 else math.inf
    return math.sqrt(squares[0] / squares[1]) - 1


def _probes_apart(a: list[float], b: list[float]) -> str:
    if len(a) != len(b):
        return f"{len(a)} and {len(b)} values"
    for i, (x, y) in enumerate(zip(a, b)):
        scale = max(abs(x), abs(y), 1e-12)
        if not abs(x - y) <= PROBE * scale:
            return f"value {i}: {x:.6g} and {y:.6g} differ by {abs(x - y) / scale:.2g}"
    return ""
