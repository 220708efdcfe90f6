"""How an engine's training is tested: in workers of its own, by what they answer and what their checkpoints hold."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Sequence

import numpy as np
from engine_cases import (
    ADAM,
    CLASSES,
    MODELS,
    MOMENTUM,
    SGD,
    SPARSE,
    batches_of,
    model,
    textbook_of,
)
from regatta_worker import safetensors
from regatta_worker.order import Order, split
from regatta_worker.schedule import hyper_of, learning_rate
from tools import ROOT
from tools.safetensors import write_safetensors
from tools.worker_process import WorkerProcess

BUILD = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build"))
TIMEOUT_SECONDS = 300
ROWS, BATCH, SEED = 50, 4, 3

FORMULAS = {
    "learning_rate": 0.05,
    "weight_decay": 0.3,
    "clip_norm": 1.5,  # some gradients are clipped, others not: all clipped ones would hide a factor
    "schedule": "linear",
    "warmup": 0.2,
}

# A worker that writes a checkpoint after each step, and is killed by the system as it has written so many.
KILLED = """
import os, signal
from regatta_worker import training
training.CHECKPOINT_SECONDS = 0.0
write, left = training.checkpoints.write, [{writes}]
def counted(*arguments):
    write(*arguments)
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
training.checkpoints.write = counted
"""
# A worker whose loader spoils each batch as soon as the next one is asked for.
SPOILING = """
import fake_feed
from regatta_worker import fed
fed.open_feed = fake_feed.fake_open
"""
SERVE = "from regatta_worker.__main__ import main; main()"


class Worker:
    """A process, and our end of its link."""

    def __init__(self, engine: str, prelude: str = "") -> None:
        ours, theirs = socket.socketpair()
        ours.settimeout(TIMEOUT_SECONDS)
        self.socket, self.stream = ours, ours.makefile("rb")
        options = ["--engine", engine, "--fd", str(theirs.fileno())]
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-c", prelude + SERVE, *options], pass_fds=[theirs.fileno()]
        )
        theirs.close()
        self.progress: list[dict[str, Any]] = []

    def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        """The answer; what comes before it goes to `progress`."""
        try:
            self.socket.sendall(json.dumps({"type": type, **fields}).encode() + b"\n")
            while True:
                line = self.stream.readline()
                answer = json.loads(line) if line else {"type": "gone"}
                if answer["type"] != "progress":
                    return answer
                self.progress.append(answer)
        except OSError:  # a late answer would be taken for that of the next question
            self.process.kill()
            self.process.wait()
            raise

    def stop(self) -> None:
        self.stream.close()
        self.socket.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class WarmWorkers:
    """One process for each mode, as the launcher has them: an import takes longer than most checks, and each check
    prepares its trial anew."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.by_mode: dict[str, Worker] = {}

    def of(self, parameters: dict[str, Any]) -> Worker:
        mode = str(parameters.get("mode"))
        worker = self.by_mode.get(mode)
        if worker is None or worker.process.poll() is not None:
            worker = self.by_mode[mode] = Worker(self.engine)
        return worker

    def stop(self) -> None:
        for worker in self.by_mode.values():
            worker.stop()


class NativeWorker(WorkerProcess):
    """The native engine's worker, with the questions of these cases."""

    def __init__(self, folder: Path) -> None:
        super().__init__(BUILD, "native", folder / "native.log")

    def ask(self, type_: str = "", **fields: Any) -> dict[str, Any]:
        answer = super().ask(**{"type": type_, **fields})
        while answer["type"] == "progress":
            answer = self.next()
        return answer


def digits() -> dict[str, np.ndarray]:
    """x (n, 64) from 0 to 1, y (n)."""
    folder = ROOT / "datasets" / "digits"
    pixels = (folder / "images-idx3-ubyte").read_bytes()[16:]
    x = np.frombuffer(pixels, np.uint8).reshape(-1, 64).astype(np.float32) / 16
    y = np.frombuffer((folder / "labels-idx1-ubyte").read_bytes()[8:], np.uint8).astype(np.int32)
    return {"x": x[:1437], "y": y[:1437], "test_x": x[1437:], "test_y": y[1437:]}


CLASSES_OF_DIGITS = {"dense": 10, "activation": "softmax"}
DIGITS = model(
    "digits",
    [64],
    [{"dense": 32, "activation": "relu"}, CLASSES_OF_DIGITS],
    SPARSE,
    ADAM,
)
LINEAR = model("linear", [3], [{"dense": 2}], "mse", SGD)
# For vectors, sequences and images frameworks have different kernels. Moments of the first four of twenty steps are
# plain means.
NORM = {"batch_norm": True, "momentum": 0.75, "epsilon": 0.02}
NORMALS = [
    model(name, shape, [NORM, {"flatten": True}, {"dense": 2}], "mse", SGD)
    for name, shape in (("vectors", [3]), ("sequences", [5, 3]), ("images", [4, 2, 3]))
]
NORMAL_DIGITS = model(  # without a relu, which rounding may flip
    "normal digits",
    [64],
    [{"dense": 16, "activation": "tanh"}, {"batch_norm": True}, CLASSES_OF_DIGITS],
    SPARSE,
    MOMENTUM,
)
# A run must find this again after a kill: moments, and where dropout's draws stand.
KEEPING = model(
    "keeping",
    [4],
    [{"dense": 5, "activation": "tanh"}, {"batch_norm": True}, {"dropout": 0.5}, CLASSES],
    SPARSE,
    ADAM,
)


def data_of(m: dict[str, Any], rows: int = ROWS) -> dict[str, np.ndarray]:
    whole = batches_of(m, 1, 2 * rows)
    x, y = whole["x"][0], whole["y"][0]
    return {"x": x[:rows], "y": y[:rows], "test_x": x[rows:], "test_y": y[rows:]}


def weights_of(m: dict[str, Any]) -> dict[str, np.ndarray]:
    if m["name"] in MODELS:
        return textbook_of(m["name"]).weights
    random, width = np.random.default_rng(5), m["input"][-1]
    weights = {}
    for i, layer in enumerate(m["layers"]):
        if "batch_norm" in layer:
            weights[f"{i}.gamma"] = np.full(width, 1.5, np.float32)
            weights[f"{i}.beta"] = np.zeros(width, np.float32)
        if "flatten" in layer:
            width = int(np.prod(m["input"]))
        if "dense" in layer:
            rows, width = width, layer["dense"]
            limit = np.sqrt(6 / (rows + width))
            kernel = random.uniform(-limit, limit, (rows, width))
            weights[f"{i}.kernel"] = kernel.astype(np.float32)
            weights[f"{i}.bias"] = np.zeros(width, np.float32)
    return weights


def numbers(learned: dict[str, Any]) -> list[list[float]]:
    """Points without their seconds."""
    return [[*point[:2], *point[4:]] for point in learned["points"]]


class TrainingTest(unittest.TestCase):
    engine = ""
    variants: list[dict[str, Any]] = [{}]  # parameters; the first ones are those of tests of one
    fed_variants: list[dict[str, Any]] = []  # one for each way to take a batch; none: all variants
    models = tuple(MODELS)
    warm: WarmWorkers

    @classmethod
    def setUpClass(cls) -> None:
        cls.warm = WarmWorkers(cls.engine)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.warm.stop()

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def worker(self, m: dict[str, Any], prelude: str = "", **parameters: Any) -> Worker:
        """A process of this test's own."""
        worker = Worker(self.engine, prelude)
        self.addCleanup(worker.stop)
        self.prepare(worker, m, **parameters)
        return worker

    def warm_worker(self, m: dict[str, Any], **parameters: Any) -> Worker:
        """The process that has trained for other tests before; this one's trial is prepared in it."""
        given = {**self.variants[0], **parameters}
        worker = self.warm.of(given)
        self.prepare(worker, m, **given)
        return worker

    def accumulating_variants(self) -> list[dict[str, Any]]:
        """Keras' own loops update in each step."""
        return [v for v in self.variants if v.get("loop", "custom") == "custom"]

    def prepare(self, worker: Worker | WorkerProcess, m: dict[str, Any], **parameters: Any) -> None:
        self.data = str(self.folder / f"data-{m['name']}")
        if not os.path.exists(self.data):
            is_digits = m in (DIGITS, NORMAL_DIGITS)
            write_safetensors(Path(self.data), digits() if is_digits else data_of(m))
        weights = write_safetensors(self.folder / "weights", weights_of(m))
        common = {"engine": self.engine, "threads": 1, "seed": SEED, "batch": BATCH}
        answer = worker.ask(
            type="prepare",
            arm=0,
            parameters={**common, **self.variants[0], **parameters},
            model=m,
            weights_path=weights,
            batches_path="",
        )
        self.assertEqual(answer["type"], "prepared", answer)

    def train(
        self, worker: Worker | WorkerProcess, checkpoint: str = "run", **changes: Any
    ) -> dict[str, Any]:
        request = {
            "from": 0.0,
            "to": 1.0,
            "data_path": self.data,
            "checkpoint_path": str(self.folder / checkpoint),
            "steps": 20,
            "evaluations": 4,
            "validation": 0.2,
            "metric": "validation_loss",
            "maximizes": False,
            "min_delta": 0.0,
        }
        answer = worker.ask(type="train", arm=0, **{**request, **changes})
        return answer.get("learned", answer)

    def saved(self, checkpoint: str = "run") -> dict[str, np.ndarray]:
        return safetensors.read(str(self.folder / checkpoint))

    def assert_same(self, first: str, second: str) -> None:
        """Bit for bit."""
        one, other = self.saved(first), self.saved(second)
        self.assertEqual(sorted(one), sorted(other))
        for name, tensor in one.items():
            self.assertEqual(tensor.tobytes(), other[name].tobytes(), name)

    # ---- what is learned ----------------------------------------------------------------------------

    def test_digits_are_learned(self) -> None:
        goal: dict[str, Any] = {"steps": None, "epochs": 10.0, "evaluations": 10}
        goal |= {"metric": "validation_accuracy", "maximizes": True}
        for number, variant in enumerate(self.variants):
            with self.subTest(**variant):
                given = {"batch": 32, "schedule": "cosine", **variant}
                worker = self.warm_worker(DIGITS, **given)
                learned = self.train(worker, f"run{number}", **goal)
                self.assertEqual(learned["end"], "reached", learned)
                self.assertEqual(learned["samples"], [1150, 287, 360, 0])
                self.assertEqual([p[0] for p in learned["points"]], [*range(36, 359, 36), 359])
                self.assertEqual(learned["points"][0][1], 36 * 32)
                self.assertGreater(learned["points"][-1][6], 0.9)
                self.assertGreater(learned["best"][2], 0.9)
                tested = self.train(worker, f"run{number}", **goal, tests=True)
                self.assertEqual(tested["points"], [])
                self.assertGreater(tested["test_accuracy"], 0.8)
                right = bin(int(tested["test_hits"], 16)).count("1")
                self.assertAlmostEqual(tested["test_accuracy"], right / tested["samples"][2])
                self.assertEqual(tested["best_step"], learned["best_step"])

    def linear_weights(self, optimizer: dict[str, Any], steps: int, hyper: Any) -> np.ndarray:
        """The kernel after so many steps, formula by formula. Steps behind the last update changed nothing."""
        data, start = data_of(LINEAR), weights_of(LINEAR)
        w = np.concatenate((start["0.kernel"], start["0.bias"][None])).astype(np.float64)
        m, v = np.zeros_like(w), np.zeros_like(w)
        order = Order(split(ROWS, 0.2, SEED)[0], BATCH, SEED)
        gradients: list[np.ndarray] = []
        updates = 0
        for step in range(steps):
            rows, rate = order.rows_of(step), float(learning_rate(hyper, step, steps))
            x = np.concatenate((data["x"][rows], np.ones((BATCH, 1))), axis=1)
            gradients.append(2 * x.T @ (x @ w - data["y"][rows]) / (BATCH * 2))
            if len(gradients) < hyper.accumulate:
                continue
            g = np.mean(gradients, axis=0)
            gradients, updates = [], updates + 1
            g *= min(1, hyper.clip_norm / (np.linalg.norm(g) + 1e-6))
            w *= 1 - rate * hyper.weight_decay
            if optimizer is ADAM:
                m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
                moved = m / (1 - 0.9**updates)
                w -= rate * moved / (np.sqrt(v / (1 - 0.999**updates)) + 1e-7)
            else:
                m = optimizer["sgd"]["momentum"] * m + g
                w -= rate * m
        return w[:-1]

    def test_weights_are_those_of_the_formulas(self) -> None:
        self.check_weights(FORMULAS, self.variants)

    def test_weights_are_those_of_the_mean_over_the_steps_of_an_update(self) -> None:
        """The decay once, the clipping of the mean, the rate of the last step, and two steps without an update."""
        self.check_weights({**FORMULAS, "accumulate": 3}, self.accumulating_variants())

    def check_weights(self, parameters: dict[str, Any], variants: list[dict[str, Any]]) -> None:
        hyper = hyper_of({"batch": BATCH, "seed": SEED, **parameters}, 0.0)
        for variant in variants:
            for optimizer in (SGD, MOMENTUM, ADAM):
                with self.subTest(optimizer=optimizer, **variant):
                    given = {**LINEAR, "optimizer": optimizer}
                    worker = self.warm_worker(given, **{**parameters, **variant})
                    name = f"run{len(list(self.folder.iterdir()))}"
                    learned = self.train(worker, name, metric="train_loss")
                    self.assertNotIn("validation_accuracy", learned["metrics"])
                    kernel = self.linear_weights(optimizer, 20, hyper)
                    np.testing.assert_allclose(
                        self.saved(name)["weights/0.kernel"], kernel, rtol=2e-5, atol=2e-6
                    )

    # ---- going on -----------------------------------------------------------------------------------

    def test_a_killed_run_goes_on_bit_for_bit(self) -> None:
        self.check_killed(self.variants)

    def test_a_run_killed_between_updates_goes_on_bit_for_bit(self) -> None:
        """After seven steps, one of which waits for its update; evaluations come after 5, 10, 15 and 20."""
        self.check_killed([{**v, "accumulate": 3} for v in self.accumulating_variants()])

    def check_killed(self, variants: list[dict[str, Any]]) -> None:
        """A training that is killed and one that goes on have processes of their own. The whole run is made by one that has trained
        before: what that has left there must not show either."""
        for number, variant in enumerate(variants):
            with self.subTest(**variant):
                m = KEEPING if "normalized" in self.models else MODELS["dense"]
                whole = self.train(self.warm_worker(m, **variant), f"whole{number}")
                killed = self.worker(m, KILLED.format(writes=7), **variant)
                self.assertEqual(self.train(killed, f"cut{number}"), {"type": "gone"})
                again = self.worker(m, **variant)
                resumed = self.train(again, f"cut{number}")
                self.assertEqual(numbers(resumed), numbers(whole))
                self.assert_same(f"whole{number}", f"cut{number}")
                again.stop()

    def test_a_run_of_the_loader_is_that_of_the_data_bit_for_bit(self) -> None:
        """In one piece, killed after seven steps, and by a loader that shows who reads a batch too late."""
        for number, variant in enumerate(self.fed_variants or self.variants):
            with self.subTest(**variant):
                m = KEEPING if "normalized" in self.models else MODELS["dense"]
                given = {**variant, "input": "loader", "loader_workers": 1, "loader_depth": 2}
                worker = self.warm_worker(m, **variant)
                whole = self.train(worker, f"whole{number}")
                killed = self.worker(m, KILLED.format(writes=7), **given)
                self.assertEqual(self.train(killed, f"cut{number}"), {"type": "gone"})
                self.prepare(worker, m, **given)
                spoiling = self.worker(m, SPOILING, **given)
                for run, one in (("fed", worker), ("cut", worker), ("spoiled", spoiling)):
                    learned = self.train(one, f"{run}{number}")
                    self.assertEqual(numbers(learned), numbers(whole), run)
                    self.assert_same(f"whole{number}", f"{run}{number}")
                spoiling.stop()

    def test_three_pieces_are_one(self) -> None:
        self.check_pieces(self.models, 1)

    def test_three_pieces_that_end_between_updates_are_one(self) -> None:
        """The first one after step 10; the second one at an update, after step 15."""
        self.check_pieces([name for name in ("dense", "normalized") if name in self.models], 3)

    def check_pieces(self, models: Sequence[str], accumulate: int) -> None:
        for name in models:
            with self.subTest(name, accumulate=accumulate):
                worker = self.warm_worker(MODELS[name], accumulate=accumulate)
                whole = self.train(worker, f"{name} {accumulate} whole")
                self.assertEqual(len(whole["points"]), 4, whole)
                points = []
                for start, end in ((0, 0.3), (0.3, 0.75), (0.75, 1)):
                    # its initial state is not the leg's before
                    self.prepare(worker, MODELS[name], accumulate=accumulate)
                    part = {"from": start, "to": end}
                    leg = self.train(worker, f"{name} {accumulate} legs", **part)
                    points += numbers(leg)
                self.assertEqual(points, numbers(whole))
                bests = [(one["best_step"], one["best"]) for one in (leg, whole)]
                self.assertEqual(*bests)
                self.assert_same(f"{name} {accumulate} whole", f"{name} {accumulate} legs")

    def test_accumulated_steps_give_the_curve_of_the_native_engine(self) -> None:
        given = {**FORMULAS, "accumulate": 3}
        own = self.train(self.warm_worker(MODELS["dense"], **given), "own")
        native = NativeWorker(self.folder)
        self.addCleanup(native.stop)
        self.prepare(native, MODELS["dense"], **given, engine="native", mode="graph")
        theirs = self.train(native, "native")
        self.assertEqual(len(own.get("points", [])), 4, own)
        self.assertEqual(len(theirs.get("points", [])), 4, theirs)
        np.testing.assert_allclose(numbers(own), numbers(theirs), rtol=1e-5)

    def test_batch_norm_is_evaluated_by_its_moving_moments(self) -> None:
        if "normalized" not in self.models:
            self.skipTest(f"{self.engine} has no batch_norm")
        for number, variant in enumerate(self.variants):
            # Each step moves the moments, whether it updates the weights or not.
            for accumulate in (1, 3) if variant in self.accumulating_variants() else (1,):
                for m in NORMALS:
                    with self.subTest(m["name"], accumulate=accumulate, **variant):
                        options = {"learning_rate": 0.0, "accumulate": accumulate, **variant}
                        worker = self.warm_worker(m, **options)
                        self.check_moments(m, worker, f"run{number} {accumulate} {m['name']}")

    def check_moments(self, m: dict[str, Any], worker: Worker, checkpoint: str) -> None:
        learned = self.train(worker, checkpoint)
        saved, data = self.saved(checkpoint), data_of(m)
        training, validation = split(ROWS, 0.2, SEED)
        order, mean, variance = Order(training, BATCH, SEED), np.zeros(3), np.zeros(3)
        for step in range(20):
            rows = data["x"][order.rows_of(step)].reshape(-1, 3).astype(np.float64)
            share = max(0.25, 1 / (step + 1))
            mean += share * (rows.mean(axis=0) - mean)
            variance += share * (rows.var(axis=0) - variance)
        np.testing.assert_allclose(saved["weights/0.moving_mean"], mean, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(saved["weights/0.moving_variance"], variance, rtol=1e-5)
        x = (data["x"][validation] - mean) / np.sqrt(variance + NORM["epsilon"]) * 1.5
        z = x.reshape(len(x), -1) @ saved["weights/2.kernel"]
        loss = np.mean((z - data["y"][validation]) ** 2)
        np.testing.assert_allclose(learned["points"][-1][5], loss, rtol=1e-4)

    def test_batch_norm_learns_as_in_the_native_engine(self) -> None:
        """The first evaluation is made the best: the test part must meet the moments of then."""
        if "normalized" not in self.models:
            self.skipTest(f"{self.engine} has no batch_norm")
        goal: dict[str, Any] = {"steps": None, "epochs": 4.0, "evaluations": 8}
        goal |= {"metric": "validation_loss", "maximizes": True, "min_delta": 0.0}
        native = NativeWorker(self.folder)
        self.addCleanup(native.stop)
        self.prepare(native, NORMAL_DIGITS, batch=32, engine="native", mode="graph")
        expected = self.train(native, "native", **goal)
        tested = self.train(native, "native", **goal, tests=True)
        self.assertIn("points", expected)
        self.assertEqual(expected["best_step"], expected["points"][0][0])
        for number, variant in enumerate(self.variants):
            with self.subTest(**variant):
                worker = self.warm_worker(NORMAL_DIGITS, **{**variant, "batch": 32})
                learned = self.train(worker, f"run{number}", **goal)
                found = self.train(worker, f"run{number}", **goal, tests=True)
                np.testing.assert_allclose(numbers(learned), numbers(expected), rtol=1e-3)
                self.assertAlmostEqual(found["test_loss"], tested["test_loss"], 4)
                self.assertEqual(found["test_hits"], tested["test_hits"])
                names = [name for name in self.saved("native") if "/1.moving_" in name]
                self.assertEqual(len(names), 4, names)
                for name in names:
                    mine, other = self.saved(f"run{number}")[name], self.saved("native")[name]
                    np.testing.assert_allclose(mine, other, rtol=1e-3, atol=1e-5, err_msg=name)

    def test_each_step_drops_others(self) -> None:
        """All rows are the same and nothing is learned: only what is dropped tells steps apart."""
        if "classes" not in self.models:
            self.skipTest(f"{self.engine} has no dropout")
        m = MODELS["classes"]
        data = {name: np.repeat(t[:1], ROWS, axis=0) for name, t in data_of(m).items()}
        for number, variant in enumerate(self.variants):
            with self.subTest(**variant):
                worker = self.warm_worker(m, learning_rate=0.0, **variant)
                write_safetensors(Path(self.data), data)
                learned = self.train(worker, f"run{number}", evaluations=20)
                losses = [point[4] for point in learned["points"]]
                self.assertGreater(len(set(losses)), 10, losses)
                self.assertEqual(len({point[5] for point in learned["points"]}), 1)

    def test_a_run_that_diverges_is_over(self) -> None:
        worker = self.warm_worker(LINEAR, learning_rate=1e30)
        learned = self.train(worker, to=0.5)
        self.assertEqual(learned["end"], "diverged", learned)
        self.assertEqual(learned["points"][-1][4:], [None, None])
        later = self.train(worker, **{"from": 0.5})
        self.assertEqual((later["end"], later["points"]), ("diverged", []))
