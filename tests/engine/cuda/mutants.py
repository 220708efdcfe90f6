"""Plants small bugs (mutations.py) in the sources of the CUDA plugin, one at a time, and expects its tests to notice.

mutants.py list SOURCE_FOLDER [--one-in N]     what would be planted
mutants.py find BINARY_DIR [--share N] [--file TEXT] [--name NAME] [--program NAME] [--jobs N] [--one-in N]
                              [--after LOG]
  --share N    one in N of all mutants
  --file TEXT  those of files whose path holds the text
  --name NAME  this one
  --program    only these tests have to notice
  --after LOG  those that an earlier run, whose output this is, did not come to
Each is one changed file, compiled with everything that includes it and linked in front of the rest. Mutants that no
test notices, and why that is right, stand in unnoticed_mutants.txt; any other one fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from mutations import Mutant, described, drawn_mutants, planted_text

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SOURCES = "src/engine/cuda"
ONE_IN = 40
PLUGIN = "tests/support/cuda/libregatta_cuda_emulated.so"
PROGRAMS = ("test_cuda_kernels", "test_cuda_convolutions", "test_cuda_backend", "test_engine_cuda")
LONGEST_COMPILE_SECONDS = 600


class Build(NamedTuple):
    folder: Path
    compiles: dict[str, list[str]]  # source -> command
    links: dict[str, list[str]]  # program, or PLUGIN -> command
    holds: dict[
        str, set[str]
    ]  # program -> objects that it is linked from, those in its libraries too
    includes: dict[str, set[str]]  # source -> files of SOURCES that it includes
    limit_seconds: dict[str, float]  # how long a program may run


class Outcome(NamedTuple):
    mutant: Mutant
    noticed: str  # by what; empty if by nothing
    compiles: bool = True


def files() -> list[str]:
    found = (ROOT / SOURCES).rglob("*")
    return sorted(
        str(path.relative_to(ROOT))
        for path in found
        if path.suffix in (".cpp", ".hpp", ".cu", ".cuh")
    )


def mutants(one_in: int) -> Iterator[Mutant]:
    for file in files():
        yield from drawn_mutants(file, (ROOT / file).read_text(), one_in)


def direct_includes(file: str) -> list[str]:
    text = (ROOT / file).read_text()
    quoted = re.findall(r'^#include "(engine/cuda/[^"]+)"', text, re.MULTILINE)
    return [f"src/{name}" for name in quoted if (ROOT / "src" / name).exists()]


def all_includes(file: str) -> set[str]:
    found: set[str] = set()
    waiting = [file]
    while waiting:
        for name in direct_includes(waiting.pop()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def commands_of(folder: Path) -> dict[str, list[str]]:
    commands = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        name = os.path.relpath(entry["file"], ROOT)
        if name.startswith(SOURCES) and "regatta_plugin_cuda.dir" not in entry["command"]:
            commands.setdefault(name, shlex.split(entry["command"]))
    return commands


def link_of(folder: Path, target: str) -> list[str]:
    run = ["ninja", "-C", str(folder), "-t", "commands", target]
    output = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    last = output.strip().splitlines()[-1]
    return shlex.split(last.removeprefix(": && ").removesuffix(" && :"))


def objects_of(folder: Path, link: list[str]) -> set[str]:
    objects = {word for word in link if word.endswith(".o")}
    archives = [word for word in link if word.endswith(".a") and not word.startswith("/")]
    for archive in dict.fromkeys(archives):
        query = ["ninja", "-C", str(folder), "-t", "query", archive]
        lines = subprocess.run(
            query, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        objects |= {line.strip() for line in lines if line.strip().endswith(".o")}
    return objects


def read_build(folder: Path, wanted: list[str]) -> Build:
    targets = subprocess.run(
        ["ninja", "-C", str(folder), "-t", "targets", "all"], capture_output=True, text=True
    ).stdout
    programs = [name for name in wanted or PROGRAMS if f"bin/{name}:" in targets]
    subprocess.run(["cmake", "--build", str(folder), "--target", *programs], check=True)
    compiles = commands_of(folder)
    links = {name: link_of(folder, f"bin/{name}") for name in programs}
    holds = {name: objects_of(folder, link) for name, link in links.items()}
    links[PLUGIN] = link_of(folder, PLUGIN)
    includes = {file: all_includes(file) for file in compiles}
    return Build(folder, compiles, links, holds, includes, {})


def compile_planted(build: Build, source: str, planted: Path, place: Path) -> Path | None:
    """The object of a source whose quoted includes are looked for in `planted` first; null: it does not compile."""
    command = [word for word in build.compiles[source] if word != "-Werror"]
    command[command.index("-o") + 1] = str(place / f"{source.replace('/', '_')}.o")
    changed = planted / Path(source).relative_to("src")
    if changed.exists():
        command[command.index("-c") + 1] = str(changed)
    first = 2 if command[0].endswith("ccache") else 1
    command[first:first] = ["-iquote", str(planted)]
    command = ["-O1" if word in ("-O2", "-O3") else word for word in command] + ["-w"]
    run = subprocess.run(
        command, cwd=build.folder, capture_output=True, timeout=LONGEST_COMPILE_SECONDS
    )
    return Path(command[command.index("-o") + 1]) if run.returncode == 0 else None


def link_planted(build: Build, target: str, objects: dict[str, Path], place: Path) -> Path:
    command = list(build.links[target])
    out = place / Path(target).name
    command[command.index("-o") + 1] = str(out)
    for source, planted in objects.items():
        held = [word for word in command if word.endswith(f"/{source}.o")]
        for word in held:
            command[command.index(word)] = str(planted)
        if (
            not held
        ):  # it lies in a library, or in one object with others: the first definition counts
            command.insert(1, str(planted))
    command.append("-Wl,--allow-multiple-definition")
    subprocess.run(command, cwd=build.folder, check=True, capture_output=True)
    return out


def run_tests(program: Path, plugin: Path | None, seconds: float, suites: str = "*") -> str:
    """The first test that fails; empty if none does."""
    own = tempfile.TemporaryDirectory()  # tests that run beside themselves write files of one name
    environment = {**os.environ, "GTEST_FAIL_FAST": "1", "GTEST_BRIEF": "1"}
    environment["TEST_TMPDIR"] = f"{own.name}/"
    if plugin:
        environment["REGATTA_TEST_CUDA_PLUGIN"] = str(plugin)
    run = subprocess.Popen(
        [program, f"--gtest_filter={suites}"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=program.parent,
    )
    try:
        output = run.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        return f"{program.name} does not end"
    finally:
        own.cleanup()
    if run.returncode == 0:
        return ""
    failed = re.search(r"\[  FAILED  \] (\w+\.[\w/]+)", output)
    return failed[1] if failed else f"{program.name} ends with {run.returncode}"


def is_held(build: Build, source: str, name: str) -> bool:
    return any(path.endswith(f"/{source}.o") for path in build.holds.get(name, ()))


def tests_of(build: Build, source: str) -> list[str]:
    """Programs that hold the source themselves, then those that open the plugin."""
    holders = [name for name in PROGRAMS[:-1] if is_held(build, source, name)]
    return [*holders, PROGRAMS[-1]]


def suites_of_room(source: str) -> str:
    """Names of the suites that lie where the source does, as a filter."""
    return suites_in(ROOT / "tests" / Path(source).relative_to("src").parent)


def suites_in(folder: Path) -> str:
    texts = [path.read_text() for path in sorted(folder.glob("*_test.cpp"))]
    names = re.findall(r"^TEST(?:_[FP])?\((\w+),", "\n".join(texts), re.MULTILINE)
    return ":".join(f"*{name}.*" for name in dict.fromkeys(names))


def notice(build: Build, objects: dict[str, Path], place: Path, stem: str) -> str:
    plugin = None
    own = f"*{stem.split('_')[-1].title()}*"  # tests of sums.cuh, as CudaSums, are likely to notice
    room = suites_of_room(next(iter(objects)))
    # Tests of processes wait for seconds, and are late where others compile: they are asked last.
    of_processes = suites_in(HERE / "nccl")
    in_turn = (own, f"{room}-{own}", f"*-{own}:{room}:{of_processes}", f"{of_processes}-{room}")
    wanted = dict.fromkeys(name for source in objects for name in tests_of(build, source))
    for name in wanted:
        if name not in build.links:
            continue
        program = build.folder / "bin" / name
        opens_plugin = name == PROGRAMS[-1]
        if opens_plugin:
            plugin = plugin or link_planted(build, PLUGIN, objects, place)
        else:
            # Other users of the changed header may need symbols that this program lacks.
            held = {s: planted for s, planted in objects.items() if is_held(build, s, name)}
            program = link_planted(build, name, held, place)
        limit_seconds = build.limit_seconds.get(name, 600)
        for suites in in_turn:
            if noticed := run_tests(program, plugin, limit_seconds, suites):
                return noticed
    return ""


def hunt(build: Build, mutant: Mutant) -> Outcome:
    users = [source for source, used in build.includes.items() if mutant.file in used]
    if mutant.file in build.compiles:
        users = [mutant.file]
    stem = Path(mutant.file).stem
    nearest = (stem, stem.split("_")[-1])  # sums.cu to column_sums.cuh
    users.sort(key=lambda source: (Path(source).stem not in nearest, source))
    with tempfile.TemporaryDirectory(dir=build.folder) as folder:
        place = Path(folder)
        changed = place / Path(mutant.file).relative_to("src")
        changed.parent.mkdir(parents=True)
        changed.write_text(planted_text(mutant, (ROOT / mutant.file).read_text()))
        objects: dict[str, Path] = {}
        for some in (users[:1], users[1:4], users[4:]):  # most are noticed where it is used first
            for source in some:
                compiled = compile_planted(build, source, place, place)
                if compiled is None:
                    return Outcome(mutant, "", compiles=False)
                objects[source] = compiled
            if some and (noticed := notice(build, objects, place, stem)):
                return Outcome(mutant, noticed)
    return Outcome(mutant, "")


def measure_unchanged(build: Build) -> None:
    """How long the tests run where nothing is planted; ends the program if one fails."""
    for name in build.links:
        if name == PLUGIN:
            continue
        start = time.monotonic()
        suites = f"*-{suites_in(HERE / 'nccl')}"
        if failed := run_tests(build.folder / "bin" / name, None, 600, suites):
            sys.exit(f"nothing is planted, and yet: {failed}")
        build.limit_seconds[name] = 30 + 5 * (time.monotonic() - start)


def known_reasons() -> dict[str, str]:
    """Name of a mutant that nobody needs to notice -> why."""
    reasons = {}
    for line in (HERE / "unnoticed_mutants.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, why = line.partition("  ")
            reasons[name] = why
    return reasons


def report(outcomes: list[Outcome]) -> int:
    noticed: Counter[str] = Counter()
    planted: Counter[str] = Counter()
    reasons = known_reasons()
    missed = []
    for outcome in outcomes:
        if not outcome.compiles:
            continue
        planted[outcome.mutant.file] += 1
        noticed[outcome.mutant.file] += bool(outcome.noticed)
        if not outcome.noticed:
            missed.append(outcome.mutant)
    for file, count in sorted(planted.items()):
        print(f"{noticed[file]:4} of {count:3} noticed: {file}")
    unexplained = 0
    for mutant in missed:
        why = reasons.get(mutant.name, "")
        unexplained += not why
        text = (ROOT / mutant.file).read_text()
        print(f"NOT NOTICED {mutant.name} ({mutant.rule}) {described(mutant, text)}")
        print(f"    {why or 'nobody says why'}")
    print(
        f"{sum(noticed.values())} of {sum(planted.values())} mutants noticed, {unexplained} unexplained"
    )
    return 1 if unexplained else 0


def find(arguments: argparse.Namespace) -> int:
    done = arguments.after.read_text() if arguments.after else ""
    wanted = [
        mutant
        for mutant in mutants(arguments.one_in)
        if int(mutant.name, 16) // 1000 % arguments.share == 0
        and arguments.file in mutant.file
        and arguments.name in ("", mutant.name)
        and f"{mutant.name} " not in done
    ]
    build = read_build(arguments.folder.resolve(), arguments.program)
    measure_unchanged(build)
    print(f"{len(wanted)} mutants, {arguments.jobs} at a time", flush=True)
    outcomes = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for outcome in pool.map(lambda mutant: hunt(build, mutant), wanted):
            outcomes.append(outcome)
            how = outcome.noticed or ("NOT NOTICED" if outcome.compiles else "does not compile")
            mutant = outcome.mutant
            print(f"{mutant.name} {mutant.file}:{mutant.line} {mutant.rule}: {how}", flush=True)
    return report(outcomes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["list", "find"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--file", default="")
    parser.add_argument("--name", default="")
    parser.add_argument("--after", type=Path)
    parser.add_argument("--program", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--one-in", type=int, default=ONE_IN)
    arguments = parser.parse_args()
    if arguments.command == "list":
        for mutant in mutants(arguments.one_in):
            text = (ROOT / mutant.file).read_text()
            print(mutant.name, mutant.rule, described(mutant, text))
        return
    sys.exit(find(arguments))


if __name__ == "__main__":
    main()
