"""Phase 42: what goes wrong on a device ends one worker, and the next one computes as if nothing had been.

On a GPU a neighbour misbehaves (gpu_faults); the emulated device fails as REGATTA_EMULATED_CUDA orders it to.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arms import Engine, Refused, gpu_memory_used, input_of
from phase import Clock, bundle, group, is_emulated, log
from trials import Trial, trials_of

ORDERS = "REGATTA_EMULATED_CUDA"
PATIENCE_SECONDS = 15.0
ENDING_SECONDS = 10.0
ALLOWED_MIB = 64  # by which the memory in use may differ when all is over


class Wrong(Exception):
    """The fault had other consequences than it should."""


@contextmanager
def engine(orders: str = "", seconds: float = PATIENCE_SECONDS) -> Iterator[Engine]:
    if orders:
        os.environ[ORDERS] = orders
    try:
        found = Engine.start(bundle(), "native", log(), seconds)
    finally:
        if orders:
            del os.environ[ORDERS]
    try:
        yield found
    finally:
        found.worker.stop()


def train(
    found: Engine, trial: Trial, inputs: dict[str, str], mode: str = "graph"
) -> list[list[float]]:
    found.prepare(trial, inputs, device="cuda", mode=mode)
    found.slice(3)
    return found.evidence(2).losses


def expect(kinds: tuple[str, ...], act: Callable[[], object]) -> None:
    try:
        act()
    except Refused as refused:
        if refused.kind not in kinds:
            raise Wrong(f"expected an error of the kind {kinds[0]}, found {refused}") from refused
        print(f"  told: {refused}")
        return
    raise Wrong(f"nothing was told, expected {kinds[0]}")


@contextmanager
def neighbour(what: str, says: str) -> Iterator[subprocess.Popen]:
    process = subprocess.Popen(
        [str(bundle() / "bin/gpu_faults"), what],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        if says not in line:
            raise Wrong(f"gpu_faults {what} said: {line!r}")
        yield process
    finally:
        process.kill()
        begin = time.monotonic()
        process.wait(60)
        print(f"  the neighbour was gone {time.monotonic() - begin:.1f} s after it was killed")


# ---- faults ------------------------------------------------------------------------------------------


def memory_is_out(trial: Trial, inputs: dict[str, str]) -> None:
    if is_emulated():
        with engine("memory=4KiB") as found:
            expect(("out_of_memory",), lambda: train(found, trial, inputs))
        return
    with neighbour("hog", "held"), engine() as found:  # its context may find no memory already
        expect(("out_of_memory", "device"), lambda: train(found, trial, inputs))


def killed_in_a_slice(trial: Trial, inputs: dict[str, str]) -> None:
    with engine() as found:
        train(found, trial, inputs)
        request = {"phase": "steady", "slice": 0, "reentry_steps": 0, "steps": 1_000_000}
        found.worker.socket.sendall(
            b'{"type":"slice","arm":0,"group":1000000,"phase":"%s","slice":0,"reentry_steps":0,"steps":%d}\n'
            % (request["phase"].encode(), request["steps"])
        )
        time.sleep(0.3)
        begin = time.monotonic()
        os.kill(found.worker.process.pid, signal.SIGKILL)
        found.worker.process.wait(60)
        if time.monotonic() - begin > ENDING_SECONDS:
            raise Wrong(f"the worker took {time.monotonic() - begin:.1f} s to end")


def computes_for_ever(trial: Trial, inputs: dict[str, str]) -> None:
    if not is_emulated():
        with neighbour("endless", "started"):
            time.sleep(0.5)
        return
    with engine("hang=cudaGraphLaunch:2", seconds=3) as found:
        try:
            train(found, trial, inputs)
        except (Refused, TimeoutError) as silence:
            print(f"  told: {silence}")
        else:
            raise Wrong("a graph that never ends was waited for, and ended")


def device_fails(trial: Trial, inputs: dict[str, str]) -> None:
    if not is_emulated():
        done = subprocess.run(
            [str(bundle() / "bin/gpu_faults"), "illegal"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        print(f"  told: {done.stdout.strip()}")
        if done.returncode != 0:
            raise Wrong("an illegal access was not told, or the device went on after it")
        return
    with engine("fail=cudaGraphLaunch:719:1") as found:  # cudaErrorLaunchFailure
        expect(("device",), lambda: train(found, trial, inputs))


FAULTS = (memory_is_out, killed_in_a_slice, computes_for_ever, device_fails)


def settled_memory(before: int | None) -> str:
    """Empty when the device holds no more than before; what nvidia-smi says lags a little."""
    end = time.monotonic() + ENDING_SECONDS
    while before is not None:
        now = gpu_memory_used()
        if now is None or now <= before + ALLOWED_MIB:
            return ""
        if time.monotonic() > end:
            return f"{now - before} MiB of the device are still held"
        time.sleep(0.5)
    return ""


def main() -> int:
    clock, wrong = Clock(), 0
    trial = trials_of(group())[0]
    with input_of(bundle(), trial) as inputs:
        with engine() as found:
            expected = train(found, trial, inputs)
        before = gpu_memory_used()
        for fault in FAULTS:
            name = fault.__name__.replace("_", " ")
            if clock.left < 5:
                print(f"no time left for: {name}")
                wrong += 1
                continue
            print(f"{name}:", flush=True)
            try:
                fault(trial, inputs)
                with engine() as found:
                    if train(found, trial, inputs) != expected:
                        raise Wrong("the next worker found other losses")
                if held := settled_memory(before):
                    raise Wrong(held)
            except (Wrong, Refused, OSError, subprocess.SubprocessError) as error:
                print(f"  WRONG: {error}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
