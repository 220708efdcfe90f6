"""Runs that see a file system of their own in place of another one, which takes root."""

from __future__ import annotations

import subprocess


def can_mount() -> bool:
    words = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def with_shared_memory_of(kib: int) -> tuple[str, ...]:
    """The command before a launcher's, of two ranks, that find so much room in /dev/shm."""
    mount = f"mount -t tmpfs -o size={kib}k tmpfs /dev/shm"
    return ("unshare", "--mount", "sh", "-c", f'{mount}; exec "$@" --ranks 2', "sh")
