"""How a run is made to come to a point in time: P0 to P12 in a first session, P13 in one that resumes."""

from __future__ import annotations

import random
import signal

from bout import NAME, Bout, Broken, Place, orders

POINTS = (
    "before the plan is recorded",
    "the plan is written",
    "blocks are handed out",
    "an engine starts",
    "a trial is measured",
    "a result is made and not sent",
    "a result has come and is not written",
    "it is written and not synced",
    "it is synced and not acknowledged",
    "results are acknowledged",
    "`NAME.h5` is half written",
    "`NAME.h5` is renamed, its folder not synced",
    "the end of the session",
    "while a killed run is resumed",
)
RECOVERY = 13
IN_A_WORKER = {3: "hello", 4: "slice", 5: "samples"}
JOURNAL = "*/journal"
RESULT_FILE = f"*/.{NAME}.h5.*.tmp"
PAGE = f"*/{NAME}.html.*.tmp"


def call(name: str, path: str, holds: str, nth: int | str, deed: str | int) -> Place:
    return Place(call="|".join(map(str, (name, path, holds, nth, deed))))


def first_session(point: int, chance: random.Random) -> Place:
    """A place where rank 0, the launcher (P10, P11) or a worker waits until it is let go."""
    if point in IN_A_WORKER:
        return Place(orders=orders("wait", IN_A_WORKER[point]))
    nth = chance.randint(1, 4)
    choices = {
        0: [call("write", JOURNAL, " plan", 1, "before")],
        1: [call("write", JOURNAL, " plan", 1, "after")],
        2: [call("write", JOURNAL, " granted ", 1, "before")],
        6: [call("write", JOURNAL, " result ", nth, deed) for deed in ("before", "half")],
        7: [
            call("write", JOURNAL, " result ", nth, "after"),
            call("fdatasync", "*/samples.bin", "", nth + 1, "before"),  # the first is of none
        ],
        8: [call("write", JOURNAL, " durable ", 4 + nth, "before")],  # four before the first result
        9: [call("write", JOURNAL, " result ", 3 + nth % 2, "before")],  # earlier ones are
        10: [
            call("write", RESULT_FILE, "", 1, "half"),
            call("fsync", RESULT_FILE, "", 1, "before"),
        ],
        11: [call("rename", f"*/{NAME}.h5", "", 1, "after")],
        12: [
            call("write", JOURNAL, " session_end ", 1, deed) for deed in ("before", "half", "after")
        ],
    }
    return chance.choice(choices[point])


def resuming(chance: random.Random) -> Place:
    """A place where rank 0 waits in a session that resumes what was killed."""
    return chance.choice(
        [
            call("fdatasync", JOURNAL, "", 1, "before"),
            call("write", JOURNAL, " plan", 1, chance.choice(["before", "half", "after"])),
            call("write", JOURNAL, " granted ", 1, "before"),
            call("write", JOURNAL, " result ", 1, chance.choice(["before", "half", "after"])),
            call("write", JOURNAL, " durable ", chance.randint(1, 4), "before"),
        ]
    )


def kill_rank_0(bout: Bout, _) -> None:
    bout.send("rank 0", signal.SIGKILL)


def crash(bout: Bout, chance: random.Random) -> None:
    """A session that is killed in the middle: what a recovery begins with."""
    place = call("write", JOURNAL, " result ", 3, chance.choice(["half", "after"]))
    bout.crashes += 1
    if bout.session(place, kill_rank_0) is None:
        raise Broken("the first session ended before its third result")


def place_at(point: int, bout: Bout, chance: random.Random) -> Place:
    if point != RECOVERY:
        return first_session(point, chance)
    crash(bout, chance)
    return resuming(chance)
