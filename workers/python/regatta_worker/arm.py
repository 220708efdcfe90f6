"""An arm: what an engine makes of a trial, and what the session asks of it."""

from __future__ import annotations

from typing import Any

from .errors import Unsupported


class Arm:
    """A prepared trial. Engines derive from it and replace what differs."""

    steps_per_call: int = 1  # steps that one call of `step` takes
    member: str = (
        ""  # how the other ranks of its trial find this one; empty: the trial has one rank
    )

    def step(self) -> object:
        """One call, on the next batch: what is timed."""
        raise NotImplementedError

    def wait(self) -> object:
        """Returns when all steps are done, for engines that only start them."""
        raise NotImplementedError

    def check(self, steps: int) -> list[list[float]]:
        """The values that compare engines, per step from the initial weights, dropout off.

        The loss of each sample or, for a step without a loss, of each row of the output the sum
        of |output j| / (j + 1), negative outputs counted twice. The arm is left as it was.
        """
        raise NotImplementedError

    def join(self, members: list[str], patience_seconds: float) -> None:
        """Finds the other ranks of the trial (docs/reference/worker-protocol.md, "Ranks"). Raises Unsupported where it has one."""
        raise Unsupported("this trial has one rank")

    def input_facts(self) -> dict[str, Any]:
        """How the steps of the last slice were fed (docs/reference/worker-protocol.md, "samples"); empty if it cannot tell."""
        return {}

    def close(self) -> None:
        """Ends the threads and processes that the arm started; it takes no step any more."""
