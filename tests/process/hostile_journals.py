"""Journals forged in every way, their checksums right: each command ends by itself with exit 0, 1, 2 or 75.

    PYTHONPATH=. python3 tests/process/hostile_journals.py --count 2000 --seed 3 [--only NUMBER] [--keep FOLDER]

A number and a seed make the same journal each time, from those of two runs.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import struct
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

from forged_records import Record, bytes_of, records_of, take_text
from hostile_files import BYTE_DAMAGE, sweep
from journal_forgeries import FORGERIES, refuses

from tools.hostile_commands import crc32c, ended, main
from tools.journal import RESULT_HEAD
from tools.regatta_process import Scratch

from regatta.wire import SAMPLE  # isort: skip  # `tools` says where

ALLOWED = {0, 1, 2, 75}
KINDS = [b"header", b"plan", b"agent", b"result", b"failed_attempt", b"session_end", b"granted"]
KINDS += [
    b"plan_again",
    b"durable",
    b"plan_copy?",
    b"orchestration?",
    b"stop_asked?",
    b"curve?",
    b"curve",
]
NUMBERS = [0, 1, 2, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1]
VALUES = [
    None,
    True,
    -1,
    0,
    2**31,
    2**63,
    -(2**63),
    1e308,
    0.5,
    "",
    "x",
    "\x1b[31m",
    [],
    {},
    [[]],
    "9" * 40,
]


# Damage to one record


def damage_bytes(record: Record, dice: random.Random) -> None:
    data = bytearray(record.payload.ljust(1024, b"\0"))
    dice.choice(BYTE_DAMAGE)(data, dice)
    record.payload = bytes(data[: len(record.payload)])


def change_a_number(record: Record, dice: random.Random) -> None:
    width = dice.choice("BIQ")
    size = struct.calcsize(width)
    at = dice.randrange(max(len(record.payload) - size, 1))
    value = dice.choice([*NUMBERS, dice.randrange(4096)]) & ((1 << 8 * size) - 1)
    record.payload = record.payload[:at] + struct.pack(width, value) + record.payload[at + size :]


def change_length(record: Record, dice: random.Random) -> None:
    at = dice.randrange(len(record.payload) + 1)
    more = dice.choice([b"", b"", b"\0" * 9, b"\xff" * 64, b"[" * 200_000, record.payload])
    record.payload = record.payload[:at] + more


def places_in(value: object) -> list[tuple]:
    """Every place of a JSON value: who holds it, and under which key."""
    if not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else range(len(value))
    return [(value, key) for key in keys] + [
        place for key in keys for place in places_in(value[key])
    ]


def changed_json(text: bytes, dice: random.Random) -> bytes:
    try:
        value = [json.loads(text)]
    except (ValueError, RecursionError):  # damaged before
        return text
    places = places_in(value)
    holder, key = dice.choice(places[1:] or places)
    if isinstance(holder, dict) and dice.random() < 0.3:
        del holder[key]
    else:
        holder[key] = dice.choice(VALUES)
    deep = json.dumps(value[0]).encode() if value else b"null"
    return deep.replace(b'"x"', b"[" * 100_000 + b"]" * 100_000) if dice.random() < 0.1 else deep


def changed_axes(text: bytes, dice: random.Random) -> bytes:
    axes = json.loads(text)
    levels = dice.choice(axes)["levels"]
    levels[dice.randrange(len(levels))] = dice.choice(VALUES)
    return json.dumps(axes).encode()


def change_plan(record: Record, dice: random.Random) -> None:
    """The text of the sweep or its axes, both with their length."""
    if record.kind != b"plan":
        return change_json(record, dice)
    try:
        text, at = take_text(record.payload, 0)
        file, at = take_text(record.payload, at)
        axes, at = take_text(record.payload, at)
    except struct.error:
        return None  # damaged before
    parts = [text, file, axes]
    which = dice.choice([0, 2])
    try:
        change = changed_axes if which and dice.random() < 0.7 else changed_json
        parts[which] = change(parts[which], dice)
    except (ValueError, TypeError, LookupError, RecursionError):
        return None  # damaged before
    lists = record.payload[at:]
    record.payload = b"".join(struct.pack("<I", len(part)) + part for part in parts) + lists
    return None


def change_json(record: Record, dice: random.Random) -> None:
    record.payload = changed_json(record.payload, dice)


def change_head(record: Record, dice: random.Random) -> None:
    which = dice.randrange(3)
    if which == 0:
        record.kind = dice.choice(KINDS)
    elif which == 1:
        record.hash = dice.choice([b"0" * 32, b"f" * 32, record.hash[::-1]])
    else:
        record.attempt = dice.choice(NUMBERS[:7])


DAMAGE = [
    damage_bytes,
    change_a_number,
    change_length,
    change_json,
    change_plan,
    change_plan,
    change_head,
]


# Damage to samples, their checksum made right again

EXTENT = struct.Struct("<QQI")  # a result's offset, count and checksum of samples
EXTENT_AT = RESULT_HEAD.size
ODD = [0.0, -1.0, 1e-320, 1e308, -1e308, float("nan"), float("inf"), float("-inf")]


def extent_of(record: Record) -> tuple[int, int, int]:
    return EXTENT.unpack_from(record.payload, EXTENT_AT)


def set_extent(record: Record, extent: tuple[int, int, int]) -> None:
    end = EXTENT_AT + EXTENT.size
    record.payload = record.payload[:EXTENT_AT] + EXTENT.pack(*extent) + record.payload[end:]


def odd_sample(sample: bytes, dice: random.Random) -> bytes:
    fields = list(SAMPLE.unpack(sample))
    at = dice.randrange(len(fields))
    most = [2**32, 2**16, 2**8, 2**8, 2**32, 2**16, 2**16]
    if at < len(most):
        fields[at] = dice.choice([0, 1, 3, 4, most[at] - 1, dice.randrange(most[at])])
    else:
        fields[at] = dice.choice([*ODD, -fields[at]])
    return SAMPLE.pack(*fields)


def change_samples(records: list[Record], samples: bytearray, dice: random.Random) -> None:
    """One odd sample, all of them odd, or in another order; or another piece of the file, as if it were a result's."""
    record = dice.choice([each for each in records if each.kind == b"result"])
    offset, count, _ = extent_of(record)
    which = dice.choice(["one", "one", "all", "order", "piece"])
    if which == "piece":
        offset = SAMPLE.size * dice.randrange(len(samples) // SAMPLE.size)
        count = dice.randrange((len(samples) - offset) // SAMPLE.size + 1)
    each = [
        samples[at : at + SAMPLE.size]
        for at in range(offset, offset + count * SAMPLE.size, SAMPLE.size)
    ]
    if which == "order":
        dice.shuffle(each)
    chosen = {"all": range(len(each)), "one": [dice.randrange(len(each))] if each else []}
    for at in chosen.get(which, []):
        each[at] = odd_sample(bytes(each[at]), dice)
    data = b"".join(each)
    samples[offset : offset + len(data)] = data
    set_extent(record, (offset, count, crc32c(data)))


# Damage to the order of records


def reorder(records: list[Record], others: list[Record], dice: random.Random) -> str:
    one, two = dice.randrange(1, len(records)), dice.randrange(1, len(records))
    which = dice.choice(["swap", "remove", "twice", "of_another", "hash_of_another"])
    if which == "swap":
        records[one], records[two] = records[two], records[one]
    elif which == "remove":
        del records[one]
    elif which == "twice":
        records.insert(one, replace(records[two]))
    elif which == "of_another":
        records.insert(one, replace(dice.choice(others[1:])))
    else:
        records[one].hash = dice.choice(others).hash
    return which


def forged(
    good: list[Record], others: list[Record], samples: bytearray, dice: random.Random
) -> tuple[bytes, str]:
    """A journal, and what was done to it. Samples are changed while their records are whole."""
    records = [replace(record) for record in good]
    if dice.random() < 0.3:
        change_samples(records, samples, dice)
        return bytes_of(records), "change_samples"
    done = []
    for _ in range(dice.choice([1, 1, 2, 4])):
        if dice.random() < 0.2:
            done.append(reorder(records, others, dice))
            continue
        harm = dice.choice(DAMAGE)
        jsons = [b"header", b"agent", b"session_end"]
        of_kinds = {change_plan: [b"plan"], change_json: jsons}
        kind = dice.choice(of_kinds.get(harm, KINDS[:10]))
        chosen = [each for each in records if each.kind == kind] or records[1:]
        harm(dice.choice(chosen), dice)
        done.append(harm.__name__)
    return bytes_of(records), " ".join(done)


# Commands


def commands(number: int, folder: Path, sweep_file: Path) -> list[list[str]]:
    some = [["status", str(folder)], ["status", str(folder), "--why"]]
    if number % 2 == 0:
        some.append(["collect", str(folder), "--salvage", "-o", str(folder.parent / "saved")])
    some.append(["collect", str(folder)])
    if number % 4 == 0:
        some.append(["report", str(folder.with_suffix(".h5"))])
    if number % 50 == 0:
        some.append(["run", str(sweep_file), "--ranks", "1", "--out", str(folder.parent)])
    return some


def problem_of(command: list[str], most_seconds: float) -> tuple[int | str, str]:
    """How the command ended, and what is wrong with that."""
    end = ended(command, most_seconds, ALLOWED)
    if end.problem:
        return end.code, end.problem
    if end.code == 2 and b"regatta: error: " not in end.stderr:
        return end.code, f"no error: {end.stderr[-400:]!r}"
    return end.code, "a terminal would obey it" if b"\x1b" in end.stdout + end.stderr else ""


def put(good: Path, journal: bytes, bad: Path) -> None:
    """A copy of a good folder with another journal."""
    shutil.rmtree(bad.parent, ignore_errors=True)
    shutil.copytree(good, bad)
    bad.chmod(0o700)
    (bad / "journal").write_bytes(journal)


def forgeries_that_pass(good: Path, whole: list[Record], bad: Path, seconds: float) -> int:
    problems = 0
    for forgery in FORGERIES:
        records = [replace(record) for record in whole]
        forgery.forge(records)
        put(good, bytes_of(records), bad)
        if problem := refuses(forgery, bad, seconds):
            problems += 1
            print(f"{forgery.name}: {problem}", flush=True)
    print(f"{len(FORGERIES)} forgeries, {problems} problems")
    return problems


def good_folders(folder: Path) -> list[Scratch]:
    """A run, one of another sweep of the same name, and one of a single session: its plan is named once."""
    other = {**sweep(), "axes": {**sweep()["axes"], "batch": [16]}}
    once = {**sweep(), "measure": {**sweep()["measure"], "again": False}}
    found = []
    for name, content in (("good", sweep()), ("other", other), ("once", once)):
        (folder / name).mkdir()
        found.append(Scratch(content, folder=folder / name))
        if found[-1].run("--ranks", "1") != 0:
            raise RuntimeError(found[-1].output())
    return found


def with_records(good: list[Path]) -> tuple[list[Path], list[list[Record]]]:
    whole = [records_of((each / "journal").read_bytes()) for each in good]
    if any(bytes_of(a) != (b / "journal").read_bytes() for a, b in zip(whole, good, strict=True)):
        raise RuntimeError("a good journal is not as it is put together here")
    return good, whole


def attack(folder: Path, options: argparse.Namespace) -> int:
    scratch, other, once = good_folders(folder)
    good, whole = with_records([scratch.run_folder, once.run_folder])
    others = records_of(other.journal.read_bytes())
    bad = folder / "bad" / "good.regatta"
    problems = 0
    if options.only is None:
        problems = forgeries_that_pass(good[1], whole[1], bad, options.seconds)
    ends: Counter = Counter()
    kinds: Counter = Counter()
    numbers = range(options.count) if options.only is None else [options.only]
    for number in numbers:
        dice = random.Random(f"{options.seed} {number}")
        of = int(number % 3 == 2)
        samples = bytearray((good[of] / "samples.bin").read_bytes())
        journal, what = forged(whole[of], others, samples, dice)
        put(good[of], journal, bad)
        (bad / "samples.bin").write_bytes(samples)
        kinds.update(what.split())
        for command in commands(number, bad, scratch.sweep_file):
            if command[0] == "report" and not Path(command[1]).exists():
                continue
            end, problem = problem_of(command, options.seconds)
            ends[command[0], end] += 1
            if not problem:
                continue
            problems += 1
            print(f"{number} ({what}): regatta {command[0]}: {problem}", flush=True)
            if options.keep:
                shutil.copytree(bad, Path(options.keep) / str(number), dirs_exist_ok=True)
    print(f"{len(numbers)} journals, {sum(ends.values())} commands, {problems} problems")
    print("by command and exit code:", dict(sorted(ends.items(), key=str)))
    print("by damage:", dict(sorted(kinds.items())))
    return int(problems > 0)


if __name__ == "__main__":
    sys.exit(main(__doc__, 60, attack))
