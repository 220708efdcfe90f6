"""A user's own torch model through the real launcher: the example of docs/guide/your-model.md, and what goes wrong."""

from __future__ import annotations

import json
import unittest

from own_loop_test import page
from own_training_test import rows

from tools.regatta_process import Scratch

ONE_PAIR = {"slices": 2, "steps": 2, "again": False}
FAULTY = """
import torch
from my_model import build as right, make_batch

class Faulty(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, x):
        z = self.inner(x)
        return 1.1 * z if torch.compiler.is_compiling() else z

def other_when_compiled():
    model, loss, optimizer = right()
    return Faulty(model), loss, optimizer

def raises(): return undefined
def nothing(): pass
def flat(n): return 0.5
"""


def page_sweep(**axes: object) -> Scratch:
    """The page's sweep; its arms have one pair of processes each, which import a framework, and some of them compile."""
    sweep = {**json.loads(page()["my-model.json"]), "measure": ONE_PAIR}
    sweep["axes"] = {**sweep["axes"], **axes}
    scratch = Scratch(sweep)
    (scratch.folder / "my_model.py").write_text(page()["my_model.py"])
    (scratch.folder / "faulty.py").write_text(FAULTY)
    return scratch


class Compared(unittest.TestCase):
    """One run in both modes, of the models of the page and of one that does other work when it is compiled: the first
    to compile in a run waits for more than its own code."""

    report: dict

    @classmethod
    def setUpClass(cls) -> None:
        other = {"python": "faulty.py:other_when_compiled", "batch": "my_model.py:make_batch"}
        models = json.loads(page()["my-model.json"])["axes"]["model"]
        scratch = page_sweep(model=[*models, {**other, "name": "other"}])
        cls.addClassCleanup(scratch.remove)
        code = scratch.run("--ranks", "1", timeout=600)
        if code != 0:
            raise AssertionError(f"exit {code}\n{scratch.output()}")
        cls.report = scratch.report()

    def test_the_model_of_the_page_is_compared_in_both_modes(self) -> None:
        trials = [trial for trial in self.report["trials"] if trial["model"] != "other"]
        self.assertEqual(
            [(t["model"], t["mode"]) for t in trials],
            [(m, mode) for mode in ("eager", "graph") for m in ("my_model", "my_model-wide")],
        )
        for trial in trials:
            self.assertEqual((trial["status"], trial["verified"]), ("finished", "yes"), trial)
        compared = {contrast["a"]["model"] for contrast in self.report["contrasts"]}
        self.assertEqual(compared - {"other"}, {"my_model", "my_model-wide"})

    def test_other_work_when_compiled_is_found(self) -> None:
        by_mode = {t["mode"]: t for t in self.report["trials"] if t["model"] == "other"}
        self.assertEqual(by_mode["eager"]["verified"], "yes")
        self.assertEqual(by_mode["graph"]["verified"], "no", by_mode)
        self.assertEqual(len(self.report["contrasts"]), 2, "of the models of the page")


class OwnModel(unittest.TestCase):
    def scratch(self, **axes: object) -> Scratch:
        scratch = page_sweep(**axes)
        self.addCleanup(scratch.remove)
        return scratch

    def run_and_report(self, scratch: Scratch, code: int = 0) -> list[dict]:
        self.assertEqual(scratch.run("--ranks", "1", timeout=300), code, scratch.output())
        return scratch.report()["trials"]

    def test_two_engines_are_compared_by_models_of_the_same_weights(self) -> None:
        files = page()
        sweep = {**json.loads(files["my-two-models.json"]), "measure": ONE_PAIR}
        sweep["axes"]["mode"] = "eager"  # nothing has to be compiled
        draws = "np.random.default_rng(seed)"
        for others, verified in ((draws, "yes"), (f"{draws[:-1]} + len(engine))", "other weights")):
            with self.subTest(verified):
                scratch = Scratch(sweep)
                self.addCleanup(scratch.remove)
                (scratch.folder / "my_jax_model.py").write_text(files["my_jax_model.py"])
                (scratch.folder / "my_two_models.py").write_text(
                    files["my_two_models.py"].replace(draws, others, 1)
                )
                jax = {t["engine"]: t for t in self.run_and_report(scratch)}["jax"]
                self.assertEqual(jax["verified"], verified, jax)
                self.assertEqual(len(scratch.report()["contrasts"]), 1)

    def test_what_is_wrong_with_a_file_is_the_row_of_its_trial(self) -> None:
        def model(
            name: str, build: str, batch: str = "my_model.py:make_batch", **more: object
        ) -> dict:
            return {"name": name, "python": build, "batch": batch, **more}

        models = [
            model("raising", "faulty.py:raises"),
            model("gone", "my_model.py:biuld"),
            model("empty", "faulty.py:nothing"),
            model("flat", "my_model.py:build", "faulty.py:flat"),
            model("widht", "my_model.py:build", args={"widht": 3}),
            model("right", "my_model.py:build"),
        ]
        scratch = self.scratch(engine=["torch", "native"], model=models, mode=["eager"])
        line = 1 + FAULTY[: FAULTY.index("return undefined")].count("\n")
        expected = {
            "raising": f"faulty.py:raises raised NameError: name 'undefined' is not defined (faulty.py, line {line})",
            "gone": "my_model.py has no function biuld; did you mean build?",
            "empty": "faulty.py:nothing returned None, expected model alone",
            "flat": "faulty.py:flat returned a float for 32 samples, expected two NumPy arrays",
            "widht": "got an unexpected keyword argument 'widht'",
        }
        trials = self.run_and_report(scratch, code=1)
        for trial in trials:
            name = trial["model"]
            if trial["engine"] == "native":
                self.assertEqual(trial["status"], "skipped")
                self.assertIn("the engine native has no Python models", trial["reason"])
            elif name == "right":
                self.assertEqual(trial["status"], "finished", trial)
            else:
                self.assertEqual(trial["status"], "failed", trial)
                self.assertIn(expected[name], trial["reason"])

    def test_a_file_that_is_not_there_is_found_before_anything_starts(self) -> None:
        scratch = self.scratch()
        (scratch.folder / "my_model.py").unlink()
        self.assertEqual(scratch.run("--ranks", "1"), 2, scratch.output())
        self.assertIn("expected a file that can be read (cannot open", scratch.output())
        self.assertFalse(scratch.run_folder.exists())

    def test_it_is_trained_to_an_end_and_searched(self) -> None:
        text = page()["my_model.py"].replace("random.integers(0, 3, n)", "x[:, :3].argmax(axis=1)")
        sweep = {
            "regatta": 1,
            "name": "trained",
            "task": "train",
            "axes": {
                "engine": "torch",
                "mode": "eager",
                "model": json.loads(page()["my-model.json"])["axes"]["model"][0],
                "learning_rate": [0.0001, 0.01],
            },
            "train": {"epochs": 4, "evaluations": 4, "seeds": 1, "repeat": False},
            "objective": {"metric": "validation_accuracy", "margin": "1 point"},
            "search": {"kind": "halving", "rungs": 2, "factor": 2, "at_most": 1},
        }
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        (scratch.folder / "my_model.py").write_text(text)
        self.assertEqual(scratch.run("--ranks", "1", timeout=300), 0, scratch.output())
        (winner,) = scratch.report()["learning"]["ranking"]
        self.assertGreater(winner["test"]["mean"], 0.8)
        legs = rows(scratch, "legs")
        self.assertEqual({leg["status"] for leg in legs}, {"finished"})
        (test,) = [leg for leg in legs if leg["purpose"] == "test"]
        self.assertEqual(test["learning_rate"], "0.01")


if __name__ == "__main__":
    unittest.main()
