"""Faults of the disk: calls that fail, damage, limits, data that change."""

from __future__ import annotations

import errno
import itertools
import random
import subprocess

from bout import BAD_INPUT, DONE, NAME, STORAGE, WORK_LEFT, Bout, Place
from kinds import Kind, Try
from places import JOURNAL, PAGE, RECOVERY, RESULT_FILE, call, crash

from tools import journal
from tools.mounts import can_mount, with_shared_memory_of

MOST_CALLS = 40
ERRORS = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS)
FOLDER = f"*/{NAME}.regatta"

# By point: the call, the file, what the bytes hold, the first and the last number of it that are of this point.
CALLS = {
    0: [
        ("write", "*/.room.tmp", "", 1, MOST_CALLS),
        ("fsync", "*/.room.tmp", "", 1, MOST_CALLS),
        ("pwrite", "*/owner.*", "", 1, 1),  # the second lets go of the folder
        ("fsync", FOLDER, "", 1, 2),
        ("fdatasync", JOURNAL, "", 1, 1),
    ],
    1: [("write", JOURNAL, " plan", 1, 1), ("write", JOURNAL, " header ", 1, 2)],
    6: [
        ("write", JOURNAL, " result ", 1, MOST_CALLS),
        ("write", "*/samples.bin", "", 1, MOST_CALLS),
    ],
    7: [
        ("fdatasync", JOURNAL, "", 2, MOST_CALLS),
        ("fdatasync", "*/samples.bin", "", 1, MOST_CALLS),
    ],
    8: [("write", JOURNAL, " durable ", 2, MOST_CALLS)],
    9: [("write", JOURNAL, " granted ", 2, MOST_CALLS)],
    10: [
        ("write", RESULT_FILE, "", 1, MOST_CALLS),
        ("fsync", RESULT_FILE, "", 1, MOST_CALLS),
        ("close", RESULT_FILE, "", 1, 1),  # later ones are of readers
        ("rename", f"*/{NAME}.h5", "", 1, MOST_CALLS),
    ],
    11: [("fsync", "*/out", "", 2, 2)],  # the first: the new folder in it
    12: [
        ("write", JOURNAL, " session_end ", 1, MOST_CALLS),
        ("close", JOURNAL, "", 1, MOST_CALLS),
        ("close", "*/samples.bin", "", 1, MOST_CALLS),
        ("write", PAGE, "", 1, MOST_CALLS),
        ("fsync", PAGE, "", 1, MOST_CALLS),
        ("rename", f"*/{NAME}.html", "", 1, MOST_CALLS),
    ],
}
# A trial write and the owner's file are refused before anything is run.
UNNOTICED = (("close", JOURNAL), ("close", "*/samples.bin"))
SAYS_WHY = ("cannot ", "this run could not be written")


def fail_at(tried: Try, spec: tuple[str, str, str], nth: int) -> bool:
    """False if there is no such call any more."""
    name, path, holds = spec
    writes = name == "write"
    every = [*ERRORS, errno.EINTR, *(["short"] if writes else [])]
    deed = tried.chance.choice(every)
    is_lasting = deed in (errno.ENOSPC, errno.EROFS) and tried.chance.random() < 0.5
    bout = tried.bout()
    if tried.point == RECOVERY:
        crash(bout, tried.chance)
    bout.crashes += 1
    code = bout.end(bout.begin(call(name, path, holds, f"{nth}{'+' if is_lasting else ''}", deed)))
    if not bout.is_reached():
        bout.expect_code(code, DONE)
        return False
    if (name, path) in UNNOTICED or deed == "short" or (writes and deed == errno.EINTR):
        bout.expect_code(code, DONE)
    elif (told := (STORAGE, BAD_INPUT)) and code not in told:
        bout.complain(f"I4: {name} of {path} failed with {deed}: exit {code}, not one of {told}")
    elif not any(text in bout.output() for text in SAYS_WHY):
        bout.complain(f"I4: {name} of {path} failed with {deed}, and nothing says so")
    bout.finish()
    return True


def failing_calls(tried: Try) -> None:
    """Each call of one sort in turn until there are no more, or one of them by chance."""
    specs = CALLS.get(tried.point) or list(itertools.chain(*CALLS.values()))
    if tried.variant == "one":
        name, path, holds, first, last = tried.chance.choice(specs)
        nth = min(last, first + tried.chance.randint(0, 3))
        while not (is_hit := fail_at(tried, (name, path, holds), nth)) and nth > first:
            nth -= 1
        tried.is_reached = is_hit
        return
    name, path, holds, first, last = specs[int(tried.variant.split()[1])]
    tried.count = 0
    for nth in range(first, last + 1):
        if not fail_at(tried, (name, path, holds), nth):
            break
        tried.count += 1
    tried.is_reached = tried.count > 0


# ---- the journal is damaged --------------------------------------------------------------


def damaged_journal(tried: Try) -> None:
    """A killed run's: cut behind its last mark, which a power failure may leave; or changed, which is refused."""
    bout = tried.bout()
    crash(bout, tried.chance)
    records = journal.records(bout.scratch.journal)
    data = bout.scratch.journal.read_bytes()
    last_mark = max(record.end for record in records if record.kind == "durable")
    if tried.variant == "cut":
        at = tried.chance.randint(last_mark + 1, len(data))
        bout.scratch.journal.write_bytes(data[:at])
        bout.finish()
        return
    first = next(record for record in records if record.kind == "result")
    at = tried.chance.randrange(first.begin, first.end)
    bad = {
        "flipped": data[:at] + bytes([data[at] ^ 1 << tried.chance.randrange(8)]) + data[at + 1 :],
        "zeros": data[: first.begin] + bytes(first.end - first.begin) + data[first.end :],
        "doubled": data[: last_mark + 1] + data[first.begin :],
    }[tried.variant]
    bout.scratch.journal.write_bytes(bad)
    bout.told = len(bout.scratch.output())
    code = bout.scratch.run("--ranks", "2", timeout=60)
    if tried.variant == "doubled" and "no result was lost" in bout.output():
        bout.expect_code(code, DONE)  # the same records once more: a whole journal takes its place
        bout.finish()
        return
    bout.expect_code(code, BAD_INPUT)
    if bout.scratch.journal.read_bytes() != bad or "damaged at byte" not in bout.output():
        bout.complain("a damaged journal was changed, or the place is not said")
    bout.scratch.journal.write_bytes(data)
    bout.finish()


# ---- limits ------------------------------------------------------------------------------


def limited(bout: Bout, *under: str) -> int:
    """A session within a limit: refused, or it says what it lacks, or it fits."""
    return bout.end(bout.begin(Place(), under=under))


def with_few_files(bout: Bout, chance: random.Random) -> None:
    code = limited(
        bout, "sh", "-c", f'ulimit -n {chance.randint(12, 80)}; exec "$@" --ranks 2', "sh"
    )
    bout.expect_code(code, DONE, BAD_INPUT, STORAGE, WORK_LEFT)


def with_little_shared_memory(bout: Bout, chance: random.Random) -> None:
    size = chance.choice([16, 256, 1024, 4096, 6000])
    code = limited(bout, *with_shared_memory_of(size))
    bout.expect_code(code, DONE, BAD_INPUT, STORAGE, WORK_LEFT)


def with_little_disk(tried: Try, bout: Bout) -> None:
    """The folder of the results is a file system that holds too little: for the journal, or for NAME.h5."""
    out = bout.scratch.folder / "out"
    out.mkdir()
    kib = tried.chance.randint(16, 240) if tried.point < 10 else tried.chance.randint(320, 560)
    size = f"size={kib}k,mode=755"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(out)], check=True)
    try:
        code = bout.end(bout.begin(Place()))
        bout.expect_code(code, *([BAD_INPUT, STORAGE] if tried.point < 10 else [STORAGE]))
        again = ["mount", "-o", "remount,size=64m", str(out)]
        subprocess.run(again, check=True)
        bout.finish()
    finally:
        subprocess.run(["umount", str(out)], check=True)


def limits(tried: Try) -> None:
    if tried.variant != "files" and not can_mount():
        tried.is_reached = False  # mounting takes root
        return None
    bout = tried.bout()
    bout.crashes += 1
    if tried.variant == "disk":
        return with_little_disk(tried, bout)
    if tried.variant == "files":
        with_few_files(bout, tried.chance)
    else:
        with_little_shared_memory(bout, tried.chance)
    return bout.finish()


KINDS = (
    Kind(
        "a write, sync, rename, close fails: EIO, ENOSPC, EDQUOT, EROFS, EINTR; a short write",
        failing_calls,
        (*CALLS, 13),
        ("one", *(f"all {i}" for i in range(6))),
        "calls",
        {f"all {i}": tuple(p for p in CALLS if len(CALLS[p]) > i) for i in range(6)},
    ),
    Kind(
        "the journal is cut, flipped, overwritten with zeros, doubled",
        damaged_journal,
        (13,),
        ("cut", "flipped", "zeros", "doubled"),
        "damage",
    ),
    Kind(
        "few descriptors, `/dev/shm` full, no room on the disk",
        limits,
        (1, 10),
        ("files", "shm", "disk"),
        "limits",
        {"files": (1,), "shm": (1,)},
    ),
)
