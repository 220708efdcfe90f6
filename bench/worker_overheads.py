"""What the worker of each installed engine adds to a step, and what changing between arms costs.

    /usr/bin/python3 -m bench.worker_overheads [ENGINE ...]     build/ holds the programs

- own: time of an empty step, stamped singly and in groups of 20: the loop, the call and the stamp.
- switch: from the wake-up of a stopped worker (SIGCONT) and its request to the start of its first step; mlp-10, eager.
- memory: peak resident memory of the process with mlp-10 prepared and run, and with a second arm.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

from regatta_worker.protocol import Sample, unpack_samples

from tools import ROOT
from tools.engine_trials import input_files, installed_engines, parameters_of, planned
from tools.worker_process import WorkerProcess

BUILD = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build"))
STEPS = 20_000
SWITCHES = 200
NOOP = {"name": "noop", "noop": True}


class Arms:
    """A worker with an empty model (arm 0) and mlp-10 twice (arms 1 and 2)."""

    def __init__(self, engine: str, folder: Path) -> None:
        self.worker = WorkerProcess(BUILD, engine, folder / "log")
        os.sched_setaffinity(self.worker.process.pid, {max(os.sched_getaffinity(0))})
        trials = planned(BUILD, folder, "mlp-10", [engine])
        for trial in trials:
            if trial["skip"] or trial["work"] != "train" or trial["mode"] not in (None, "eager"):
                continue
            self.parameters = parameters_of(trial)
            inputs = input_files(BUILD, folder, trial)
            self.mlp = {"model": trial["json"], **inputs}
            if self.prepare(
                1, **self.mlp
            ):  # an older TensorFlow lacks the first interface, Keras 3
                self.worker.ask(type="release", arm=1)
                return
        sys.exit(f"worker_overheads.py: {engine} has no eager training of mlp-10")

    def prepare(self, arm: int, **inputs: object) -> bool:
        """False if the engine lacks the model."""
        answer = self.worker.ask(type="prepare", arm=arm, parameters=self.parameters, **inputs)
        assert answer["type"] == "prepared" or answer["kind"] == "unsupported", answer
        return answer["type"] == "prepared"

    def slice(self, arm: int, steps: int, group: int = 1) -> list[Sample]:
        request = {"phase": "steady", "slice": 0, "reentry_steps": 0, "steps": steps}
        answer = self.worker.ask(type="slice", arm=arm, group=group, **request)
        assert answer["type"] == "samples", answer
        records = unpack_samples(self.worker.payload)
        while not answer["last"]:
            answer = self.worker.next()
            records += unpack_samples(self.worker.payload)
        return records


def own_seconds(arms: Arms, group: int) -> float:
    """Median over slices of the time of an empty step."""
    values = []
    for _ in range(11):
        records = arms.slice(0, STEPS, group)
        values.append(sum(record.seconds for record in records) / STEPS)
    return statistics.median(values)


def switch_seconds(arms: Arms) -> list[float]:
    group = os.getpgid(arms.worker.process.pid)
    target = arms.worker.process.pid
    assert group == os.getpgid(0)  # the worker alone is stopped
    values = []
    for number in range(SWITCHES):
        os.kill(target, signal.SIGSTOP)
        time.sleep(0.002)
        begin = time.perf_counter()
        os.kill(target, signal.SIGCONT)
        values.append(arms.slice(1 + number % 2, 1)[0].start_seconds - begin)
    return values


def resident_bytes(arms: Arms) -> int:
    status = Path(f"/proc/{arms.worker.process.pid}/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def measure(engine: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        arms = Arms(engine, Path(folder))
        has_noop = arms.prepare(0, model=NOOP, weights_path="", batches_path="")
        own = {group: own_seconds(arms, group) if has_noop else None for group in (1, 20)}
        memory = []
        for arm in (1, 2):
            arms.prepare(arm, **arms.mlp)
            arms.slice(arm, 100)
            memory.append(resident_bytes(arms))
        switches = sorted(switch_seconds(arms))
        arms.worker.stop()
    found = {
        "engine": engine,
        "own_ns": own[1] and round(own[1] * 1e9),
        "own_in_groups_ns": own[20] and round(own[20] * 1e9),
        "switch_ms": round(statistics.median(switches) * 1e3, 3),
        "switch_p95_ms": round(switches[int(0.95 * len(switches))] * 1e3, 3),
        "one_arm_mib": memory[0] >> 20,
        "two_arms_mib": memory[1] >> 20,
    }
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    for name in sys.argv[1:] or installed_engines(BUILD):
        measure(name)
