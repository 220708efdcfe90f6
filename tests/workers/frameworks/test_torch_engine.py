from __future__ import annotations

import itertools
import multiprocessing
import os
import unittest
from typing import Any, Callable, Iterator
from unittest import mock

import numpy as np
import torch
from engine_cases import MODELS, EngineTest, batches_of, textbook_of
from regatta_worker import engines
from regatta_worker.engines.torch import input as torch_input
from regatta_worker.engines.torch import model as torch_model
from regatta_worker.engines.torch import trial as torch_trial
from regatta_worker.engines.torch.versions import modes_here
from regatta_worker.errors import Unsupported

make_optimizer = torch_trial.make_optimizer
MODES = modes_here()
needs_compile = unittest.skipUnless("graph" in MODES, "this version compiles nothing")


class TorchEngine(EngineTest):
    engine = "torch"
    own = {"loader_workers": 0}

    def test_eager_training_is_that_of_the_textbook(self) -> None:
        for name in MODELS:
            self.check(name, mode="eager")

    @needs_compile
    def test_compiled_training_is_that_of_the_textbook(self) -> None:
        for name in ("classes", "sequence"):
            self.check(name, mode="graph")

    @needs_compile
    def test_a_trial_compiles_as_if_none_had_been_before_it(self) -> None:
        compiled = []
        for _ in range(2):
            before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
            self.trial("classes", mode="graph").step()
            compiled.append(torch._dynamo.utils.counters["stats"]["unique_graphs"] - before)
            engines.forget_all()  # resets the count, too
        self.assertGreater(compiled[0], 0)
        self.assertEqual(compiled[0], compiled[1])

    @needs_compile
    def test_a_trial_is_compiled_for_its_own_batch_whatever_was_compiled_before(self) -> None:
        given: list[Any] = []

        def note(module: torch.fx.GraphModule, inputs: list[Any]) -> Any:
            given.extend(inputs)
            return module

        def compiled(function: Callable, _: Any) -> Callable:
            return torch.compile(function, backend=note)

        m, weights = MODELS["dense"], textbook_of("dense").weights
        with mock.patch.object(torch_trial, "compiled", compiled):
            for rows in (2, 3, 5):
                self.prepared(m, weights, batches_of(m, batch=rows), mode="graph").step()
                engines.forget_all()
        self.assertGreater(len(given), 0)
        sizes = [size for tensor in given for size in getattr(tensor, "shape", [tensor])]
        self.assertEqual({type(size) for size in sizes}, {int})  # a size that may vary is none

    def test_inference_is_that_of_the_textbook(self) -> None:
        for name in MODELS:
            self.check(name, mode="eager", work="infer")
        if "graph" in MODES:
            self.check("sequence", mode="graph", work="infer")

    def test_input_may_be_double_or_resident(self) -> None:
        self.check("sequence", mode="eager", host_dtype="float64")
        self.check("sequence", mode="eager", input="resident")

    def test_a_loader_feeds_the_same_rows_in_the_same_order(self) -> None:
        for workers in (0, 2):
            for more in ({}, {"work": "infer"}, {"host_dtype": "float64"}):
                self.check(
                    "sequence", mode="eager", input="pipeline", loader_workers=workers, **more
                )
        if "graph" in MODES:
            self.check("classes", mode="graph", input="pipeline")

    def test_a_loaders_processes_stay_on_our_cores_and_end_with_the_arm(self) -> None:
        trial = self.trial("dense", mode="eager", input="pipeline", loader_workers=2)
        trial.step()
        processes = multiprocessing.active_children()
        self.assertEqual(len(processes), 2)
        for process in processes:
            self.assertEqual(os.sched_getaffinity(process.pid), os.sched_getaffinity(0))
            self.assertEqual(os.getpgid(process.pid), os.getpgid(0))  # stopped and killed with us
        trial.check(1)
        self.assertEqual(len(multiprocessing.active_children()), 2)
        trial.close()
        self.assertEqual(multiprocessing.active_children(), [])

    def test_products_and_derivatives(self) -> None:
        for mode in MODES[:2]:
            self.check_small_models(mode=mode)

    def test_dropout_is_on_in_steps_and_off_in_checks(self) -> None:
        trial = self.trial("classes", mode="eager")
        self.assertTrue(any(isinstance(m, torch.nn.Dropout) for m in trial.module.modules()))
        self.assertFalse(
            any(isinstance(m, torch.nn.Dropout) for m in trial.twin().module.modules())
        )

    def test_a_check_changes_nothing(self) -> None:
        trial = self.trial("dense", mode="eager")
        before = trial.weights()
        trial.check(2)
        for name, weight in trial.weights().items():
            np.testing.assert_array_equal(weight, before[name])

    def test_threads_are_set_and_read_back(self) -> None:
        self.trial("dense", mode="eager", threads=2)
        self.assertEqual(torch.get_num_threads(), 2)
        with mock.patch.object(torch, "set_num_threads"):
            with self.assertRaisesRegex(RuntimeError, "not the 1"):
                self.trial("dense", mode="eager", threads=1)

    def test_what_it_lacks_is_named(self) -> None:
        for lacking in (
            {"mode": "xla"},
            {"device": "cuda"},
            {"precision": "bf16"},
        ):
            with self.subTest(**lacking), self.assertRaises(Unsupported):
                self.trial("dense", **lacking)

    @unittest.skipIf("graph" in MODES, "this version compiles")
    def test_modes_that_came_later_are_refused(self) -> None:
        with self.assertRaisesRegex(Unsupported, "2.0 and newer have torch.compile"):
            self.trial("dense", mode="graph")


class PlantedFaults(EngineTest):
    """Each is found, and by what should find it."""

    engine = "torch"
    own = {"loader_workers": 0}

    def assert_found(self, where: str, name: str, **parameters: Any) -> None:
        self.assertRegex(self.found_difference(name, mode="eager", **parameters), where)

    def optimizer(self, **changes: Any) -> Any:
        def changed(options: Any, weights: list) -> torch.optim.Optimizer:
            optimizer = make_optimizer(options, weights)
            for group in optimizer.param_groups:
                group.update({key: change(group[key]) for key, change in changes.items()})
            return optimizer

        return mock.patch.object(torch_trial, "make_optimizer", changed)

    def test_wrong_epsilon(self) -> None:
        with self.optimizer(eps=lambda eps: 1e-8):
            self.assert_found("^optimizer: ", "classes")

    def test_doubled_learning_rate(self) -> None:
        with self.optimizer(lr=lambda lr: 2 * lr):
            self.assert_found("losses of step 2|optimizer", "dense")

    def test_transposed_kernel(self) -> None:
        right = torch_model.Builder.parameter

        def wrong(builder: Any, name: str, *axes: int) -> torch.nn.Parameter:
            return right(builder, name) if name == "0.kernel" else right(builder, name, *axes)

        with mock.patch.object(torch_model.Builder, "parameter", wrong):
            self.assert_found("losses of step 1", "dense")

    def test_dropped_bias_that_starts_at_zero(self) -> None:
        def forward(linear: torch.nn.Linear, x: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.linear(x, linear.weight)

        self.assertEqual(self.found_difference("dense", zero_biases=True, mode="eager"), "")
        with mock.patch.object(torch.nn.Linear, "forward", forward):
            self.assert_found(
                "losses of step 2|gradient of step 1: 0.bias", "dense", zero_biases=True
            )

    def test_bias_that_is_not_trained(self) -> None:
        def without_biases(options: Any, weights: list) -> torch.optim.Optimizer:
            kernels = [w for w in weights if w.ndim > 1 or len(weights) == 1]
            return make_optimizer(options, kernels)

        with mock.patch.object(torch_trial, "make_optimizer", without_biases):
            self.assert_found("losses of step 2|update of step 1: [01].bias", "dense")

    def test_shuffled_batch(self) -> None:
        right = torch_trial.NetworkTrial.host_batch

        def shuffled(x: np.ndarray, y: np.ndarray, first: bool) -> tuple[np.ndarray, np.ndarray]:
            x, y = right(x, y, first)
            return x[::-1].copy(), y[::-1].copy()

        with mock.patch.object(torch_trial.NetworkTrial, "host_batch", staticmethod(shuffled)):
            self.assert_found("losses of step 1", "sequence")

    def test_shuffled_loader(self) -> None:
        def backwards(sampler: Any) -> Iterator[int]:
            return itertools.cycle(reversed(range(sampler.rows)))

        with mock.patch.object(torch_input.Endless, "__iter__", backwards):
            self.assert_found("losses of step 2|update of step 1", "dense", input="pipeline")

    def swap_gates(self) -> Callable:
        right = torch_model.Builder.parameter

        def swapped(builder: Any, name: str, *axes: int) -> torch.nn.Parameter:
            parameter = right(builder, name, *axes)
            i, f, g, o = parameter.data.clone().chunk(4)
            parameter.data = torch.cat((f, i, g, o))
            return parameter

        def chosen(builder: Any, name: str, *axes: int) -> torch.nn.Parameter:
            recurrent = builder.tensors[name].shape[-1] % 4 == 0 and "ward." in name
            return (swapped if recurrent else right)(builder, name, *axes)

        return mock.patch.object(torch_model.Builder, "parameter", chosen)

    def test_swapped_gates(self) -> None:
        for name in ("recurrent", "recurrent relu"):
            with self.subTest(name), self.swap_gates():
                self.assert_found("losses of step 1", name)

    def test_second_bias_that_is_trained_too(self) -> None:
        """torch's LSTM has two: their sum would move twice as far."""
        right = torch_model.Builder.own_lstm

        def both(builder: Any, layer: Any, places: list[str]) -> torch.nn.Module:
            made = right(builder, layer, places)
            for name, parameter in made.module.named_parameters():
                if name.startswith("bias_hh"):
                    parameter.requires_grad_(True)
                    extra.append(parameter)
            return made

        def with_extra(options: Any, weights: list) -> torch.optim.Optimizer:
            return make_optimizer(options, [*weights, *extra] if len(weights) > 1 else weights)

        extra: list[torch.nn.Parameter] = []
        with mock.patch.object(torch_model.Builder, "own_lstm", both):
            with mock.patch.object(torch_trial, "make_optimizer", with_extra):
                self.assert_found("losses of step [23]|update|gradient", "recurrent")

    def test_folded_constant(self) -> None:
        """An output computed once."""
        right = torch_trial.NetworkTrial.inference_step

        def folded(trial: Any) -> Callable:
            output = right(trial)()
            return lambda: output

        with mock.patch.object(torch_trial.NetworkTrial, "inference_step", folded):
            self.assert_found("losses of step 2", "dense", work="infer")

    def test_stale_output(self) -> None:
        """From the second step on the output of the batch before."""
        right = torch_trial.NetworkTrial.inference_step

        def stale(trial: Any) -> Callable:
            step, last = right(trial), []

            def late() -> torch.Tensor:
                last.append(step())
                return last[max(0, len(last) - 2)]

            return late

        with mock.patch.object(torch_trial.NetworkTrial, "inference_step", stale):
            self.assert_found("losses of step 2", "dense", work="infer")


if __name__ == "__main__":
    unittest.main()
