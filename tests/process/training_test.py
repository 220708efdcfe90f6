"""A sweep that trains, with real processes: the same table whatever the ranks, kills and drains."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
import unittest

from tools.exported_tables import TIMES, rows
from tools.regatta_process import BINARY, Scratch, wait_until

MODEL = {
    "name": "small",
    "input": [64],
    "layers": [{"dense": 16, "activation": "relu"}, {"dense": 10, "activation": "softmax"}],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"adam": {"learning_rate": 0.003}},
}
SEARCH = {
    "regatta": 1,
    "name": "learns",
    "task": "train",
    "samples": 9,
    "axes": {
        "model": MODEL,
        "dataset": "digits",
        "batch": {"choice": [16, 64]},
        "learning_rate": {"log_uniform": [1e-3, 1e-1]},
    },
    "train": {"epochs": 3, "evaluations": 6, "seeds": 7},
    "objective": {"metric": "validation_accuracy", "margin": "1 point"},
    "search": {"kind": "halving", "rungs": 2, "at_most": 3},
}
LONG = {
    "regatta": 1,
    "name": "long",
    "task": "train",
    "axes": {
        "model": {
            **MODEL,
            "layers": [
                {"dense": 512, "activation": "relu"},
                {"batch_norm": True},  # a checkpoint holds its moments
                *MODEL["layers"],
            ],
        }
    },
    # Longer than two checkpoints take. So many evaluations that moments which a kill lost would show in the next.
    "train": {"steps": 250_000, "evaluations": 2_000, "seeds": 1},
}
LONG["axes"]["dataset"] = "digits"
# Longer than one checkpoint takes: two runs go on to the end.
HALF = {**LONG, "train": {"steps": 120_000, "evaluations": 960, "seeds": 1}}


class Training(unittest.TestCase):
    def scratch(self, sweep: dict) -> Scratch:
        made = Scratch(sweep)
        self.addCleanup(made.remove)
        return made

    def tables(self, made: Scratch) -> tuple[list, list]:
        return rows(made.results, "legs"), rows(made.results, "curves")

    def test_a_search_ends_with_tested_finalists(self) -> None:
        made = self.scratch(SEARCH)
        self.assertEqual(made.run("--ranks", "2"), 0, made.output())
        learning = made.report()["learning"]
        self.assertTrue(learning["over"])
        finalists = learning["ranking"]
        self.assertTrue(1 <= len(finalists) <= 3)
        for each in finalists:
            self.assertGreater(each["test"]["mean"], 0.5)
        legs, _ = self.tables(made)
        purposes = [leg["purpose"] for leg in legs]
        self.assertEqual(purposes.count("test"), 7 * len(finalists))
        self.assertEqual(purposes.count("fresh"), 7 * len(finalists))
        for leg in legs:
            self.assertEqual(leg["test_accuracy"] != "", leg["purpose"] == "test")
        self.assertFalse((made.run_folder / "checkpoints").exists())
        self.assertEqual(purposes.count("again"), 1)
        (again,) = learning["same_seed_twice"]
        self.assertTrue(again["bit_equal"], again)
        self.assertEqual((again["engine"], again["trial"]), ("native", learning["leader"]))
        self.assertEqual((again["seed"], again["evaluations"]), (1000, 6))
        self.assertEqual(learning["cost"]["repeats"], 1)
        self.assertIn("same seed twice: native bit-equal (6 evaluations)", made.details())
        self.assertEqual(learning["test_openings"], 1)
        self.assertIn("test part opened once in this folder", made.details())
        for leg in rows(made.results, "legs", TIMES - {"start_time", "prepare_time"}):
            self.assertGreater(float(leg["start_time"]), 0)

    def test_no_run_is_repeated_where_that_is_not_wanted(self) -> None:
        made = self.scratch({**SEARCH, "train": {**SEARCH["train"], "repeat": False}})
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        learning = made.report()["learning"]
        self.assertEqual((learning["same_seed_twice"], learning["cost"]["repeats"]), ([], 0))
        self.assertIn("same seed twice: not tried", made.details())

    def test_who_opens_the_test_part_again_is_told(self) -> None:
        made = self.scratch(SEARCH)
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        other = json.loads(json.dumps({**SEARCH, "name": "other", "sample_seed": 3}))
        made.sweep_file.write_text(json.dumps(other))
        made.run("--ranks", "1")
        text = made.output()
        self.assertIn("test part opened 2 times in this folder", text)

    def test_who_follows_sees_curves_until_no_leg_is_due(self) -> None:
        made = self.scratch(SEARCH)
        launched = made.start("--ranks", "1")
        command = [str(BINARY), "status", str(made.run_folder), "--json"]
        begun = lambda: subprocess.run(command, capture_output=True).returncode == 0  # noqa: E731
        self.assertTrue(wait_until(begun, 60), made.output())
        command.append("--follow")
        followed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
        self.assertEqual(launched.wait(60), 0, made.output())
        lines = [json.loads(line)["training"] for line in followed.stdout.splitlines()]
        self.assertEqual(lines[-1]["stage"], "over")
        self.assertEqual(lines[-1]["legs_due"], 0)
        self.assertTrue(all(line["legs_due"] > 0 for line in lines[:-1]))
        best = lines[-1]["ahead"][0]
        self.assertEqual(best["trial"], made.report()["learning"]["leader"])
        self.assertEqual(best["runs"], 7)
        self.assertEqual(best["curve"][-1], [best["samples"], best["last"]])

    def test_status_of_a_stopped_search_fits_a_small_terminal(self) -> None:
        made = self.scratch({**SEARCH, "train": {**SEARCH["train"], "epochs": 60}})
        launched = made.start("--ranks", "1")

        def shown(locale: str) -> str:
            command = [str(BINARY), "status", str(made.run_folder)]
            environment = {**os.environ, "LC_ALL": locale}
            return subprocess.run(
                command, capture_output=True, encoding="utf-8", env=environment
            ).stdout

        self.assertTrue(wait_until(lambda: "@" in shown("C"), 60), made.output())
        made.kill_all()
        launched.wait(60)
        self.assertIn("\u2588", shown("de_DE.utf8"))
        text = shown("C")
        lines = text.splitlines()
        self.assertLessEqual(len(lines), 10)
        self.assertTrue(all(len(line) <= 80 and line.isascii() for line in lines), text)
        self.assertIn("Cost so far", text)

    def test_an_included_configuration_competes_from_the_first_rung_on(self) -> None:
        known = {"batch": 32, "learning_rate": 0.0125}
        made = self.scratch({**SEARCH, "include": [known]})
        planned = subprocess.run(
            [str(BINARY), "plan", str(made.sweep_file)], check=True, capture_output=True, text=True
        ).stdout
        self.assertIn("10 configurations, 1 of them included", planned)
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        first = [
            leg
            for leg in rows(made.results, "legs")
            if leg["purpose"] == "search" and leg["rung"] == "0"
        ]
        self.assertEqual(len(first), 10)
        own = [leg for leg in first if float(leg["learning_rate"]) == known["learning_rate"]]
        self.assertEqual(
            [(leg["batch"], leg["seed"], leg["status"]) for leg in own], [("32", "0", "finished")]
        )

    def test_kills_and_ranks_change_nothing(self) -> None:
        whole = self.scratch(SEARCH)
        self.assertEqual(whole.run("--ranks", "1"), 0, whole.output())
        killed = self.scratch(SEARCH)
        draw = random.Random(7)
        for _ in range(6):
            launched = killed.start("--ranks", "2")
            time.sleep(draw.uniform(0.1, 0.9))
            killed.kill_all()
            launched.wait(60)
        self.assertEqual(killed.run("--ranks", "2"), 0, killed.output())
        self.assertEqual(self.tables(killed), self.tables(whole))

    def test_a_long_run_goes_on_from_its_checkpoint(self) -> None:
        whole = self.scratch(HALF)
        self.assertEqual(whole.run("--ranks", "1"), 0, whole.output())
        cut = self.scratch(HALF)
        self.start_until_a_checkpoint_is_newer(cut, than=0)
        self.assertEqual(cut.run("--ranks", "1"), 0, cut.output())
        self.assertEqual(self.tables(cut), self.tables(whole))

    def test_a_moved_folder_goes_on_from_its_checkpoint(self) -> None:
        before = self.scratch(LONG)
        self.start_until_a_checkpoint_is_newer(before, than=0)
        moved = self.scratch(LONG)
        moved.run_folder.parent.mkdir(parents=True, exist_ok=True)
        before.run_folder.rename(moved.run_folder)
        [checkpoint] = (moved.run_folder / "checkpoints").glob("*.safetensors")
        self.start_until_a_checkpoint_is_newer(moved, than=checkpoint.stat().st_mtime_ns)
        self.assertEqual(
            list((moved.run_folder / "checkpoints").glob("*.safetensors")), [checkpoint]
        )

    def start_until_a_checkpoint_is_newer(self, made: Scratch, than: int) -> None:
        launched = made.start("--ranks", "1")
        folder = made.run_folder / "checkpoints"

        def is_newer() -> bool:
            return any(each.stat().st_mtime_ns > than for each in folder.glob("*.safetensors"))

        self.assertTrue(wait_until(is_newer, 60), "no checkpoint was written on the way")
        made.kill_all()
        launched.wait(60)

    def test_what_cannot_be_trained_is_a_row_that_says_so(self) -> None:
        sweep = json.loads(json.dumps(SEARCH))
        del sweep["search"], sweep["samples"]
        sweep["axes"] = {"model": [MODEL, "conv1d-small"], "dataset": "digits", "batch": [16]}
        made = self.scratch(sweep)
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        by_model = {trial["model"]: trial for trial in made.report()["trials"]}
        self.assertEqual(by_model["small"]["status"], "finished")
        self.assertEqual(by_model["conv1d-small"]["status"], "skipped")
        self.assertIn("the dataset digits needs 64 inputs", by_model["conv1d-small"]["reason"])


if __name__ == "__main__":
    unittest.main()
