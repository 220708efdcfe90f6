"""Two nodes that are network namespaces of this machine, joined by a cable that can be cut. Needs root, iproute2,
util-linux and Open MPI. Each has a name of its own, and MPI between them goes over TCP; files are the same in both."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

PROGRAMS = ("ip", "unshare", "mpirun")
SKIPPED = 77  # exit status of a test that cannot make nodes here
ADDRESSES = ("10.77.0.1", "10.77.0.2")
DEVICE = "cable"


def can_be_made() -> bool:
    if os.geteuid() != 0 or not all(shutil.which(program) for program in PROGRAMS):
        return False
    name = f"regatta-{os.getpid()}-try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)
    return made.returncode == 0


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


class TwoNodes:
    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-nodes-"))
        self.names = [f"regatta-{os.getpid()}-{letter}" for letter in "ab"]
        for name in self.names:
            _ip("netns", "add", name)
        first, second = self.names
        _ip(*f"link add {DEVICE} netns {first} type veth peer name {DEVICE} netns {second}".split())
        for name, address in zip(self.names, ADDRESSES, strict=True):
            _ip("-n", name, "address", "add", f"{address}/24", "dev", DEVICE)
            _ip("-n", name, "link", "set", "lo", "up")
            _ip("-n", name, "link", "set", DEVICE, "up")
        self.shell = self.folder / "shell"
        self.write_shell("hostname nodeb")
        self.shell.chmod(0o700)

    def write_shell(self, before: str) -> None:
        """Writes the program that mpirun takes for ssh. It gets the name of the host, then the command to run there,
        and runs `before` first.
        """
        enter = f"ip netns exec {self.names[1]} unshare --uts"
        self.shell.write_text(f'#!/bin/sh\nshift\nexec {enter} sh -c "{before}; $*"\n')

    def hide(self, folder: Path) -> None:
        """From node b, from the next start on: it sees an empty folder there."""
        self.write_shell(f"hostname nodeb; mount -t tmpfs -o mode=700 tmpfs {folder}")

    def cut(self) -> None:
        _ip("-n", self.names[0], "link", "set", DEVICE, "down")

    def mend(self) -> None:
        _ip("-n", self.names[0], "link", "set", DEVICE, "up")

    def mpirun(self, ranks_of_a_node: int, *options: str) -> tuple[str, ...]:
        """The command before another one, which is then started so often on each node."""
        mpirun = [
            *("mpirun", "--quiet", "--allow-run-as-root", "--bind-to", "none", "--oversubscribe"),
            *("--host", ",".join(f"{address}:{ranks_of_a_node}" for address in ADDRESSES)),
            *("-n", str(2 * ranks_of_a_node), "--mca", "plm_rsh_agent", str(self.shell)),
            *("--mca", "pml", "ob1", "--mca", "btl", "tcp,self,vader"),
            *("--mca", "mpi_yield_when_idle", "1", *options),
        ]
        named = ("unshare", "--uts", "sh", "-c", 'hostname nodea; exec "$@"', "sh")
        return ("ip", "netns", "exec", self.names[0], *named, *mpirun)

    def node_of(self, pid: int) -> str | None:
        """ "a", "b", or nothing for a process that is elsewhere or gone."""
        try:
            found = os.stat(f"/proc/{pid}/ns/net")
        except OSError:
            return None
        for letter, name in zip("ab", self.names, strict=True):
            place = os.stat(f"/run/netns/{name}")
            if (place.st_ino, place.st_dev) == (found.st_ino, found.st_dev):
                return letter
        return None

    def remove(self) -> None:
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
