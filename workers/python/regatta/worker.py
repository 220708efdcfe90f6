"""The script as a worker: requests are read between the turns of the user's loop (docs/reference/worker-protocol.md)."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import os
import random
import resource
import signal
import socket
import stat
import sys
import time
import traceback
from typing import Any, Callable, Dict, NoReturn

from .older import anonymous_file
from .wire import LINK, LINK_VARIABLE, VERSION

HANDED_OVER = (
    "REGATTA_HANDED_OVER"  # descriptor of the request that a fresh start of the script begins with
)
# Whether runs of a training begin behind the imports of a process that is kept, or each with a start of the script.
PROCESS = "REGATTA_PROCESS"
REPORTED_NOTHING = (
    "the script reported nothing; call regatta.report(step, validation_loss=...) in its loop"
)

Message = Dict[str, Any]


@functools.lru_cache(maxsize=None)
def current() -> Worker | None:
    """None if descriptor 3 is no link, or that of an engine, which only uses a part of this package.

    A script that is started by hand may have a socket there, too: editors and supervisors leave some open.
    """
    if "regatta_worker" in sys.modules or os.environ.get(LINK_VARIABLE) != str(LINK):
        return None
    try:
        if not stat.S_ISSOCK(os.fstat(LINK).st_mode):
            return None
        with socket.socket(fileno=os.dup(LINK)) as link:
            is_link = link.family == socket.AF_UNIX and link.type == socket.SOCK_STREAM
    except OSError:
        return None
    return Worker() if is_link else None


class Worker:
    """Requests are read between the turns of the user's loop; each is answered before the next is read."""

    def __init__(self) -> None:
        self.stream = os.fdopen(LINK, "rb", closefd=False)
        self.trial: Message | None = None
        self.pending: Message | None = None  # read, and not answered
        self.ended = False
        self.at_end: Callable[[str | None], None] | None = (
            None  # in place of an error; told what was raised
        )
        self.raised: str | None = None
        self.reason = "the script ended before Regatta was done with it"
        self.begin = time.perf_counter()
        self.next_trial = -1  # in a child of a kept process: where its parent reads the next trial
        handed_over = os.environ.pop(HANDED_OVER, "")
        if handed_over:
            with os.fdopen(int(handed_over), "rb") as request:
                self.pending = self.trial = json.loads(request.read())
        shown = sys.excepthook

        def note(kind: type, error: BaseException, trace: Any) -> None:
            self.raised = f"{kind.__name__}: {' '.join(str(error).split())}{place_of(trace)}"
            shown(kind, error, trace)

        sys.excepthook = note
        self.process = os.getpid()
        atexit.register(self.end)
        if self.trial is not None:
            self.refuse_other_script()

    # ---- messages --------------------------------------------------------------------------------

    def receive(self) -> Message | None:
        """The next request that is not answered here; None at the end of the link."""
        while not self.ended:
            line = self.stream.readline()
            message: Message = json.loads(line) if line else {"type": "stop"}
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
        if type_ != "progress" and fields.get("last", True):  # samples come in pieces
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
            self.fail(f"this regatta.py speaks version {VERSION} of the protocol", "unsupported")
            return
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
                if os.environ.get(PROCESS) == "kept":
                    message = self.in_a_child(message)
                self.trial, self.begin = message, time.perf_counter()
                self.refuse_other_script()
            else:
                self.fail("nothing is prepared")
        return self.trial

    def is_child(self) -> bool:
        return self.next_trial >= 0

    def in_a_child(self, trial: Message) -> Message:
        """Returns in a child of this process, which is as it was when the script first asked for something: its imports
        are done. The process itself waits for the child, begins another one with the trial that it was left, and ends
        as the last one does."""
        while True:
            left = anonymous_file("regatta")
            sys.stdout.flush()
            sys.stderr.flush()
            child = os.fork()
            if child == 0:
                self.process, self.next_trial = os.getpid(), left
                self.pending = trial
                draw_anew()
                return trial
            _, status = os.waitpid(child, 0)
            with os.fdopen(left, "rb") as file:
                file.seek(0)
                text = file.read()
            if not text:
                end_as(status)
            trial = json.loads(text)

    def leave_to_parent(self, trial: Message) -> NoReturn:
        """Ends this child, as a fresh start of the script would end this process."""
        os.write(self.next_trial, json.dumps(trial).encode())
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)

    def refuse_other_script(self) -> None:
        """A model that is a loop names its script: results of one text must not pass for those of another."""
        sources = ((self.trial or {})["model"] or {}).get("sources")
        if sources and _digest() not in sources.values():
            self.fail(
                f"{sys.argv[0]} is not the {', '.join(sources)} that the sweep named when it was read "
                f"(edited since, or another file); run the same command again"
            )
            sys.exit(0)

    def trains(self) -> bool:
        """Whether this trial is trained: then there is no work whose steps are timed."""
        parameters = self.request()["parameters"]
        return "work" in parameters and parameters["work"] is None

    def prepared(self) -> None:
        """Answers that everything before the first step is done; once."""
        self.request()
        if self.pending is not None and self.pending["type"] == "prepare":
            seconds = time.perf_counter() - self.begin
            peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            self.answer("prepared", seconds=seconds, peak_bytes=peak_bytes, eager_ops=0)

    def answer(self, type_: str, **fields: Any) -> None:
        self.reply(type_, arm=(self.pending or {})["arm"], **fields)

    def next_work(self) -> Message | None:
        """The next request that is about the steps of this trial; None at the end of the link."""
        assert self.trial is not None
        for message in iter(self.receive, None):
            if message["type"] == "prepare":
                if self.is_child():
                    self.leave_to_parent(message)
                start_again(message)
            elif message["type"] == "release":
                self.answer("released")
            elif message.get("arm") != self.trial["arm"]:
                self.fail("this arm is not prepared")
            else:
                return message
        return None

    def end(self) -> None:
        """Whatever ends the script is the answer to what Regatta asked last."""
        if os.getpid() != self.process:  # a child of the script's
            return
        if self.trial is None and not self.ended:
            self.request()
        if self.at_end is not None:
            self.at_end(self.raised)
        if self.pending is not None:
            trains = self.trial is not None and self.trains()
            self.fail(self.raised or (REPORTED_NOTHING if trains else self.reason))


def start_again(request: Message) -> None:
    """Another trial begins as a run of the script does: this process becomes a fresh one."""
    handed_over = anonymous_file("regatta")
    os.write(handed_over, json.dumps(request).encode())
    os.lseek(handed_over, 0, os.SEEK_SET)
    os.set_inheritable(handed_over, True)
    os.environ[HANDED_OVER] = str(handed_over)
    with open("/proc/self/cmdline", "rb") as line:
        arguments = line.read().split(b"\0")[:-1]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvp(arguments[0], arguments)


def draw_anew() -> None:
    """Numbers that a script does not seed are drawn anew in each run, as after a fresh start."""
    random.seed()
    for name, seeds in (("numpy.random", "seed"), ("torch", "seed")):
        module = sys.modules.get(name)
        if module is not None:
            getattr(module, seeds)()


def end_as(status: int) -> NoReturn:
    """Ends this process as the child ended."""
    if os.WIFSIGNALED(status):
        with contextlib.suppress(OSError):  # some signals have no handler
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)


def _digest() -> str:
    """Digest of the script that runs."""
    try:
        with open(sys.argv[0], "rb") as text:
            return hashlib.sha256(text.read()).hexdigest()
    except OSError:
        return "unknown"


def place_of(trace: Any) -> str:
    """The last line of the script itself that was reached."""
    script = os.path.abspath(sys.argv[0])
    lines = [f.lineno for f in traceback.extract_tb(trace) if os.path.abspath(f.filename) == script]
    return f" ({os.path.basename(script)}, line {lines[-1]})" if lines else ""
