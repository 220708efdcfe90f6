"""Result files damaged in every way and sealed again: each command ends by itself with exit 0, 1 or 2.

    PYTHONPATH=. python3 tests/process/hostile_files.py --count 10000 --seed 3 [--only NUMBER] [--keep FOLDER]

A number and a seed make the same file each time. No file makes the launcher crash or hang, and none makes it read
another: links and storage lead to a file of numbers that no answer may show.
"""

from __future__ import annotations

import argparse
import random
import shutil
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tools.hostile_commands import crc32c, ended, main
from tools.regatta_process import Scratch

try:
    import h5py
    import numpy
except ImportError:  # bytes alone are damaged then
    h5py = None

SEAL = b"\nregatta crc32c %08x\n"
SEAL_BYTES = len(SEAL % 0)
CANARY = 4242.4242
ALLOWED = {0, 1, 2}


def sealed(data: bytes) -> bytes:
    return data + SEAL % crc32c(data)


# Damage to bytes


def flip(data: bytearray, dice: random.Random) -> None:
    for _ in range(dice.choice([1, 1, 2, 8, 64])):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def change_number(data: bytearray, dice: random.Random) -> None:
    """A small number of eight, four or two bytes, as lengths and addresses are, becomes another."""
    width = dice.choice([8, 8, 4, 2])
    for _ in range(200):
        at = dice.randrange(0, len(data) - width)
        if 0 < int.from_bytes(data[at : at + width], "little") < len(data):
            break
    top = (1 << 8 * width) - 1
    value = dice.choice([0, 1, top, top >> 1, len(data), dice.randrange(top), dice.randrange(4096)])
    data[at : at + width] = (value & top).to_bytes(width, "little")


def copy_range(data: bytearray, dice: random.Random) -> None:
    length = dice.choice([8, 64, 512])
    source, target = dice.randrange(len(data) - length), dice.randrange(len(data) - length)
    data[target : target + length] = data[source : source + length]


def clear_range(data: bytearray, dice: random.Random) -> None:
    at = dice.randrange(len(data) - 64)
    data[at : at + dice.choice([8, 64])] = dice.choice([b"\0", b"\xff"]) * dice.choice([8, 64])


def cut(data: bytearray, dice: random.Random) -> None:
    del data[dice.randrange(512, len(data)) :]


BYTE_DAMAGE = [flip, flip, change_number, change_number, copy_range, clear_range, cut]


# Damage to what the library calls groups, variables and attributes

File = object  # h5py.File


def variables_of(file: File) -> list[str]:
    names: list[str] = []
    file.visititems(
        lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None
    )
    return names


def change_values(file: File, dice: random.Random) -> None:
    name = dice.choice(variables_of(file))
    kind = file[name].dtype.kind
    texts = ["", "\x1b[31mred", "<script>", "\u202e", "x" * 5000, "-1", "nan", "[[[[", "null"]
    numbers = [float("nan"), float("inf"), -float("inf"), -1.0, 0.0, 1e308, 5e-324]
    if kind == "O":
        file[name][...] = dice.choice(texts)
    elif kind == "f":
        file[name][...] = dice.choice(numbers)
    else:
        limits = numpy.iinfo(file[name].dtype)
        file[name][...] = dice.choice([limits.min, limits.max, 0, 1])


def change_type(file: File, dice: random.Random) -> None:
    name = dice.choice(variables_of(file))
    shape = file[name].shape
    kinds = ["i1", "i8", "u8", "f4", "f8", "S4", "V8", "c16", "?", [("a", "i4"), ("b", "f8")]]
    kinds += [h5py.string_dtype(), h5py.vlen_dtype("i4"), h5py.ref_dtype]
    kinds += [h5py.enum_dtype({"a": 1}), numpy.dtype(("f8", (3,)))]
    del file[name]
    file.create_dataset(name, shape, dice.choice(kinds))


def change_length(file: File, dice: random.Random) -> None:
    name = dice.choice(variables_of(file))
    kind = file[name].dtype
    shape = dice.choice([(), (0,), (1,), (7,), (1 << 20,), (1 << 31,), (1 << 62,), (2, 2)])
    del file[name]
    options = {"chunks": (64,), "compression": dice.choice([None, "gzip"])}
    file.create_dataset(name, shape, kind, **(options if len(shape) == 1 and shape[0] else {}))


def lead_away(file: File, dice: random.Random) -> None:
    """A variable or a group that is a link, or is stored elsewhere."""
    name = dice.choice([*variables_of(file), *file])
    away = Path(file.filename).with_name("canary.h5")
    kind = dice.randrange(5)
    is_group = isinstance(file[name], h5py.Group)
    shape = (1,) if is_group else file[name].shape or (1,)
    del file[name]
    if kind == 0:
        file[name] = h5py.ExternalLink(str(away), "/numbers")
    elif kind == 1:
        file[name] = h5py.SoftLink(dice.choice(["/" + name, "/trials", "/nowhere", "/"]))
    elif kind == 2:
        file[name] = file[dice.choice(["/", "/trials", "/samples"])] if "trials" in file else file
    elif kind == 3:
        raw = away.with_name(dice.choice(["canary.raw", "pipe"]))
        file.create_dataset(name, shape, "f8", external=[(str(raw), 0, 8 * max(shape[0], 1))])
    else:
        layout = h5py.VirtualLayout(shape=shape, dtype="f8")
        layout[...] = h5py.VirtualSource(str(away), "numbers", shape=shape)
        file.create_virtual_dataset(name, layout)


def change_attribute(file: File, dice: random.Random) -> None:
    name = dice.choice(list(file.attrs))
    value = dice.choice(
        [numpy.array([b"x" * 16] * 4000), numpy.array([b"regatta-results"] * 9), 7, 0.5, "text"]
    )
    item = dice.choice([file, file[dice.choice(variables_of(file))]])
    item.attrs[dice.choice([name, "_FillValue"])] = value


def remove(file: File, dice: random.Random) -> None:
    del file[dice.choice([*variables_of(file), *file])]


TREE_DAMAGE = [
    change_values,
    change_values,
    change_type,
    change_length,
    lead_away,
    change_attribute,
    remove,
]


# Files and commands


def sweep() -> dict:
    return {
        "regatta": 1,
        "name": "good",
        "axes": {
            "engine": ["native"],
            "mode": ["eager", "graph", "xla"],
            "model": ["mlp-10"],
            "batch": [8, 32],
        },
        "compare": {"over": ["mode"], "baseline": {"mode": "graph"}},
        "measure": {"slices": 2, "steps": 20},
    }


def lay_canaries(folder: Path) -> None:
    raw = struct.pack("<d", CANARY) * 5000
    (folder / "canary.raw").write_bytes(raw)
    subprocess.run(["mkfifo", str(folder / "pipe")], check=True)
    if h5py:
        with h5py.File(folder / "canary.h5", "w") as file:
            file["numbers"] = numpy.full(5000, CANARY)


def damaged(body: bytes, target: Path, dice: random.Random) -> str:
    """Writes a file that is damaged in one to three ways, and names them."""
    done = []
    in_tree = h5py is not None and dice.random() < 0.5
    target.write_bytes(body)
    if in_tree:
        with h5py.File(target, "r+") as file:
            for _ in range(dice.choice([1, 1, 2])):
                harm: Callable = dice.choice(TREE_DAMAGE)
                done.append(harm.__name__)
                try:
                    harm(file, dice)
                except (KeyError, ValueError, TypeError, OSError, RuntimeError, OverflowError):
                    done.append("failed")
    data = bytearray(target.read_bytes())
    for _ in range(dice.choice([1, 1, 3]) if not in_tree else dice.choice([0, 0, 1])):
        harm = dice.choice(BYTE_DAMAGE)
        done.append(harm.__name__)
        harm(data, dice)
    target.write_bytes(sealed(bytes(data)))
    return " ".join(done)


def commands(number: int, good: Path, bad: Path, trial: str) -> list[list[str]]:
    merged = str(bad.with_name("merged.h5"))
    some = [
        ["report", str(bad)],
        ["query", str(bad), *(["--table", "contrasts"] if number % 2 else [])],
        ["query", str(bad), "--format", ["csv", "jsonl", "trace"][number % 3]],
    ]
    if number % 5 == 0:
        some.append(["compare", str(good), str(bad)])
        some.append(["merge", "-o", merged, str(bad), str(good)])
    if number % 50 == 0:
        some.append(["repro", str(bad), trial, "--for", "1s"])
    return some


def problem_of(command: list[str], most_seconds: float) -> tuple[int | str, str]:
    """How the command ended, and what is wrong with that."""
    end = ended(command, most_seconds, ALLOWED)
    said = end.stdout + end.stderr
    if end.problem:
        return end.code, end.problem
    if str(CANARY).encode() in said:
        return end.code, "a number of another file is shown"
    if end.code == 2 and not end.stderr.startswith(b"regatta: error: "):
        return end.code, f"no error: {end.stderr[-400:]!r}"
    if command[0] == "report" and b"\x1b" in said:
        return end.code, "a terminal would obey the report"
    return end.code, ""


def attack(folder: Path, options: argparse.Namespace) -> int:
    scratch = Scratch(sweep(), folder=folder)
    if scratch.run("--ranks", "1") != 0:
        raise RuntimeError(scratch.output())
    good = scratch.results
    trial = next(each["id"] for each in scratch.report()["trials"] if each["status"] == "finished")
    body = good.read_bytes()[:-SEAL_BYTES]
    if sealed(body) != good.read_bytes():
        raise RuntimeError("the seal of a good file is not as it is computed here")
    lay_canaries(folder)
    ends: Counter = Counter()
    kinds: Counter = Counter()
    problems = 0
    bad = folder / "bad.h5"
    numbers = range(options.count) if options.only is None else [options.only]
    for number in numbers:
        dice = random.Random(f"{options.seed} {number}")
        what = damaged(body, bad, dice)
        kinds.update(what.split())
        for command in commands(number, good, bad, trial):
            end, problem = problem_of(command, options.seconds)
            ends[end] += 1
            if not problem:
                continue
            problems += 1
            print(f"{number} ({what}): regatta {command[0]}: {problem}", flush=True)
            if options.keep:
                shutil.copy(bad, Path(options.keep) / f"{number}.h5")
    print(f"{len(numbers)} files, {sum(ends.values())} commands, {problems} problems")
    print("by exit code:", dict(sorted(ends.items(), key=str)))
    print("by damage:", dict(sorted(kinds.items())))
    if not h5py:
        print("no h5py: bytes alone were damaged")
    return int(problems > 0)


if __name__ == "__main__":
    sys.exit(main(__doc__, 100, attack))
