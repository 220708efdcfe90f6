"""Workers of the engines on a GPU, and what is asked of them without a launcher."""

from __future__ import annotations

import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regatta.wire import VERSION, Sample, unpack_samples
from regatta_worker.same_work import Evidence
from trials import Trial

from tools.engine_trials import input_files
from tools.worker_process import WorkerProcess

JSON = dict[str, Any]


class Refused(Exception):
    """The refusal that a worker answers in place of a result."""

    def __init__(self, answer: JSON) -> None:
        super().__init__(f"{answer.get('kind')}: {answer.get('message')}")
        self.kind = answer.get("kind")


@contextmanager
def input_of(bundle: Path, trial: Trial) -> Iterator[dict[str, str]]:
    """Weights and batches, which all arms of a trial read."""
    with tempfile.TemporaryDirectory(prefix="regatta-gpu-") as folder:
        names = {**trial.parameters, "json": trial.model}
        try:
            yield input_files(bundle, Path(folder), names)
        except SystemExit as error:
            raise RuntimeError(f"no input for {trial.name}: {error}") from error


@dataclass
class Engine:
    """One worker, which holds an arm at a time."""

    name: str
    worker: WorkerProcess
    version: str

    @classmethod
    def start(cls, bundle: Path, name: str, log: Path, timeout_seconds: float) -> Engine:
        """Raises Refused if the engine is not here."""
        worker = WorkerProcess(bundle, name, log, timeout_seconds)
        ready = worker.ask(type="hello", version=VERSION)
        if ready["type"] != "ready":
            worker.stop()
            raise Refused(ready)
        return cls(name, worker, ready["engine_version"])

    def ask(self, expected: str, **request: Any) -> JSON:
        answer = self.worker.ask(arm=0, **request)
        if answer["type"] != expected:
            raise Refused(answer)
        return answer

    def prepare(
        self, trial: Trial, inputs: dict[str, str], intervention: str = "", **levels: Any
    ) -> JSON:
        request: JSON = {
            "parameters": trial.with_levels(engine=self.name, **levels),
            "model": trial.model,
            **inputs,
        }
        if intervention:
            request["intervention"] = intervention
        return self.ask("prepared", type="prepare", **request)

    def evidence(self, steps: int, whole: bool = True) -> Evidence:
        """With `whole` also of gradients, updates and the optimizer, else the losses."""
        answer = self.ask("checked", type="check", steps=steps, evidence=whole)
        return Evidence(losses=answer["losses"], **answer.get("evidence", {}))

    def slice(self, steps: int, phase: str = "steady", group: int = 0) -> list[Sample]:
        request = {"phase": phase, "slice": 0, "reentry_steps": 0, "steps": steps}
        answer = self.ask("samples", type="slice", group=group or steps, **request)
        records = unpack_samples(self.worker.payload)
        while not answer["last"]:
            answer = self.worker.next()
            if answer["type"] != "samples":
                raise Refused(answer)
            records += unpack_samples(self.worker.payload)
        return records

    def step_seconds(self, steps: int) -> float:
        """The mean over one slice."""
        return sum(record.seconds for record in self.slice(steps)) / steps

    def release(self) -> None:
        self.ask("released", type="release")

    def hang_up(self) -> None:
        """The end of its link, which ends it. A socket that a stream reads from does not end when it is closed."""
        with suppress(OSError):
            self.worker.socket.shutdown(socket.SHUT_RDWR)


def gpu_memory_used() -> int | None:
    """MiB, as the driver counts them; None where it does not say."""
    try:
        found = subprocess.run(
            ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
        return int(found.stdout.split()[0])
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return None
