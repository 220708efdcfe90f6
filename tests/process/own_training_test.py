"""A user's own loop in a sweep that trains: the example of docs/guide/your-training-loop.md, kills, and what goes wrong."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from tools import exported_tables
from tools.exported_tables import TIMES
from tools.markdown_blocks import blocks
from tools.regatta_process import BINARY, SOURCE, Scratch, marked_processes, wait_until

PAGE = "docs/guide/your-training-loop.md"
HELPER = SOURCE / "workers" / "python" / "regatta"
REPORT = "regatta.report(state"
# Kills the script once, at the place and the step that a file beside it names, under the first seed of a finalist.
KILLED_AT = """\
    due = __file__ + '.kill'
    if settings['seed'] == 1000 and os.path.exists(due):
        with open(due) as order:
            is_here = order.read() == f"{place} {{state['step']}}"
        if is_here:
            os.remove(due)
            os.kill(os.getpid(), 9)
"""


def page() -> dict[str, str]:
    found = blocks(PAGE, (SOURCE / PAGE).read_text(encoding="utf-8"))
    return {block.file: block.text + "\n" for block in found if block.file}


def rows(scratch: Scratch, table: str) -> list[dict[str, str]]:
    return exported_tables.rows(scratch.results, table, TIMES | {"attempt"})


class OwnTraining(unittest.TestCase):
    def scratch(self, script: str | None = None, **changes: object) -> Scratch:
        """The page's sweep with this script; the interpreter and whole paths, because a test runs anywhere."""
        sweep = {**json.loads(page()["my-search.json"]), **changes}
        scratch = Scratch({**sweep, "environments": {}})
        self.addCleanup(scratch.remove)
        path = scratch.folder / "my_training.py"
        program = [sys.executable, str(path)]
        scratch.sweep = {k: v for k, v in sweep.items() if v is not None}
        scratch.sweep["environments"] = {"mine": {"engine": "numpy", "program": program}}
        scratch.__post_init__()
        path.write_text(script or page()["my_training.py"])
        shutil.copytree(HELPER, scratch.folder / "regatta")
        return scratch

    def one(self, script: str, **changes: object) -> Scratch:
        """One configuration under one seed, to its end."""
        given = {
            "axes": {"engine": "numpy@mine", "model": {"python": "my_training.py"}},
            "train": {"epochs": 9, "seeds": 1},
            "search": None,
            "samples": None,
            **changes,
        }
        return self.scratch(script, **given)

    def edited(self, old: str, new: str) -> str:
        text = page()["my_training.py"]
        self.assertIn(old, text)
        return text.replace(old, new)

    def failure(self, script: str, code: int = 1, **changes: object) -> str:
        """The reason of its only leg."""
        made = self.one(script, **changes)
        self.assertEqual(made.run("--ranks", "1"), code, made.output())
        (leg,) = rows(made, "legs")
        self.assertEqual(leg["status"], "failed", leg)
        return leg["reason"]

    # ---- what it gives -----------------------------------------------------------------------------

    def test_the_search_of_the_page_ends_with_tested_finalists(self) -> None:
        made = self.scratch()
        self.assertEqual(made.run("--ranks", "2"), 0, made.output())
        learning = made.report()["learning"]
        self.assertTrue(learning["over"])
        self.assertTrue(learning["ranking"])
        legs, curves = rows(made, "legs"), rows(made, "curves")
        self.assertEqual({leg["status"] for leg in legs}, {"finished"})
        tests = [leg for leg in legs if leg["purpose"] == "test"]
        self.assertEqual(len(tests), 7 * len(learning["ranking"]))
        for leg in legs:
            self.assertEqual(leg["test_loss"] != "", leg["purpose"] == "test", leg)
        for point in curves:
            self.assertGreater(float(point["validation_loss"]), 0)
        # Going on from checkpoints is what the later rungs do: no step is reported twice.
        seen = [(p["trial_hash"], p["purpose"], p["seed"], p["step"]) for p in curves]
        self.assertEqual(len(seen), len(set(seen)))
        self.assertFalse((made.run_folder / "checkpoints").exists())

    def test_it_learns_under_the_hyperparameters_and_seeds_of_its_trial(self) -> None:
        axes = {
            "engine": "numpy@mine",
            "model": {"python": "my_training.py"},
            "learning_rate": [0.001, 0.1],
        }
        made = self.one(page()["my_training.py"], axes=axes, train={"epochs": 4, "seeds": 2})
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        last = {
            (leg["learning_rate"], leg["seed"]): float(leg["validation_loss"])
            for leg in rows(made, "legs")
        }
        self.assertEqual(len(set(last.values())), 4, last)
        for seed in ("0", "1"):
            self.assertLess(last["0.1", seed], last["0.001", seed])

    def test_a_loop_that_a_seed_does_not_fix_is_told(self) -> None:
        for line, is_fixed in (
            (", val_loss=", True),
            (" + os.urandom(1)[0] * 1e-6, val_loss=", False),
        ):
            script = self.edited(", val_loss=", line)
            made = self.one(script, train={"epochs": 6, "seeds": 1, "repeat": True})
            self.assertEqual(made.run("--ranks", "1"), 0, made.output())
            (again,) = made.report()["learning"]["same_seed_twice"]
            self.assertEqual(again["bit_equal"], is_fixed, again)
            self.assertEqual(again["engine"], "numpy@mine")
            text = "bit-equal (6 evaluations)" if is_fixed else "numpy@mine differs from sample "
            self.assertIn(text, made.details() if is_fixed else made.output())

    def test_a_kept_process_imports_once_and_changes_nothing(self) -> None:
        noting = "import os\nopen(__file__ + '.imports', 'a').write('.')\n"
        script = page()["my_training.py"].replace("import json\n", "import json\n" + noting, 1)
        train = json.loads(page()["my-search.json"])["train"]
        fresh = self.scratch(script)
        kept = self.scratch(script, train={**train, "process": "kept"})
        for made in (fresh, kept):
            self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        for table in ("legs", "curves"):
            self.assertEqual(rows(kept, table), rows(fresh, table))
        starts = [
            len((made.folder / "my_training.py.imports").read_text()) for made in (fresh, kept)
        ]
        self.assertEqual(starts[1], 1)
        self.assertGreater(starts[0], 10)
        for leg in exported_tables.rows(kept.results, "legs", set()):
            self.assertGreater(float(leg["peak_memory"]), 1e6)

    def test_the_files_of_a_script_are_named_where_its_weights_are_kept(self) -> None:
        made = self.one(
            page()["my_training.py"], train={"epochs": 9, "seeds": 1, "keep_weights": True}
        )
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        command = [str(BINARY), "query", str(made.results), "--format", "weights", "-o", "weights"]
        told = subprocess.run(command, cwd=made.folder, capture_output=True, text=True, check=True)
        self.assertIn("seed-0: its program kept its own files in ", told.stderr)
        folder = told.stderr.split("its own files in ")[1].split()[0]
        self.assertTrue((made.folder / folder / "line.json").is_file(), told.stderr)

    def test_kills_and_ranks_change_nothing(self) -> None:
        slow = self.edited(
            '    state["step"] += 1', '    import time; time.sleep(0.01)\n    state["step"] += 1'
        )
        whole = self.scratch(slow)
        self.assertEqual(whole.run("--ranks", "1"), 0, whole.output())
        killed = self.scratch(slow)
        draw = random.Random(11)
        for _ in range(5):
            launched = killed.start("--ranks", "2")
            time.sleep(draw.uniform(0.3, 1.5))
            killed.kill_all()
            launched.wait(60)
        self.assertEqual(killed.run("--ranks", "2"), 0, killed.output())
        for table in ("legs", "curves"):
            self.assertEqual(rows(killed, table), rows(whole, table))

    def test_a_killed_script_goes_on_from_its_checkpoint(self) -> None:
        """Not by beginning anew: the lines that it prints say from where it went on."""
        slow = self.edited(
            '    state["step"] += 1',
            "    import time; time.sleep(0.05)\n"
            "    open(__file__ + '.log', 'a').write(f\"{state['step']}\\n\")\n"
            '    state["step"] += 1',
        )
        made = self.one(slow, train={"epochs": 40, "seeds": 1})
        log = made.folder / "my_training.py.log"
        launched = made.start("--ranks", "1")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (
            not log.exists() or log.read_text().count("\n") < 10
        ):
            time.sleep(0.02)
        for process in marked_processes(made.mark):
            if any("my_training.py" in argument for argument in process.arguments):
                os.kill(process.pid, signal.SIGKILL)
        self.assertEqual(launched.wait(60), 0, made.output())
        steps = [int(line) for line in log.read_text().split()]
        self.assertLess(len(steps), 45)
        self.assertEqual(sorted(set(steps)), list(range(40)))
        self.assertEqual([p["step"] for p in rows(made, "curves")], [str(i) for i in range(1, 41)])

    def test_what_was_reported_and_not_saved_is_reported_again(self) -> None:
        """Also the last report of a rung, behind which nothing is left to learn: the best weights are among what is
        saved then, and the test part meets them."""
        at = {
            "told": "    if is_best:",
            "noted": "    with open(saved",
            "saved": "\nif regatta.opens_test",
        }
        script = page()["my_training.py"]
        for place, line in at.items():
            self.assertIn(line, script)
            script = script.replace(line, KILLED_AT.format(place=place) + line)
        searched = {
            "axes": {
                "engine": "numpy@mine",
                "model": {"python": "my_training.py"},
                "learning_rate": 0.003,  # so slow that the last step is the best one
            },
            "train": {"epochs": 9, "seeds": 2},
            "search": {"kind": "full", "at_most": 1},
            "samples": None,
        }
        whole = self.scratch(script, **searched)
        self.assertEqual(whole.run("--ranks", "1"), 0, whole.output())
        tested = [leg["test_loss"] for leg in rows(whole, "legs") if leg["purpose"] == "test"]
        self.assertTrue(tested and all(tested), tested)
        for order in ("told 4", "told 9", "noted 9", "saved 9"):
            with self.subTest(order):
                killed = self.scratch(script, **searched)
                due = killed.folder / "my_training.py.kill"
                due.write_text(order)
                self.assertEqual(killed.run("--ranks", "1"), 0, killed.output())
                self.assertFalse(due.exists(), "nobody was killed")
                for table in ("legs", "curves"):
                    self.assertEqual(rows(killed, table), rows(whole, table))

    def test_early_stopping_ends_it(self) -> None:
        train = {"epochs": 60, "seeds": 1, "early_stop": {"patience": 2, "min_delta": 0.5}}
        made = self.one(page()["my_training.py"], train=train)
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        (leg,) = rows(made, "legs")
        self.assertEqual(leg["end"], "stopped")
        self.assertLess(len(rows(made, "curves")), 30)

    def test_steps_may_be_counted_by_the_loop_that_is_timed_elsewhere(self) -> None:
        script = (
            "import regatta\n"
            "for step in regatta.steps():\n"
            "    regatta.report(step.number + 1, val_loss=1 / (step.number + 1))\n"
        )
        objective = {"metric": "val_loss", "margin": 0.01}
        made = self.one(script, train={"steps": 5, "seeds": 1}, objective=objective)
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        self.assertEqual([p["validation_loss"] for p in rows(made, "curves")][-1], "0.2")
        (leg,) = rows(made, "legs")
        self.assertEqual((leg["end"], leg["best_step"]), ("reached", "5"))

    def test_the_objective_may_be_any_metric_of_the_loop(self) -> None:
        """Also where Regatta is told of no validation part."""
        script = (
            "import regatta\n"
            "while not regatta.should_stop():\n"
            "    for step in range(1, regatta.horizon() + 1):\n"
            "        regatta.report(step, samples=7 * step, reward=-abs(step - 3))\n"
        )
        train = {"steps": 5, "seeds": 1, "validation": 0}
        made = self.one(script, train=train, objective={"metric": "reward", "margin": 0.1})
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        (leg,) = rows(made, "legs")
        self.assertEqual((leg["best_step"], leg["reward"], leg["end"]), ("3", "0", "reached"))
        self.assertEqual(
            [p["samples"] for p in rows(made, "curves")], ["7", "14", "21", "28", "35"]
        )

    # ---- what goes wrong -----------------------------------------------------------------------------

    def test_who_follows_stays_while_other_seeds_of_a_failed_configuration_are_due(self) -> None:
        regular = 'numbers = random.Random(settings["seed"])\n'
        slow = 'if settings["seed"] == 0:\n    raise ValueError("no")\nimport time\ntime.sleep(1)\n'
        made = self.one(self.edited(regular, slow + regular), train={"epochs": 2, "seeds": 3})
        launched = made.start("--ranks", "1")
        command = [str(BINARY), "status", str(made.run_folder), "--json"]

        def stage() -> dict:
            shown = subprocess.run(command, capture_output=True, text=True)
            return json.loads(shown.stdout) if shown.returncode == 0 else {"failed": 0}

        self.assertTrue(wait_until(lambda: stage()["failed"] == 1, 60), made.output())
        command.append("--follow")
        followed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        self.assertEqual(launched.wait(60), 0, made.output())
        last = json.loads(followed.stdout.splitlines()[-1])["training"]
        self.assertEqual((last["stage"], last["legs_due"]), ("over", 0))

    def test_a_loss_that_is_not_finite_diverged_and_is_no_failure(self) -> None:
        script = self.edited("val_loss=", "val_loss=float('nan') if state['step'] == 3 else ")
        made = self.one(script)
        self.assertEqual(made.run("--ranks", "1"), 0, made.output())
        (leg,) = rows(made, "legs")
        self.assertEqual((leg["status"], leg["end"]), ("finished", "diverged"))
        self.assertEqual([p["step"] for p in rows(made, "curves")], ["1", "2", "3"])

    def test_a_loop_that_reports_nothing_says_so(self) -> None:
        self.assertIn(
            "the script reported nothing; call regatta.report",
            self.failure("import regatta\nregatta.should_stop()\n"),
        )

    def test_a_script_that_never_asks_for_its_leg_says_so(self) -> None:
        self.assertIn(
            "the script reported nothing", self.failure("import regatta\nregatta.settings()\n")
        )

    def test_reports_out_of_order_are_errors_with_their_line(self) -> None:
        script = self.edited(REPORT + '["step"]', 'regatta.report(5 - state["step"]')
        reason = self.failure(script)
        self.assertIn(
            "step 3 after step 4: steps grow from report to report (my_training.py, line", reason
        )

    def test_a_script_that_ends_early_says_where(self) -> None:
        script = self.edited("while not regatta.should_stop():", "while state['step'] < 4:")
        self.assertIn("ended after step 4, before step 9 where this leg ends", self.failure(script))

    def test_an_exception_is_the_row_of_its_leg(self) -> None:
        script = self.edited(
            '    state["step"] += 1',
            "    assert state['step'] < 2, 'no  more'\n    state[\"step\"] += 1",
        )
        line = 1 + script[: script.index("assert")].count("\n")
        self.assertIn(
            f"AssertionError: no more (my_training.py, line {line})", self.failure(script)
        )

    def test_an_objective_that_is_not_reported_names_what_is(self) -> None:
        reason = self.failure(page()["my_training.py"], objective={"metric": "f1", "margin": 0.01})
        self.assertIn(
            "the objective of the sweep is f1, which is not among train_loss, validation_loss",
            reason,
        )

    def test_the_test_part_is_not_reported_before_it_is_opened(self) -> None:
        script = self.edited("val_loss=", "test_loss=1, val_loss=")
        self.assertIn("test_loss before the test part is opened", self.failure(script))

    def test_a_metric_may_not_have_the_name_of_a_column(self) -> None:
        script = self.edited("val_loss=", "batch=3, val_loss=")
        self.assertIn("batch is the name of another column", self.failure(script))

    def test_a_failed_configuration_leaves_the_others_alone(self) -> None:
        """They share a process, which is a fresh script for each."""
        script = self.edited(
            "while not regatta.should_stop():",
            "open(__file__ + '.pids', 'a').write(f'{os.getpid()}\\n')\n"
            "while not regatta.should_stop():\n"
            "    assert settings['learning_rate'] < 0.05",
        )
        axes = {
            "engine": "numpy@mine",
            "model": {"python": "my_training.py"},
            "learning_rate": [0.01, 0.1, 0.02],
        }
        made = self.one(script, axes=axes)
        self.assertEqual(made.run("--ranks", "1"), 1, made.output())
        found = {leg["learning_rate"]: leg["status"] for leg in rows(made, "legs")}
        self.assertEqual(found, {"0.01": "finished", "0.1": "failed", "0.02": "finished"})
        pids = (made.folder / "my_training.py.pids").read_text().split()
        self.assertEqual((len(pids), len(set(pids))), (3, 1))


if __name__ == "__main__":
    unittest.main()
