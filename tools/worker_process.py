"""A worker of an engine as a child, and our end of its link (docs/reference/worker-protocol.md)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

from regatta.wire import VERSION

from tools.interpreters import interpreter

TIMEOUT_SECONDS = 600
# Frameworks keep what they compiled: a worker that grew beyond this is replaced.
MOST_RESIDENT_KIB = 4 << 20


class WorkerProcess:
    """One process of an engine, and our end of its link."""

    def __init__(
        self, build: Path, engine: str, log: Path, timeout_seconds: float = TIMEOUT_SECONDS
    ) -> None:
        """Each answer may take so long, the first one too."""
        name, _, environment = engine.partition("@")
        ours, theirs = socket.socketpair()
        self.socket, self.stream = ours, ours.makefile("rb")
        ours.settimeout(timeout_seconds)
        fd = str(theirs.fileno())
        command = [str(build / "bin/regatta-worker"), "--fd", fd]
        if name != "native":
            python = interpreter(environment or name) or "/usr/bin/python3"
            command = [python, "-m", "regatta_worker", "--engine", name, "--fd", fd]
        variables = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        variables["PYTHONPATH"] = str(build / "share/regatta/python")
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                command,
                env=variables,
                pass_fds=[theirs.fileno()],
                stdout=output,
                stderr=output,
            )
        theirs.close()
        self.ask(type="hello", version=VERSION)

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer; what the worker says of an error, or that it died, as one too."""
        try:
            self.socket.sendall(json.dumps(request).encode() + b"\n")
            return self.next()
        except OSError as error:
            return {"type": "error", "kind": "reported", "message": f"no answer: {error}"}

    def next(self) -> dict[str, Any]:
        """The next message; `payload` holds its bytes."""
        line = self.stream.readline()
        if not line:
            return {"type": "error", "kind": "crashed", "message": "the worker died"}
        message = json.loads(line)
        self.payload = self.stream.read(message.get("bytes", 0))
        return message

    def has_grown(self) -> bool:
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return False
        lines = [line.split() for line in status.splitlines() if line.startswith("VmRSS:")]
        return bool(lines) and int(lines[0][1]) > MOST_RESIDENT_KIB

    def stop(self) -> None:
        self.socket.close()
        self.process.kill()
        self.process.wait()
