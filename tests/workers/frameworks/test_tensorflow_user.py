from __future__ import annotations

import unittest

from regatta_worker.engines.tensorflow.versions import LAST_WITH_KERAS_2, VERSION
from regatta_worker.errors import Unsupported
from tools.same_work_judge import difference
from user_cases import STEPS, UserModelTest, example

API = "tf_keras" if VERSION <= LAST_WITH_KERAS_2 else "keras"
MODES = ("eager", "graph", "xla") if VERSION >= (2, 4) else ("eager", "graph")
KERAS = "from tensorflow import keras" if API == "tf_keras" else "import keras"
START = f"""
import numpy as np, tensorflow as tf
{KERAS}
def make_batch(n, seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((n, 6)), random.standard_normal((n, 2))
def layers(): return keras.Sequential([keras.layers.Dense(5, activation="tanh"), keras.layers.Dropout(0.5), keras.layers.Dense(2)])
"""


class TensorflowUser(UserModelTest):
    engine = "tensorflow"
    own = {"map_threads": "1", "prefetch": "auto"}

    def prepare(self, text: str, args: dict | None = None, **parameters: object) -> object:
        return super().prepare(text, args, **{"api": API, "loop": "custom", **parameters})

    def page(self) -> str:
        return example("my_keras_model.py").replace("import keras", KERAS)

    def test_the_example_of_the_page_does_the_same_in_all_modes(self) -> None:
        self.assert_alike(self.page(), [{"mode": mode} for mode in MODES])

    def test_and_in_all_loops(self) -> None:
        loops = ("custom", "train_on_batch", "fit")
        self.assert_alike(self.page(), [{"loop": loop} for loop in loops], mode="graph")

    def test_input_may_be_double_resident_or_piped(self) -> None:
        arms = [{}, {"host_dtype": "float64"}, {"input": "resident"}, {"input": "pipeline"}]
        self.assert_alike(self.page(), arms, mode="graph")

    def test_a_call_of_fit_may_take_several_steps(self) -> None:
        trial = self.prepare(self.page(), mode="graph", loop="fit", steps_per_call=4)
        self.assertEqual(trial.steps_per_call, 4)
        self.assert_steps(trial)
        one = self.prepare(self.page(), mode="graph", loop="fit").examine(STEPS)
        self.assertEqual(difference(one, trial.examine(STEPS)), "")

    def test_losses_by_name_function_or_class(self) -> None:
        evidence = []
        for loss in ('"mse"', "keras.losses.mean_squared_error", "keras.losses.MeanSquaredError()"):
            text = START + f"def build(): return layers(), {loss}, keras.optimizers.SGD(0.1)\n"
            evidence.append(self.prepare(text, mode="graph").examine(STEPS))
            self.assertEqual(difference(evidence[0], evidence[-1]), "", loss)

    def test_a_model_compiled_by_the_user(self) -> None:
        adam = "optimizer=keras.optimizers.Adam(0.1), loss='mse'"
        compiled = f"def build():\n    m = layers()\n    m.compile({adam})\n    return m\n"
        returned = f"def build(): return dict(model=layers(), {adam})\n"
        one, other = (self.prepare(START + text, mode="graph") for text in (compiled, returned))
        self.assertEqual(difference(one.examine(STEPS), other.examine(STEPS)), "")

    def test_without_an_optimizer_it_is_plain_descent(self) -> None:
        none = "def build(): return layers(), 'mse'\n"
        descent = "def build(): return layers(), 'mse', keras.optimizers.SGD(0.01)\n"
        one, other = (self.prepare(START + text, mode="graph") for text in (none, descent))
        self.assertEqual(difference(one.examine(STEPS), other.examine(STEPS)), "")

    def test_flat_labels_stand_beside_outputs_of_one_column(self) -> None:
        flat = START.replace("random.standard_normal((n, 2))", "random.standard_normal(n)")
        flat = flat.replace("Dense(2)", "Dense(1)")
        own = "lambda y, o: tf.reduce_mean((y - o) ** 2, axis=-1)"
        for loss in ("'mse'", "keras.losses.mean_squared_error", own):
            text = flat + f"def build(): return layers(), {loss}\n"
            with self.subTest(loss):
                self.assert_alike(
                    text, [{"loop": "custom"}, {"loop": "train_on_batch"}], mode="graph"
                )

    def test_inference_needs_the_model_alone(self) -> None:
        text = START + "def build(): return layers()\n"
        first = self.prepare(text, mode="graph", work="infer").examine(STEPS)
        for loop in ("predict", "predict_on_batch"):
            other = self.prepare(text, mode="graph", work="infer", loop=loop).examine(STEPS)
            self.assertEqual(difference(first, other), "", loop)
        self.assert_refused("gives no loss", text, mode="graph")
        with self.assertRaises(Unsupported):
            self.prepare(text, mode="graph", work="infer", loop="fit")

    def test_dropout_is_on_in_steps_and_off_in_checks(self) -> None:
        trial = self.prepare(START + "def build(): return layers(), 'mse'\n", mode="eager")
        rates = [
            [x.rate for x in t.model.layers if hasattr(x, "rate")] for t in (trial, trial.twin())
        ]
        self.assertEqual(rates, [[0.5], [0.0]])

    def test_a_check_changes_nothing(self) -> None:
        trial = self.prepare(START + "def build(): return layers(), 'mse'\n", mode="graph")
        self.assert_check_changes_nothing(trial)
        self.assert_steps(trial)

    def test_what_is_no_model_of_this_keras_is_refused(self) -> None:
        text = START + "def build(): return tf.Module()\n"
        self.assert_refused(r"expected a Model of .*keras.* \(api " + API, text, mode="graph")
        text = START + "def build(): return layers(), ['mse', 'mse']\n"
        self.assert_refused("gives several losses", text, mode="graph")

    def test_other_work_in_a_mode_is_found(self) -> None:
        fault = "lambda z: z if tf.executing_eagerly() else 1.1 * z"
        text = START + (
            f"def build(): return keras.Sequential([keras.layers.Dense(2), keras.layers.Lambda({fault})]), 'mse'\n"
        )
        one, other = (self.prepare(text, mode=mode) for mode in ("eager", "graph"))
        self.assertNotEqual(difference(one.examine(STEPS), other.examine(STEPS)), "")


if __name__ == "__main__":
    unittest.main()
