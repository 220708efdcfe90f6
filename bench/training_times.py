"""How long training the digits to the end takes: the native engine beside PyTorch, TensorFlow and JAX, an MLP and a CNN.

Of each framework there are two arms: its worker, which trains on Regatta's batches, and a script as its documentation has it, with its
own loop and loader (bench/training_scripts.py). In each round every arm trains once under the round's seed, in a fresh process, in an
order that is drawn; all on one core. Two clocks: from a process's start to its end, and epochs 2 to the last (what is compiled in the
first one is start-up), scaled to all. Writes docs/background/performance.md. Rounds add up in a record.

usage: python3 -m bench.training_times [--rounds 12] [--only mlp|cnn] [--build FOLDER] [--record FILE] [--page FILE] [--fresh] [--page-only]
Needs an idle machine and scripts/setup-engines.sh torch tensorflow jax; prints after the first round how long the rest will take.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from regatta_worker import safetensors

from bench.native_vs_frameworks import RECORD, machine_text, write_page
from bench.training_times_page import TIMES_RECORD
from bench.trainings import JSON, Trainer, Trial, planned, write_inputs
from tools import ROOT
from tools.interpreters import interpreter

EPOCHS, BATCH, VALIDATION = 30, 32, 0.2
DENSE_END = [{"dense": 10, "activation": "softmax"}]
LAYERS = {
    "mlp": [{"dense": 128, "activation": "relu"}, *DENSE_END],
    "cnn": [
        {"conv2d": 16, "kernel": 3, "activation": "relu"},
        {"max_pool": 2},
        {"flatten": True},
        {"dense": 64, "activation": "relu"},
        *DENSE_END,
    ],
}
# engine, and what its trial has beside the defaults
WORKERS = {
    "native": ("native", {}),
    "native again": ("native", {}),
    "PyTorch eager": ("torch", {"mode": "eager"}),
    "Keras fit": ("tensorflow", {"loop": "fit"}),
    "TensorFlow custom": ("tensorflow", {"loop": "custom"}),
    "JAX": ("jax", {}),
}
SCRIPTS = {
    "PyTorch script": ("torch", "torch"),
    "Keras fit script": ("tensorflow", "keras"),
    "TensorFlow custom script": ("tensorflow", "tensorflow"),
    "JAX script": ("jax", "jax"),
}
ENDING_SECONDS = 60


class Bench:
    def __init__(self, build: Path, folder: Path, network: str) -> None:
        self.build, self.folder, self.network = build, folder, network
        self.trials = {name: self.trial(*arm) for name, arm in WORKERS.items()}
        self.data = folder / f"{network}.safetensors"
        write_inputs(build, self.trials["native"], ["--data-set", str(self.data)])
        arrays = safetensors.mapped(str(self.data))
        np.savez(folder / f"{network}.npz", **arrays)

    def trial(self, engine: str, levels: JSON) -> Trial:
        model = {
            "name": self.network,
            "input": [64] if self.network == "mlp" else [8, 8, 1],
            "layers": LAYERS[self.network],
            "loss": "sparse_categorical_crossentropy",
            "optimizer": {"adam": {"learning_rate": 0.001}},
        }
        axes = {"engine": [engine], "model": [model], "dataset": ["digits"], "batch": [BATCH]}
        sweep = {
            "regatta": 1,
            "name": f"{self.network}-{engine}",
            "task": "train",
            "axes": {**axes, **{axis: [level] for axis, level in levels.items()}},
            "train": {"epochs": EPOCHS, "evaluations": EPOCHS, "validation": VALIDATION},
        }
        return planned(self.build, sweep, self.folder)[0]

    def by_worker(self, name: str, seed: int) -> JSON:
        train = {"epochs": EPOCHS, "evaluations": EPOCHS, "validation": VALIDATION}
        folder = self.folder / "worker"
        folder.mkdir(exist_ok=True)
        trial = self.trials[name]
        seeded = Trial({**trial.parameters, "seed": seed}, trial.model)
        weights = folder / f"weights-{self.network}-{seed}"
        if not weights.exists():
            write_inputs(self.build, seeded, ["--weights", str(weights)])
        start = time.perf_counter()
        trainer = Trainer(self.build, WORKERS[name][0], folder, train, self.data)
        trained = trainer.train(trial, seed, True)
        trainer.end(ENDING_SECONDS)
        return {
            "whole": time.perf_counter() - start,
            "epochs": trained.seconds,
            "validation": trained.validation,
            "test": trained.test,
        }

    def by_script(self, name: str, seed: int) -> JSON:
        environment, framework = SCRIPTS[name]
        command = [str(interpreter(environment)), str(ROOT / "bench" / "training_scripts.py")]
        command += [framework, self.network, str(self.folder / f"{self.network}.npz")]
        command += [str(seed), str(EPOCHS), str(BATCH)]
        quiet = {"OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        variables = {**os.environ, **quiet}
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
        whole = time.perf_counter() - start
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
        told = json.loads(done.stdout.splitlines()[-1])
        epochs = told.pop("seconds")
        return {"whole": whole, "epochs": epochs, **told}

    def round(self, number: int) -> JSON:
        """Every arm once, in an order that is drawn."""
        arms = [*WORKERS, *SCRIPTS]
        random.Random(number).shuffle(arms)
        found = {}
        for name in arms:
            by = self.by_worker if name in WORKERS else self.by_script
            told = by(name, number)
            first, last = told["epochs"][0], told["epochs"][-1]
            told["epochs"] = (last - first) * EPOCHS / (EPOCHS - 1)
            found[name] = told
        return {"order": arms, "load": os.getloadavg()[0], "arms": found}


def run(bench: Bench, record: JSON, rounds: int, file: Path) -> None:
    done = record["rounds"].setdefault(bench.network, [])
    while len(done) < rounds:
        start = time.monotonic()
        done.append(bench.round(len(done)))
        file.write_text(json.dumps(record) + "\n")
        seconds = time.monotonic() - start
        left = rounds - len(done)
        print(f"{bench.network}, round {len(done)}: {seconds:.0f} s, {left} more in "
              f"{left * seconds / 60:.0f} minutes", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--only", choices=list(LAYERS))
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--record", type=Path, default=TIMES_RECORD)
    parser.add_argument(
        "--page", type=Path, default=ROOT / "docs" / "background" / "performance.md"
    )
    parser.add_argument("--fresh", action="store_true", help="forget the recorded rounds")
    parser.add_argument("--page-only", action="store_true")
    options = parser.parse_args()
    record: JSON = {"machine": machine_text(), "rounds": {}}
    if options.record.exists() and not options.fresh:
        record = json.loads(options.record.read_text())
    if not options.page_only:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core for all that is started
        record["utc"] = datetime.now(UTC).isoformat(timespec="minutes")
        for network in [options.only] if options.only else LAYERS:
            with tempfile.TemporaryDirectory(prefix="regatta-times-") as folder:
                bench = Bench(options.build, Path(folder), network)
                run(bench, record, options.rounds, options.record)
    write_page(options.page, json.loads(RECORD.read_text()), options.record)


if __name__ == "__main__":
    main()
