"""Samples held as bytes, and batches of Regatta's loader: tests that all engines share."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
from engine_cases import ADAM, CLASSES, SPARSE, EngineTest, as_bytes, batches_of, model
from fake_feed import fake_open
from regatta_worker import fed
from regatta_worker.errors import Unsupported
from textbook import Textbook

SCALE = float(np.float32(1 / 255))
STEPS = 50
PLACES = 2  # so that each is filled again at once
# So large that a step is not over when it has only been started.
WIDE = model("wide", [512], [{"dense": 64, "activation": "relu"}, CLASSES], SPARSE, ADAM)


class InputTest(EngineTest):
    networks = ("sequence", "image")  # with and without several channels
    common: dict[str, Any] = {}  # parameters of all tests
    piped: tuple[dict[str, Any], ...] = ()  # the framework's own pipelines
    kinds: tuple[dict[str, Any], ...] = (
        {},
    )  # modes and loops whose steps read batches in ways of their own

    def fed_check(self, name: str, **parameters: Any) -> None:
        self.check(name, **{**self.common, **parameters})

    # ---- bytes ---------------------------------------------------------------------------------

    def test_bytes_do_the_work_of_the_textbook(self) -> None:
        """Wherever they become float32; with a scale of 1 nothing is left but the cast."""
        for name in self.networks:
            for scale in (SCALE, 1.0):
                self.fed_check(name, scale=scale, host_dtype="uint8")
        for kind in self.kinds:
            self.fed_check(self.networks[0], scale=SCALE, host_dtype="uint8", **kind)
        self.fed_check(self.networks[0], scale=SCALE, host_dtype="uint8", work="infer")

    def test_pipelines_cast_where_the_trial_says(self) -> None:
        for pipeline in self.piped:
            for transform in ("step", "pipeline", None):
                for more in ({"scale": SCALE, "host_dtype": "uint8"}, {"host_dtype": "float64"}):
                    given = {"input": "pipeline", "transform": transform, **pipeline, **more}
                    self.fed_check(self.networks[0], **given)

    def test_samples_that_are_no_bytes_are_refused(self) -> None:
        with self.assertRaisesRegex(
            Unsupported, "are no bytes times a scale; use host_dtype float32"
        ):
            self.trial(self.networks[0], host_dtype="uint8", **self.common)

    # ---- the loader ----------------------------------------------------------------------------

    def test_the_loader_feeds_the_same_rows_in_the_same_order(self) -> None:
        for name in self.networks:
            for workers in (0, 1):
                self.fed_check(name, input="loader", loader_workers=workers)
            self.fed_check(name, input="loader", work="infer")
        for transform in ("step", "pipeline", None):
            for more in ({"scale": SCALE, "host_dtype": "uint8"}, {"host_dtype": "float64"}):
                for kind in self.kinds:
                    given = {"input": "loader", "transform": transform, **kind, **more}
                    self.fed_check(self.networks[0], **given)

    def test_a_place_that_is_filled_again_spoils_no_step(self) -> None:
        with mock.patch.object(fed, "open_feed", fake_open):
            for kind in self.kinds:
                self.assert_all_as_arrays(**kind)

    def test_the_loaders_process_gives_the_bits_of_arrays(self) -> None:
        for workers in (0, 1):
            self.assert_all_as_arrays(loader_workers=workers, **self.kinds[0])

    def assert_all_as_arrays(self, **parameters: Any) -> None:
        self.assert_as_arrays(**parameters)
        for transform in ("step", "pipeline"):
            self.assert_as_arrays(transform=transform, host_dtype="uint8", **parameters)

    def assert_as_arrays(self, **parameters: Any) -> None:
        """Bit for bit: what steps give that nobody waits for, and the weights behind them. Where a pipeline has made
        float32 of bytes, arrays of float32 give the same bits."""
        given = {**self.common, **parameters}
        works = ("train", "infer") if "loop" not in given else ("train",)
        in_step = given.get("transform") == "step"
        arrays = given if in_step else {**given, "host_dtype": "float32"}
        for work in works:
            with self.subTest(work=work, **parameters):
                found = self.fifty_steps(**{**given, "work": work, "input": "loader"})
                expected = self.fifty_steps(**{**arrays, "work": work, "input": "array"})
                self.assertEqual(len({one.tobytes() for one in expected[0][:5]}), 5)
                for step, pair in enumerate(zip(*(results for results, _ in (found, expected)))):
                    np.testing.assert_array_equal(*pair, err_msg=f"step {step}")
                for name, weights in expected[1].items():
                    np.testing.assert_array_equal(found[1][name], weights, err_msg=name)

    def fifty_steps(self, **parameters: Any) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
        batches = as_bytes(batches_of(WIDE, count=5, batch=128), SCALE)
        weights = Textbook(WIDE, batches).weights
        trial = self.prepared(WIDE, weights, batches, loader_depth=PLACES, **parameters)
        results = [trial.step() for _ in range(STEPS)]
        trial.wait()
        held = [self.array_of(result) for result in results]
        weights = trial.weights() if parameters["work"] == "train" else {}
        trial.close()
        return held, weights

    @staticmethod
    def array_of(result: Any) -> np.ndarray:
        return np.array(result)

    def test_facts_are_those_of_the_steps_so_far(self) -> None:
        """The feed that is made here says a second of everything."""
        with mock.patch.object(fed, "open_feed", fake_open):
            trial = self.trial(self.networks[0], input="loader", **self.common)
        for _ in range(4):
            trial.step()
        trial.check(3)
        facts = trial.input_facts()
        self.assertEqual((facts["input_bound_by"], facts["input_wait"]), ("storage", 0.25))
        self.assertEqual(self.trial(self.networks[0], **self.common).input_facts(), {})
