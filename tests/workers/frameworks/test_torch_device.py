"""`device: cuda` in torch, on a stand-in: where tensors are, what is copied when, and that whoever measures waits."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
import training_cases
from engine_cases import MODELS, EngineTest
from regatta_worker import engines
from regatta_worker.engines.torch import place
from regatta_worker.engines.torch.trial import MatmulTrial
from regatta_worker.errors import Unsupported
from regatta_worker.inputs import Settings
from regatta_worker.layers import parse_model
from regatta_worker.loop import stamp_steps
from tools.safetensors import write_safetensors
from torch_stand_in import stand_in
from user_cases import UserModelTest, example

INPUTS = ("array", "pipeline", "resident")


class TorchDevice(EngineTest):
    engine = "torch"
    own = {"loader_workers": 0, "mode": "eager", "device": "cuda"}

    def setUp(self) -> None:
        standing = stand_in()
        self.gpu = standing.__enter__()
        self.addCleanup(standing.__exit__, None, None, None)

    def test_training_and_inference_are_those_of_the_textbook(self) -> None:
        for name in MODELS:
            for work in ("train", "infer"):
                self.check(name, work=work)

    def test_every_input_reaches_it(self) -> None:
        for input in INPUTS:
            for more in ({}, {"host_dtype": "float64"}, {"work": "infer"}):
                self.check("sequence", input=input, **more)
        self.check("image", host_dtype="uint8", scale=1 / 16)

    def test_a_step_copies_its_batch_unless_that_stays_there(self) -> None:
        for input in INPUTS:
            trial = self.trial("classes", input=input)
            trial.step()
            self.gpu.counts.clear()
            for _ in range(3):
                trial.step()
            copies = 0 if input == "resident" else 2 * 3
            self.assertEqual(self.gpu.counts["copies"], copies, input)
            self.assertEqual(self.gpu.counts["copies back"], 0, input)
            self.assertEqual(self.gpu.counts["waits"], 0, input)
            self.assertGreater(self.gpu.counts["kernels"], 0, input)

    def test_a_slice_ends_when_its_steps_are_done(self) -> None:
        trial = self.trial("dense")
        for each, waits in ((False, 1), (True, 4)):
            self.gpu.counts.clear()
            stamp_steps(trial.step, trial.wait, [2, 2, 2, 2], each)
            self.assertEqual(self.gpu.counts["waits"], waits)

    def test_a_cpu_is_not_waited_for_and_copies_nothing(self) -> None:
        trial = self.trial("dense", device="cpu")
        trial.step()
        trial.wait()
        self.assertEqual(self.gpu.counts.total(), 0)

    def test_products_and_derivatives(self) -> None:
        for device in place.DEVICES:
            self.check_small_models(mode="eager", device=device)
        trial = MatmulTrial(
            Settings(mode="eager", device="cuda", operands="fed"),
            {name: np.ones((1, 3, 3), np.float32) for name in "xy"},
        )
        self.gpu.counts.clear()
        trial.step()
        trial.wait()
        self.assertEqual(self.gpu.counts["copies"], 2)
        self.assertEqual(self.gpu.counts["waits"], 1)

    def test_cuda_graphs_are_asked_for_by_the_mode(self) -> None:
        asked: list[str | None] = []

        def compile(function: Any, mode: str | None = None) -> Any:
            asked.append(mode)
            return function

        steps = mock.patch.object(torch.compiler, "cudagraph_mark_step_begin")
        with mock.patch.object(torch, "compile", compile), steps as begun:
            self.check("classes", mode="reduce-overhead")
            self.check_small_models(mode="reduce-overhead", device="cuda")
            self.assertEqual(set(asked), {"reduce-overhead"})
            self.assertGreater(begun.call_count, 0)
            asked.clear()
            self.trial("classes", mode="graph")
        self.assertEqual(asked, [None])

    def test_fp32_is_no_tf32(self) -> None:
        switches = (torch.backends.cuda.matmul, torch.backends.cudnn)
        for switch in switches:
            self.addCleanup(setattr, switch, "allow_tf32", switch.allow_tf32)
            switch.allow_tf32 = True
        self.trial("dense")
        self.assertEqual([switch.allow_tf32 for switch in switches], [False, False])


class WithoutOne(EngineTest):
    engine = "torch"
    own = {"loader_workers": 0, "mode": "eager", "device": "cuda"}

    def test_what_torch_reaches_is_told(self) -> None:
        for version, available, devices in (
            ("13.0", True, ["cpu", "cuda"]),
            ("13.0", False, ["cpu"]),
            (None, True, ["cpu"]),  # another maker's
        ):
            with (
                mock.patch.object(torch.version, "cuda", version),
                mock.patch.object(torch.cuda, "is_available", lambda: available),
            ):
                self.assertEqual(engines.load("torch").describe().devices, devices)

    def test_a_trial_is_refused(self) -> None:
        with (
            mock.patch.object(torch.cuda, "is_available", lambda: False),
            self.assertRaisesRegex(Unsupported, "torch reaches no GPU here"),
        ):
            self.trial("dense")


class TrainedToAnEnd(unittest.TestCase):
    def setUp(self) -> None:
        standing = stand_in()
        standing.__enter__()
        self.addCleanup(standing.__exit__, None, None, None)
        layers = [layer for layer in training_cases.KEEPING["layers"] if "dropout" not in layer]
        self.model = {**training_cases.KEEPING, "name": "kept", "layers": layers}

    def learner(self, device: str) -> Any:
        given = {"engine": "torch", "threads": 1, "seed": 3, "batch": 4, "accumulate": 2}
        with tempfile.TemporaryDirectory() as folder:
            weights = write_safetensors(
                Path(folder) / "weights", training_cases.weights_of(self.model)
            )
            return engines.load("torch").prepare(
                parse_model(self.model), {**given, "mode": "eager", "device": device}, weights, ""
            )

    def trained(self, learner: Any, steps: range) -> None:
        random = np.random.default_rng(7)
        batches = [random.standard_normal((4, 4), dtype=np.float32) for _ in range(20)]
        for number in steps:
            y = np.arange(4, dtype=np.int32) % 3
            float(learner.step(number, batches[number], y, np.float32(0.01)))

    def test_it_learns_as_on_the_cpu_and_goes_on_from_a_checkpoint(self) -> None:
        arms = [self.learner(device) for device in place.DEVICES]
        for arm in arms:
            self.trained(arm, range(5))
        again = self.learner("cuda")
        again.restore(arms[1].weights(), arms[1].optimizer_state())
        for arm in (*arms, again):
            self.trained(arm, range(5, 8))
        for other in (arms[1], again):
            for name, weight in arms[0].weights().items():
                np.testing.assert_allclose(other.weights()[name], weight, 1e-5, 1e-6, name)
        losses, outputs = again.evaluate(np.ones((2, 4), np.float32), np.zeros(2, np.int32))
        self.assertEqual((losses.shape, outputs.shape), ((2,), (2, 3)))


class UsersOwn(UserModelTest):
    engine = "torch"
    own = {"loader_workers": 0, "mode": "eager"}

    def setUp(self) -> None:
        super().setUp()
        standing = stand_in()
        self.gpu = standing.__enter__()
        self.addCleanup(standing.__exit__, None, None, None)

    def test_a_model_is_moved_with_the_weights_that_its_optimizer_knows(self) -> None:
        self.assert_alike(example("my_model.py"), [{"device": device} for device in place.DEVICES])
        trial = self.prepare(example("my_model.py"), device="cuda")
        self.assertTrue(all(self.gpu.holds(weight) for weight in trial.module.parameters()))
        self.assert_steps(trial)


if __name__ == "__main__":
    unittest.main()
