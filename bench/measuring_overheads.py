"""The cost of measuring itself: stamps, the agent beside a slice, stopping and waking the other arm.

    python3 -m bench.measuring_overheads [--json]

- stamps: time per step of real workers (mlp-10, batch 32) with the stamps that Regatta asks for, divided by that with
  one stamp at the end; pairs of 12 ms slices in alternating order.
- agent: CPU time of all of Regatta's own processes (not the workers) while slices of about 1 s run, read from /proc ten
  times a second, as a share of wall time; on the measured core (by the core that a thread ran on last) and on all.
- stop and wake: how much longer a worker that was stopped takes to answer a slice of one step than one that was not.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

from regatta.wire import LINK, VERSION, unpack_samples
from regatta_worker.link import Link

from tools.regatta_process import BINARY, SOURCE, Process, Scratch, wait_until

SLICE_SECONDS = 0.012
SAMPLE_SECONDS = 20e-6  # the shortest stretch that Regatta stamps
PAIRS = 400
STOPS = 200
AGENT_SECONDS = 20
ENGINES = ("native", "numpy")


def sweep(engine: str, **changes: object) -> dict:
    return {
        "regatta": 1,
        "name": f"overhead-{engine}",
        "axes": {"engine": engine, "model": "mlp-10", "batch": 32},
        "measure": {"slices": 1, "steps": 100},
        **changes,
    }


class Worker:
    """A real worker with mlp-10 prepared, on the core that an agent would give it."""

    def __init__(self, engine: str) -> None:
        self.scratch = Scratch(sweep(engine))
        assert self.scratch.run("--ranks", "1") == 0, self.scratch.output()
        ours, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            command(engine),
            env={**os.environ, "PYTHONPATH": str(SOURCE / "workers" / "python"), **ONE_THREAD},
            preexec_fn=lambda: bind(theirs.fileno()),
            close_fds=False,
            stdout=subprocess.DEVNULL,
        )
        theirs.close()
        self.socket, self.link = ours, Link(ours.fileno())
        self.ask({"type": "hello", "version": VERSION})
        trial = self.scratch.plan()["trials"][0]["parameters"]
        self.ask({"type": "prepare", "arm": 0, "parameters": trial, **self.inputs()})
        self.step_seconds = self.seconds(200, 200) / 200
        self.step_seconds = self.seconds(self.steps(), self.steps()) / self.steps()

    def inputs(self) -> dict:
        folder = self.scratch.run_folder / "inputs"
        return {
            "model": MODEL,
            "weights_path": str(next(folder.glob("weights-*"))),
            "batches_path": str(next(folder.glob("batches-*"))),
        }

    def steps(self) -> int:
        return max(1, round(SLICE_SECONDS / self.step_seconds))

    def ask(self, message: dict) -> bytes:
        self.link.send(message)
        payload = b""
        while True:
            reply, piece = self.link.receive()
            assert reply["type"] != "error", reply
            payload += piece
            if reply["type"] != "samples" or reply["last"]:
                return payload

    def seconds(self, steps: int, group: int) -> float:
        request = {"type": "slice", "arm": 0, "phase": "steady", "slice": 0, "reentry_steps": 0}
        payload = self.ask({**request, "steps": steps, "group": group})
        return math.fsum(sample.seconds for sample in unpack_samples(payload))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.socket.close()
        self.scratch.remove()


MODEL = {
    "name": "mlp-10",
    "input": [10],
    "layers": [{"dense": 50, "activation": "relu"}, {"dense": 1, "activation": "none"}],
    "loss": "mse",
    "optimizer": {"sgd": {"learning_rate": 0.01, "momentum": 0.0}},
}
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def command(engine: str) -> list[str]:
    if engine == "native":
        return [str(BINARY.parent / "regatta-worker")]
    return [sys.executable, "-m", "regatta_worker", "--engine", engine]


def bind(link: int) -> None:
    os.dup2(link, LINK)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def quartiles(values: list[float]) -> dict[str, float]:
    low, median, high = statistics.quantiles(values, n=4)
    return {"median": median, "quartile_low": low, "quartile_high": high, "n": len(values)}


def stamps(worker: Worker) -> dict[str, float]:
    steps = worker.steps()
    group = max(1, math.ceil(SAMPLE_SECONDS / worker.step_seconds))
    ratios = []
    for pair in range(PAIRS):
        groups = (group, steps) if pair % 2 else (steps, group)
        took = {each: worker.seconds(steps, each) for each in groups}
        ratios.append(took[group] / took[steps] - 1)
    spread = statistics.stdev(sorted(ratios)[PAIRS // 10 : -PAIRS // 10])
    return {
        "steps_per_stamp": group,
        "step_seconds": worker.step_seconds,
        "share": quartiles(ratios),
        "share_standard_error": 1.2533 * spread / math.sqrt(PAIRS),
    }


def stops(worker: Worker) -> dict[str, dict[str, float]]:
    plain, woken, calls = [], [], []
    for _ in range(STOPS):
        time.sleep(0.005)
        start = time.perf_counter()
        worker.seconds(1, 1)
        plain.append(time.perf_counter() - start)
        start = time.perf_counter()
        worker.process.send_signal(signal.SIGSTOP)
        calls.append(time.perf_counter() - start)
        time.sleep(0.005)
        start = time.perf_counter()
        worker.process.send_signal(signal.SIGCONT)
        worker.seconds(1, 1)
        woken.append(time.perf_counter() - start)
    extra = [b - a for a, b in zip(plain, woken, strict=True)]
    return {"sigstop_call_seconds": quartiles(calls), "wake_extra_seconds": quartiles(extra)}


def thread_times(processes: list[Process]) -> dict[tuple[int, str], tuple[float, int]]:
    """CPU seconds, and the core it ran on last, of each thread."""
    times = {}
    for process in processes:
        for task in Path(f"/proc/{process.pid}/task").glob("*"):
            try:
                run = int((task / "schedstat").read_text().split()[0]) * 1e-9
                core = int((task / "stat").read_text().rpartition(")")[2].split()[36])
            except (OSError, IndexError):
                continue  # it ended
            times[process.pid, task.name] = (run, core)
    return times


def agent_share() -> dict[str, float]:
    long_slices = sweep(
        "native",
        repeats=2,
        compare={"over": ["repeat"], "baseline": {"repeat": 0}},
        measure={"slices": AGENT_SECONDS, "steps": 900_000},
    )
    scratch = Scratch(long_slices)
    run = scratch.start("--ranks", "1")
    measured = max(os.sched_getaffinity(0))

    def own() -> list[Process]:
        roles = ("launcher", "mpirun", "rank", "spawner")
        return [process for process in scratch.processes() if process.role in roles]

    assert wait_until(lambda: any(p.role == "worker" for p in scratch.processes()), 20)
    time.sleep(3)  # pilots and checks are over
    processes, on_core, everywhere = own(), 0.0, 0.0
    start = time.monotonic()
    before = thread_times(processes)
    while time.monotonic() - start < AGENT_SECONDS:
        time.sleep(0.1)
        now = thread_times(processes)
        for thread, (seconds, core) in now.items():
            spent = seconds - before.get(thread, (0.0, core))[0]
            everywhere += spent
            on_core += spent if core == measured else 0.0
        before = now
    elapsed = time.monotonic() - start
    scratch.kill_all()
    run.wait()
    scratch.remove()
    return {
        "seconds": elapsed,
        "share_of_measured_core": on_core / elapsed,
        "share_of_any_core": everywhere / elapsed,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: dict[str, object] = {"agent": agent_share()}
    for engine in ENGINES:
        worker = Worker(engine)
        figures[engine] = {"stamps": stamps(worker), **stops(worker)}
        worker.close()
    print(json.dumps(figures, indent=None if options.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
