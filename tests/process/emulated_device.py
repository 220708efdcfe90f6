"""A Regatta whose plugin for GPUs is the emulated one: a folder beside the build's, made for one test program."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from tools import regatta_process

BUILD = regatta_process.BINARY.parent.parent
PLUGIN = BUILD / "tests" / "support" / "cuda" / "libregatta_cuda_emulated.so"
FAKE_NVML = BUILD / "tests" / "support" / "cuda" / "nvml"
FAKE_NVTX = BUILD / "tests" / "support" / "cuda" / "nvtx" / "fake_nvtx.so"


def _put(source: Path, target: Path) -> None:
    """The same file under another name; programs look for what belongs to them beside themselves."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def make_tree(plugin: Path | None = PLUGIN) -> Path:
    """bin/ and share/ as they are installed, with this plugin for `cuda`; Scratch runs what is in there from now on."""
    tree = Path(tempfile.mkdtemp(prefix="regatta-cuda-"))
    (tree / "bin").mkdir()
    (tree / "share").mkdir()
    for program in ("regatta", "regatta-worker"):
        _put(BUILD / "bin" / program, tree / "bin" / program)
    (tree / "share" / "regatta").symlink_to(BUILD / "share" / "regatta")
    if plugin is not None:
        _put(plugin, tree / "bin" / "libregatta_cuda.so")
    regatta_process.BINARY = tree / "bin" / "regatta"
    return tree


def remove_tree(tree: Path) -> None:
    regatta_process.BINARY = BUILD / "bin" / "regatta"
    shutil.rmtree(tree, ignore_errors=True)
