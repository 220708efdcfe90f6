"""Phase 23: the engine's tests under the tools of compute-sanitizer, side by side, and beside them without any.

A tool finds what is wrong with memory, and what it says of kernels of our own. Only told: what it says of a library's
kernels, and calls of CUDA that were refused (libraries ask for what a device may lack). Tests that fail without a tool
are no finding of one.

usage: sanitizers.py FILTER     FILTER: of the tests, as --gtest_filter
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field

from phase import Clock, absent, bundle, keep

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
PLAIN = "no tool"
MARK = "========="
LEAST_SECONDS = 5.0
SHARDS = 4  # parts of the tests under one tool, side by side: racecheck makes some take a minute
SHOWN_LINES = 60  # most lines of a tool that are shown
SHOWN_FRAMES = 6  # behind what is only told
KEPT_HEADLINES = 20
OURS = "regatta::"  # in the name of a kernel
ABOUT_THE_RUN = (
    "COMPUTE-SANITIZER",
    "SUMMARY",
    "Target application",
    "This tool is deprecated",
)
NUMBER = re.compile(r"\d+")


@dataclass
class Block:
    """A report of a tool about one place: a line, and those behind it."""

    lines: list[str]

    @property
    def headline(self) -> str:
        return self.lines[0]

    @property
    def is_refused_call(self) -> bool:
        return self.headline.startswith("Program hit")

    def is_finding(self, tool: str) -> bool:
        if self.is_refused_call:
            return False
        return tool == "memcheck" or any(OURS in line for line in self.lines)


@dataclass
class Found:
    clean: bool = False
    findings: int = 0
    in_libraries: int = 0  # reports of racecheck, synccheck and initcheck there
    refused_calls: int = 0
    errors: int | None = None  # as the tool counts them; None: it did not come to its end
    timed_out: bool = False
    tests_passed: int = 0
    failed: list[str] = field(default_factory=list)  # tests
    failed_only_here: list[str] = field(default_factory=list)  # not without a tool
    headlines: dict[str, int] = field(default_factory=dict)
    exit_code: int | None = None


def blocks_of(lines: list[str]) -> list[Block]:
    """A block begins with a line that is not indented; an empty one ends it."""
    blocks: list[Block] = []
    is_open = False
    for line in lines:
        text = line[len(MARK) :].rstrip()
        if not text:
            is_open = False
        elif is_open and text.startswith("  "):
            blocks[-1].lines.append(text)
        elif not any(word in text for word in ABOUT_THE_RUN):
            blocks.append(Block([text.strip()]))
            is_open = True
    return blocks


def errors_in(lines: list[str]) -> int | None:
    summaries = [line for line in lines if "SUMMARY:" in line]
    return sum(int((NUMBER.findall(line) or ["0"])[0]) for line in summaries) if summaries else None


def output_of(tool: str, tests: str, seconds: float) -> tuple[str, int | None]:
    """The output of the tests, and the worst exit code: None if time ended first, with the output until then."""
    with ThreadPoolExecutor(SHARDS) as threads:
        done = list(
            threads.map(lambda shard: output_of_shard(tool, tests, seconds, shard), range(SHARDS))
        )
    codes = [code for _, code in done if code is not None]
    return "".join(text for text, _ in done), max(codes) if len(codes) == SHARDS else None


def output_of_shard(tool: str, tests: str, seconds: float, shard: int) -> tuple[str, int | None]:
    command = [str(bundle() / "bin/test_engine_cuda"), f"--gtest_filter={tests}"]
    if tool != PLAIN:
        watched = ["compute-sanitizer", "--tool", tool, "--target-processes", "all"]
        command = [*watched, "--error-exitcode", "9", *command]
    with (
        tempfile.TemporaryDirectory() as folder,  # tests that run beside themselves write files of one name
        tempfile.TemporaryFile("w+", errors="replace") as file,
    ):
        process = subprocess.Popen(
            command,
            stdout=file,
            stderr=file,
            start_new_session=True,
            env={
                **os.environ,
                "TEST_TMPDIR": f"{folder}/",
                "GTEST_TOTAL_SHARDS": str(SHARDS),
                "GTEST_SHARD_INDEX": str(shard),
            },
        )
        try:
            code: int | None = process.wait(max(LEAST_SECONDS, seconds))
        except subprocess.TimeoutExpired:
            code = None
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        file.seek(0)
        return file.read(), code


def failed_tests(output: str) -> list[str]:
    lines = (line for line in output.splitlines() if line.startswith("[  FAILED  ]"))
    names = [line.split("]", 1)[1].strip().split(" (")[0].split(",")[0] for line in lines]
    return sorted({name for name in names if "." in name})


def told_by(test: str, output: str) -> list[str]:
    """The output of a test that failed, without the tool's own lines."""
    lines = output.splitlines()
    begins = [i for i, line in enumerate(lines) if line.strip() == f"[ RUN      ] {test}"]
    if not begins:
        return []
    said = []
    for line in lines[begins[0] + 1 :]:
        if line.startswith(("[ RUN ", "[       OK ]")):
            break
        if not line.startswith(MARK):
            said.append(line)
    return said[:SHOWN_LINES]


def judged(tool: str, output: str, code: int | None, alone: list[str] | None) -> Found:
    """`alone`: the tests that fail without a tool, where that is known."""
    lines = [line for line in output.splitlines() if line.startswith(MARK)]
    blocks = blocks_of(lines)
    found = Found(timed_out=code is None, exit_code=code, errors=errors_in(lines))
    found.refused_calls = sum(each.is_refused_call for each in blocks)
    found.findings = sum(each.is_finding(tool) for each in blocks)
    found.in_libraries = len(blocks) - found.findings - found.refused_calls
    found.tests_passed = output.count("[       OK ]")
    found.failed = failed_tests(output)
    found.failed_only_here = [name for name in found.failed if name not in (alone or [])]
    found.headlines = dict(Counter(each.headline for each in blocks).most_common(KEPT_HEADLINES))
    found.clean = not found.timed_out and found.errors is not None and found.findings == 0
    return found


def show(tool: str, found: Found, output: str) -> None:
    """Findings before what is only told."""
    ended = "time ended first" if found.timed_out else f"exit code {found.exit_code}"
    print(
        f"-- {tool}: {'clean' if found.clean else 'NOT CLEAN'}, {found.findings} findings, "
        f"{found.in_libraries} in libraries, {found.refused_calls} refused calls, "
        f"{found.tests_passed} tests passed, {len(found.failed)} failed, {ended}"
    )
    lines = [line for line in output.splitlines() if line.startswith(MARK)]
    blocks = sorted(blocks_of(lines), key=lambda each: not each.is_finding(tool))
    shown: list[str] = []
    for block in blocks:
        shown += block.lines if block.is_finding(tool) else block.lines[: 1 + SHOWN_FRAMES]
    shown = shown[:SHOWN_LINES] or lines[:SHOWN_LINES] or output.splitlines()[-SHOWN_FRAMES:]
    print(*(f"{MARK} {line}" if not line.startswith(MARK) else line for line in shown), sep="\n")
    for name in found.failed_only_here:
        print(f"FAILED under {tool} alone: {name}")
        print(*told_by(name, output), sep="\n")


def main() -> int:
    if shutil.which("compute-sanitizer") is None:
        absent("compute-sanitizer")
    tests, clock = sys.argv[1], Clock()
    runs = (PLAIN, *TOOLS)
    with ThreadPoolExecutor(len(runs)) as threads:
        outputs = dict(
            zip(runs, threads.map(lambda each: output_of(each, tests, clock.left), runs))
        )
    plain, code = outputs.pop(PLAIN)
    alone = failed_tests(plain)
    found = {tool: judged(tool, *said, alone) for tool, said in outputs.items()}
    keep(
        "sanitizers",
        {"failed_without_a_tool": alone, **{k: asdict(each) for k, each in found.items()}},
    )
    print(f"-- without a tool: {len(alone)} tests fail by themselves, exit code {code}")
    print(*(f"fails by itself: {name}" for name in alone), sep="\n")
    for tool, each in found.items():
        show(tool, each, outputs[tool][0])
    unclean = [tool for tool, each in found.items() if not each.clean]
    only_here = {name for each in found.values() for name in each.failed_only_here}
    print(
        f"{len(found) - len(unclean)} of {len(found)} tools are clean"
        + (f", not {', '.join(unclean)}" if unclean else "")
        + f"; {len(only_here)} tests fail under a tool alone, {len(alone)} by themselves"
    )
    return 1 if unclean or only_here else 0


if __name__ == "__main__":
    sys.exit(main())
