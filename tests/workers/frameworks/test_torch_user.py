from __future__ import annotations

import unittest

from regatta_worker.engines.torch.versions import modes_here
from tools.same_work_judge import difference
from user_cases import STEPS, UserModelTest, example

MODES = modes_here()[:2]
START = """
import numpy as np, torch
from torch import nn
from torch.nn import functional as F
def make_batch(n, seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((n, 6)), random.standard_normal((n, 2))
"""
PLAIN = START + "def build(): return nn.Linear(6, 2), F.mse_loss\n"


class TorchUser(UserModelTest):
    engine = "torch"
    own = {"loader_workers": 0}

    def test_the_example_of_the_page_does_the_same_in_all_modes(self) -> None:
        self.assert_alike(example("my_model.py"), [{"mode": mode} for mode in MODES])

    def test_input_may_be_double_resident_or_piped(self) -> None:
        arms = [{}, {"host_dtype": "float64"}, {"input": "resident"}, {"input": "pipeline"}]
        self.assert_alike(example("my_model.py"), arms, mode="eager")

    def test_arguments_reach_it(self) -> None:
        trial = self.prepare(example("my_model.py"), args={"width": 7}, mode="eager")
        self.assertIn((7, 20), [tuple(w.shape) for w in trial.weights().values()])

    def test_inference_needs_the_module_alone(self) -> None:
        text = START + "def build(): return nn.Linear(6, 2)\n"
        one, other = (self.prepare(text, mode=m, work="infer") for m in ("eager", MODES[-1]))
        self.assertEqual(difference(one.examine(STEPS), other.examine(STEPS)), "")
        self.assert_refused(r"gives no loss \(training takes one", text, mode="eager")

    def test_without_an_optimizer_it_is_plain_descent(self) -> None:
        descent = "def build():\n    m = nn.Linear(6, 2)\n    return dict(model=m, loss=F.mse_loss, optimizer=torch.optim.SGD(m.parameters(), lr=0.01))\n"
        one, other = (self.prepare(text, mode="eager") for text in (PLAIN, START + descent))
        self.assertEqual(difference(one.examine(STEPS), other.examine(STEPS)), "")

    def test_a_loss_of_ones_own_gives_a_mean(self) -> None:
        text = START + "def build(): return nn.Linear(6, 2), lambda o, y: ((o - y) ** 2).mean()\n"
        losses = self.prepare(text, mode="eager").check(STEPS)
        self.assertEqual([len(step) for step in losses], [1, 1, 1])

    def test_dropout_is_on_in_steps_and_off_in_checks(self) -> None:
        text = (
            START
            + "def build(): return nn.Sequential(nn.Linear(6, 9), nn.Dropout(0.5), nn.Linear(9, 2)), F.mse_loss\n"
        )
        trial = self.prepare(text, mode="eager")
        self.assertEqual(trial.module[1].p, 0.5)
        self.assertEqual(trial.twin().module[1].p, 0.0)

    def test_gradients_may_be_sparse_or_none(self) -> None:
        text = START + (
            "class M(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.table, self.unused = nn.Embedding(9, 2, sparse=True), nn.Linear(3, 3)\n"
            "    def forward(self, x): return self.table(x.abs().long().clamp(0, 8)).mean(dim=1)\n"
            "def build(): return M(), F.mse_loss\n"
        )
        evidence = self.prepare(text, mode="eager").examine(STEPS)
        self.assertGreater(evidence.gradients[0]["table.weight"][0], 0)
        self.assertEqual(evidence.gradients[0]["unused.weight"][0], 0)

    def test_a_check_changes_nothing(self) -> None:
        trial = self.prepare(PLAIN, mode="eager")
        self.assert_check_changes_nothing(trial)
        self.assert_steps(trial)

    def test_what_is_no_module_is_refused(self) -> None:
        text = START + "def build(): return 1\n"
        self.assert_refused("gives a int as model, expected a torch.nn.Module", text, mode="eager")
        text = START + "def build(): return nn.Linear(6, 2), F.mse_loss, 0.1\n"
        self.assert_refused("gives a float as optimizer", text, mode="eager")
        text = START + "def build(): return nn.ReLU(), F.mse_loss\n"
        self.assert_refused("gives no weights to train", text, mode="eager")

    @unittest.skipUnless("graph" in MODES, "this version compiles nothing")
    def test_other_work_in_a_mode_is_found(self) -> None:
        for fault, where in (
            ("if torch.compiler.is_compiling(): z = 1.1 * z", "losses of step [23]|gradient"),
            (
                "if torch.compiler.is_compiling(): z = z.detach() + 0 * z",
                "gradient|losses of step 2|update",
            ),
        ):
            text = START + (
                "class M(nn.Module):\n"
                "    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(6, 2)\n"
                f"    def forward(self, x):\n        z = self.l(x)\n        {fault}\n        return z\n"
                "def build(): return M(), F.mse_loss\n"
            )
            with self.subTest(fault):
                one, other = (self.prepare(text, mode=m) for m in ("eager", "graph"))
                self.assertRegex(difference(one.examine(STEPS), other.examine(STEPS)), where)

    def test_a_model_that_draws_anew_each_time_is_found(self) -> None:
        text = START + "def build():\n    torch.seed()\n    return nn.Linear(6, 2), F.mse_loss\n"
        one, other = (self.prepare(text, mode="eager") for _ in range(2))
        self.assertRegex(difference(one.examine(STEPS), other.examine(STEPS)), "losses of step 1")


if __name__ == "__main__":
    unittest.main()
