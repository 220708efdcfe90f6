"""Helpers for attacks on the command line: checksums made right again, commands that must end, and their options."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.regatta_process import BINARY

MOST_SECONDS = 60  # only a hang takes so long, however busy the machine
CRC32C = 0x82F63B78


def _crc_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (CRC32C if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, or "hang"; what is wrong with that, if anything; and what it printed."""

    code: int | str
    problem: str
    stdout: bytes = b""
    stderr: bytes = b""


def ended(command: list[str], most_seconds: float, allowed: set[int]) -> Ended:
    try:
        done = subprocess.run(
            [str(BINARY), *command],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=most_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ended("hang", f"no end in {most_seconds} s")
    code = done.returncode
    problem = "" if code in allowed else f"exit {code}: {done.stderr[-400:]!r}"
    return Ended(code, problem, done.stdout, done.stderr)


def main(doc: str, count: int, attack: Callable[[Path, argparse.Namespace], int]) -> int:
    """Runs the attack in a folder of its own; 0 if it found nothing."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the one of this number alone")
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="more is a hang")
    parser.add_argument("--keep", help="folder for those that broke something")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="regatta-hostile-"))
    try:
        return attack(folder, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
