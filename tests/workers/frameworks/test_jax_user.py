from __future__ import annotations

import unittest

from tools.same_work_judge import difference
from user_cases import STEPS, UserModelTest, example

START = """
import numpy as np, jax
from jax import numpy as jnp
def make_batch(n, seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((n, 6)), random.standard_normal((n, 2))
def params(seed): return {"w": jax.random.normal(jax.random.key(seed), (6, 2)), "b": jnp.zeros(2)}
def samples(p, x, y): return ((x @ p["w"] + p["b"] - y) ** 2).mean(axis=1)
def mean(p, x, y): return samples(p, x, y).mean()
def predict(p, x): return x @ p["w"] + p["b"]
"""
BOTH = [{"mode": "eager"}, {"mode": "graph"}]


class JaxUser(UserModelTest):
    engine = "jax"

    def test_the_example_of_the_page_does_the_same_in_both_modes(self) -> None:
        self.assert_alike(example("my_jax_model.py"), BOTH)

    def test_input_may_be_resident(self) -> None:
        self.assert_alike(example("my_jax_model.py"), [{}, {"input": "resident"}], mode="graph")

    def test_a_loss_of_samples_or_their_mean(self) -> None:
        losses = {}
        for loss, count in (("samples", 8), ("mean", 1)):
            text = START + f"def build(seed): return params(seed), {loss}\n"
            losses[loss] = self.prepare(text, mode="graph").check(STEPS)
            self.assertEqual([len(step) for step in losses[loss]], [count] * STEPS)
        for all_of_them, one in zip(losses["samples"], losses["mean"]):
            self.assertAlmostEqual(sum(all_of_them) / 8, one[0], places=4)

    def test_optimizers(self) -> None:
        """None, a function, and a pair as optax has them."""
        pair = """
class Momentum:
    def init(self, p): return jax.tree.map(jnp.zeros_like, p)
    def update(self, g, s, p):
        s = jax.tree.map(lambda v, g: 0.0 * v + g, s, g)
        return jax.tree.map(lambda v: -0.01 * v, s), s
"""
        function = "lambda p, g: jax.tree.map(lambda w, d: w - 0.01 * d, p, g)"
        first = self.prepare(
            START + "def build(seed): return params(seed), samples\n", mode="graph"
        )
        expected = first.examine(STEPS)
        self.assertEqual(len(expected.probe), 21)
        for optimizer in (function, "Momentum()"):
            text = START + pair + f"def build(seed): return params(seed), samples, {optimizer}\n"
            with self.subTest(optimizer):
                found = self.prepare(text, mode="graph").examine(STEPS)
                self.assertEqual(difference(expected, found), "")
        text = START + "def build(seed): return params(seed), samples, 0.1\n"
        self.assert_refused("gives a float as optimizer", text, mode="graph")

    def test_an_update_that_knows_its_parameters_is_measured_without_a_probe(self) -> None:
        update = "lambda p, g: {k: p[k] - 0.1 * g[k] for k in ('w', 'b')}"
        text = START + f"def build(seed): return params(seed), samples, {update}\n"
        evidence = self.prepare(text, mode="eager").examine(STEPS)
        self.assertEqual((len(evidence.probe), len(evidence.updates)), (0, STEPS))

    def test_inference_needs_predict(self) -> None:
        text = START + "def build(seed): return {'params': params(seed), 'predict': predict}\n"
        one, other = (self.prepare(text, work="infer", **arm) for arm in BOTH)
        self.assertEqual(difference(one.examine(STEPS), other.examine(STEPS)), "")
        self.assert_refused("gives no loss", text, mode="graph")
        text = START + "def build(seed): return params(seed), mean\n"
        self.assert_refused("gives no predict", text, mode="graph", work="infer")

    def test_parameters_may_be_made_once_and_for_all(self) -> None:
        text = START + "MADE = params(0)\ndef build(): return MADE, samples\n"
        trial = self.prepare(text, mode="graph")
        before = trial.check(STEPS)
        self.assert_steps(trial)
        self.assertEqual(trial.check(STEPS), before)

    def test_a_check_changes_nothing(self) -> None:
        text = START + "def build(seed): return params(seed), mean\n"
        trial = self.prepare(text, mode="graph")
        self.assert_check_changes_nothing(trial)
        self.assert_steps(trial)

    def test_other_work_in_a_mode_is_found(self) -> None:
        fault = "def wrong(p, x, y): return (1.1 if isinstance(x, jax.core.Tracer) and not hasattr(x, 'primal') else 1.0) * mean(p, x, y)\n"
        text = START + fault + "def build(seed): return params(seed), wrong\n"
        one, other = (self.prepare(text, **arm) for arm in BOTH)
        self.assertRegex(
            difference(one.examine(STEPS), other.examine(STEPS)), "losses of step|gradient|update"
        )


if __name__ == "__main__":
    unittest.main()
