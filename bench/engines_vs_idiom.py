#!/usr/bin/env python3
"""How long a step takes in regatta_worker and in ten lines of the framework's own idiom, interleaved: mlp-10, batch 32,
one thread. Prints the ratio of medians and its range over rounds; the idiom of torch is timed with torch.utils.benchmark.

usage: engines_vs_idiom.py torch|jax|tensorflow [MODE] [--rounds N]     with the interpreter that has the framework
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
import timeit
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "workers" / "python"), str(ROOT / "tests" / "workers" / "frameworks")]

import numpy as np  # noqa: E402
from engine_cases import write_safetensors  # noqa: E402
from regatta_worker import engines  # noqa: E402
from regatta_worker.layers import parse_model  # noqa: E402

MODEL = {
    "name": "mlp-10",
    "input": [10],
    "layers": [{"dense": 50, "activation": "relu"}, {"dense": 1}],
    "loss": "mse",
    "optimizer": {"sgd": {"learning_rate": 0.01}},
}


def tensors() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    random = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal(shape, dtype=np.float32)

    weights = {
        "0.kernel": normal(10, 50),
        "0.bias": normal(50),
        "1.kernel": normal(50, 1),
        "1.bias": normal(1),
    }
    return weights, {"x": normal(8, 32, 10), "y": normal(8, 32, 1)}


def regatta_trial(engine: str, mode: str) -> Any:
    weights, batches = tensors()
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            write_safetensors(Path(folder) / name, values)
            for name, values in (("weights", weights), ("batches", batches))
        ]
        parameters = {"engine": engine, "mode": mode, "threads": 1}
        return engines.load(engine).prepare(parse_model(MODEL), parameters, *paths)


def torch_idiom(mode: str) -> Callable[[], object]:
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(10, 50), torch.nn.ReLU(), torch.nn.Linear(50, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    forward = torch.compile(model) if mode == "graph" else model
    x, y = (torch.from_numpy(values[0]) for values in tensors()[1].values())

    def step() -> None:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(forward(x), y)
        loss.backward()
        optimizer.step()

    return step


def jax_idiom(mode: str) -> Callable[[], object]:
    import jax
    from jax import numpy as jnp

    state = {name: jnp.asarray(value) for name, value in tensors()[0].items()}
    x, y = (values[0] for values in tensors()[1].values())

    def loss(w: dict, x: Any, y: Any) -> Any:
        hidden = jax.nn.relu(x @ w["0.kernel"] + w["0.bias"])
        return jnp.mean((hidden @ w["1.kernel"] + w["1.bias"] - y) ** 2)

    def update(w: dict, x: Any, y: Any) -> dict:
        return jax.tree.map(lambda w, g: w - 0.01 * g, w, jax.grad(loss)(w, x, y))

    run = jax.jit(update, donate_argnums=0) if mode == "graph" else update
    held = [state]

    def step() -> None:
        held[0] = run(held[0], x, y)

    step.wait = lambda: jax.block_until_ready(held[0])  # type: ignore[attr-defined]
    return step


def tensorflow_idiom(mode: str) -> Callable[[], object]:
    import keras
    import tensorflow as tf

    model = keras.Sequential(
        [keras.Input((10,)), keras.layers.Dense(50, "relu"), keras.layers.Dense(1)]
    )
    optimizer, loss_of = keras.optimizers.SGD(0.01), keras.losses.MeanSquaredError()
    x, y = (tf.constant(values[0]) for values in tensors()[1].values())

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))

    optimizer.build(model.trainable_variables)
    return step if mode == "eager" else tf.function(step, jit_compile=mode == "xla")


IDIOMS = {"torch": torch_idiom, "jax": jax_idiom, "tensorflow": tensorflow_idiom}


def idiom_seconds(engine: str, step: Callable[[], object], steps: int) -> float:
    if engine == "torch":
        from torch.utils.benchmark import Timer

        return Timer("step()", globals={"step": step}).timeit(steps).mean
    wait = getattr(step, "wait", lambda: None)

    def all_steps() -> None:
        for _ in range(steps):
            step()
        wait()

    return timeit.timeit(all_steps, number=1) / steps


def regatta_seconds(trial: Any, steps: int) -> float:
    from regatta_worker.loop import group_sizes, stamp_steps

    stamps = stamp_steps(trial.step, trial.wait, group_sizes(steps, 10))
    return (stamps[-1] - stamps[0]) * 1e-9 / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("engine", choices=list(IDIOMS))
    parser.add_argument("mode", nargs="?", default="eager")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument(
        "--steps", type=int, default=0, help="of a round; 50 ms of them if not given"
    )
    options = parser.parse_args()
    trial = regatta_trial(options.engine, options.mode)
    step = IDIOMS[options.engine](options.mode)
    for _ in range(20):
        trial.step()
        step()
    begin = time.perf_counter()
    regatta_seconds(trial, 20)
    steps = options.steps or max(10, int(0.05 / ((time.perf_counter() - begin) / 20)))
    ratios, ours, theirs = [], [], []
    for number in range(options.rounds):
        if number % 2:
            ours.append(regatta_seconds(trial, steps))
            theirs.append(idiom_seconds(options.engine, step, steps))
        else:
            theirs.append(idiom_seconds(options.engine, step, steps))
            ours.append(regatta_seconds(trial, steps))
        ratios.append(ours[-1] / theirs[-1])
    quartiles = statistics.quantiles(ratios, n=4)
    result = {
        "engine": options.engine,
        "mode": options.mode,
        "regatta_us": round(statistics.median(ours) * 1e6, 2),
        "idiom_us": round(statistics.median(theirs) * 1e6, 2),
        "ratio": round(statistics.median(ratios), 3),
        "ratio_quartiles": [round(quartiles[0], 3), round(quartiles[2], 3)],
        "rounds": options.rounds,
        "steps": steps,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
