"""Single trainings by the workers of `regatta run`, one after the other: what searches that are no part of Regatta need."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.worker_process import WorkerProcess

JSON = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """A configuration as `regatta plan` writes it out."""

    parameters: JSON
    model: JSON
    id: str = ""


@dataclass(frozen=True)
class Trained:
    validation: float  # accuracy at the best evaluation; 0 where the run diverged
    test: float | None
    seconds: list[float]  # to the end of each evaluation, evaluations included


def output_of(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def planned(build: Path, sweep: JSON, folder: Path) -> list[Trial]:
    file = folder / f"{sweep['name']}.plan.json"
    file.write_text(json.dumps(sweep))
    command = [str(build / "bin" / "regatta"), "plan", str(file), "--json"]
    plan = json.loads(output_of(command))
    if plan["skipped"]:
        raise RuntimeError(f"{file} has trials that are skipped: {plan['skipped'][0]['reason']}")
    models = plan["models"]
    return [Trial(each["parameters"], models[each["model"]], each["id"]) for each in plan["trials"]]


def write_inputs(build: Path, trial: Trial, options: list[str]) -> None:
    """Initial weights or samples of a trial, as the launcher has them written."""
    command = [str(build / "bin" / "regatta-worker"), "weights"]
    command += ["--parameters", json.dumps(trial.parameters), "--model", json.dumps(trial.model)]
    command += ["--datasets", str(build / "share" / "regatta" / "datasets"), *options]
    output_of(command)


class Trainer:
    """A worker that trains trials on one set of samples."""

    def __init__(
        self, build: Path, engine: str, folder: Path, train: JSON, data: Path | None = None
    ) -> None:
        self.build, self.folder = build, folder
        self.data = data or folder / "data.safetensors"
        self.goal = {
            "epochs": float(train["epochs"]),
            "evaluations": train["evaluations"],
            "validation": train["validation"],
            "min_delta": 0.0,
            "metric": "validation_accuracy",
            "maximizes": True,
            "data_path": str(self.data),
            "checkpoint_path": str(folder / "run.safetensors"),
        }
        self.worker = WorkerProcess(build, engine, folder / "worker.log")

    def stop(self) -> None:
        self.worker.stop()

    def end(self, seconds: float) -> None:
        """As a launcher ends it: until it is gone."""
        self.worker.socket.sendall(b'{"type":"stop"}\n')
        self.worker.process.wait(seconds)
        self.worker.stop()

    def weights(self, trial: Trial) -> Path:
        file = self.folder / f"weights-{trial.model['name']}-{trial.parameters['seed']}"
        if not file.exists():
            write_inputs(self.build, trial, ["--weights", str(file)])
        return file

    def asked(self, kind: str, **fields: Any) -> JSON:
        """The answer that follows all messages of progress."""
        answer = self.worker.ask(type=kind, arm=0, **fields)
        while answer["type"] == "progress":
            answer = self.worker.next()
        if answer["type"] == "error":
            raise RuntimeError(f"{kind} failed: {answer['message']}")
        return answer

    def train(self, trial: Trial, seed: int, tests: bool = False) -> Trained:
        trial = Trial({**trial.parameters, "seed": seed}, trial.model)
        Path(self.goal["checkpoint_path"]).unlink(missing_ok=True)
        files = {"weights_path": str(self.weights(trial)), "batches_path": ""}
        self.asked("prepare", parameters=trial.parameters, model=trial.model, **files)
        learned = self.asked("train", **{"from": 0.0, "to": 1.0}, **self.goal)["learned"]
        test = None
        if tests and learned["end"] != "diverged":
            again = {"from": 1.0, "to": 1.0, "tests": True}
            test = self.asked("train", **again, **self.goal)["learned"]["test_accuracy"]
        self.asked("release")
        best = dict(zip(learned["metrics"], learned["best"], strict=False))
        accuracy = 0.0 if learned["end"] == "diverged" else best["validation_accuracy"]
        seconds = [point[2] + point[3] for point in learned["points"]]
        return Trained(accuracy, test, seconds)
