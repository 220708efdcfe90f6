"""Phases 10 and 11: the machine, and what the plugin says of it in its own words.

usage: machine.py facts | devices
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata

from phase import Clock, absent, bundle, is_emulated

PACKAGES = ("torch", "jax", "jaxlib", "nvidia-cublas", "nvidia-cudnn-cu13", "nvidia-nccl-cu13")
QUESTIONS = (
    ["nvidia-smi"],
    ["nvidia-smi", "-q", "-d", "CLOCK,POWER,PERFORMANCE,ECC"],
    ["nvcc", "--version"],
    ["compute-sanitizer", "--version"],
    ["ncu", "--version"],
    ["cmake", "--version"],
)


def told(command: list[str]) -> str:
    if shutil.which(command[0]) is None:
        return "not here"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return "no answer within 20 s"
    return (done.stdout + done.stderr).strip() or f"ended with {done.returncode}"


def missing_libraries(name: str) -> list[str]:
    """As the programs of the bundle look for them (scripts/gpu_launch.sh)."""
    folders = f"{bundle() / 'lib'}:{os.environ.get('REGATTA_CUDA_LIBRARIES', '')}"
    file = str(bundle() / "libexec" / name)
    lines = told(["env", f"LD_LIBRARY_PATH={folders}", "ldd", file]).splitlines()
    return [line.split()[0] for line in lines if "not found" in line]


def version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not here"


def facts() -> int:
    print(f"{platform.platform()}, Python {platform.python_version()}")
    for command in QUESTIONS:
        print(f"$ {' '.join(command)}\n{told(command)}")
    for package in PACKAGES:
        print(f"{package}: {version(package)}")
    lacks = {}
    for name in ("regatta-worker", "libregatta_cuda.so"):
        lacks[name] = missing_libraries(name)
        print(f"libraries that {name} does not find: {', '.join(lacks[name]) or 'none'}")
    if not is_emulated() and shutil.which("nvidia-smi") is None:
        absent("nvidia-smi, so perhaps the driver; the other phases tell")
    return 1 if any(lacks.values()) else 0


def devices() -> int:
    """`regatta-worker devices` names the devices, or the one thing that is missing."""
    command = [str(bundle() / "bin/regatta-worker"), "devices"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=max(1.0, Clock().left), check=False
    )
    if "unknown option" in done.stderr:
        absent("the command `devices` of this worker")
    print(done.stdout + done.stderr)
    if done.returncode != 0:
        return 1
    found = json.loads(done.stdout)
    kinds = found if isinstance(found, list) else found.get("kinds", found)
    return 0 if '"uuid"' in json.dumps(kinds) else 1


if __name__ == "__main__":
    sys.exit({"facts": facts, "devices": devices}[sys.argv[1]]())
