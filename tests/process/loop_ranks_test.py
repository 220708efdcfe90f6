"""Loops of several ranks: all take the same steps, and a rank that fails is one failed row."""

from __future__ import annotations

import shutil
import sys
import unittest

from tools.exported_tables import rows
from tools.regatta_process import SOURCE, Scratch

HELPER = SOURCE / "workers" / "python" / "regatta"

TIMED = """
import os, sys, time
import regatta

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
settings = regatta.settings(batch=8)
files = [f"{sys.argv[1]}/{ranks}-{each}-{os.environ['MASTER_PORT']}" for each in range(ranks)]

def has_taken(rank, steps):
    if not os.path.exists(files[rank]):
        return False
    with open(files[rank]) as file:
        return len(file.readlines()) >= steps

taken = 0
with open(files[rank], "w", buffering=1) as file:
    for step in regatta.steps():
        file.write(f"{step.number}\\n")
        taken += 1
        while rank == 0 and not has_taken(ranks - 1, taken):  # ranks that exchange gradients wait so
            time.sleep(0.001)
        step.loss = 1.0 / (1 + step.number)
        regatta.result("ranks_seen", ranks)
"""

TRAINED = """
import json, os, sys
import regatta

rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
settings = regatta.settings(learning_rate=0.1, seed=0)
saved = os.path.join(regatta.checkpoint_dir(), f"rank-{rank}.json")
step = 0
if os.path.exists(saved):
    with open(saved) as file:
        step = json.load(file)
WRONG
while not regatta.should_stop():
    step += 1
    loss = settings["learning_rate"] / step + 0.001 * settings["seed"]
    regatta.report(step, train_loss=loss, val_loss=loss)
    with open(saved, "w") as file:
        json.dump(step, file)
with open(f"{sys.argv[1]}/{settings['seed']}-{settings['learning_rate']}-{ranks}-{rank}", "a") as file:
    file.write(f"{step} ")
"""


class LoopRanks(unittest.TestCase):
    def of(self, script: str, sweep: dict) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        self.ends = scratch.folder / "ends"
        self.ends.mkdir()
        path = scratch.folder / "loop.py"
        program = [sys.executable, str(path), str(self.ends)]
        scratch.sweep["environments"] = {
            "mine": {"engine": "numpy", "program": program, "launch": "torchrun"}
        }
        scratch.__post_init__()
        path.write_text(script)
        shutil.copytree(HELPER, scratch.folder / "regatta")
        return scratch

    def training(self, script: str, **changes: object) -> Scratch:
        return self.of(
            script,
            {
                "regatta": 1,
                "name": "learns",
                "task": "train",
                "axes": {
                    "engine": "numpy@mine",
                    "model": {"python": "loop.py"},
                    "ranks": [2],
                    "learning_rate": [0.1, 0.2],
                },
                "train": {"epochs": 4, "seeds": 2},
                "objective": {"metric": "validation_loss", "margin": 0.01},
                "limits": {"attempts": 1, "trial_timeout": "30s"},
                **changes,
            },
        )

    def test_are_timed_with_one_rank_and_with_two(self) -> None:
        scratch = self.of(
            TIMED,
            {
                "regatta": 1,
                "name": "timed",
                "axes": {"engine": "numpy@mine", "model": {"python": "loop.py"}, "ranks": [1, 2]},
                "compare": {"over": "ranks", "baseline": {"ranks": 1}},
                "measure": {"slices": 3, "steps": 5, "again": False},
            },
        )
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        trials = {trial["ranks"]: trial for trial in scratch.report()["trials"]}
        self.assertEqual(
            {n: t["status"] for n, t in trials.items()}, {1: "finished", 2: "finished"}
        )
        seen = {n: t["results"]["ranks_seen"]["value"] for n, t in trials.items()}
        self.assertEqual(seen, {1: 1, 2: 2})
        # A process that was started for nothing, and ended before the one beside it came, has no steps.
        steps = [
            [
                words
                for file in sorted(self.ends.glob(f"2-{rank}-*"))
                if (words := file.read_text().split())
            ]
            for rank in (0, 1)
        ]
        self.assertGreater(len(steps[0]), 0)
        self.assertEqual(len(steps[0]), len(steps[1]), "each process has one beside it")
        for mine, other in zip(*steps):
            self.assertGreater(len(mine), 5)
            # Rank 0 is ended between two steps, and the other may not have begun the last one.
            self.assertIn(other, (mine, mine[:-1]))
        self.assertEqual(scratch.processes(), [])

    def test_train_and_stop_together(self) -> None:
        scratch = self.training(TRAINED.replace("WRONG", ""))
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        legs = rows(scratch.results, "legs", set())
        self.assertEqual({leg["status"] for leg in legs}, {"finished"}, legs)
        for rate in (0.1, 0.2):
            ended = [
                [file.read_text() for file in sorted(self.ends.glob(f"*-{rate}-2-{rank}"))]
                for rank in (0, 1)
            ]
            self.assertGreater(len(ended[0]), 0)
            self.assertEqual(ended[0], ended[1])
        self.assertEqual(scratch.processes(), [])

    def test_a_rank_that_dies_is_a_failed_row_that_names_it(self) -> None:
        dies = "if rank == 1 and settings['learning_rate'] == 0.2: os.kill(os.getpid(), 9)"
        scratch = self.training(TRAINED.replace("WRONG", dies + "\nregatta.should_stop()"))
        self.assertEqual(scratch.run("--ranks", "2"), 1, scratch.output())
        legs = rows(scratch.results, "legs", set())
        failed = [leg for leg in legs if leg["status"] == "failed"]
        self.assertTrue(failed, legs)
        for leg in failed:
            self.assertRegex(leg["reason"], r"rank 1 on \S+: killed by signal 9")
        self.assertIn("finished", {leg["status"] for leg in legs})
        self.assertEqual(scratch.processes(), [])


if __name__ == "__main__":
    unittest.main()
