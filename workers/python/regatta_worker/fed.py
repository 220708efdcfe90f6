"""Regatta's loader in an engine (`input: loader`): batches that another process makes in memory which both share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .arm import Arm
from .inputs import Batches, Settings, casts_in_step
from .learner import Batch, Learner
from .schedule import Goal

if TYPE_CHECKING:
    from regatta.feed import Feed

MADE_BY = ("read", "decode", "collate")  # work of the loader's threads
KEEPS_UP = 0.01  # the part of a step that may be spent waiting
EXPLAINED = 0.5  # the part of the wait that making batches takes at least


def open_feed(words: list[str], settings: Settings) -> Feed:
    from regatta.feed import Feed  # few trials have a loader: the others start without its module

    threads, depth = str(settings.loader_workers), str(settings.loader_depth)
    return Feed([*words, "--threads", threads, "--depth", depth])


def feed_of_trial(settings: Settings, batches: Batches) -> Feed:
    """The rows of the batches' file in order, again and again."""
    gives = "file" if casts_in_step(settings) else "float32"
    words = ["--batches", batches.path, "--as", settings.host_dtype, "--give", gives]
    if batches.scale is not None:
        words += ["--x-scale", repr(batches.scale)]
    return open_feed(words, settings)


class Fed(Arm):
    """A trial whose batches may be those of the loader."""

    fed: Feed | None = None

    def start_feed(
        self,
        settings: Settings,
        batches: Batches,
        made_of: Callable[[np.ndarray, np.ndarray], Any],
    ) -> Callable[[], Any]:
        """A function that gives the next batch: `made_of` its place, which is made once. A batch holds until the call
        after.
        """
        self.fed = feed_of_trial(settings, batches)
        made = [made_of(x, y) for x, y in self.fed.places]
        following = self.fed.next
        return lambda: made[following()]

    def input_facts(self) -> dict[str, Any]:
        """Where the time of a step's input went; nothing without a loader."""
        return facts_of(self.fed.seconds()) if self.fed is not None else {}

    def close(self) -> None:
        if self.fed is not None:
            self.fed.close()


def facts_of(seconds: dict[str, float]) -> dict[str, Any]:
    """Seconds of a step, and what bounds it: the consumer if it hardly waits, else what the loader's threads do most,
    or the handover if all of that explains less than half of the wait (as bound_by of regatta/data/loader.hpp)."""
    steps = max(1.0, seconds["batches"])
    facts: dict[str, Any] = {
        f"input_{name}": seconds[name] / steps
        for name in ("wait", "compute", *MADE_BY, "slot_wait")
    }
    facts["input_bound_by"] = _bound_by(seconds)
    return facts


def _bound_by(seconds: dict[str, float]) -> str:
    wait = seconds["wait"]
    if wait < KEEPS_UP * (wait + seconds["compute"]):
        return "consumer"
    if sum(seconds[name] for name in MADE_BY) < EXPLAINED * wait:
        return "handover"
    most = max(MADE_BY, key=lambda name: seconds[name])
    return "storage" if most == "read" else most


class FedRun:
    """The batches of a run that is trained to its end, from step `first` on: rows and order are those of Data."""

    def __init__(self, learner: Learner, goal: Goal, first: int) -> None:
        hyper, self.next_step, self.copies = learner.hyper, first, learner.reads_late
        words = ["--training", goal.data_path, "--validation", repr(goal.validation)]
        words += ["--seed", str(hyper.seed), "--batch", str(hyper.batch)]
        self.feed = open_feed([*words, "--first-step", str(first)], learner.settings)

    def batch(self, step: int) -> Batch:
        """It holds until the call after."""
        if step != self.next_step:
            raise RuntimeError(f"step {step} was asked for, the loader gives {self.next_step}")
        self.next_step += 1
        x, y = self.feed.places[self.feed.next()]
        return (x.copy(), y.copy()) if self.copies else (x, y)

    def close(self) -> None:
        self.feed.close()
