from __future__ import annotations

import unittest

import numpy as np
import training_cases  # the class by its module: else its tests would be found here, too
from engine_cases import ADAM, MODELS
from regatta_worker.order import split
from training_cases import DIGITS, KILLED, LINEAR, SEED, Worker, data_of, digits, numbers


class NumpyTraining(training_cases.TrainingTest):
    """And what is the same for all engines."""

    engine = "numpy"
    models = ("dense",)

    def test_a_leg_that_is_asked_for_again_is_not_trained_again(self) -> None:
        worker = self.worker(LINEAR)
        whole = self.train(worker)
        written = (self.folder / "run").read_bytes()
        first = self.train(worker, to=0.5)
        self.assertEqual(first["points"], whole["points"][:2])
        self.assertEqual((first["end"], first["best_step"]), ("reached", 10))
        self.assertEqual(self.train(worker, **{"from": 0.5})["points"], whole["points"][2:])
        self.assertEqual((self.folder / "run").read_bytes(), written)

    def test_it_may_be_killed_after_any_checkpoint(self) -> None:
        """Evaluations come after steps 5, 10, 15 and 20; the first is made the best."""
        adam = {**LINEAR, "optimizer": ADAM}
        whole = self.train(self.worker(adam), "whole", maximizes=True)
        self.assertEqual(whole["best_step"], 5)
        for writes in (1, 4, 5, 6, 20):
            killed = self.worker(adam, KILLED.format(writes=writes))
            gone = self.train(killed, f"cut{writes}", maximizes=True)
            self.assertEqual(gone, {"type": "gone"})
            resumed = self.train(self.worker(adam), f"cut{writes}", maximizes=True)
            self.assertEqual(numbers(resumed), numbers(whole))
            self.assert_same("whole", f"cut{writes}")

    def test_all_rows_are_judged_once(self) -> None:
        """287 rows: 256, and the others in a piece that is filled up."""
        learned = self.train(self.worker(DIGITS), validation=0.2)
        saved, data, rows = self.saved(), digits(), split(1437, 0.2, SEED)[1]
        hidden = data["x"][rows] @ saved["weights/0.kernel"] + saved["weights/0.bias"]
        z = np.maximum(hidden, 0) @ saved["weights/1.kernel"] + saved["weights/1.bias"]
        losses = np.log(np.exp(z).sum(axis=1)) - z[np.arange(287), data["y"][rows]]
        found = learned["points"][-1][5:]
        accuracy = np.mean(z.argmax(axis=1) == data["y"][rows])
        np.testing.assert_allclose(found, [losses.mean(), accuracy], rtol=1e-5)

    def test_a_lost_or_damaged_checkpoint_is_trained_anew(self) -> None:
        worker = self.worker(LINEAR)
        whole = self.train(worker, "whole")
        path = self.folder / "run"
        for damage in (lambda: path.unlink(missing_ok=True), lambda: path.write_bytes(b"{}")):
            self.train(worker, to=0.5)
            damage()
            later = self.train(worker, **{"from": 0.5})
            self.assertEqual(numbers(later), numbers(whole)[2:])
            self.assert_same("run", "whole")
            path.unlink()
        (self.folder / "run.part").write_bytes(b"left by one that was killed")
        self.train(worker)
        self.assert_same("run", "whole")
        self.assertFalse((self.folder / "run.part").exists())

    def test_another_seed_does_not_go_on_from_a_checkpoint(self) -> None:
        worker = self.worker(LINEAR, seed=1)
        expected = self.train(worker, "expected")
        self.prepare(worker, LINEAR)
        self.train(worker)
        self.prepare(worker, LINEAR, seed=1)
        self.assertEqual(numbers(self.train(worker)), numbers(expected))

    def test_an_early_stop_ends_the_run(self) -> None:
        worker = self.worker(LINEAR, learning_rate=1e-9)
        stopping = {"patience": 2, "min_delta": 0.01, "evaluations": 20}
        learned = self.train(worker, **stopping)
        self.assertEqual((learned["end"], len(learned["points"])), ("stopped", 3))
        later = self.train(worker, **stopping, **{"from": 0.5})
        self.assertEqual((later["end"], later["points"]), ("stopped", []))
        self.assertEqual(self.train(worker, **stopping, to=0.1)["end"], "reached")

    def test_without_validation_the_training_loss_is_all(self) -> None:
        worker = self.worker(LINEAR)
        learned = self.train(worker, validation=0.0, metric="train_loss")
        self.assertEqual((learned["metrics"], learned["samples"]), (["train_loss"], [50, 0, 50, 0]))
        self.assertEqual(len(learned["points"][0]), 5)

    def test_the_test_part_is_judged_by_the_best_weights(self) -> None:
        worker = self.worker(LINEAR, learning_rate=0.9)  # so much that the last is not the best
        learned = self.train(worker, metric="train_loss", maximizes=True)
        self.assertLess(learned["best_step"], 20)
        tested = self.train(worker, metric="train_loss", maximizes=True, tests=True)
        best, data = self.saved(), data_of(LINEAR)
        z = data["test_x"] @ best["best/0.kernel"] + best["best/0.bias"]
        self.assertAlmostEqual(tested["test_loss"], float(((z - data["test_y"]) ** 2).mean()), 5)
        self.assertEqual(tested["samples"], [40, 10, 50, 0])
        self.assertNotIn("test_accuracy", tested)

    def test_progress_tells_each_point_once(self) -> None:
        prelude = "from regatta_worker import training; training.TELL_SECONDS = 0.0\n"
        worker = self.worker(DIGITS, prelude)
        learned = self.train(worker, metric="validation_accuracy", evaluations=10)
        told = [point for one in worker.progress for point in one["learned"]["points"]]
        self.assertEqual(told, learned["points"])
        self.assertEqual(worker.progress[0]["learned"]["end"], "reached")
        quiet = self.worker(DIGITS)
        self.train(quiet, "other", metric="validation_accuracy")
        self.assertEqual(quiet.progress, [])

    def test_what_cannot_be_trained_is_named(self) -> None:
        worker = self.worker(LINEAR)
        for kind, words, changes in (
            ("unsupported", "train_loss, validation_loss", {"metric": "validation_accuracy"}),
            ("unsupported", "it has train_loss\\)", {"validation": 0.0}),
            ("unsupported", "batch is 4, the training part has 2 samples", {"validation": 0.96}),
            ("reported", "no best weights", {"tests": True}),
            ("reported", "No such file", {"data_path": "/nowhere"}),
            ("reported", "'epochs' is missing", {"steps": None}),
        ):
            answer = self.train(worker, **changes)
            self.assertEqual((answer["type"], answer["kind"]), ("error", kind), answer)
            self.assertRegex(answer["message"], words)
        self.assertEqual(len(self.train(worker)["points"]), 4)
        self.prepare(worker, MODELS["dense"])
        other = self.data
        self.prepare(worker, LINEAR)
        self.data = other
        self.assertIn("the model reads rows of (3,)", self.train(worker)["message"])

    def test_an_arm_with_batches_is_not_trained(self) -> None:
        worker = Worker("numpy")
        self.addCleanup(worker.stop)
        self.assertIn("not prepared", self.train_unprepared(worker)["message"])

    def train_unprepared(self, worker: Worker) -> dict:
        self.data = ""
        return self.train(worker)


if __name__ == "__main__":
    unittest.main()
