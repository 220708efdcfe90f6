"""The parts of training that need no engine: order, split, schedule, curve, checkpoint."""

from __future__ import annotations

import contextlib
import errno
import io
import math
import os
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
from regatta_worker import checkpoint, curve, order, safetensors, schedule
from regatta_worker import training as training_of_runs
from regatta_worker.checkpoint import Checkpoint
from regatta_worker.curve import History, Rule
from regatta_worker.errors import StorageFailed, Unsupported
from regatta_worker.layers import BatchNorm
from regatta_worker.learner import Learner

MASK = (1 << 64) - 1
WORD = (1 << 32) - 1


# ---- regatta/base/random.hpp and src/data/order/permutation.cpp, number by number ------------------


def bits(seed: int, counter: int) -> int:
    z = seed * 0xD1342543DE82EF95 + (counter + 1) * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def below(value: int, places: int) -> int:
    value = value * 0x85EBCA6B & WORD
    value ^= value >> 13
    return ((value * 0xC2B2AE35 & WORD) >> 17) * places >> 15


def image(size: int, key: int, place: int) -> int:
    a = int(math.sqrt(size - 1)) + 1
    b = -(-size // a)
    rounds = [bits(key, i) >> 32 for i in range(4)]
    while True:
        left, right = place % a, place // a
        for i in (0, 2):
            left = (left + below(right + rounds[i] & WORD, a)) % a
            right = (right + below(left + rounds[i + 1] & WORD, b)) % b
        place = right * a + left
        if place < size:
            return place


class Orders(unittest.TestCase):
    def test_images_are_those_of_the_loader(self) -> None:
        for (
            size,
            key,
            first,
            digest,
        ) in (  # printed by data::Permutation; digest: s * 1000003 + image
            (1437, bits(3, order.SPLIT_STREAM), [118, 169, 383, 793], 5099186999126222662),
            (2, 5, [1, 0], 1000003),
            (10, 0, [4, 5, 6, 1], 4483499814439083283),
            (1000, 12345678901234567, [711, 976, 772, 670], 3566787193538117848),
            (100003, MASK, [53932, 34528, 26674, 50682], 2757976089800690011),
        ):
            images, sum_ = order.Permutation(size, key).images().tolist(), 0
            for one in images:
                sum_ = sum_ * 1000003 + one & MASK
            self.assertEqual((images[:4], sum_), (first, digest))
            self.assertEqual(sorted(images), list(range(size)))

    def test_every_small_size_is_permuted_as_number_by_number(self) -> None:
        for size in (*range(1, 70), 257, 1023, 1024, 1025):
            for key in (0, 1, MASK, 0x123456789ABCDEF):
                expected = [image(size, key, place) for place in range(size)]
                self.assertEqual(order.Permutation(size, key).images().tolist(), expected)
                self.assertEqual(sorted(expected), list(range(size)))

    def test_steps_read_what_the_loader_reads(self) -> None:
        steps = order.Order(np.arange(1150), 32, 3)
        self.assertEqual(steps.steps_per_epoch, 35)
        for step, first in (  # printed by data::EpochOrder: 1150 samples, batch 32, seed 3
            (0, [807, 131, 682, 559, 820, 1131, 18, 907]),
            (34, [126, 800, 414, 186, 816, 825, 417, 759]),
            (35, [108, 179, 865, 481, 541, 47, 228, 621]),
            (7 * 35 + 34, [906, 63, 1074, 415, 521, 413, 990, 695]),
        ):
            self.assertEqual(steps.rows_of(step)[:8].tolist(), first)
        key = bits(bits(3, 1 << 34), 1)
        self.assertEqual(steps.rows_of(35)[8], image(1150, key, 8))
        chosen = order.Order(np.arange(1150) * 10, 32, 3).rows_of(34)
        self.assertEqual(chosen[:2].tolist(), [1260, 8000])

    def test_the_split_takes_the_first_images_for_validation(self) -> None:
        training, validation = order.split(1437, 0.2, 3)
        self.assertEqual((len(training), len(validation)), (1150, 287))
        whole = [image(1437, bits(3, 0x73706C6974), place) for place in range(1437)]
        self.assertEqual([*validation.tolist(), *training.tolist()], whole)
        self.assertNotEqual(order.split(1437, 0.2, 4)[1].tolist(), validation.tolist())
        self.assertEqual([len(part) for part in order.split(10, 0.25, 0)], [7, 3])  # 2.5: up
        training, validation = order.split(7, 0.5, 3, own=2)
        self.assertEqual(training.tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(validation.tolist(), [5, 6], "the last rows, for every seed")
        for none in (0.0, 0.01):
            training, validation = order.split(10, none, 3)
            self.assertEqual((training.tolist(), len(validation)), (list(range(10)), 0))


class CompilesAtFirst(Learner):
    """Its first step and its first evaluation take 100 s, all others 1 s, by a clock that only they move."""

    def __init__(self, clock: list[float]) -> None:
        self.clock, self.taken, self.compiled = clock, np.zeros(1), set()
        self.hyper = schedule.hyper_of({"batch": 4, "accumulate": 2}, 0.1)
        self.loss_name = "mse"
        self.remember_start()

    def pass_time(self, what: str) -> None:
        self.clock[0] += 1.0 if what in self.compiled else 100.0
        self.compiled.add(what)

    def samples(self) -> dict[str, np.ndarray]:
        return {"x": np.zeros((30, 1), np.float32), "y": np.zeros((30, 1), np.float32)}

    def check_samples(self, x: np.ndarray, y: np.ndarray) -> None:
        """All are alike."""

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> float:
        self.pass_time(f"step, updates {self.hyper.updates(number)}")
        self.taken += 1
        return 0.5

    def evaluate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.pass_time("evaluation")
        return np.zeros(len(x)), np.zeros((len(x), 1))

    def weights(self) -> dict[str, np.ndarray]:
        return {"taken": self.taken.copy()}

    def set_weights(self, weights: dict[str, np.ndarray]) -> None:
        self.taken = weights["taken"].copy()

    def optimizer_state(self) -> dict[str, np.ndarray]:
        return {}

    def set_optimizer_state(self, state: dict[str, np.ndarray]) -> None:
        """It keeps none."""


class WarmingUp(unittest.TestCase):
    def learn(
        self, learner: Learner, path: Path, clock: list[float], **more: Any
    ) -> dict[str, Any]:
        goal = {"from": 0.0, "to": 1.0, "data_path": "", "checkpoint_path": str(path), "steps": 12}
        goal.update(
            {"evaluations": 3, "validation": 0.2, "metric": "train_loss", "maximizes": False}
        )
        request = schedule.goal_of({**goal, "min_delta": 0.0, **more})
        stopped = SimpleNamespace(perf_counter=lambda: clock[0])
        with mock.patch.object(training_of_runs, "time", stopped):
            return training_of_runs.Run(learner, request, lambda learned: None).learn()

    def test_what_compiles_does_so_before_the_clock_starts(self) -> None:
        clock = [0.0]
        learner = CompilesAtFirst(clock)
        with tempfile.TemporaryDirectory() as folder:
            learned = self.learn(learner, Path(folder) / "run", clock)
            self.assertEqual([point[2:4] for point in learned["points"]], [[4, 1], [8, 2], [12, 3]])
            self.assertGreaterEqual(learned["prepare_seconds"], 300)
            self.assertEqual(learner.taken[0], 12, "steps of warming up are undone")
            before = clock[0]
            again = self.learn(learner, Path(folder) / "run", clock)
            self.assertEqual(clock[0], before, "a leg that is done warms nothing up")
            self.assertNotIn("prepare_seconds", again)


class MovingMoments(unittest.TestCase):
    def test_they_are_plain_means_until_the_smallest_share(self) -> None:
        norm = BatchNorm(momentum=0.75)
        shares = [norm.moving_share(number) for number in range(6)]
        np.testing.assert_allclose(shares, [1, 1 / 2, 1 / 3, 1 / 4, 1 / 4, 1 / 4])


class Schedules(unittest.TestCase):
    def rates(self, horizon: int = 10, **options: object) -> list[float]:
        hyper = schedule.hyper_of({"batch": 4, "learning_rate": 0.5, **options}, 0.1)
        found = [schedule.learning_rate(hyper, step, horizon) for step in range(horizon)]
        self.assertEqual({type(rate) for rate in found}, {np.float32})
        return [float(rate) for rate in found]

    def assert_rates(self, expected: list[float], **options: object) -> None:
        np.testing.assert_allclose(self.rates(**options), expected, rtol=1e-7)

    def test_rates(self) -> None:
        self.assert_rates([0.5] * 10)
        self.assert_rates([0.1] * 10, learning_rate=None)
        self.assert_rates([0.5 * (1 - i / 10) for i in range(10)], schedule="linear")
        self.assert_rates([0.5] * 5 + [0.05] * 3 + [0.005] * 2, schedule="step")
        cosine = [0.25 * (1 + math.cos(math.pi * i / 10)) for i in range(10)]
        self.assert_rates(cosine, schedule="cosine")

    def test_one_step_in_so_many_makes_an_update(self) -> None:
        for accumulate, expected in (
            (None, [0, 1, 2, 3, 4]),
            (1, [0, 1, 2, 3, 4]),
            (3, [2]),
            (5, [4]),
        ):
            hyper = schedule.hyper_of({"batch": 4, "accumulate": accumulate}, 0.1)
            self.assertEqual([step for step in range(5) if hyper.updates(step)], expected)

    def test_warm_up_climbs_to_the_rate_and_the_schedule_begins_behind_it(self) -> None:
        linear = [0.5 * (1 - i / 8) for i in range(8)]
        self.assert_rates([0.25, 0.5, *linear], schedule="linear", warmup=0.2)
        self.assert_rates([0.5 / 3, 1 / 3, 0.5] + [0.5] * 7, warmup=0.25)  # 2.5 steps: 3
        self.assert_rates([0.05 * i for i in range(1, 11)], schedule="linear", warmup=1.0)

    def test_an_unknown_schedule_is_refused(self) -> None:
        with self.assertRaisesRegex(Unsupported, "no schedule sine .*constant, cosine"):
            self.rates(schedule="sine")

    def test_evaluations_come_after_equally_many_steps(self) -> None:
        self.assertEqual(schedule.evaluation_steps(10, 4), [3, 5, 8, 10])
        self.assertEqual(schedule.evaluation_steps(3, 20), [1, 2, 3])
        self.assertEqual(schedule.evaluation_steps(7, 1), [7])

    def test_legs_end_after_evaluations(self) -> None:
        ends = [schedule.step_of_fraction(f, 1000, 20) for f in (0, 1 / 27, 1 / 9, 1 / 3, 0.15, 1)]
        self.assertEqual(ends, [0, 50, 150, 350, 150, 1000])
        third = schedule.step_of_fraction(0.1 + 0.2, 10, 10)  # a little more than 3 evaluations
        self.assertEqual(third, 3)

    def test_the_horizon_is_rounded_to_steps(self) -> None:
        fields = {"from": 0, "to": 1, "data_path": "", "checkpoint_path": "", "evaluations": 1}
        fields.update(validation=0, metric="train_loss", maximizes=False)
        for given, steps in (
            ({"epochs": 10}, 359),  # 359.375
            ({"epochs": 0.5}, 18),  # 17.97
            ({"epochs": 1e-6}, 1),
            ({"steps": 77}, 77),
        ):
            goal = schedule.goal_of({**fields, **given})
            self.assertEqual(schedule.horizon_of(goal, 1150, 32), steps)
        with self.assertRaises(KeyError):
            schedule.goal_of(fields)


class Curves(unittest.TestCase):
    def history(self, values: list[float], **changes: object) -> tuple[History, list[bool]]:
        """A curve of an accuracy, and which points were the best so far."""
        rule = Rule(**{**self.RULE, **changes})
        history = History(["train_loss", "validation_loss", "validation_accuracy"])
        bests = []
        for i, value in enumerate(values, 1):
            if history.end == "reached":
                loss = math.nan if math.isnan(value) else 0.5
                bests.append(history.add([i, 4 * i, 0.0, 0.0, loss, 0.5, value], rule))
        return history, bests

    RULE = {"metric": "validation_accuracy", "maximizes": True, "patience": 2, "min_delta": 0.0}

    def test_the_first_of_the_best_is_kept(self) -> None:
        history, bests = self.history([0.5, 0.75, 0.75, 0.5], patience=None)
        self.assertEqual(bests, [True, True, False, False])
        self.assertEqual(curve.best_of(history.points, history.metrics, Rule(**self.RULE))[0], 2)
        self.assertEqual(history.end, "reached")
        _, bests = self.history([0.5, 0.25, 0.25], maximizes=False)
        self.assertEqual(bests, [True, True, False])

    def test_a_run_stops_after_so_many_evaluations_without_improvement(self) -> None:
        history, _ = self.history([0.5, 0.6, 0.6, 0.59, 0.9])
        self.assertEqual((history.end, history.points[-1][0]), ("stopped", 4))
        history, _ = self.history([0.5, 0.6, 0.6, 0.7, 0.6, 0.7, 0.9])
        self.assertEqual((history.end, history.points[-1][0]), ("stopped", 6))

    def test_small_improvements_do_not_keep_a_run_alive_but_are_the_best(self) -> None:
        history, bests = self.history([0.5, 0.52, 0.54, 0.9], min_delta=0.05)
        self.assertEqual((history.end, history.points[-1][0]), ("stopped", 3))
        self.assertEqual(bests, [True, True, True])
        history, _ = self.history([0.5, 0.53, 0.56, 0.57, 0.6, 0.9], min_delta=0.05)
        self.assertEqual((history.end, history.points[-1][0]), ("stopped", 5))

    def test_a_loss_that_is_not_finite_ends_a_run_and_is_never_the_best(self) -> None:
        history, bests = self.history([0.5, math.nan, 0.9])
        self.assertEqual((history.end, bests), ("diverged", [True, False]))
        self.assertEqual(self.history([math.nan])[1], [False])

    def test_an_earlier_leg_knows_nothing_of_a_later_end(self) -> None:
        history, _ = self.history([0.5, 0.5, 0.5])
        self.assertEqual(
            [history.end_at(step) for step in (2, 3, 9)], ["reached"] + ["stopped"] * 2
        )

    def test_metrics_are_those_that_the_loss_has(self) -> None:
        names = ["train_loss", "validation_loss", "validation_accuracy"]
        self.assertEqual(curve.metrics_of("binary_crossentropy", True), names)
        self.assertEqual(curve.metrics_of("mse", True), names[:2])
        self.assertEqual(curve.metrics_of("binary_crossentropy", False), names[:1])
        with self.assertRaisesRegex(Unsupported, r"no metric loss .*\(it has train_loss\)"):
            curve.check_metric("loss", ["train_loss"])


class Checkpoints(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = str(Path(folder.name) / "run.safetensors")
        history = History(["train_loss"], [[1, 4, 0.1, 0.0, math.nan]], "diverged", 1, math.inf)
        weights = {"0.kernel": np.arange(6, dtype=np.float32).reshape(2, 3)}
        state = {"count": np.array(2**40), "0.kernel/m": np.full((1,), 0.1, np.float64)}
        self.saved = Checkpoint(history, weights, state, {"0.kernel": weights["0.kernel"] + 1})
        checkpoint.write(self.path, self.saved, {"seed": 3})

    def test_all_of_it_comes_back(self) -> None:
        read = checkpoint.read(self.path, {"seed": 3})
        for part in ("weights", "optimizer_state", "best_weights"):
            before, after = getattr(self.saved, part), getattr(read, part)
            self.assertEqual(list(before), list(after))
            for name, tensor in before.items():
                self.assertEqual(
                    (tensor.dtype, tensor.shape), (after[name].dtype, after[name].shape)
                )
                self.assertEqual(tensor.tobytes(), after[name].tobytes())
        self.assertEqual(read.history.points[0][:4], [1, 4, 0.1, 0.0])
        self.assertTrue(math.isnan(read.history.points[0][4]))
        self.assertFalse(math.isfinite(read.history.loss_sum))
        self.assertEqual(list(Path(self.path).parent.iterdir()), [Path(self.path)])

    def test_another_runs_and_damaged_ones_are_none(self) -> None:
        self.assertIsNone(checkpoint.read(self.path, {"seed": 4}))
        self.assertIsNone(checkpoint.read(self.path + "x", {"seed": 3}))
        whole = Path(self.path).read_bytes()
        for end in range(len(whole)):
            Path(self.path).write_bytes(whole[:end])
            self.assertIsNone(checkpoint.read(self.path, {"seed": 3}))

    def test_a_flipped_bit_is_none(self) -> None:
        whole = Path(self.path).read_bytes()
        shown = io.StringIO()
        for at in range(8, len(whole)):
            flipped = bytearray(whole)
            flipped[at] ^= 1 << at % 8
            Path(self.path).write_bytes(flipped)
            with contextlib.redirect_stderr(shown):
                self.assertIsNone(checkpoint.read(self.path, {"seed": 3}), at)
        self.assertIn("its checksum does not match (the run begins again)", shown.getvalue())

    def test_a_file_is_replaced_whole(self) -> None:
        before = Path(self.path).read_bytes()
        full = OSError("No space left on device")
        with mock.patch.object(os, "fsync", side_effect=full), self.assertRaises(OSError):
            safetensors.write(self.path, {"a": np.zeros(2, np.float32)}, {})
        self.assertEqual(Path(self.path).read_bytes(), before)
        self.assertEqual(list(Path(self.path).parent.iterdir()), [Path(self.path)])

    def test_a_full_disk_is_no_fault_of_the_run(self) -> None:
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with mock.patch.object(os, "fsync", side_effect=full):
            with self.assertRaisesRegex(StorageFailed, "run.safetensors': No space left on device"):
                checkpoint.write(self.path, self.saved, {"seed": 3})
        self.assertIsNotNone(checkpoint.read(self.path, {"seed": 3}))

    def test_mapped_tensors_are_those_that_are_read(self) -> None:
        mapped = safetensors.mapped(self.path)
        for name, tensor in safetensors.read(self.path).items():
            np.testing.assert_array_equal(mapped[name], tensor)
            self.assertFalse(mapped[name].flags.writeable)
            self.assertTrue(mapped[name].flags.aligned)


if __name__ == "__main__":
    unittest.main()
