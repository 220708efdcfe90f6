"""Users' own models trained to an end, in workers of their own: the examples of docs/guide/your-model.md."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np
from regatta_worker import safetensors
from training_cases import KILLED, WarmWorkers, Worker, numbers
from user_cases import example

PLAIN = {  # one row again and again, nothing dropped, and an optimizer to which the gradients' size matters
    "random.standard_normal((n, 20))": "np.repeat(random.standard_normal((1, 20)), n, axis=0)",
    "nn.Dropout(0.1)": "nn.Dropout(0.0)",
    "torch.optim.Adam(model.parameters(), lr=1e-3)": "torch.optim.SGD(model.parameters(), lr=0.1)",
    "keras.optimizers.Adam(1e-3)": "keras.optimizers.SGD(0.1)",
}
RANDOM_LABELS = "random.integers(0, 3, n)"


class UserTrainingTest(unittest.TestCase):
    engine = ""
    page = ""  # the block of the page
    variants: list[dict[str, Any]] = [{}]
    warm: WarmWorkers

    @classmethod
    def setUpClass(cls) -> None:
        cls.warm = WarmWorkers(cls.engine)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.warm.stop()

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        text = example(self.page)
        self.assertIn(RANDOM_LABELS, text)
        self.text = text.replace(RANDOM_LABELS, "x[:, :3].argmax(axis=1)")  # can be learned

    def worker(self, prelude: str = "", **parameters: Any) -> Worker:
        """A process of this test's own, with the model of the page."""
        worker = Worker(self.engine, prelude)
        self.addCleanup(worker.stop)
        self.prepare(worker, self.text, **parameters)
        return worker

    def prepared(self, text: str = "", **parameters: Any) -> tuple[Worker, dict]:
        """The process that has trained for other tests before, and its answer."""
        worker = self.warm.of({**self.variants[0], **parameters})
        return worker, self.prepare(worker, text or self.text, **parameters)

    def prepare(self, worker: Worker, text: str, **parameters: Any) -> dict[str, Any]:
        (self.folder / "mine.py").write_text(text)
        model = {
            "name": "mine",
            "python": "mine.py:build",
            "batch": "mine.py:make_batch",
            "args": {},
            "sources": {"mine.py": hashlib.sha256(text.encode()).hexdigest()},
            "folder": str(self.folder),
        }
        common = {"engine": self.engine, "threads": 1, "seed": 3, "batch": 32, "work": None}
        return worker.ask(
            "prepare",
            arm=0,
            parameters={**common, **self.variants[0], **parameters},
            model=model,
            weights_path="",
            batches_path="",
        )

    def train(self, worker: Worker, checkpoint: str = "run", **changes: Any) -> dict[str, Any]:
        request = {
            "from": 0.0,
            "to": 1.0,
            "data_path": "",
            "checkpoint_path": str(self.folder / checkpoint),
            "steps": 40,
            "evaluations": 4,
            "validation": 0.25,
            "metric": "validation_loss",
            "maximizes": False,
        }
        answer = worker.ask("train", arm=0, **{**request, **changes})
        return answer.get("learned", answer)

    def test_the_model_of_the_page_learns_and_is_tested(self) -> None:
        for number, variant in enumerate(self.variants):
            with self.subTest(**variant):
                worker, answer = self.prepared(**variant)
                self.assertEqual(answer["type"], "prepared", answer)
                goal = {"steps": 400, "metric": "validation_accuracy", "maximizes": True}
                learned = self.train(worker, f"run{number}", **goal)
                names = ["train_loss", "validation_loss", "validation_accuracy"]
                self.assertEqual(learned.get("metrics"), names, learned)
                self.assertEqual(learned["samples"], [1536, 512, 512, 0])
                first, last = learned["points"][0], learned["points"][-1]
                self.assertEqual(last[:2], [400, 400 * 32])
                self.assertLess(last[5], first[5])
                self.assertGreater(last[6], 0.75)
                tested = self.train(worker, f"run{number}", **goal, tests=True)
                self.assertGreater(tested["test_accuracy"], 0.75)

    def test_legs_and_kills_change_nothing(self) -> None:
        self.check_going_on()

    def test_legs_and_kills_between_updates_change_nothing(self) -> None:
        """The half has six steps, and a worker is killed after three more: both lie within five."""
        for number, variant in enumerate(self.variants):
            with self.subTest(**variant):
                self.check_going_on(f" {number}", **variant, accumulate=5)

    def check_going_on(self, name: str = "", **parameters: Any) -> None:
        """A training that is killed and one that goes on have processes of their own; the whole run and the first leg have one that has
        trained before."""
        whole = self.train(self.prepared(**parameters)[0], f"whole{name}", steps=12)
        half = self.train(self.prepared(**parameters)[0], f"cut{name}", steps=12, to=0.5)
        killed, second = self.worker(KILLED.format(writes=3), **parameters), {"from": 0.5}
        with contextlib.suppress(OSError):
            gone = self.train(killed, f"cut{name}", steps=12, **second)
            self.assertEqual(gone["type"], "gone")
        rest = self.train(self.worker(**parameters), f"cut{name}", steps=12, **second)
        self.assertEqual(numbers(half) + numbers(rest), numbers(whole))
        one, other = (
            safetensors.read(str(self.folder / f"{run}{name}")) for run in ("whole", "cut")
        )
        self.assertEqual(sorted(one), sorted(other))
        for tensor, value in one.items():
            self.assertEqual(value.tobytes(), other[tensor].tobytes(), tensor)

    def test_an_update_takes_the_mean_over_its_steps(self) -> None:
        """All rows are the same, and so are all gradients until an update: three steps are as good as one."""
        text = self.text
        for part, other in PLAIN.items():
            text = text.replace(part, other)
        for number, variant in enumerate(self.variants):
            with self.subTest(**variant):
                weights = []
                for steps, accumulate in ((4, 1), (14, 3)):
                    run = f"run{number} {accumulate}"
                    worker, _ = self.prepared(text=text, **variant, accumulate=accumulate)
                    self.assertEqual(len(self.train(worker, run, steps=steps).get("points", [])), 4)
                    saved = safetensors.read(str(self.folder / run))
                    weights.append({n: t for n, t in saved.items() if n.startswith("weights/")})
                for name, tensor in weights[0].items():
                    np.testing.assert_allclose(tensor, weights[1][name], rtol=1e-4, atol=1e-5)

    def test_hyperparameters_are_those_of_the_trial(self) -> None:
        def last_loss(checkpoint: str, **parameters: Any) -> float:
            worker, answer = self.prepared(text=self.with_rate(), **parameters)
            self.assertEqual(answer["type"], "prepared", answer)
            return self.train(worker, checkpoint)["points"][-1][5]

        own = last_loss("own")
        given = {
            "slow": {"learning_rate": 1e-6},
            "clipped": {"clip_norm": 1e-3},
            "cosine": {"schedule": "cosine"},
            "decayed": {"learning_rate": self.rate, "weight_decay": 3.0},
        }
        found = {name: last_loss(name, **parameters) for name, parameters in given.items()}
        self.assertEqual(len({own, *found.values()}), 5, found)
        self.assertEqual(last_loss("same", learning_rate=self.rate), own)
        self.assertGreater(found["slow"], own)

    rate = 1e-3

    def with_rate(self) -> str:
        """The text, where `build` may have to take the rate."""
        return self.text

    def test_samples_that_do_not_fit_are_refused_in_words(self) -> None:
        text = self.text.replace("return x, x[:, :3].argmax(axis=1)", "return x[:2], x[:2, 0]")
        _, answer = self.prepared(text=text)
        self.assertEqual(answer["type"], "error")
        self.assertIn("with as many rows each, at least 5", answer["message"])
