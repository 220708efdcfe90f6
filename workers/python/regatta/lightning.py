"""Makes Lightning's trainer a loop that reports: Trainer(max_epochs=regatta.horizon(), callbacks=[callback()]).

`trainer.fit(model, ckpt_path=last_checkpoint())` goes on from its last epoch.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from .training import checkpoint_dir, report, should_stop


def last_checkpoint() -> str | None:
    path = os.path.join(checkpoint_dir(), "last.ckpt")
    return path if os.path.exists(path) else None


def best_checkpoint() -> str:
    """The best epoch's, for `trainer.test(model, ckpt_path=...)` where the test part is opened."""
    return os.path.join(checkpoint_dir(), "best.ckpt")


def callback() -> Any:
    """A callback of the Lightning that the script imported (lightning, or else pytorch_lightning)."""
    lightning: Any = sys.modules.get("lightning.pytorch") or sys.modules["pytorch_lightning"]

    class Reports(lightning.Callback):
        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            trainer.should_stop = trainer.should_stop or should_stop()

        def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
            """Metrics of the epoch's validation, which is over, and of its training."""
            if report(trainer.current_epoch + 1, **trainer.callback_metrics):
                self.save(trainer, "best")
            self.save(trainer, "last")
            trainer.should_stop = trainer.should_stop or should_stop()

        def save(self, trainer: Any, name: str) -> None:
            path = os.path.join(checkpoint_dir(), f"{name}.ckpt")
            trainer.save_checkpoint(f"{path}.new")
            os.replace(f"{path}.new", path)

    return Reports()
