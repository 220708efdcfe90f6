"""Makes a training loop of your own an engine of Regatta. One file, standard library only: copy it beside your script.

    import regatta

    settings = regatta.settings(batch=32)    # what the sweep says, else these
    ...                                      # load and build
    for step in regatta.steps():
        step.loss = train_one_step()         # optional: what arms are compared by

Under Regatta each turn of the loop is a step that it asked for and timed; run by hand, the loop takes a bounded number
of turns and prints the median. docs/your-model.md has a whole example.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import math
import os
import resource
import socket
import stat
import statistics
import struct
import sys
import time
import traceback
from typing import Any, Callable, Generator, Iterator

__all__ = ["Step", "settings", "steps"]

LINK = 3  # the descriptor, see docs/worker-protocol.md
VERSION = 1
SAMPLE = struct.Struct("<IHBBIHHdd")
PHASES = {"first": 0, "warmup": 1, "reentry": 2, "steady": 3}
PIECE_BYTES = 256 << 10
REENTRY_SAMPLES = 16
KEPT_LOSSES = 8  # first steps, for the check
MAX_VALUES = 4096  # more losses of one step become their mean
HANDED_OVER = (
    "REGATTA_HANDED_OVER"  # descriptor of the request that a fresh start of the script begins with
)

Message = dict


class Step:
    """One turn of the loop."""

    __slots__ = ("number", "loss")

    def __init__(self) -> None:
        self.number = 0  # from 0 on
        self.loss: Any = None  # a number, or one for each sample; tensors and arrays will do


def settings(**defaults: Any) -> dict[str, Any]:
    """What the trial says over `defaults`: its parameters, the files of weights and batches if its model has any, and
    the "args" of the model. Run by hand: `defaults`."""
    worker = _worker()
    if worker is None:
        return defaults
    request = worker.request()
    files = {name: request[name] or None for name in ("weights_path", "batches_path")}
    arguments = (request["model"] or {}).get("args", {})
    given = {**request["parameters"], **files, **arguments}
    return {**defaults, **{name: value for name, value in given.items() if value is not None}}


def steps(
    wait: Callable[[], object] | None = None, count: int = 1000, seconds: float = 5.0
) -> Iterator[Step]:
    """Yields once for each step. `wait` returns when all steps are done, for devices that only start them.

    `count` and `seconds` bound a loop that is run by hand.
    """
    worker = _worker()
    return _by_hand(wait, count, seconds) if worker is None else worker.serve(wait)


# ---- run by hand ---------------------------------------------------------------------------------


def _by_hand(
    wait: Callable[[], object] | None, count: int, seconds: float
) -> Generator[Step, None, None]:
    step, times, now = Step(), [], time.perf_counter
    end = now() + seconds
    while len(times) < count and (not times or now() < end):
        start = now()
        yield step
        if wait is not None:
            wait()
        times.append(now() - start)
        step.number += 1
    if times:
        print(f"{len(times)} steps by hand: median {_as_text(statistics.median(times))}")


def _as_text(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


# ---- under Regatta -------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def _worker() -> _Worker | None:
    """None if descriptor 3 is no link."""
    try:
        if not stat.S_ISSOCK(os.fstat(LINK).st_mode):
            return None
        with socket.socket(fileno=os.dup(LINK)) as link:
            is_link = link.family == socket.AF_UNIX and link.type == socket.SOCK_STREAM
    except OSError:
        return None
    return _Worker() if is_link else None


class _Worker:
    """Requests are read between the turns of the user's loop; each is answered before the next is read."""

    def __init__(self) -> None:
        self.stream = os.fdopen(LINK, "rb", closefd=False)
        self.trial: Message | None = None
        self.pending: Message | None = None  # read, and not answered
        self.ended = False
        self.losses: list[list[float] | None] = []
        self.reason = "the script ended before Regatta was done with it"
        self.begin = time.perf_counter()
        handed_over = os.environ.pop(HANDED_OVER, "")
        if handed_over:
            with os.fdopen(int(handed_over), "rb") as request:
                self.pending = self.trial = json.loads(request.read())
        shown = sys.excepthook

        def note(kind: type, error: BaseException, trace: Any) -> None:
            self.reason = f"{kind.__name__}: {' '.join(str(error).split())}{_place_of(trace)}"
            shown(kind, error, trace)

        sys.excepthook = note
        atexit.register(self.end)
        if self.trial is not None:
            self.refuse_other_script()

    # ---- messages --------------------------------------------------------------------------------

    def receive(self) -> Message | None:
        """The next request that is not answered here; None at the end of the link."""
        while not self.ended:
            line = self.stream.readline()
            message = json.loads(line) if line else {"type": "stop"}
            self.stream.read(message.get("bytes", 0))
            self.pending = message
            if message["type"] == "stop":
                self.ended, self.pending = True, None
            elif message["type"] == "hello":
                self.greet(message)
            else:
                return message
        return None

    def reply(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        if payload:
            fields["bytes"] = len(payload)
        header = json.dumps({"type": type_, **fields}, allow_nan=False, separators=(",", ":"))
        left = memoryview(header.encode() + b"\n" + payload)
        if fields.get("last", True):  # samples come in pieces
            self.pending = None
        try:
            while left:
                left = left[os.write(LINK, left) :]
        except OSError:  # nobody is left to work for
            self.ended = True

    def fail(self, text: str, kind: str = "reported") -> None:
        arm = (self.pending or {}).get("arm")
        self.reply("error", arm=arm, kind=kind, message=text, final=True)

    def greet(self, message: Message) -> None:
        if message["version"] != VERSION:
            return self.fail(
                f"this regatta.py speaks version {VERSION} of the protocol", "unsupported"
            )
        self.reply(
            "ready",
            version=VERSION,
            engine=os.path.basename(sys.argv[0]),
            engine_version=_digest()[:12],
            modes=["eager", "graph", "xla"],
            devices=["cpu"],
            details={"python": sys.version.split()[0]},
        )

    def request(self) -> Message:
        """The trial; waits for it."""
        while self.trial is None:
            message = self.receive()
            if message is None:
                sys.exit(0)
            if message["type"] == "prepare":
                self.trial, self.begin = message, time.perf_counter()
                self.refuse_other_script()
            else:
                self.fail("nothing is prepared")
        return self.trial

    def refuse_other_script(self) -> None:
        """A model that is a loop names its script: results of one text must not pass for those of another."""
        sources = ((self.trial or {})["model"] or {}).get("sources")
        if sources and _digest() not in sources.values():
            self.fail(
                f"{sys.argv[0]} is not the {', '.join(sources)} that the sweep named when it was read "
                f"(edited since, or another file); run the same command again"
            )
            sys.exit(0)

    def end(self) -> None:
        """Whatever ends the script is the answer to what Regatta asked last."""
        if self.trial is None and not self.ended:
            self.request()
        if self.pending is not None:
            self.fail(self.reason)

    # ---- the loop --------------------------------------------------------------------------------

    def serve(self, wait: Callable[[], object] | None) -> Generator[Step, None, None]:
        self.request()
        seconds = time.perf_counter() - self.begin
        peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        if self.pending is not None:  # else this is a second loop of the script
            self.answer("prepared", seconds=seconds, peak_bytes=peak_bytes, eager_ops=0)
        step = Step()
        try:
            while (message := self.receive()) is not None:
                if message["type"] == "prepare":
                    _start_again(message)
                elif message["type"] == "release":
                    self.answer("released")
                elif message.get("arm") != self.trial["arm"]:
                    self.fail("this arm is not prepared")
                elif message["type"] == "slice":
                    samples = yield from self.slice(step, wait, message)
                    self.send(samples)
                elif message["type"] == "check":
                    yield from self.check(step, message["steps"])
                else:
                    self.fail(f"no request of this version: {message['type']}")
        except GeneratorExit:  # by an error, too: its hook then says which
            self.reason = "the loop was left before Regatta was done with it (break, return?)"
            raise

    def answer(self, type_: str, **fields: Any) -> None:
        self.reply(type_, arm=(self.pending or {})["arm"], **fields)

    def slice(
        self, step: Step, wait: Callable[[], object] | None, message: Message
    ) -> Generator[Step, None, bytes]:
        """Re-entry steps, then the others; packed samples of all of them."""
        reentry, group = message["reentry_steps"], message["group"]
        parts = [
            ("reentry", reentry, max(group, -(-reentry // REENTRY_SAMPLES))),
            (message["phase"], message["steps"], group),
        ]
        records = []
        for phase, count, size in parts:
            whole, rest = divmod(count, size)
            sizes = [size] * whole + [rest] * bool(rest)
            stamps = yield from self.timed(step, wait, sizes, bool(message.get("wait_each")))
            for covered, start, end in zip(sizes, stamps, stamps[1:]):
                place = (message["slice"], message["arm"], PHASES[phase], 0, covered, 0, 0)
                records.append(SAMPLE.pack(*place, start * 1e-9, (end - start) * 1e-9))
        return b"".join(records)

    def timed(
        self,
        step: Step,
        wait: Callable[[], object] | None,
        sizes: list[int],
        wait_each: bool,
    ) -> Generator[Step, None, list[int]]:
        """Nanoseconds on the steady clock: before the first group of steps, and after each."""
        stamps, now = [0] * (len(sizes) + 1), time.perf_counter_ns
        stamps[0] = now()
        for i, size in enumerate(sizes, 1):
            for _ in range(size):
                yield step
                step.number += 1
                if step.number <= KEPT_LOSSES:
                    self.keep(step)
            if wait_each and wait is not None:
                wait()
            stamps[i] = now()
        if sizes and wait is not None:
            wait()
            stamps[-1] = now()
        return stamps

    def keep(self, step: Step) -> None:
        """The first steps of all began at the initial weights: their losses answer the check."""
        self.losses.append(_floats(step.loss))
        step.loss = None

    def check(self, step: Step, count: int) -> Generator[Step, None, None]:
        """No losses if the loop sets none: its arm is then unchecked."""
        if len(self.losses) < min(count, KEPT_LOSSES):
            yield from self.timed(step, None, [count - len(self.losses)], False)
        losses = self.losses[:count]
        known = len(losses) == count and all(loss is not None for loss in losses)
        self.answer("checked", losses=losses if known else [])

    def send(self, samples: bytes) -> None:
        arm = (self.pending or {})["arm"]
        for at in range(0, max(1, len(samples)), PIECE_BYTES):
            last = at + PIECE_BYTES >= len(samples)
            piece = samples[at : at + PIECE_BYTES]
            self.reply("samples", piece, arm=arm, last=last)


def _start_again(request: Message) -> None:
    """Another trial begins as a run of the script does: this process becomes a fresh one."""
    handed_over = os.memfd_create("regatta", 0)
    os.write(handed_over, json.dumps(request).encode())
    os.lseek(handed_over, 0, os.SEEK_SET)
    os.set_inheritable(handed_over, True)
    os.environ[HANDED_OVER] = str(handed_over)
    with open("/proc/self/cmdline", "rb") as line:
        arguments = line.read().split(b"\0")[:-1]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvp(arguments[0], arguments)


def _floats(loss: Any) -> list[float] | None:
    """From a number, a list, an array or a tensor of any framework; None for JSON's lack of infinities."""
    if loss is None:
        return None
    for convert in ("detach", "numpy", "tolist"):
        if hasattr(loss, convert):
            loss = getattr(loss, convert)()
    values, rest = [], [loss]
    while rest:
        value = rest.pop()
        if isinstance(value, (list, tuple)):
            rest.extend(reversed(value))
        else:
            values.append(float(value))
    if len(values) > MAX_VALUES:
        values = [math.fsum(values) / len(values)]
    return [value if math.isfinite(value) else None for value in values]  # type: ignore[misc]


def _digest() -> str:
    """Digest of the script that runs."""
    try:
        with open(sys.argv[0], "rb") as text:
            return hashlib.sha256(text.read()).hexdigest()
    except OSError:
        return "unknown"


def _place_of(trace: Any) -> str:
    """The last line of the script itself that was reached."""
    script = os.path.abspath(sys.argv[0])
    lines = [f.lineno for f in traceback.extract_tb(trace) if os.path.abspath(f.filename) == script]
    return f" ({os.path.basename(script)}, line {lines[-1]})" if lines else ""


_worker()  # an error before the loop is told as well
