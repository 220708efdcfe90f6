"""Samples of the user's own: named in the sweep, read by every engine alike, and looked at again before each run."""

from __future__ import annotations

import json
import random
import unittest

from tools import exported_tables
from tools.regatta_process import Scratch

COLUMNS = 4
ROWS = 60
MODEL = {
    "name": "three-kinds",
    "input": [COLUMNS],
    "layers": [{"dense": 16, "activation": "relu"}, {"dense": 3, "activation": "softmax"}],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"sgd": {"learning_rate": 0.1}},
}


def flowers(kinds: list[str], seed: int = 0) -> str:
    draw = random.Random(seed)
    lines = ["a,b,c,d,kind"]
    for i in range(ROWS):
        numbers = ",".join(f"{draw.gauss(i % 3, 1):.4f}" for _ in range(COLUMNS))
        lines.append(f"{numbers},{kinds[i % len(kinds)]}")
    return "\n".join(lines) + "\n"


class OwnData(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = Scratch(
            {
                "regatta": 1,
                "name": "my-data",
                "axes": {"engine": ["native", "numpy"], "model": MODEL, "dataset": "flowers"},
                "datasets": {"flowers": {"data": "flowers.csv", "label_column": "kind"}},
                "compare": {"over": "engine", "baseline": {"engine": "native"}},
                "measure": {"slices": 3, "steps": 10, "again": False},
            }
        )
        self.addCleanup(self.scratch.remove)
        self.data = self.scratch.folder / "flowers.csv"
        self.data.write_text(flowers(["iris", "rose", "oak"]))

    def test_every_engine_learns_from_the_same_rows(self) -> None:
        self.assertEqual(self.scratch.run("--ranks", "1"), 0, self.scratch.output())
        report = self.scratch.report()
        self.assertEqual([trial["dataset"] for trial in report["trials"]], ["flowers"] * 2)
        self.assertEqual([each["verified"] for each in report["contrasts"]], ["yes"])

    def test_what_changed_is_measured_again(self) -> None:
        self.assertEqual(self.scratch.run("--ranks", "1"), 0, self.scratch.output())
        self.data.write_text(flowers(["iris", "rose", "oak"], seed=1))
        self.assertEqual(self.scratch.run("--ranks", "1"), 0, self.scratch.output())
        self.assertIn("the contents of flowers.csv", self.scratch.output())

    def test_keys_of_the_entry_say_how_a_table_is_read(self) -> None:
        header, *rows = flowers(["iris", "rose", "oak"]).splitlines()
        lines = ["," + header, *(f"{number},{row}" for number, row in enumerate(rows))]
        self.data.write_text("\n".join(lines).replace(",", ";").replace(".", ",") + "\n")
        sweep = self.scratch.sweep
        for keys, words in (
            ({}, 'set "delimiter"'),
            ({"delimiter": ";"}, 'set "decimal" for a decimal comma'),
            ({"decimal": ","}, 'Leave it out by "drop": [""]'),
            ({"drop": [""]}, None),
        ):
            sweep["datasets"]["flowers"].update(keys)
            self.scratch.sweep_file.write_text(json.dumps(sweep))
            self.assertEqual(self.scratch.run("--ranks", "1"), 1 if words else 0)
            trials = self.scratch.report()["trials"]
            if words:
                self.assertIn(words, trials[-1]["reason"])
            else:
                self.assertEqual(trials[-1]["status"], "finished")

    def trains_with_a_validation_file(self, validation: str) -> int:
        sweep = self.scratch.sweep
        del sweep["compare"], sweep["measure"]
        sweep["task"] = "train"
        sweep["axes"]["batch"] = 8
        sweep["train"] = {"epochs": 4, "evaluations": 4, "seeds": 2}
        sweep["datasets"]["flowers"]["validation"] = "valid.csv"
        (self.scratch.folder / "valid.csv").write_text(validation)
        self.scratch.sweep_file.write_text(json.dumps(sweep))
        return self.scratch.run("--ranks", "1")

    def test_all_engines_and_seeds_are_validated_by_the_file_that_is_named(self) -> None:
        rows = flowers(["iris", "rose", "oak"], seed=1).splitlines()[:19]
        self.assertEqual(self.trains_with_a_validation_file("\n".join(rows) + "\n"), 0)
        samples = self.scratch.report()["learning"]["samples"]
        sizes = [samples[part] for part in ("training", "validation", "test")]
        self.assertEqual(sizes, [48, 18, 12])
        losses = {
            (each["engine"], each["seed"], each["step"]): float(each["validation_loss"])
            for each in exported_tables.rows(self.scratch.results, "curves")
        }
        self.assertEqual(len(losses), 2 * 2 * 4)
        for (engine, seed, step), loss in losses.items():
            other = losses["numpy" if engine == "native" else "native", seed, step]
            self.assertAlmostEqual(loss, other, delta=1e-5)

    def test_a_validation_file_with_an_unknown_class_is_refused(self) -> None:
        self.assertEqual(self.trains_with_a_validation_file("a,b,c,d,kind\n1,2,3,4,elm\n"), 2)
        self.assertIn('valid.csv\': the array of labels holds "elm"', self.scratch.output())

    def test_data_that_does_not_fit_the_model_fails_its_trials(self) -> None:
        self.data.write_text(flowers(["iris", "rose", "oak", "elm"]))
        self.assertEqual(self.scratch.run("--ranks", "1"), 1)
        for trial in self.scratch.report()["trials"]:
            self.assertEqual(trial["status"], "failed")
            self.assertIn(
                "'y' of the data holds 3 in sample 4 (counted from 1), but the model knows",
                trial["reason"],
            )


if __name__ == "__main__":
    unittest.main()
