"""regatta.lightning by the interface of hooks that Lightning documents; a stand-in calls them in its order."""

from __future__ import annotations

import os
import sys
import types
import unittest
from unittest import mock

import regatta.lightning
import regatta.training


class Trainer:
    """A Trainer's work around the hooks that the callback has."""

    def __init__(self, max_epochs: int, losses: dict[int, float]) -> None:
        self.max_epochs, self.losses = max_epochs, losses
        self.current_epoch, self.should_stop = 0, False
        self.callback_metrics: dict[str, float] = {}
        self.trained: list[int] = []

    def save_checkpoint(self, path: str) -> None:
        with open(path, "w") as file:
            file.write(str(self.current_epoch + 1))

    def fit(self, callback: object, ckpt_path: str | None) -> None:
        if ckpt_path is not None:
            with open(ckpt_path) as file:
                self.current_epoch = int(file.read())
        callback.on_train_start(self, None)
        while self.current_epoch < self.max_epochs and not self.should_stop:
            self.trained.append(self.current_epoch)
            self.callback_metrics = {"val_loss": self.losses[self.current_epoch]}
            callback.on_train_epoch_end(self, None)
            self.current_epoch += 1


class Lightning(unittest.TestCase):
    def setUp(self) -> None:
        module = types.ModuleType("lightning.pytorch")
        module.Callback = type("Callback", (), {})
        patch = mock.patch.dict(sys.modules, {"lightning.pytorch": module})
        patch.start()
        self.addCleanup(patch.stop)
        regatta.training._run.cache_clear()
        self.addCleanup(regatta.training._run.cache_clear)

    def run_of(self, bests: set[int], stop_after: int) -> list[dict[str, float]]:
        """Reports are answered as a leg would."""
        reported: list[dict[str, float]] = []

        def report(step: int, **metrics: float) -> bool:
            reported.append({"step": step, **metrics})
            return step in bests

        def stops() -> bool:
            return bool(reported) and reported[-1]["step"] >= stop_after

        for name, stand_in in (("report", report), ("should_stop", stops)):
            patch = mock.patch.object(regatta.lightning, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)
        return reported

    def test_each_epoch_is_reported_until_it_should_stop(self) -> None:
        reported = self.run_of(bests={1, 2}, stop_after=3)
        trainer = Trainer(9, {0: 0.9, 1: 0.5, 2: 0.7})
        self.assertIsNone(regatta.lightning.last_checkpoint())
        trainer.fit(regatta.lightning.callback(), regatta.lightning.last_checkpoint())
        self.assertEqual(
            [(r["step"], r["val_loss"]) for r in reported], [(1, 0.9), (2, 0.5), (3, 0.7)]
        )
        with open(regatta.lightning.best_checkpoint()) as best:
            self.assertEqual(best.read(), "2")

    def test_it_goes_on_from_its_last_epoch(self) -> None:
        self.run_of(bests=set(), stop_after=2)
        Trainer(9, {0: 0.9, 1: 0.5}).fit(regatta.lightning.callback(), None)
        trainer = Trainer(4, {2: 0.4, 3: 0.3})
        reported = self.run_of(bests=set(), stop_after=4)
        trainer.fit(regatta.lightning.callback(), regatta.lightning.last_checkpoint())
        self.assertEqual([r["step"] for r in reported], [3, 4])
        self.assertEqual(sorted(os.listdir(regatta.checkpoint_dir())), ["last.ckpt"])

    def test_where_nothing_is_left_no_epoch_is_trained(self) -> None:
        patch = mock.patch.object(regatta.lightning, "should_stop", lambda: True)
        patch.start()
        self.addCleanup(patch.stop)
        trainer = Trainer(4, {})
        trainer.fit(regatta.lightning.callback(), None)
        self.assertEqual(trainer.trained, [])


if __name__ == "__main__":
    unittest.main()
