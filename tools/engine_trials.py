"""Trials of every named model with every engine that is installed, and the files that they read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

# Small enough that a step on one core stays below the second up to which work is compared.
MODELS: dict[str, dict[str, int]] = {
    "mlp-10": {"batch": 32},
    "mlp-784": {"batch": 32},
    "digits-mlp": {"batch": 32},
    "conv1d-small": {"batch": 4, "length": 140},
    "conv1d-medium": {"batch": 1, "length": 140},
    "conv1d-large": {"batch": 1, "length": 1400},
    "conv1d-question": {"batch": 2},
    "cnn-28": {"batch": 8},
    "bilstm-question": {"batch": 1},
    "matmul-1000": {},
    "scalar-gradient": {},
}
TRAINS_ONLY = ("matmul-1000", "scalar-gradient")  # they read no `work`
LOOPS = {
    "train": ["custom", "train_on_batch", "fit"],
    "infer": ["custom", "predict_on_batch", "predict"],
}


def run(arguments: list[str]) -> str:
    done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)} ended with {done.returncode}")
    return done.stdout


def installed_engines(build: Path) -> list[str]:
    found = []
    doctor = json.loads(run([str(build / "bin/regatta"), "doctor", "--json"]))
    for engine in doctor["engines"]:
        name, environment = engine["name"], engine["environment"]
        if engine["problem"] or name == "command":
            continue
        if name == "numpy" and environment != "numpy":
            continue  # NumPy comes with every framework
        found.append(name if environment == name else f"{name}@{environment}")
    return found


def planned(build: Path, folder: Path, model: str, engines: list[str]) -> list[dict[str, Any]]:
    """Trials of a model, each with its parameters, its model written out and the reason why it is skipped, if it is."""
    trials = []
    for work in ("train",) if model in TRAINS_ONLY else ("train", "infer"):
        axes = {
            "engine": engines,
            "mode": ["eager", "graph", "xla", "v1-session"],
            "model": model,
            "work": work,
            "api": ["keras", "tf_keras"],
            "loop": LOOPS[work],
            **MODELS[model],
        }
        file = folder / f"{model}-{work}.json"
        file.write_text(json.dumps({"regatta": 1, "name": model, "axes": axes}))
        plan = json.loads(run([str(build / "bin/regatta"), "plan", str(file), "--json"]))
        reasons = {entry["id"]: entry["reason"] for entry in plan["skipped"]}
        for trial in plan["trials"]:
            model_json = plan["models"][trial["model"]]
            trials.append(
                {**trial["parameters"], "json": model_json, "skip": reasons.get(trial["id"])}
            )
    return trials


PARAMETERS_APART = ("json", "skip", "cell", "losses", "evidence")


def parameters_of(trial: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in trial.items() if name not in PARAMETERS_APART}


def input_files(build: Path, folder: Path, trial: dict[str, Any]) -> dict[str, str]:
    """Weights and batches, the same for all engines of a model."""
    is_network = "layers" in trial["json"]
    paths = {
        "weights_path": str(folder / f"{trial['model']}.weights") if is_network else "",
        "batches_path": str(folder / f"{trial['model']}.batches"),
    }
    if not Path(paths["batches_path"]).exists():
        command = [str(build / "bin/regatta-worker"), "weights"]
        command += ["--parameters", json.dumps(parameters_of(trial))]
        command += ["--model", json.dumps(trial["json"]), "--batches", paths["batches_path"]]
        run(command + (["--weights", paths["weights_path"]] if is_network else []))
    return paths
