"""Sweep files through the real program: plan, run, resume, and 300 damaged files."""

from __future__ import annotations

import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tools.regatta_process import BINARY, SOURCE, Scratch

NOTHING_TO_MEASURE = {"slices": 2, "steps": 5}


def regatta(
    *words: str, folder: Path, limit_bytes: int | None = None
) -> subprocess.CompletedProcess:
    def limit() -> None:
        if limit_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))

    return subprocess.run(
        [str(BINARY), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=limit,
    )


class WithFolder(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="regatta-grammar-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def write(self, name: str, sweep: dict) -> str:
        (self.folder / name).write_text(json.dumps(sweep), encoding="utf-8")
        return name


class Plan(WithFolder):
    def test_a_million_points_fit_into_a_gigabyte(self) -> None:
        sweep = {
            "regatta": 1,
            "name": "large",
            "axes": {
                "engine": ["native", "numpy"],
                "mode": ["eager", "graph"],
                "model": ["mlp-10", "noop"],
                "batch": {"linear": [1, 1000]},
                "seed": {"linear": [0, 124]},
            },
            "compare": {
                "over": ["engine", "mode"],
                "baseline": {"engine": "native", "mode": "graph"},
            },
        }
        # native reads all of mlp-10 (250,000) and no batch or seed of noop (2); numpy has one mode and no noop.
        done = regatta("plan", self.write("s.json", sweep), folder=self.folder, limit_bytes=1 << 30)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("large: 1000000 points, 375002 trials in ", done.stdout)
        self.assertIn("skipped: 1 x the engine numpy has no noop", done.stdout)

    def test_what_is_left_out_is_said(self) -> None:
        sweep = {
            "regatta": 1,
            "name": "optional",
            "axes": {"engine": ["native", "torch@nowhere?"], "model": ["noop"]},
        }
        file = self.write("s.json", sweep)
        line = "left out: engine torch@nowhere (there is no environment nowhere)"
        done = regatta("plan", file, folder=self.folder)
        self.assertIn(f"optional: 1 point, 1 trial in 1 block\n{line}\n", done.stdout)
        shown = json.loads(regatta("plan", file, "--json", folder=self.folder).stdout)
        self.assertEqual(shown["left_out"], [line])
        self.assertEqual(len(shown["trials"]), shown["trial_count"])

    def test_what_is_measured_last_is_said(self) -> None:
        sweep = {
            "regatta": 1,
            "name": "optional",
            "axes": {"engine": ["native", "numpy?"], "model": ["mlp-10"], "batch": [1, 2]},
            "compare": {"over": "engine", "baseline": {"engine": "native"}},
        }
        file = self.write("s.json", sweep)
        line = "measured last: engine numpy (optional, and found; Ctrl-C then keeps the rest)"
        done = regatta("plan", file, folder=self.folder)
        self.assertIn(f"4 trials in 2 blocks\n{line}\n", done.stdout)
        done = regatta("plan", file, "--set", "engine=native,numpy", folder=self.folder)
        self.assertNotIn("measured last", done.stdout)

    def test_only_and_set(self) -> None:
        sweep = {"regatta": 1, "name": "s", "axes": {"model": ["mlp-10", "noop"], "batch": [1, 2]}}
        file = self.write("s.json", sweep)
        words = ["--only", "model=mlp-10", "--set", "batch=4,8,16", "--only", "batch=8,16"]
        done = regatta("plan", file, *words, folder=self.folder)
        self.assertIn("s: 2 points, 2 trials", done.stdout)
        done = regatta("plan", file, "--only", "batch=3", folder=self.folder)
        self.assertEqual(done.returncode, 2)
        expected = "regatta: error: --only batch=3: found 3, expected a level of the axis batch\n"
        self.assertEqual(done.stderr, expected)


class Init(WithFolder):
    def test_writes_a_sweep_that_plans_and_overwrites_none(self) -> None:
        done = regatta("init", "mine", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("regatta plan mine.json", done.stdout)
        self.assertEqual(regatta("plan", "mine.json", folder=self.folder).returncode, 0)
        (self.folder / "mine.json").write_text("work", encoding="utf-8")
        done = regatta("init", "mine.json", folder=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(
            done.stderr,
            "regatta: error: 'mine.json' is there already (somebody's work is not overwritten); choose "
            "another name, or edit it: `regatta plan mine.json` shows what it means\n",
        )
        self.assertEqual((self.folder / "mine.json").read_text(encoding="utf-8"), "work")

    def test_a_name_that_no_sweep_can_have_writes_nothing(self) -> None:
        done = regatta("init", "../mine", folder=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("init: found '../mine', expected a name of at most 100 letters", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


class Run(unittest.TestCase):
    def scratch(self, sweep: dict) -> Scratch:
        scratch = Scratch({"regatta": 1, "measure": NOTHING_TO_MEASURE, **sweep})
        self.addCleanup(scratch.remove)
        return scratch

    def test_every_kind_of_axis_runs_and_is_read_back(self) -> None:
        scratch = self.scratch(
            {
                "name": "kinds",
                "axes": {
                    "engine": ["native", "numpy", "torch@nowhere?"],
                    "model": ["mlp-10", "odd.json"],
                    "batch": [1, {"geometric": [4, 8]}],
                    "seed": [1, 2, 3],
                    "threads": {"choice": [1]},
                },
                "zip": ["batch", "seed"],
                "samples": 2,
                "when": [{"if": {"engine": "native"}, "axes": {"mode": ["eager", "graph"]}}],
                "include": [{"model": "mlp-10", "batch": 32, "seed": 9}],
                "exclude": [{"model": "odd", "batch": [4, 8]}],
                "compare": {"over": ["engine", "mode"], "pairs": "one-factor"},
            }
        )
        model = {
            "name": "odd",
            "input": [5],
            "layers": [{"dense": 3}],
            "loss": "mse",
            "optimizer": {"sgd": {"learning_rate": 0.1}},
        }
        (scratch.folder / "odd.json").write_text(json.dumps(model), encoding="utf-8")
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        self.assertIn("left out: engine torch@nowhere", scratch.output())
        trials = scratch.report()["trials"]
        # 4 rows of batch and model, native in two modes and numpy; the same once more for what is included.
        self.assertEqual(len(trials), 3 * (3 + 1 + 1))
        self.assertEqual({trial["status"] for trial in trials}, {"finished"})

    def test_a_part_and_the_whole_share_a_folder_and_stay_apart(self) -> None:
        scratch = self.scratch({"name": "part", "axes": {"model": ["mlp-10"], "batch": [1, 2, 4]}})
        self.assertEqual(scratch.run("--ranks", "1", "--only", "batch=2"), 0, scratch.output())
        self.assertEqual([trial["batch"] for trial in scratch.report()["trials"]], [2])
        self.assertNotIn("of other points", scratch.output())
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        self.assertEqual([trial["batch"] for trial in scratch.report()["trials"]], [1, 2, 4])
        self.assertEqual(scratch.run("--ranks", "1", "--only", "batch=4"), 0, scratch.output())
        self.assertIn(
            "2 blocks there are of other points (another --set, --only or", scratch.output()
        )
        self.assertEqual([trial["batch"] for trial in scratch.report()["trials"]], [4])


class Mutations(WithFolder):
    """Each of 300 damaged files either plans or is answered by one clear error."""

    def seeds(self) -> list[str]:
        corpus = sorted((SOURCE / "tests" / "fuzz" / "corpus" / "sweep").glob("*.json"))
        self.assertGreater(len(corpus), 3)
        return [
            path.read_text(encoding="utf-8")
            for path in [*corpus, *(SOURCE / "sweeps").glob("*.json")]
        ]

    def mutate(self, text: str, dice: random.Random) -> bytes:
        words = [
            '"',
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "null",
            "true",
            "-1",
            "1e400",
            "0",
            '"x"',
            "\\",
            "\0",
            "\n",
        ]
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(text))
            kind = dice.randrange(4)
            if kind == 0:
                text = text[:at] + dice.choice(words) + text[at:]
            elif kind == 1:
                text = text[:at] + text[at + dice.randint(1, 30) :]
            elif kind == 2:
                until = min(len(text), at + dice.randint(1, 60))
                text = text[:at] + text[at:until] * 2 + text[until:]
            else:  # a value of another kind
                values = list(re.finditer(r'(?<=: )("[^"]*"|[\d.]+|\[[^\[\]]*\])', text))
                if values:
                    value = dice.choice(values)
                    text = text[: value.start()] + dice.choice(words) + text[value.end() :]
        data = text.encode()
        return data.replace(b"a", b"\xff", 1) if dice.random() < 0.05 else data

    def mutate_tree(self, text: str, dice: random.Random) -> bytes:
        """The same at the level of values: JSON still, so that the reader sees more of it."""
        tree = json.loads(text)
        places = []  # (container, key) of every value

        def walk(node: object) -> None:
            keys = (
                node
                if isinstance(node, dict)
                else range(len(node))
                if isinstance(node, list)
                else ()
            )
            for key in keys:
                places.append((node, key))
                walk(node[key])

        walk(tree)
        container, key = dice.choice(places)
        kind = dice.randrange(3)
        if kind == 0:
            del container[key]
        elif kind == 1:
            other, name = dice.choice(places)
            container[key] = json.loads(json.dumps(other[name]))
        else:
            container[key] = dice.choice(
                [0, 1, 2, 7, 10**12, -1, 0.5, "x", "", None, True, [], {}, "1%", "5s"]
            )
        return json.dumps(tree, indent=1).encode()

    def test_three_hundred(self) -> None:
        dice = random.Random(7)
        seeds = self.seeds()
        answers = {0: 0, 2: 0}
        for number in range(300):
            change = self.mutate_tree if number % 2 else self.mutate
            data = change(dice.choice(seeds), dice)
            (self.folder / "s.json").write_bytes(data)
            done = regatta("plan", "s.json", folder=self.folder, limit_bytes=2 << 30)
            self.assertIn(done.returncode, answers, (number, data, done.stderr))
            answers[done.returncode] += 1
            if done.returncode == 2:
                self.assertRegex(
                    done.stderr, r"^regatta: error: s\.json(:\d+)?: [^\n]+\n$", (number, data)
                )
                self.assertRegex(done.stderr, r"found .+, expected ", (number, data))
            else:
                self.assertRegex(done.stdout, " points?, ", (number, data))
        self.assertGreater(min(answers.values()), 20, answers)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["s.json"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
