"""Does what the agent asks, one request after the other, and decides nothing."""

from __future__ import annotations

import ctypes
import dataclasses
import gc
import math
import resource
import time
import traceback
from typing import Any

from regatta.wire import VERSION, pieces

from . import engines
from .arm import Arm
from .errors import (
    LinkClosed,
    StorageFailed,
    Unsupported,
    UserModelError,
    is_lost,
    is_of_device,
    ran_out_of_memory,
)
from .layers import parse_model
from .learner import Learner
from .link import Link, Message
from .loop import run_slice
from .same_work import TIMED, SameWork
from .schedule import goal_of
from .training import Run


def chosen_intervention(engine: engines.Engine, name: str, message: Message) -> dict[str, str]:
    """The keyword of `prepare`, if any. Raises Unsupported for what the engine does not offer."""
    chosen = message.get("intervention")
    if not chosen:
        return {}
    if chosen not in engine.describe().interventions:
        raise Unsupported(f"the engine {name} offers no intervention {chosen!r}")
    return {"intervention": chosen}


def given_rank(name: str, message: Message) -> dict[str, int]:
    """The keyword of `prepare`, if the trial has several ranks. Raises Unsupported where the engine has one."""
    rank = message.get("rank")
    if rank is None:
        return {}
    if name not in engines.WITH_RANKS:
        raise Unsupported(f"the engine {name} has no trials of several ranks")
    return {"rank": rank}


def finite(values: Any) -> Any:
    """Numbers that JSON lacks become null."""
    if isinstance(values, dict):
        return {name: finite(value) for name, value in values.items()}
    if isinstance(values, list):
        return [finite(value) for value in values]
    return values if not isinstance(values, float) or math.isfinite(values) else None


def checked(trial: Arm, steps: int, how: str, with_evidence: bool) -> dict[str, Any]:
    """The fields of the answer. No losses of what the trial cannot do."""
    if not isinstance(trial, SameWork):
        return {"losses": finite(trial.check(steps)) if how == TIMED else []}
    evidence = trial.examine(steps, how, with_evidence)
    fields = finite(dataclasses.asdict(evidence))
    answer = {"losses": fields.pop("losses")}
    for of_own_model in ("number_type", "own_weights"):
        value = fields.pop(of_own_model)
        if value is not None:
            answer[of_own_model] = value
    if with_evidence and evidence.gradients:
        answer["evidence"] = fields
    return answer


def return_memory() -> None:
    """Hands freed memory back to the system: what one trial held is not the memory of the next one."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc has it
    if trim is not None:
        trim(0)


class Session:
    def __init__(self, link: Link, engine: str) -> None:
        self._link = link
        self._engine = engine
        self._arms: dict[int, Arm] = {}
        self._places: dict[int, engines.Place] = {}  # by arm, if it computes on a GPU
        self._counted: set[int] = set()  # arms whose peak of device memory is counted
        self._answers = {
            "hello": self.hello,
            "prepare": self.prepare,
            "join": self.join,
            "check": self.check,
            "slice": self.slice,
            "train": self.train,
            "release": self.release,
        }

    def serve(self) -> int:
        """Until `stop` or the end of the link. Exit code: 0, or 1 if what arrived was no frame."""
        try:
            while True:
                try:
                    message, _ = self._link.receive()
                except ValueError as error:
                    self.fail({}, "reported", str(error))
                    return 1
                if message.get("type") == "stop":
                    return 0
                self.answer(message)
        except LinkClosed:
            return 0

    def answer(self, message: Message) -> None:
        try:
            if message.get("type") not in self._answers:
                raise ValueError(f"no request of this version: {message.get('type')!r}")
            self._answers[message["type"]](message)
        except LinkClosed:
            raise
        except Unsupported as error:
            self.fail(message, "unsupported", str(error))
        except UserModelError as error:
            self.fail(message, "reported", str(error))
        except StorageFailed as error:
            self.fail(message, "storage", str(error))
        except KeyError as error:
            self.fail(message, "reported", f"{message.get('type')}: {error} is missing or unknown")
        except Exception as error:  # whatever a framework raises is this trial's end, not ours
            text = f"{type(error).__name__}: {error}"
            if ran_out_of_memory(error):
                text = f"no memory for this trial ({text}); use a smaller batch"
                self.fail(message, "out_of_memory", text)
            elif is_of_device(error):
                self.fail(message, "device", text, final=False)
            else:
                self.fail(message, "reported", text, final=not is_lost(error))

    def fail(self, request: Message, kind: str, text: str, final: bool = True) -> None:
        arm = request.get("arm")
        is_arm = isinstance(arm, int) and arm >= 0
        self.reply("error", arm=arm if is_arm else None, kind=kind, message=text, final=final)

    def reply(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        self._link.send({"type": type_, **fields}, payload)

    # ---- requests --------------------------------------------------------------------------

    def hello(self, message: Message) -> None:
        if message["version"] != VERSION:
            raise Unsupported(f"protocol version {message['version']} (this worker: {VERSION})")
        description = engines.load(self._engine).describe()
        self.reply(
            "ready",
            version=VERSION,
            engine=self._engine,
            engine_version=description.version,
            modes=description.modes,
            devices=description.devices,
            details=description.details,
            interventions=description.interventions,
        )

    def prepare(self, message: Message) -> None:
        arm, parameters = message["arm"], message["parameters"]
        self.forget(arm)
        name = parameters["engine"].split("@")[0]
        start = time.perf_counter()
        engine = engines.load(name)
        self._arms[arm] = engine.prepare(
            parse_model(message["model"]),
            parameters,
            message["weights_path"],
            message["batches_path"],
            **chosen_intervention(engine, name, message),
            **given_rank(name, message),
        )
        seconds = time.perf_counter() - start
        if parameters.get("device") not in (None, "cpu"):
            self._places[arm] = engines.place(name)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        member = self._arms[arm].member
        more = {"member": member} if member else {}
        self.reply("prepared", arm=arm, seconds=seconds, peak_bytes=peak, eager_ops=0, **more)

    def join(self, message: Message) -> None:
        self.prepared(message).join(message["members"], message["patience_seconds"])
        self.reply("joined", arm=message["arm"])

    def check(self, message: Message) -> None:
        trial, steps, how = self.prepared(message), message["steps"], message.get("as", TIMED)
        if how == TIMED:
            fields = checked(trial, steps, how, bool(message.get("evidence")))
        else:
            try:
                fields = checked(trial, steps, how, bool(message.get("evidence")))
            except Exception:  # it only helps to explain what was found: the trial goes on without
                traceback.print_exc()
                fields = {"losses": []}
        self.reply("checked", arm=message["arm"], **fields)

    def slice(self, message: Message) -> None:
        names = ("arm", "phase", "reentry_steps", "steps", "group")
        request = {name: message[name] for name in names}
        trial = self.prepared(message)
        request["steps_per_call"] = trial.steps_per_call
        request["wait_each"] = bool(message.get("wait_each"))
        is_steady = request["phase"] == "steady"
        if is_steady:
            self.count_device_memory(message["arm"])
        samples = run_slice(trial.step, trial.wait, slice_number=message["slice"], **request)
        facts = finite(trial.input_facts())
        if is_steady:
            facts = {**facts, **self.device_facts(message["arm"])}
        for piece, is_last in pieces(samples):
            more = facts if is_last else {}
            self.reply("samples", piece, arm=message["arm"], last=is_last, **more)

    def count_device_memory(self, arm: int) -> None:
        """From its first steady slice on: what compiling took is no part of it."""
        if arm in self._places and arm not in self._counted:
            self._counted.add(arm)
            self._places[arm].begin_peak()

    def device_facts(self, arm: int) -> dict[str, int]:
        peak = self._places[arm].peak_bytes() if arm in self._places else 0
        return {"device_peak_bytes": peak} if peak > 0 else {}

    def train(self, message: Message) -> None:
        learner, arm = self.prepared(message), message["arm"]
        if not isinstance(learner, Learner):
            raise Unsupported(
                "only networks of layers and users' own models are trained to an end here"
            )

        def tell(learned: dict[str, Any]) -> None:
            self.reply("progress", arm=arm, learned=finite(learned))

        learned = Run(learner, goal_of(message), tell).learn()
        self.reply("trained", arm=arm, learned=finite(learned))

    def release(self, message: Message) -> None:
        self.forget(message["arm"])
        self.reply("released", arm=message["arm"])

    def forget(self, arm: int) -> None:
        """Ends what the arm started (the threads or processes of a pipeline) and frees its memory."""
        self._places.pop(arm, None)
        self._counted.discard(arm)
        trial = self._arms.pop(arm, None)
        if trial is None:
            return
        trial.close()
        del trial
        gc.collect()  # steps are closures that hold their trial
        if not self._arms:
            engines.forget_all()
            return_memory()

    def prepared(self, message: Message) -> Arm:
        arm = message["arm"]
        if arm not in self._arms:
            raise ValueError(f"arm {arm} is not prepared")
        return self._arms[arm]
