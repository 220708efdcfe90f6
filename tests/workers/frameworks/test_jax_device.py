"""`device: cuda` in JAX, on a stand-in: a second device of the host, which JAX keeps apart as it does a GPU."""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"  # read when JAX first computes

import unittest
from typing import Any
from unittest import mock

import jax
import numpy as np
from engine_cases import EngineTest
from regatta_worker import engines
from regatta_worker.engines import jax as variables
from regatta_worker.engines.jax import place
from regatta_worker.engines.jax import trial as jax_trial
from regatta_worker.errors import Unsupported
from user_cases import UserModelTest, example

SETTINGS = ("jax_default_device", "jax_default_matmul_precision", "jax_platforms")


def keep_settings(test: unittest.TestCase) -> None:
    for name in SETTINGS:
        test.addCleanup(jax.config.update, name, getattr(jax.config, name))


def all_on(gpu: jax.Device, tree: Any) -> bool:
    arrays = [leaf for leaf in jax.tree.leaves(tree) if isinstance(leaf, jax.Array)]
    return bool(arrays) and all(leaf.devices() == {gpu} for leaf in arrays)


class JaxDevice(EngineTest):
    engine = "jax"
    own = {"device": "cuda", "mode": "graph"}

    def setUp(self) -> None:
        keep_settings(self)
        self.gpu = jax.devices("cpu")[1]
        patched = mock.patch.object(place, "gpus", lambda: [self.gpu])
        patched.start()
        self.addCleanup(patched.stop)

    def test_training_and_inference_are_those_of_the_textbook(self) -> None:
        for name in ("classes", "sequence", "recurrent"):
            self.check(name)
            self.check(name, work="infer")
        self.check("classes", mode="eager")

    def test_all_is_computed_there(self) -> None:
        for mode in ("eager", "graph"):
            for input in ("array", "resident"):
                trial = self.trial("classes", mode=mode, input=input)
                trial.step()
                held = (trial.parameters, trial.state, trial.key, trial.result)
                self.assertTrue(all_on(self.gpu, held), (mode, input))
            self.assertTrue(all_on(self.gpu, trial.next_batch()))

    def test_whoever_measures_waits_for_weights_and_moments(self) -> None:
        trial = self.trial("classes")
        trial.step()
        with mock.patch.object(jax_trial.jax, "block_until_ready") as wait:
            trial.wait()
        wait.assert_called_once_with((trial.parameters, trial.state, trial.result))

    def test_products_and_derivatives(self) -> None:
        for mode in ("eager", "graph"):
            self.check_small_models(mode=mode, device="cuda")

    def test_fp32_is_no_tf32(self) -> None:
        self.trial("dense")
        self.assertEqual(jax.config.jax_default_matmul_precision, "highest")

    def test_what_jax_reaches_is_told(self) -> None:
        self.assertEqual(engines.load("jax").describe().devices, ["cpu", "cuda"])


class OnACpu(EngineTest):
    engine = "jax"

    def setUp(self) -> None:
        keep_settings(self)

    def test_a_trial_of_a_gpu_is_refused(self) -> None:
        self.assertEqual(engines.load("jax").describe().devices, ["cpu"])
        with self.assertRaisesRegex(
            Unsupported, r"jax reaches no GPU here \(its devices are: cpu\)"
        ):
            self.trial("dense", device="cuda")

    def test_a_trial_of_the_cpu_stays_there_beside_a_gpu(self) -> None:
        jax.config.update("jax_platforms", None)
        with mock.patch.object(jax, "default_backend", lambda: "gpu"):
            trial = self.trial("dense", mode="graph")
        trial.step()
        self.assertEqual(jax.config.jax_default_device, jax.devices("cpu")[0])
        self.assertTrue(all_on(jax.devices("cpu")[0], trial.parameters))

    def test_gpus_are_looked_for_where_the_plugin_is_and_one_is_shown(self) -> None:
        spec = mock.Mock(submodule_search_locations=["somewhere"])
        module = mock.Mock()
        module.name = "xla_cuda13"
        for found, modules, shown, expected in (
            (spec, [module], None, True),
            (spec, [module], "GPU-1", True),
            (spec, [module], "", False),
            (spec, [], None, False),
            (None, [module], None, False),
        ):
            environment = {} if shown is None else {"CUDA_VISIBLE_DEVICES": shown}
            with (
                mock.patch.object(variables, "find_spec", lambda name: found),
                mock.patch.object(variables.pkgutil, "iter_modules", lambda folders: modules),
                mock.patch.dict(os.environ, environment),
            ):
                if shown is None:
                    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
                self.assertEqual(variables.has_cuda(), expected)


class UsersOwn(UserModelTest):
    engine = "jax"

    def setUp(self) -> None:
        super().setUp()
        keep_settings(self)

    def test_a_model_is_made_there(self) -> None:
        gpu = jax.devices("cpu")[1]
        with mock.patch.object(place, "gpus", lambda: [gpu]):
            trial = self.prepare(example("my_jax_model.py"), device="cuda", mode="graph")
            found = trial.check(3)
            self.assert_steps(trial)
            self.assertTrue(all_on(gpu, trial.parameters))
        jax.config.update("jax_default_device", None)
        there = self.prepare(example("my_jax_model.py"), mode="graph").check(3)
        np.testing.assert_allclose(found, there, 1e-5)


if __name__ == "__main__":
    unittest.main()
