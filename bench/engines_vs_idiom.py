"""How long a step takes in regatta_worker and in ten lines of the framework's own idiom, interleaved: mlp-10, batch 32,
one thread, fed from NumPy arrays. Prints the median ratio of rounds and its quartiles; the idiom of torch is timed with torch.utils.benchmark,
the others with timeit.

usage: python3 -m bench.engines_vs_idiom [--rounds N]          every installed engine, mode and loop, each in its environment
       python3 -m bench.engines_vs_idiom --case ENGINE MODE LOOP   one, with the interpreter that runs this; prints JSON
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import tempfile
import timeit
from pathlib import Path
from typing import Any, Callable

import numpy as np
from regatta_worker import engines
from regatta_worker.layers import parse_model

from tools import ROOT
from tools.interpreters import interpreter
from tools.safetensors import write_safetensors

CASES = [
    ("numpy", "eager", "custom"),
    ("torch", "eager", "custom"),
    ("torch", "graph", "custom"),
    ("jax", "eager", "custom"),
    ("jax", "graph", "custom"),
    *(
        ("tensorflow", mode, loop)
        for loop in ("custom", "train_on_batch", "fit")
        for mode in ("eager", "graph", "xla")
    ),
]

MODEL = {
    "name": "mlp-10",
    "input": [10],
    "layers": [{"dense": 50, "activation": "relu"}, {"dense": 1}],
    "loss": "mse",
    "optimizer": {"sgd": {"learning_rate": 0.01}},
}


ROUND_SECONDS = 0.05


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


def regatta_trial(engine: str, mode: str, loop: str) -> Any:
    weights, batches = tensors()
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            write_safetensors(Path(folder) / name, values)
            for name, values in (("weights", weights), ("batches", batches))
        ]
        parameters = {"engine": engine, "mode": mode, "loop": loop, "threads": 1}
        return engines.load(engine).prepare(parse_model(MODEL), parameters, *paths)


def numpy_idiom(mode: str, loop: str) -> Callable[[], object]:
    (w1, b1, w2, b2), (xs, ys) = (list(each.values()) for each in tensors())
    batches = itertools.cycle(zip(xs, ys))

    def step() -> float:
        nonlocal w1, b1, w2, b2
        x, y = next(batches)
        hidden = np.maximum(x @ w1 + b1, 0)
        error = hidden @ w2 + b2 - y
        loss = np.mean(error**2)
        error *= 2 / len(y)
        back = (error @ w2.T) * (hidden > 0)
        w2 -= 0.01 * (hidden.T @ error)
        b2 -= 0.01 * error.sum(0)
        w1 -= 0.01 * (x.T @ back)
        b1 -= 0.01 * back.sum(0)
        return loss

    return step


def torch_idiom(mode: str, loop: str) -> Callable[[], object]:
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(10, 50), torch.nn.ReLU(), torch.nn.Linear(50, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    forward = torch.compile(model) if mode == "graph" else model
    batches = itertools.cycle(zip(*tensors()[1].values()))

    def step() -> None:
        x, y = (torch.from_numpy(each) for each in next(batches))
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(forward(x), y)
        loss.backward()
        optimizer.step()

    return step


def jax_idiom(mode: str, loop: str) -> Callable[[], object]:
    import jax
    from jax import numpy as jnp

    state = {name: jnp.asarray(value) for name, value in tensors()[0].items()}
    batches = itertools.cycle(zip(*tensors()[1].values()))

    def loss(w: dict, x: Any, y: Any) -> Any:
        hidden = jax.nn.relu(x @ w["0.kernel"] + w["0.bias"])
        # Not ** 2, which takes one more dispatch: 11 % of an eager step.
        return jnp.mean(jnp.square(hidden @ w["1.kernel"] + w["1.bias"] - y))

    def update(w: dict, x: Any, y: Any) -> tuple:
        value, gradients = jax.value_and_grad(loss)(w, x, y)
        return jax.tree.map(lambda w, g: w - 0.01 * g, w, gradients), value

    run = jax.jit(update, donate_argnums=0) if mode == "graph" else update
    held = [state, None]

    def step() -> None:
        held[:] = run(held[0], *next(batches))

    step.wait = lambda: jax.block_until_ready(held)  # type: ignore[attr-defined]
    return step


def tensorflow_idiom(mode: str, loop: str) -> Callable[[], object]:
    import keras
    import tensorflow as tf

    model = keras.Sequential(
        [keras.Input((10,)), keras.layers.Dense(50, "relu"), keras.layers.Dense(1)]
    )
    optimizer, loss_of = keras.optimizers.SGD(0.01), keras.losses.MeanSquaredError()
    batches = itertools.cycle(zip(*tensors()[1].values()))
    if loop != "custom":
        model.compile(optimizer, loss_of, run_eagerly=mode == "eager", jit_compile=mode == "xla")
        if loop == "fit":
            return lambda: model.fit(*next(batches), batch_size=32, verbose=0)
        return lambda: model.train_on_batch(*next(batches))

    def train(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    optimizer.build(model.trainable_variables)
    run = train if mode == "eager" else tf.function(train, jit_compile=mode == "xla")
    return lambda: run(*(tf.convert_to_tensor(each) for each in next(batches)))


IDIOMS = {
    "numpy": numpy_idiom,
    "torch": torch_idiom,
    "jax": jax_idiom,
    "tensorflow": tensorflow_idiom,
}


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


def compare(engine: str, mode: str, loop: str, rounds: int) -> dict[str, Any]:
    trial = regatta_trial(engine, mode, loop)
    step = IDIOMS[engine](mode, loop)
    for _ in range(20):
        trial.step()
        step()
    steps = max(10, int(ROUND_SECONDS / regatta_seconds(trial, 20)))
    ratios, ours, theirs = [], [], []
    for number in range(rounds):
        if number % 2:
            ours.append(regatta_seconds(trial, steps))
            theirs.append(idiom_seconds(engine, step, steps))
        else:
            theirs.append(idiom_seconds(engine, step, steps))
            ours.append(regatta_seconds(trial, steps))
        ratios.append(ours[-1] / theirs[-1])
    low, median, high = statistics.quantiles(ratios, n=4)
    return {
        "regatta_us": statistics.median(ours) * 1e6,
        "idiom_us": statistics.median(theirs) * 1e6,
        "ratio": median,
        "quartiles": [low, high],
    }


def compare_all(rounds: int) -> None:
    print("engine      mode   loop            regatta      idiom  ratio  quartiles")
    for engine, mode, loop in CASES:
        python = "/usr/bin/python3" if engine == "numpy" else interpreter(engine)
        if python is None:
            print(f"{engine:11} {mode:6} {loop:15} not installed")
            continue
        command = [
            python,
            "-m",
            "bench.engines_vs_idiom",
            "--case",
            engine,
            mode,
            loop,
            "--rounds",
            str(rounds),
        ]
        one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **one_thread},
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0))}),
        )
        if done.returncode:
            print(f"{engine:11} {mode:6} {loop:15} failed: {done.stderr.strip()[-200:]}")
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        low, high = found["quartiles"]
        print(
            f"{engine:11} {mode:6} {loop:15} {found['regatta_us']:7.1f} us {found['idiom_us']:7.1f} us"
            f"  {found['ratio']:.3f}  [{low:.3f}, {high:.3f}]",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--case", nargs=3, metavar=("ENGINE", "MODE", "LOOP"))
    parser.add_argument("--rounds", type=int, default=31)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(compare(*options.case, options.rounds)))
    else:
        compare_all(options.rounds)


if __name__ == "__main__":
    main()
