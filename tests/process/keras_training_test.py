"""Keras' fit as a loop that reports: the example of docs/guide/your-training-loop.md with the real Keras, kills included."""

from __future__ import annotations

import os
import shutil
import signal
import time
import unittest

from own_training_test import HELPER, page, rows

from tools.interpreters import interpreter
from tools.regatta_process import Scratch, marked_processes

SWEEP = {
    "regatta": 1,
    "name": "keras",
    "task": "train",
    "axes": {
        "engine": "tensorflow@fit",
        "model": {"python": "my_keras_training.py"},
        "learning_rate": [0.03, 0.0001],
    },
    "train": {"epochs": 4, "seeds": 1},
    "objective": {"metric": "validation_loss", "margin": 0.01},
    "search": {"kind": "halving", "rungs": 2, "factor": 2, "at_most": 1},
}


class KerasTraining(unittest.TestCase):
    def scratch(self, script: str, **changes: object) -> Scratch:
        python = interpreter("tensorflow")
        self.assertIsNotNone(python, "run scripts/setup-engines.sh tensorflow")
        made = Scratch({**SWEEP, "environments": {}, **changes})
        self.addCleanup(made.remove)
        path = made.folder / "my_keras_training.py"
        path.write_text(script)
        program = [python, str(path)]
        made.sweep["environments"] = {"fit": {"engine": "tensorflow", "program": program}}
        made.sweep = {key: value for key, value in made.sweep.items() if value is not None}
        made.__post_init__()
        shutil.copytree(HELPER, made.folder / "regatta")
        return made

    def test_a_search_ends_with_the_tested_winner(self) -> None:
        made = self.scratch(page()["my_keras_training.py"])
        self.assertEqual(made.run("--ranks", "1", timeout=500), 0, made.output())
        (winner,) = made.report()["learning"]["ranking"]
        self.assertGreater(winner["test"]["mean"], 0)
        legs = rows(made, "legs")
        self.assertEqual({leg["status"] for leg in legs}, {"finished"}, legs)
        (test,) = [leg for leg in legs if leg["purpose"] == "test"]
        self.assertEqual(test["learning_rate"], "0.03")
        self.assertGreater(float(test["test_accuracy"]), 0.7)
        names = {"train_loss", "train_accuracy", "validation_loss", "validation_accuracy"}
        self.assertLessEqual(names, set(rows(made, "curves")[0]))

    def test_a_killed_fit_goes_on_with_the_same_numbers(self) -> None:
        """The weights, the optimizer and what dropout draws from were kept: the curve is that of a whole run."""
        text = page()["my_keras_training.py"].replace(
            "callbacks=[",
            "shuffle=False,\n    callbacks=[keras.callbacks.LambdaCallback(on_epoch_begin=note), ",
        )
        text = text.replace(
            "model = keras",
            "def note(epoch, logs):\n    import time; time.sleep(0.3)\n"
            "    open(__file__ + '.log', 'a').write(f'{epoch}\\n')\n\n\nmodel = keras",
        )
        axes = {**SWEEP["axes"], "learning_rate": [0.01]}
        one = {"axes": axes, "train": {"epochs": 8, "seeds": 1}, "search": None}
        whole, killed = self.scratch(text, **one), self.scratch(text, **one)
        self.assertEqual(whole.run("--ranks", "1", timeout=300), 0, whole.output())
        log = killed.folder / "my_keras_training.py.log"
        launched = killed.start("--ranks", "1")
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and (not log.exists() or log.read_text().count("\n") < 5):
            time.sleep(0.02)
        for process in marked_processes(killed.mark):
            if any("my_keras_training.py" in argument for argument in process.arguments):
                os.kill(process.pid, signal.SIGKILL)
        self.assertEqual(launched.wait(200), 0, killed.output())
        epochs = [int(line) for line in log.read_text().split()]
        self.assertLess(len(epochs), 11)
        curves = rows(killed, "curves")
        self.assertEqual([point["step"] for point in curves], [str(i) for i in range(1, 9)])
        self.assertEqual(curves, rows(whole, "curves"))


if __name__ == "__main__":
    unittest.main()
