"""Makes Keras' `fit` a loop that reports, and goes on from its last epoch: callbacks=[regatta.keras.callback()]."""

from __future__ import annotations

import glob
import os
import sys
from typing import Any

from .training import checkpoint_dir, report, should_stop

RATES = ("learning_rate", "lr")  # Keras logs them beside its metrics
DRAWS_BITS = 16  # numbers of draws that an epoch has to itself


def best_weights() -> str:
    """The file of the best epoch's weights, for `model.load_weights` where the test part is opened."""
    return os.path.join(checkpoint_dir(), "best.weights.h5")


def callback() -> Any:
    """A callback of the Keras that the script imported (keras, or else tf_keras)."""
    keras: Any = sys.modules.get("keras") or sys.modules["tf_keras"]

    class Reports(keras.callbacks.Callback):
        def on_train_begin(self, logs: Any = None) -> None:
            saved = {int(path.split("-")[-1].split(".")[0]): path for path in self.files("last-*")}
            if saved:  # an optimizer that is not built would be left out
                self.model.optimizer.build(self.model.trainable_variables)
                self.model.load_weights(saved[max(saved)])
            done = self.params["epochs"] if should_stop() else max(saved, default=0)
            self.model._initial_epoch = done  # as keras.callbacks.BackupAndRestore does

        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            """Gives each epoch a stretch of dropout's numbers of its own: their generator is not among the weights."""
            for layer in self.model._flatten_layers():
                if hasattr(layer, "seed_generator"):
                    state = layer.seed_generator.state
                    state.assign([int(state[0]), epoch << DRAWS_BITS])

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            metrics = {name: value for name, value in (logs or {}).items() if name not in RATES}
            if report(epoch + 1, **metrics):
                self.save("best")
            self.save(f"last-{epoch + 1}")
            for old in self.files("last-*"):
                if f"last-{epoch + 1}." not in old:
                    os.remove(old)
            self.model.stop_training = self.model.stop_training or should_stop()

        def files(self, name: str) -> list[str]:
            return glob.glob(os.path.join(checkpoint_dir(), f"{name}.weights.h5"))

        def save(self, name: str) -> None:
            """Weights and optimizer, in a file that is there whole or not at all."""
            new = os.path.join(checkpoint_dir(), "new.weights.h5")
            self.model.save_weights(new)
            os.replace(new, os.path.join(checkpoint_dir(), f"{name}.weights.h5"))

    return Reports()
