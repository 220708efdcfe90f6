from __future__ import annotations

import unittest

import numpy as np
from context import batches_of, network, parse_model, weights_of
from regatta_worker.engines.numpy.trial import DenseTrial, ResidentDenseTrial
from regatta_worker.errors import Unsupported
from regatta_worker.inputs import settings_of

SGD = {"sgd": {"learning_rate": 0.1, "momentum": 0.0}}
MODELS = {
    "mse": network((4, 6, 3), ("relu", "none"), "mse", SGD),
    "mse of tanh": network((4, 6, 3), ("sigmoid", "tanh"), "mse", SGD),
    "binary": network((4, 6, 2), ("tanh", "sigmoid"), "binary_crossentropy", SGD),
    "classes": network((4, 6, 3), ("relu", "softmax"), "sparse_categorical_crossentropy", SGD),
}


def trial_of(model: dict, **parameters: object) -> DenseTrial:
    settings = settings_of(parameters)
    return DenseTrial(parse_model(model), settings, weights_of(model), batches_of(model))


class Resident(unittest.TestCase):
    """`input_resident`: the same work on a batch that is in place."""

    def trials(self) -> tuple[DenseTrial, ResidentDenseTrial]:
        model, settings = MODELS["mse"], settings_of({"host_dtype": "float64"})
        parts = (parse_model(model), settings, weights_of(model), batches_of(model))
        again = (parse_model(model), settings, weights_of(model), batches_of(model))
        return DenseTrial(*parts), ResidentDenseTrial(*again)

    def test_nothing_is_left_to_convert(self) -> None:
        trial, resident = self.trials()
        self.assertEqual(trial.xs[0].dtype, np.float64)
        self.assertEqual(resident.x.dtype, np.float32)

    def test_every_step_takes_the_first_batch(self) -> None:
        trial, resident = self.trials()
        for _ in range(3):
            trial.next = 0
            np.testing.assert_array_equal(resident.step(), trial.step())

    def test_a_check_takes_all_batches_and_leaves_the_trial_as_it_was(self) -> None:
        trial, resident = self.trials()
        before = [w.copy() for w in resident.weight_arrays]
        self.assertEqual(resident.check(3), trial.check(3))
        for kept, w in zip(before, resident.weight_arrays):
            np.testing.assert_array_equal(kept, w)
        np.testing.assert_array_equal(resident.x, resident.xs[0])


class Textbook:
    """The same networks in float64, from probabilities, one formula after the other."""

    def __init__(self, model: dict) -> None:
        self.model = model
        self.weights = {name: w.astype(np.float64) for name, w in weights_of(model).items()}
        self.x = batches_of(model)["x"].astype(np.float64)
        self.y = batches_of(model)["y"]

    def output(self, batch: int) -> np.ndarray:
        h = self.x[batch]
        for i, layer in enumerate(self.model["layers"]):
            z = h @ self.weights[f"{i}.kernel"] + self.weights[f"{i}.bias"]
            exp = np.exp(z)
            h = {
                "none": z,
                "relu": z * (z > 0),
                "tanh": np.tanh(z),
                "sigmoid": 1 / (1 + 1 / exp),
                "softmax": exp / exp.sum(axis=1, keepdims=True),
            }[layer["activation"]]
        return h

    def losses(self, batch: int) -> np.ndarray:
        p, y = self.output(batch), self.y[batch]
        if self.model["loss"] == "mse":
            return np.mean((p - y) ** 2, axis=1)
        if self.model["loss"] == "binary_crossentropy":
            return np.mean(-y * np.log(p) - (1 - y) * np.log(1 - p), axis=1)
        return -np.log(p[np.arange(len(p)), y])

    def gradient(self, name: str, batch: int) -> np.ndarray:
        """Central differences."""
        w = self.weights[name]
        gradient = np.empty_like(w)
        for at in np.ndindex(w.shape):
            kept, step = w[at], 1e-6
            w[at] = kept + step
            above = self.losses(batch).mean()
            w[at] = kept - step
            gradient[at] = (above - self.losses(batch).mean()) / (2 * step)
            w[at] = kept
        return gradient


class DenseNetworks(unittest.TestCase):
    def test_losses_are_those_of_the_textbook(self) -> None:
        for name, model in MODELS.items():
            with self.subTest(name):
                losses = Textbook(model).losses(0)
                np.testing.assert_allclose(trial_of(model).step(), losses.mean(), rtol=1e-5)
                np.testing.assert_allclose(trial_of(model).check(1), [losses], rtol=1e-5)

    def test_a_step_of_sgd_follows_the_numerical_gradient(self) -> None:
        for name, model in MODELS.items():
            with self.subTest(name):
                trial = trial_of(model)
                before = [w.copy() for w in trial.weight_arrays]
                trial.step()
                for i, w in enumerate(trial.weight_arrays):
                    tensor = f"{i // 2}.{('kernel', 'bias')[i % 2]}"
                    expected = Textbook(model).gradient(tensor, 0)
                    np.testing.assert_allclose(
                        (before[i] - w) / 0.1, expected, rtol=1e-3, atol=2e-5
                    )

    def test_inference_gives_the_output(self) -> None:
        for name, model in MODELS.items():
            with self.subTest(name):
                output = trial_of(model, work="infer").step()
                np.testing.assert_allclose(output, Textbook(model).output(0), rtol=1e-5, atol=1e-6)

    def test_everything_stays_in_float32(self) -> None:
        for name, model in MODELS.items():
            for host_dtype in ("float32", "float64"):
                with self.subTest(name, host_dtype=host_dtype):
                    trial = trial_of(model, host_dtype=host_dtype)
                    self.assertEqual(trial.xs[0].dtype, host_dtype)
                    trial.step()
                    gradients = trial.gradients(0).values()
                    self.assertEqual({g.dtype.name for g in gradients}, {"float32"})
                    self.assertEqual({w.dtype.name for w in trial.weight_arrays}, {"float32"})

    def test_steps_cycle_over_the_batches(self) -> None:
        trial = trial_of(MODELS["mse"], work="infer")
        first, second, third = trial.step(), trial.step(), trial.step()
        self.assertFalse(np.array_equal(first, second))
        np.testing.assert_array_equal(first, third)

    def test_a_check_starts_from_the_initial_weights_and_changes_nothing(self) -> None:
        trial = trial_of({**MODELS["mse"], "optimizer": {"adam": {"learning_rate": 0.01}}})
        first = trial.check(3)
        trial.step()
        weights = [w.copy() for w in trial.weight_arrays]
        self.assertEqual(trial.check(3), first)
        self.assertEqual(len(first[0]), 5)
        self.assertNotEqual(first[0], first[2])
        for kept, now in zip(weights, trial.weight_arrays):
            np.testing.assert_array_equal(kept, now)
        self.assertEqual(trial.next, 1)

    def test_large_inputs_overflow_nothing(self) -> None:
        for name, model in MODELS.items():
            with self.subTest(name):
                trial = trial_of(model)
                trial.xs = [x * 1e4 for x in trial.xs]
                with np.errstate(over="raise", invalid="raise", divide="raise"):
                    self.assertTrue(np.isfinite(trial.step()).all())

    def test_what_it_lacks_is_named(self) -> None:
        dropout = {**MODELS["mse"], "layers": [{"dropout": 0.5}, {"dense": 1}]}
        with self.assertRaisesRegex(Unsupported, "net, layer 0: .* no layer Dropout"):
            trial_of_layers(dropout)
        softmax = network((4, 3), ("softmax",), "mse", SGD)
        with self.assertRaisesRegex(Unsupported, "softmax"):
            trial_of_layers(softmax)
        logits = network((4, 3), ("none",), "sparse_categorical_crossentropy", SGD)
        with self.assertRaisesRegex(Unsupported, "needs a last softmax"):
            trial_of_layers(logits)


def trial_of_layers(model: dict) -> DenseTrial:
    return DenseTrial(parse_model(model), settings_of({}), {}, {})


class Optimizers(unittest.TestCase):
    """Two steps on one weight with known gradients, by hand."""

    def run_steps(self, optimizer: dict, gradients: list[float]) -> float:
        from regatta_worker.engines.numpy.trial import make_optimizer
        from regatta_worker.layers import parse_optimizer

        weights = [np.array([1.0], dtype=np.float32)]
        state = make_optimizer(parse_optimizer(optimizer), weights)
        for g in gradients:
            state.update(weights, [np.array([g], dtype=np.float32)])
        return float(weights[0][0])

    def test_sgd(self) -> None:
        self.assertAlmostEqual(self.run_steps(SGD, [0.5, -1.0]), 1 - 0.1 * (0.5 - 1.0), places=6)

    def test_momentum_adds_a_share_of_the_last_velocity(self) -> None:
        sgd = {"sgd": {"learning_rate": 0.1, "momentum": 0.9}}
        velocity = 0.9 * 0.5 - 1.0
        self.assertAlmostEqual(
            self.run_steps(sgd, [0.5, -1.0]), 1 - 0.1 * (0.5 + velocity), places=6
        )

    def test_adam_adds_epsilon_to_the_root_of_the_corrected_moment(self) -> None:
        options = {"learning_rate": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-2}
        w = m = v = 0.0
        w = 1.0
        for t, g in enumerate([1e-3, -2e-3], 1):
            m = 0.9 * m + 0.1 * g
            v = 0.99 * v + 0.01 * g * g
            w -= 0.1 * (m / (1 - 0.9**t)) / ((v / (1 - 0.99**t)) ** 0.5 + 1e-2)
        self.assertAlmostEqual(self.run_steps({"adam": options}, [1e-3, -2e-3]), w, places=6)


if __name__ == "__main__":
    unittest.main()
