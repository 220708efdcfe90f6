"""Forged journals that ended in internal errors once, each with the words that refuse it."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from forged_records import Record, take_text

from tools.hostile_commands import ended


@dataclass(frozen=True)
class Forgery:
    name: str
    forge: Callable[[list[Record]], None]
    says: bytes


def last(records: list[Record], kind: bytes) -> Record:
    return next(each for each in reversed(records) if each.kind == kind)


def with_axes(change: Callable[[list[dict]], object]) -> Callable[[list[Record]], None]:
    def forge(records: list[Record]) -> None:
        plan = last(records, b"plan")
        text, at = take_text(plan.payload, 0)
        file, at = take_text(plan.payload, at)
        axes, at = take_text(plan.payload, at)
        value = json.loads(axes)
        change(value)
        parts = [text, file, json.dumps(value).encode()]
        lists = plan.payload[at:]
        plan.payload = b"".join(struct.pack("<I", len(part)) + part for part in parts) + lists

    return forge


def with_json(kind: bytes, change: Callable[[dict], object]) -> Callable[[list[Record]], None]:
    def forge(records: list[Record]) -> None:
        record = last(records, kind)
        value = json.loads(record.payload)
        change(value)
        record.payload = json.dumps(value).encode()

    return forge


def levels_of(axes: list[dict], name: str) -> list:
    return next(each["levels"] for each in axes if each["axis"] == name)


def set_payload(kind: bytes, payload: bytes) -> Callable[[list[Record]], None]:
    return lambda records: setattr(last(records, kind), "payload", payload)


def set_attempt(records: list[Record]) -> None:
    last(records, b"result").attempt = 2**31


UNREADABLE = b"cannot be read"
FORGERIES = [
    Forgery(
        "a number as a model",
        with_axes(lambda axes: levels_of(axes, "model").__setitem__(0, 7)),
        b"an axis model",
    ),
    Forgery(
        "a model that nobody checked",
        with_axes(lambda axes: levels_of(axes, "model").__setitem__(0, "nobody")),
        b"an axis model",
    ),
    Forgery(
        "a text as a batch",
        with_axes(lambda axes: levels_of(axes, "batch").__setitem__(0, "x")),
        b"an axis batch",
    ),
    Forgery(
        "an engine that is none",
        with_axes(lambda axes: levels_of(axes, "engine").__setitem__(0, None)),
        b"an axis engine",
    ),
    Forgery("no levels", with_axes(lambda axes: levels_of(axes, "batch").clear()), b"no levels of"),
    Forgery(
        "a level twice",
        with_axes(lambda axes: levels_of(axes, "batch").__setitem__(1, 8)),
        b"a level stands there twice",
    ),
    Forgery("an axis twice", with_axes(lambda axes: axes.append(axes[-1])), b"stands there twice"),
    Forgery("an axis less", with_axes(lambda axes: axes.pop()), b"it is missing"),
    Forgery("axes that are none", with_axes(lambda axes: axes.append("x")), UNREADABLE),
    Forgery(
        "another name",
        with_json(b"header", lambda header: header.update(name="other")),
        b"names the sweep 'other'",
    ),
    Forgery(
        "a name that a terminal would obey",
        with_json(
            b"header",
            lambda header: header.update(name="\x1b[31m\nregatta: done\u202e"),
        ),
        "names the sweep '\ufffd[31m\n  regatta: done\ufffd'".encode(),
    ),
    Forgery("a name that is none", with_json(b"header", lambda all: all.pop("name")), UNREADABLE),
    Forgery("a deep header", set_payload(b"header", b"[" * 100_000), b"nests too deep"),
    Forgery(
        "a deep host", with_json(b"agent", lambda all: all.update(host=[[[[[]]]]])), UNREADABLE
    ),
    Forgery(
        "an agent below zero",
        with_json(b"agent", lambda all: all.update(agent=-1)),
        b"its agent is",
    ),
    Forgery(
        "cores beyond all numbers",
        with_json(b"agent", lambda all: all["host"].update(cores=2**63)),
        b"its cores is",
    ),
    Forgery(
        "passes below zero",
        with_json(b"session_end", lambda all: all.update(passes_due=True, again=-1)),
        b"its again is",
    ),
    Forgery("an attempt that no table holds", set_attempt, b"its attempt is 2147483648"),
]


def refuses(forgery: Forgery, bad: Path, seconds: float) -> str:
    """The problem with how a forged journal ends; empty if there is none. `status` alone reads how sessions ended."""
    said = b""
    for command in ("collect", "status"):
        end = ended([command, str(bad)], seconds, {0, 2, 75})
        if end.problem:
            return f"regatta {command}: {end.problem}"
        said += end.stderr
    return "" if forgery.says in said else f"nothing says {forgery.says!r}: {said[-400:]!r}"
