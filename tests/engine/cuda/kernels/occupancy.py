#!/usr/bin/env python3
"""Registers, shared memory and occupancy of the own kernels on compute capability 9.0, without a GPU.

occupancy.py write NVCC: compiles the kernels and writes occupancy.txt beside this file.
occupancy.py check NVCC: compiles them and compares: the same numbers with the compiler that wrote the file; with any
other no kernel that spills, none whose blocks fill less than HALF of a multiprocessor (LEAST_OF_TILES by tiled
products), and none for short products that has more code than MOST_CODE_BYTES.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
TABLE = HERE / "occupancy.txt"
THREADS = 2048  # a multiprocessor has so many
HALF = 50  # percent
LEAST_OF_TILES = (
    12  # percent: a thread holds the sums of 16 to 64 results, and each is worth a load
)
SHORT_TILES = tuple(f"<TileOf<{kind}>" for kind in (4, 5, 6, 7))  # deep, narrow, few, small
MOST_CODE_BYTES = (
    56_000  # a kernel of some microseconds waits for instructions that are not in the cache
)
FLAGS = ["-std=c++20", "-arch=sm_90", "--fmad=false", "--expt-relaxed-constexpr"]


@dataclass
class Kernel:
    name: str
    threads: int
    registers: int
    shared_bytes: int
    stack_bytes: int
    code_bytes: int
    blocks: int = 0

    @property
    def percent(self) -> int:
        return 100 * self.blocks * self.threads // THREADS


def run(command: list[str], text: str = "") -> str:
    """The output and messages of a program; raises when it fails."""
    done = subprocess.run(command, input=text, text=True, capture_output=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr}")
    return done.stdout + done.stderr


def plain(mangled: str) -> str:
    """A kernel's name without namespaces and parameters: each_element<4, AdamElements>."""
    name = run(["c++filt", mangled]).strip().removeprefix("void ")
    name = (
        re.sub(r"regatta::(engine::cuda|model)::", "", name)
        .replace("(LossKind)", "")
        .replace("(Loss)", "")
        .replace("(TileKind)", "")
        .replace("(Along)", "")
    )
    depth = 0
    for at, letter in enumerate(name):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and depth == 0:
            return name[:at]
    return name


def compiled(nvcc: str, source: pathlib.Path, folder: pathlib.Path) -> list[Kernel]:
    """The kernels of one file."""
    ptx = folder / f"{source.stem}.ptx"
    run(
        [
            nvcc,
            *FLAGS,
            f"-I{ROOT / 'include'}",
            f"-I{ROOT / 'src'}",
            "-ptx",
            str(source),
            "-o",
            str(ptx),
        ]
    )
    threads = {}
    for name, body in re.findall(r"\.entry (\w+)\((.*?)\n\{", ptx.read_text(), re.DOTALL):
        bound = re.search(r"\.maxntid (\d+)", body)
        threads[name] = int(bound[1]) if bound else 1
    assembler = pathlib.Path(nvcc).resolve().with_name("ptxas")
    cubin = folder / f"{source.stem}.cubin"
    report = run([str(assembler), "-arch=sm_90", "-v", str(ptx), "-o", str(cubin)])
    sections = run(["readelf", "-SW", str(cubin)])
    code = dict(re.findall(r" \.text\.(\w+) +PROGBITS +\w+ +\w+ +(\w+)", sections))
    kernels = []
    for part in report.split("Compiling entry function ")[1:]:
        mangled = re.match(r"'(\w+)'", part)[1]
        registers = int(re.search(r"Used (\d+) registers", part)[1])
        shared = re.search(r"(\d+) bytes smem", part)
        stack = int(re.search(r"(\d+) bytes stack frame", part)[1])
        kernels.append(
            Kernel(
                plain(mangled),
                threads[mangled],
                registers,
                int(shared[1]) if shared else 0,
                stack,
                int(code[mangled], 16),
            )
        )
    return kernels


def all_kernels(nvcc: str) -> list[Kernel]:
    rooms = [ROOT / "src/engine/cuda" / room for room in ("kernels", "tiled")]
    sources = sorted(source for room in rooms for source in room.glob("*.cu"))
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as workers:
        folder = pathlib.Path(name)
        found = list(workers.map(lambda source: compiled(nvcc, source, folder), sources))
        kernels = sorted(
            (kernel for some in found for kernel in some), key=lambda kernel: kernel.name
        )
        counter = folder / "occupancy"
        headers = pathlib.Path(nvcc).resolve().parents[1] / "include"
        run(
            [
                "c++",
                "-std=c++20",
                f"-isystem{headers}",
                str(HERE / "occupancy.cpp"),
                "-o",
                str(counter),
            ]
        )
        lines = "".join(
            f"{kernel.registers} {kernel.shared_bytes} {kernel.threads}\n" for kernel in kernels
        )
        for kernel, blocks in zip(kernels, run([str(counter)], lines).split(), strict=True):
            kernel.blocks = int(blocks)
    return kernels


def table(version: str, kernels: list[Kernel]) -> str:
    lines = [
        f"Own kernels on compute capability 9.0 as {version} compiles them; written by occupancy.py.",
        "Occupancy: threads that live on a multiprocessor, of the 2048 that it has. Kernels of one thread: as it is.",
        "",
        f"{'kernel':<58} {'threads':>8} {'registers':>10} {'shared B':>9} {'stack B':>8} {'code B':>7} {'blocks':>7} {'occupancy':>10}",
    ]
    for k in kernels:
        lines.append(
            f"{k.name:<58} {k.threads:>8} {k.registers:>10} {k.shared_bytes:>9} {k.stack_bytes:>8} {k.code_bytes:>7}"
            f" {k.blocks:>7}"
            f" {str(k.percent) + ' %':>10}"
        )
    return "\n".join(lines) + "\n"


def faults(kernels: list[Kernel]) -> list[str]:
    """The properties that no compiler may give the kernels."""
    found = [
        f"{k.name}: {k.stack_bytes} bytes of local memory (it is as slow as global memory)"
        for k in kernels
        if k.stack_bytes
    ]
    found += [
        f"{k.name}: {k.code_bytes} bytes of code (a short kernel waits for it); roll loops that are not the sums'"
        for k in kernels
        if any(tile in k.name for tile in SHORT_TILES) and k.code_bytes > MOST_CODE_BYTES
    ]
    for k in kernels:
        least = LEAST_OF_TILES if k.name.startswith("tiled_product") else HALF
        if k.threads > 1 and k.percent < least:
            found.append(
                f"{k.name}: {k.percent} % of a multiprocessor's threads (loads are waited for); use fewer registers"
            )
    return found


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in ("write", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    nvcc = sys.argv[2]
    version = re.search(r"Build (\S+)", run([nvcc, "--version"]))[1]
    kernels = all_kernels(nvcc)
    text = table(version, kernels)
    if sys.argv[1] == "write":
        TABLE.write_text(text)
    found = faults(kernels)
    known = TABLE.read_text()
    if version in known and known != text:
        found.append(
            f"{TABLE.name} tells other numbers; look at what changed, then: occupancy.py write {nvcc}\n{text}"
        )
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
