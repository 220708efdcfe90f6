"""Problems with the data of a training are reported before anything is trained, as is the rest of a stopped one."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
import unittest

from tools.regatta_process import BINARY, Scratch

ROWS = 100
SWEEP = {
    "regatta": 1,
    "name": "checks",
    "task": "train",
    "axes": {
        "engine": ["native", "numpy"],
        "model": {
            "name": "small",
            "input": [2],
            "layers": [{"dense": 8, "activation": "relu"}, {"dense": 2, "activation": "softmax"}],
            "loss": "sparse_categorical_crossentropy",
            "optimizer": {"sgd": {"learning_rate": 0.1}},
        },
        "dataset": "flowers",
        "batch": [8],
    },
    "datasets": {"flowers": {"data": "flowers.csv", "label_column": "kind"}},
    "train": {"epochs": 2, "validation": 0.25, "seeds": 2},
}


def flowers(rows: int = ROWS) -> list[str]:
    draw = random.Random(3)
    lines = ["length,width,kind"]
    for i in range(rows):
        lines.append(f"{draw.gauss(i % 2, 1):.3f},{draw.gauss(0, 1):.3f},{'ab'[i % 2]}")
    return lines


class TrainingChecks(unittest.TestCase):
    def scratch(self, change=lambda sweep: None, lines: list[str] | None = None) -> Scratch:
        sweep = json.loads(json.dumps(SWEEP))
        change(sweep)
        made = Scratch(sweep)
        self.addCleanup(made.remove)
        text = "\n".join(lines or flowers()) + "\n"
        (made.folder / "flowers.csv").write_text(text)
        return made

    def command(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([BINARY, *words], capture_output=True, text=True)

    def refused(self, made: Scratch) -> str:
        """The message with which `plan` and `run` alike refuse it."""
        plan = self.command("plan", str(made.sweep_file))
        self.assertEqual(plan.returncode, 2, plan.stdout)
        self.assertEqual(made.run("--ranks", "1"), 2, made.output())
        self.assertFalse(made.results.exists())
        self.assertIn(plan.stderr.strip(), made.output())
        return plan.stderr

    def test_a_missing_value_is_named_wherever_it_is(self) -> None:
        for row in (1, ROWS):  # a training and a test row
            lines = flowers()
            lines[row] = lines[row].split(",")[0] + ",NaN,a"
            text = self.refused(self.scratch(lines=lines))
            self.assertIn("flowers.csv': ", text)
            self.assertIn(f"sample {row} (counted from 1", text)
            self.assertIn('column "width" is no value', text)
            self.assertIn("put in values", text)

    def test_data_that_nothing_could_be_trained_on_are_refused(self) -> None:
        self.assertIn("has 3 rows", self.refused(self.scratch(lines=flowers(3))))
        no_labels = self.scratch(
            lambda sweep: sweep["datasets"]["flowers"].update(label_column="k")
        )
        self.assertIn('no column "k"', self.refused(no_labels))

    def parts(self, made: Scratch) -> dict:
        """Runs the sweep; the sizes of its parts."""
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        return made.report()["learning"]["samples"]

    def test_a_table_sorted_by_class_is_tested_on_all_classes(self) -> None:
        header, *rows = flowers()
        lines = [header, *sorted(rows, key=lambda line: line[-1])]
        drawn = self.scratch(lines=lines)
        self.assertNotIn("classes", self.command("plan", str(drawn.sweep_file)).stdout)
        self.assertEqual(self.parts(drawn)["test"], 20)
        last = self.scratch(
            lambda sweep: sweep["datasets"]["flowers"].update(split={"order": "time"}), lines
        )
        plan = self.command("plan", str(last.sweep_file)).stdout
        self.assertIn("flowers: the test part holds 1 of 2 classes", plan)
        self.assertEqual(last.run("--ranks", "1"), 0, last.output())
        self.assertIn("flowers: the test part holds 1 of 2 classes", last.output())
        half = self.scratch(
            lambda sweep: sweep["datasets"]["flowers"].update(split={"order": "time", "test": 0.5}),
            lines,
        )
        self.assertIn("the test part holds the class 1", self.refused(half))

    def test_a_file_of_the_test_part_is_used(self) -> None:
        made = self.scratch(lambda sweep: sweep["datasets"]["flowers"].update(test="test.csv"))
        (made.folder / "test.csv").write_text("\n".join(flowers(7)[:8]) + "\n")
        parts = self.parts(made)
        self.assertEqual((parts["training"], parts["validation"]), (75, 25))
        self.assertEqual((parts["test"], parts["repeated"]), (7, 7))
        (made.folder / "test.csv").write_text("\n".join(flowers(9)) + "\n")
        self.assertEqual(self.parts(made)["test"], 9)
        self.assertIn("the contents of test.csv", made.output())

    def test_a_batch_of_more_than_the_training_part_is_a_skip_that_plan_foretells(self) -> None:
        made = self.scratch(lambda sweep: sweep["axes"].update(batch=[8, 61]))
        reason = "batch is 61, the training part has 60 samples (a step takes a whole batch)"
        self.assertIn(f"skipped: 2 x {reason}", self.command("plan", str(made.sweep_file)).stdout)
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        self.assertNotIn("nothing to repair", made.output())
        self.assertIn(f"will be skipped: 2 x {reason}", made.output())
        trials = made.report()["trials"]
        self.assertEqual([trial["status"] for trial in trials].count("skipped"), 2)
        for trial in trials:
            self.assertEqual(trial["batch"] == 61, (trial["reason"] or "").startswith(reason))

    def test_a_model_that_reads_other_data_is_a_skip_beside_one_that_fits(self) -> None:
        def add_model(sweep: dict) -> None:
            other = {**sweep["axes"]["model"], "name": "other", "input": [3]}
            sweep["axes"]["model"] = [sweep["axes"]["model"], other]

        made = self.scratch(add_model)
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        by_model = {trial["model"]: trial for trial in made.report()["trials"]}
        self.assertEqual(by_model["small"]["status"], "finished")
        self.assertIn("where the model has (3)", by_model["other"]["reason"])

    def test_a_sweep_that_can_train_nothing_is_refused(self) -> None:
        for change, words in (
            (lambda sweep: sweep["axes"].update(batch=[61]), "batch is 61"),
            (lambda sweep: sweep["axes"]["model"].update(input=[3]), "the model has (3)"),
            (lambda sweep: sweep["axes"]["model"]["layers"][1].update(dense=1), "numbers 0 to 0"),
            (lambda sweep: sweep["train"].update(validation=0.001), "none is held out"),
        ):
            made = self.scratch(change)
            self.assertEqual(made.run("--ranks", "1"), 2, made.output())
            self.assertIn("can be trained (nothing was run)", made.output())
            self.assertIn(words, made.output())
            self.assertFalse(made.results.exists())

    def test_data_that_grew_make_a_skip_a_training(self) -> None:
        made = self.scratch(lambda sweep: sweep["axes"].update(batch=[8, 61]))
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        (made.folder / "flowers.csv").write_text("\n".join(flowers(2 * ROWS)) + "\n")
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        self.assertEqual({trial["status"] for trial in made.report()["trials"]}, {"finished"})

    def test_all_diverged_is_said_first_and_is_no_failure(self) -> None:
        def diverge(sweep: dict) -> None:
            sweep["axes"]["engine"] = "native"
            sweep["axes"]["model"]["optimizer"] = {"sgd": {"learning_rate": 1000.0}}
            sweep["axes"]["model"]["loss"] = "mse"
            sweep["axes"]["model"]["layers"][1] = {"dense": 1}
            sweep["objective"] = {"metric": "validation_loss"}
            sweep["train"]["epochs"] = 40

        lines = [line.replace(",a", ",0.5").replace(",b", ",1.5") for line in flowers()]
        made = self.scratch(diverge, lines)
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        report = self.command("report", str(made.results)).stdout
        self.assertIn("diverged", report.split("\n\n")[1])


class StoppedSearch(unittest.TestCase):
    def test_what_is_left_is_told_alike_by_all_commands(self) -> None:
        sweep = json.loads(json.dumps(SWEEP))
        del sweep["datasets"]
        sweep["axes"].update(engine="native", dataset="synthetic")
        sweep["axes"]["learning_rate"] = [0.01, 0.02, 0.03, 0.04]
        sweep["train"].update(epochs=2000, seeds=7)
        sweep["objective"] = {"metric": "validation_accuracy"}
        sweep["search"] = {"kind": "halving", "rungs": 3}
        made = Scratch(sweep)
        self.addCleanup(made.remove)
        launched = made.start("--ranks", "1")
        self.addCleanup(made.kill_all)
        deadline = time.monotonic() + 60
        while "rung 2" not in made.output() and time.monotonic() < deadline:
            time.sleep(0.05)
        launched.send_signal(signal.SIGINT)
        self.assertEqual(launched.wait(60), 75, made.output())
        self.assertNotIn("Forwarding signal", made.output())
        self.assertNotIn(" 0 open", made.output())

        def run(*words: str) -> subprocess.CompletedProcess:
            return subprocess.run([BINARY, *words], capture_output=True, text=True)

        counts = json.loads(run("status", "--json", str(made.run_folder)).stdout)
        self.assertGreater(counts["open"], 0)
        self.assertIn(f"{counts['open']} open; run the same command again", made.output())
        self.assertEqual(json.loads(run("status", "--json", str(made.results)).stdout), counts)
        missing = run("report", str(made.results))
        self.assertEqual(missing.returncode, 2)
        self.assertIn("Run the sweep again", missing.stderr)
        self.assertIn(f"regatta collect {made.run_folder}", missing.stderr)
        self.assertEqual(run("collect", str(made.run_folder)).returncode, 75)


if __name__ == "__main__":
    unittest.main()
