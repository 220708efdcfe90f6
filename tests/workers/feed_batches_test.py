"""`regatta-worker feed`: the batches that the loader gives, in the order of the engines in Python, from each source."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import unittest
from typing import Any
from unittest import mock

import numpy as np

from feed_files import BATCH, ROWS, STEPS_PER_EPOCH, WIDTH, WORKER, WithFiles

# isort: split
import regatta
from regatta.feed import Feed
from regatta_worker.order import Order, split
from tools.hostile_commands import crc32c
from tools.safetensors import write_safetensors

SCALE = float(np.float32(1 / 255))


class OfFiles(WithFiles):
    def test_rows_are_those_of_the_order_at_any_threads_and_depth(self) -> None:
        for threads, depth in ((0, 0), (1, 0), (2, 0), (1, 2), (2, 7), (0, 5)):
            order = Order(np.arange(ROWS), BATCH, 7)
            feed = self.feed("--seed", 7, "--threads", threads, "--depth", depth)
            for step in range(3 * STEPS_PER_EPOCH):
                x, y = feed.places[feed.next()]
                rows = order.rows_of(step)
                np.testing.assert_array_equal(y, rows, f"{threads} threads, step {step}")
                np.testing.assert_array_equal(x, self.x[rows])

    def test_bytes_are_those_that_load_gives(self) -> None:
        steps, options = 50, ("--dtype", "float32", "--scale", SCALE, "--flips", "yes")
        words = [str(WORKER), "load", *self.words(*options, "--steps", steps)]
        told = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout
        feed = self.feed(*options)
        parts = [array.tobytes() for _ in range(steps) for array in feed.places[feed.next()]]
        self.assertEqual(crc32c(b"".join(parts)), json.loads(told)["digest"])

    def test_views_are_aligned_writable_and_of_the_types_of_the_files(self) -> None:
        feed = self.feed()
        self.assertEqual(len(feed.places), feed.depth)
        for x, y in feed.places:
            self.assertEqual((x.shape, x.dtype), ((BATCH, WIDTH), np.uint8))
            self.assertEqual((y.shape, y.dtype), ((BATCH,), np.int64))
            for array in (x, y):
                self.assertEqual(array.ctypes.data % 64, 0)
                self.assertTrue(array.flags.writeable and array.flags.c_contiguous)

    def test_what_is_written_into_a_batch_is_gone_with_it(self) -> None:
        feed, plain = self.feed("--depth", 2), self.feed()
        for _ in range(9):
            found, expected = feed.places[feed.next()][0], plain.places[plain.next()][0]
            np.testing.assert_array_equal(found, expected)
            found[:] = 0

    def test_it_begins_at_any_step(self) -> None:
        for first in (3, STEPS_PER_EPOCH - 1, 5 * STEPS_PER_EPOCH + 2):
            feed, order = self.feed("--first-step", first), Order(np.arange(ROWS), BATCH, 0)
            for step in range(first, first + 30):
                np.testing.assert_array_equal(feed.places[feed.next()][1], order.rows_of(step))

    def test_memory_that_batches_may_take_is_held(self) -> None:
        feed = self.feed("--memory", "4KiB")
        slot_bytes = 128 + 192  # 20 rows of 6 bytes and 20 numbers, up to a line
        self.assertLessEqual(feed.depth * slot_bytes, 4096)


class Calls(WithFiles):
    """No call of the system while batches are known to be ready."""

    def calls(self, steps: int) -> tuple[int, int, int]:
        feed = self.feed("--threads", 1, "--depth", 64)
        reads = mock.patch("os.read", wraps=os.read)
        writes = mock.patch("os.write", wraps=os.write)
        with reads as read, writes as write:
            for _ in range(steps):
                time.sleep(5e-4)  # long beside a batch of 20 rows
                feed.next()
            return read.call_count, write.call_count, feed.depth

    def test_without_threads_nothing_is_made_before_it_is_asked_for(self) -> None:
        feed = self.feed("--threads", 0, "--depth", 8)
        for step in range(5):
            feed.next()
            time.sleep(0.05)
            with self.assertRaises(BlockingIOError):
                feed._feeder._link.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
            self.assertEqual(feed._known, step + 1)

    def test_there_are_few(self) -> None:
        steps = 1280
        reads, writes, depth = self.calls(steps)
        self.assertLessEqual(reads, 1 + steps / (depth / 4))
        self.assertLessEqual(writes, 2 + steps / (depth / 4))
        self.assertGreaterEqual(writes, steps / depth)


class OfBatches(WithFiles):
    def setUp(self) -> None:
        super().setUp()
        self.path = str(self.folder / "batches.safetensors")
        bytes_of_x = np.random.default_rng(1).integers(0, 256, (3, 4, 5), np.uint8)
        self.x = bytes_of_x.astype(np.float32) * np.float32(SCALE)
        self.labels = np.arange(12, dtype=np.int32).reshape(3, 4)
        self.bytes_of_x = bytes_of_x
        write_safetensors(self.folder / "batches.safetensors", {"x": self.x, "y": self.labels})

    def given(self, *options: object) -> list[tuple[np.ndarray, ...]]:
        with Feed(["--batches", self.path, *(str(word) for word in options)]) as feed:
            return [tuple(a.copy() for a in feed.places[feed.next()]) for _ in range(7)]

    def test_they_come_in_their_order_again_and_again(self) -> None:
        for threads in (0, 1, 2):
            for step, (x, y) in enumerate(self.given("--threads", threads)):
                np.testing.assert_array_equal(x, self.x[step % 3])
                np.testing.assert_array_equal(y, self.labels[step % 3])

    def test_they_are_held_and_given_as_asked(self) -> None:
        held = {"float32": self.x, "float64": self.x.astype(np.float64), "uint8": self.bytes_of_x}
        for name, expected in held.items():
            options = ("--as", name, "--x-scale", SCALE)
            for (as_held, _), (as_floats, _) in zip(
                self.given(*options, "--give", "file"), self.given(*options, "--give", "float32")
            ):
                self.assertEqual((as_held.dtype, as_floats.dtype), (expected.dtype, np.float32))
            np.testing.assert_array_equal(self.given(*options)[2][0], expected[2])
            given = self.given(*options, "--give", "float32")
            np.testing.assert_array_equal(given[2][0], self.x[2])

    def test_indices_stay_what_they_are(self) -> None:
        x = np.arange(24, dtype=np.int32).reshape(3, 4, 2)
        write_safetensors(self.folder / "batches.safetensors", {"x": x, "y": self.labels})
        for options in ((), ("--as", "float64"), ("--give", "float32")):
            np.testing.assert_array_equal(self.given(*options)[1][0], x[1])
        with self.assertRaisesRegex(RuntimeError, "'x' holds indices"):
            self.given("--as", "uint8", "--x-scale", 1)


class OfTraining(WithFiles):
    def test_steps_read_the_rows_that_the_engines_in_python_read(self) -> None:
        x = np.random.default_rng(2).standard_normal((103, 3), np.float32)
        y = np.arange(103, dtype=np.int32)
        path = self.folder / "data.safetensors"
        tensors = {"x": x, "y": y, "test_x": x[:1], "test_y": y[:1]}
        write_safetensors(path, tensors)
        for validation, first in ((0.2, 0), (0.0, 0), (0.2, 17)):
            training, _ = split(103, validation, 5)
            order = Order(training, 8, 5)
            words = f"--training {path} --validation {validation} --seed 5 --batch 8 --first-step {first}"
            with Feed(words.split()) as feed:
                for step in range(first, first + 40):
                    found_x, found_y = feed.places[feed.next()]
                    rows = order.rows_of(step)
                    np.testing.assert_array_equal(found_y, y[rows], f"step {step}")
                    np.testing.assert_array_equal(found_x, x[rows])


class Batches(WithFiles):
    """The functions that users call."""

    def test_epochs_end(self) -> None:
        files = (self.folder / "x.npy", self.folder / "y.npy")
        seen = [y.copy() for _, y in regatta.batches(*files, batch=BATCH, epochs=2, order="file")]
        self.assertEqual(len(seen), 2 * STEPS_PER_EPOCH)
        np.testing.assert_array_equal(np.concatenate(seen[:STEPS_PER_EPOCH]), self.y[: 20 * BATCH])

    def test_a_copy_is_kept_over_turns(self) -> None:
        kept = [x for x, _ in self.batches(order="file", depth=2, copy=True, epochs=1)]
        np.testing.assert_array_equal(np.concatenate(kept), self.x[: len(kept) * BATCH])

    def test_epochs_are_whole_ones(self) -> None:
        for wrong in (0, -1, 1.5, "3"):
            with self.assertRaisesRegex(ValueError, "a whole number from 1 on, or None"):
                self.batches(epochs=wrong)

    def test_they_are_those_of_one_process(self) -> None:
        batches = self.batches(order="file")
        next(batches)
        child = os.fork()
        if child == 0:
            try:
                next(batches)
            except RuntimeError as error:
                os._exit(7 if "forked this one; make others here" in str(error) else 8)
            os._exit(9)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
        np.testing.assert_array_equal(next(batches)[1], self.y[BATCH : 2 * BATCH])

    def test_each_turn_behind_an_error_is_that_error(self) -> None:
        batches = self.batches(depth=2)
        next(batches)
        batches._feed._feeder.process.kill()
        for _ in range(3):
            with self.assertRaisesRegex(RuntimeError, "killed by SIGKILL"):
                for _ in range(100):
                    next(batches)

    def test_ctrl_c_is_the_callers(self) -> None:
        batches = self.batches(depth=2)
        next(batches)
        batches._feed._feeder.process.send_signal(signal.SIGINT)
        for _ in range(100):
            next(batches)

    def batches(self, **options: Any) -> regatta.Batches:
        return regatta.batches(self.folder / "x.npy", self.folder / "y.npy", batch=BATCH, **options)

    def test_numbers_are_converted(self) -> None:
        (x,) = next(
            regatta.batches(self.folder / "x.npy", dtype="float32", scale=SCALE, order="file")
        )
        expected = self.x[:32].astype(np.float32) * np.float32(SCALE)
        np.testing.assert_array_equal(x, expected)

    def test_a_column_of_a_table_is_named(self) -> None:
        (self.folder / "t.csv").write_text("a,b,kind\n1,2,x\n3,4,y\n5,6,x\n")
        batches = regatta.batches(self.folder / "t.csv", batch=3, order="file", csv_label="kind")
        x, y = next(batches)
        self.assertEqual((x.tolist(), y.tolist()), ([[1, 2], [3, 4], [5, 6]], [0, 1, 0]))

    def test_keys_of_a_table_are_those_of_a_sweep(self) -> None:
        (self.folder / "t.csv").write_text("id;a;kind\n0;1,5;x\n1;3;y\n")
        keys = {"delimiter": ";", "decimal": ",", "drop": ["id"], "header": True}
        batches = regatta.batches(
            self.folder / "t.csv", batch=2, order="file", csv_label="kind", table=keys
        )
        x, y = next(batches)
        self.assertEqual((x.tolist(), y.tolist()), ([[1.5], [3]], [0, 1]))
        with self.assertRaisesRegex(ValueError, 'set "delimiter"'):
            regatta.batches(self.folder / "t.csv", csv_label="kind")

    def test_the_training_part_of_a_file_that_has_both_is_read(self) -> None:
        parts = {"x_test": np.zeros((3, 2)), "x_train": np.ones((4, 2)), "y_train": np.arange(4)}
        np.savez(self.folder / "m.npz", **parts, y_test=np.arange(3))
        x, y = next(regatta.batches(self.folder / "m.npz", batch=4, order="file"))
        self.assertEqual((x.tolist(), y.tolist()), ([[1, 1]] * 4, [0, 1, 2, 3]))

    def test_a_bad_file_is_a_value_error_at_once(self) -> None:
        (self.folder / "x.npy").write_bytes((self.folder / "x.npy").read_bytes()[:300])
        with self.assertRaisesRegex(ValueError, "^'[^\n]*x.npy' is damaged at offset"):
            regatta.batches(self.folder / "x.npy")


if __name__ == "__main__":
    unittest.main()
