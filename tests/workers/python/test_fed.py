"""Batches of Regatta's loader, and samples that are held as bytes: what needs no framework and no process."""

from __future__ import annotations

import unittest
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
from context import network, parse_model
from regatta_worker import fed
from regatta_worker.errors import Unsupported
from regatta_worker.inputs import Settings, as_floats, batches_of, bytes_of, casts_in_step
from regatta_worker.learner import Learner
from regatta_worker.schedule import Hyper

SCALE = np.array([1 / 255], np.float32)
MODEL = network((2, 1), ("none",), "mse", {"sgd": {"learning_rate": 0.1}})


class StubFeed:
    """Two places, one after the other; what it is made of is in `words`."""

    def __init__(self, words: list[str], patience_seconds: float = 60.0) -> None:
        self.words, self.at, self.closed = dict(zip(words[::2], words[1::2])), -1, False
        self.places = [(np.full(2, place), np.full(1, place)) for place in range(2)]

    def next(self) -> int:
        self.at += 1
        return self.at % 2

    def seconds(self) -> dict[str, float]:
        return seconds(wait=1.0, compute=3.0, collate=2.0)

    def close(self) -> None:
        self.closed = True


def seconds(**some: float) -> dict[str, float]:
    names = ("wait", "compute", "read", "decode", "collate", "slot_wait")
    return {**dict.fromkeys(names, 0.0), "batches": 2.0, **some}


class FedTest(unittest.TestCase):
    def setUp(self) -> None:
        patch = mock.patch("regatta.feed.Feed", StubFeed)
        patch.start()
        self.addCleanup(patch.stop)


class Trials(FedTest):
    def words(self, x: np.ndarray, **levels: Any) -> dict[str, str]:
        settings = Settings(input="loader", loader_workers=3, loader_depth=5, **levels)
        tensors = {"x": x, "y": np.zeros((1, 1)), "x_scale": SCALE}
        return fed.feed_of_trial(settings, batches_of(tensors, settings, "/b")).words

    def test_the_loader_is_asked_for_what_the_trial_says(self) -> None:
        x = np.array([[0, 255, 17]], np.uint8).astype(np.float32) * SCALE
        asked = {"--batches": "/b", "--threads": "3", "--depth": "5"}
        plain = {**asked, "--as": "float32", "--give": "float32"}
        self.assertEqual(self.words(x), plain)
        double = {**asked, "--as": "float64"}
        self.assertEqual(
            self.words(x, host_dtype="float64", transform="step"), {**double, "--give": "file"}
        )
        scaled = {**asked, "--as": "uint8", "--x-scale": repr(float(SCALE[0]))}
        for transform, gives in ((None, "float32"), ("pipeline", "float32"), ("step", "file")):
            words = self.words(x, host_dtype="uint8", transform=transform)
            self.assertEqual(words, {**scaled, "--give": gives})
            self.assertEqual(np.float32(words["--x-scale"]), SCALE[0])

    def test_a_place_is_made_once_and_the_feed_ends_with_the_arm(self) -> None:
        made: list[int] = []
        trial = fed.Fed()
        self.assertEqual(trial.input_facts(), {})
        trial.close()

        def remember(x: np.ndarray, y: np.ndarray) -> int:
            made.append(int(x[0]))
            return made[-1]

        following = trial.start_feed(
            Settings(input="loader"),
            batches_of(
                {"x": np.zeros((1, 2), np.float32), "y": np.zeros((1, 1))}, Settings(), "/b"
            ),
            remember,
        )
        self.assertEqual([following() for _ in range(5)], [0, 1, 0, 1, 0])
        self.assertEqual(made, [0, 1])
        self.assertEqual(trial.input_facts()["input_wait"], 0.5)
        trial.close()
        self.assertTrue(trial.fed.closed)


class Facts(unittest.TestCase):
    def test_seconds_are_those_of_a_step(self) -> None:
        facts = fed.facts_of(seconds(wait=1.0, compute=3.0, read=4.0, slot_wait=6.0))
        self.assertEqual(facts["input_wait"], 0.5)
        self.assertEqual(facts["input_slot_wait"], 3.0)
        self.assertEqual(facts["input_decode"], 0.0)
        self.assertEqual(len(facts), 7)
        self.assertEqual(fed.facts_of(seconds(batches=0.0))["input_wait"], 0.0)

    def test_it_is_bound_by_the_consumer_or_by_what_threads_do_most(self) -> None:
        for expected, some in (
            ("consumer", {"wait": 0.0099, "compute": 0.9901, "read": 9.0}),
            ("storage", {"wait": 0.01, "compute": 0.99, "read": 2.0, "collate": 1.0}),
            ("decode", {"wait": 1.0, "decode": 2.0, "read": 1.0, "slot_wait": 9.0}),
            ("collate", {"wait": 1.0, "collate": 2.0, "read": 1.0}),
            ("handover", {"wait": 2.0, "collate": 0.5, "read": 0.4}),
        ):
            self.assertEqual(fed.facts_of(seconds(**some))["input_bound_by"], expected)


class Runs(FedTest):
    def run_of(self, first: int, reads_late: bool = False) -> fed.FedRun:
        settings = Settings(input="loader", loader_workers=1)
        learner = SimpleNamespace(
            hyper=Hyper(batch=4, seed=3, learning_rate=0.1),
            settings=settings,
            reads_late=reads_late,
        )
        return fed.FedRun(learner, SimpleNamespace(data_path="/d", validation=0.2), first)

    def test_the_loader_begins_where_the_run_goes_on(self) -> None:
        run = self.run_of(7)
        words = {"--training": "/d", "--validation": "0.2", "--seed": "3", "--batch": "4"}
        more = {"--first-step": "7", "--threads": "1", "--depth": "0"}
        self.assertEqual(run.feed.words, {**words, **more})
        self.assertIs(run.batch(7)[0], run.feed.places[0][0])
        with self.assertRaisesRegex(RuntimeError, "step 9 was asked for, the loader gives 8"):
            run.batch(9)
        run.close()
        self.assertTrue(run.feed.closed)

    def test_who_reads_late_gets_copies(self) -> None:
        run = self.run_of(0, reads_late=True)
        x, y = run.batch(0)
        for array, view in zip((x, y), run.feed.places[0]):
            np.testing.assert_array_equal(array, view)
            self.assertFalse(np.shares_memory(array, view))

    def test_training_reads_arrays_or_the_loader(self) -> None:
        for source in ("pipeline", "resident"):
            with self.assertRaisesRegex(Unsupported, f"no input {source} .it has array, loader"):
                Learner(parse_model(MODEL), Settings(input=source, own={"batch": 4}))


class Bytes(unittest.TestCase):
    def test_all_bytes_come_back(self) -> None:
        whole = np.arange(256, dtype=np.uint8)
        for scale in (SCALE, np.array([1], np.float32), np.array([0.3], np.float32)):
            x = whole.astype(np.float32) * scale
            held, found = bytes_of(x, scale)
            np.testing.assert_array_equal(held, whole)
            self.assertEqual(held.dtype, np.uint8)
            np.testing.assert_array_equal(as_floats(held, found), x)
            self.assertIs(as_floats(x, found), x)

    def test_whatever_is_no_byte_is_refused(self) -> None:
        one = np.ones(1, np.float32)
        for x, scale in (
            ([0.5], one),
            ([-1.0], one),
            ([256.0], one),
            ([np.nan], one),
            ([np.inf], one),
            ([1.0], np.zeros(1, np.float32)),
            ([1.0], None),
        ):
            with self.subTest(x=x, scale=scale), self.assertRaisesRegex(Unsupported, "no bytes"):
                bytes_of(np.array(x, np.float32), scale)
        with self.assertRaisesRegex(Unsupported, "no bytes"):
            bytes_of(np.array([1], np.int32), one)

    def test_where_samples_become_float32(self) -> None:
        for source, transform, piped, expected in (
            ("array", "pipeline", "pipeline", True),
            ("resident", "step", "step", False),
            ("pipeline", None, "step", True),
            ("pipeline", None, "pipeline", False),
            ("pipeline", "pipeline", "step", False),
            ("pipeline", "step", "pipeline", True),
            ("loader", None, "step", False),
            ("loader", "step", "step", True),
        ):
            settings = Settings(input=source, transform=transform)
            self.assertEqual(casts_in_step(settings, piped), expected, (source, transform, piped))


if __name__ == "__main__":
    unittest.main()
