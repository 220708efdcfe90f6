"""Whether two arms did the same work, from the evidence of their workers: what the agent judges, for tests and tables."""

from __future__ import annotations

from regatta_worker.same_work import Evidence

TOLERANCE = 1e-3  # relative; fp32 over three steps
UPDATE_TOLERANCE = 1e-2  # where a gradient near 0 rounds to the other sign, Adam's move turns
SUM_SPREAD = 3  # sums with random signs spread so much around the norm of what is summed


def difference(a: Evidence, b: Evidence) -> str:
    """Empty if both did the same work, else what differs first and by how much."""
    if len(a.losses) != len(b.losses):
        return f"{len(a.losses)} and {len(b.losses)} steps"
    for step, losses in enumerate(zip(a.losses, b.losses), 1):
        if text := _apart(*losses, floor=TOLERANCE):
            return f"losses of step {step}: {text}"
    if text := _apart(a.probe, b.probe, floor=1e-12):
        return f"optimizer: {text}"
    for step in range(len(a.gradients)):
        # Later gradients are those of weights that updates moved, which need not agree as well.
        allowed = TOLERANCE if step == 0 else UPDATE_TOLERANCE
        if text := _tensors_apart(a.gradients[step], b.gradients[step], allowed, {}):
            return f"gradient of step {step + 1}: {text}"
        if text := _tensors_apart(a.updates[step], b.updates[step], UPDATE_TOLERANCE, a.resolution):
            return f"update of step {step + 1}: {text}"
    return ""


def _tensors_apart(
    a: dict[str, list[float]],
    b: dict[str, list[float]],
    relative: float,
    resolution: dict[str, float],
) -> str:
    """What cancels to nothing in one tensor is judged by the size of the others."""
    if a.keys() != b.keys():
        return f"{sorted(a.keys() ^ b.keys())} only in one"
    largest = max((max(a[name][0], b[name][0]) for name in a), default=0.0)
    for name in a:
        norm = max(a[name][0], b[name][0])
        allowed = relative * max(norm, TOLERANCE * largest) + resolution.get(name, 0)
        for i, (x, y) in enumerate(zip(a[name], b[name])):
            limit = allowed if i == 0 else SUM_SPREAD * allowed
            if not abs(x - y) <= limit:
                return (
                    f"{name}: {abs(x - y):.2g} apart of a norm of {norm:.3g} (allowed {limit:.2g})"
                )
    return ""


def _apart(a: list[float], b: list[float], floor: float) -> str:
    if len(a) != len(b):
        return f"{len(a)} and {len(b)} values"
    for i, (x, y) in enumerate(zip(a, b)):
        scale = max(abs(x), abs(y), floor)
        if not abs(x - y) <= TOLERANCE * scale:
            return f"value {i}: {x:.6g} and {y:.6g} differ by {abs(x - y) / scale:.2g}"
    return ""
