"""A user's own loop with the package regatta, through the real launcher: the example of docs/guide/your-loop.md, and what goes wrong."""

from __future__ import annotations

import json
import shutil
import sys
import unittest

from tools import journal
from tools.markdown_blocks import blocks
from tools.regatta_process import SOURCE, Scratch

PAGES = ("docs/guide/your-loop.md", "docs/guide/your-model.md")
HELPER = SOURCE / "workers" / "python" / "regatta"


def page() -> dict[str, str]:
    """The files that the pages show."""
    found = [
        block
        for name in PAGES
        for block in blocks(name, (SOURCE / name).read_text(encoding="utf-8"))
    ]
    return {block.file: block.text + "\n" for block in found if block.file}


class OwnLoop(unittest.TestCase):
    def scratch(self, script: str, **changes: object) -> Scratch:
        """The page's sweep with this script; the interpreter and whole paths, because a test runs anywhere."""
        measure = {"slices": 3, "steps": 40, "again": False}
        sweep = {**json.loads(page()["my-loop.json"]), "measure": measure, **changes}
        scratch = Scratch({**sweep, "environments": {}})
        self.addCleanup(scratch.remove)
        for environment in sweep["environments"].values():
            program = [
                sys.executable,
                str(scratch.folder / "my_loop.py"),
                *environment["program"][2:],
            ]
            environment["program"] = program
        scratch.sweep = sweep
        scratch.__post_init__()
        (scratch.folder / "my_loop.py").write_text(script)
        shutil.copytree(HELPER, scratch.folder / "regatta")
        return scratch

    def run_and_report(self, scratch: Scratch, code: int = 0) -> list[dict]:
        self.assertEqual(scratch.run("--ranks", "1"), code, scratch.output())
        return scratch.report()["trials"]

    def test_the_loop_of_the_page_is_measured_and_compared(self) -> None:
        scratch = self.scratch(page()["my_loop.py"])
        trials = self.run_and_report(scratch)
        self.assertEqual(len(trials), 4)
        for trial in trials:
            self.assertEqual((trial["status"], trial["verified"]), ("finished", "yes"), trial)
            self.assertGreater(trial["step_time"], 0)
        contrasts = scratch.report()["contrasts"]
        self.assertEqual([c["a"]["engine"] for c in contrasts], ["numpy@at-once"] * 2)

    def test_other_work_is_found(self) -> None:
        wrong = page()["my_loop.py"].replace("return [a * x + b - y", "return [a * x - y")
        by_engine = {t["engine"]: t for t in self.run_and_report(self.scratch(wrong))}
        self.assertEqual(by_engine["numpy@loop"]["verified"], "yes")
        self.assertEqual(by_engine["numpy@at-once"]["verified"], "no")

    def test_a_loop_without_losses_is_unchecked_and_compared(self) -> None:
        silent = page()["my_loop.py"].replace("step.loss = ", "_ = ")
        scratch = self.scratch(silent)
        self.assertEqual({t["verified"] for t in self.run_and_report(scratch)}, {"unchecked"})
        self.assertEqual(len(scratch.report()["contrasts"]), 2)

    def test_an_error_is_the_row_of_its_trial(self) -> None:
        text = page()["my_loop.py"]
        broken = text.replace("    return [", "    assert len(xs) < 100, 'too many'\n    return [")
        trials = self.run_and_report(self.scratch(broken), code=1)
        failed = [t for t in trials if t["status"] == "failed"]
        self.assertEqual([(t["engine"], t["batch"]) for t in failed], [("numpy@at-once", 256)])
        line = 1 + broken[: broken.index("assert")].count("\n")
        self.assertIn(f"AssertionError: too many (my_loop.py, line {line})", failed[0]["reason"])

    def test_an_edited_loop_is_another_trial(self) -> None:
        scratch = self.scratch(page()["my_loop.py"], compare=None)
        scratch.sweep = {k: v for k, v in scratch.sweep.items() if v is not None}
        scratch.__post_init__()
        before = {t["id"] for t in self.run_and_report(scratch)}
        recorded = len(journal.results(scratch.journal))
        self.assertEqual({t["id"] for t in self.run_and_report(scratch)}, before)
        self.assertEqual(len(journal.results(scratch.journal)), recorded)
        (scratch.folder / "my_loop.py").write_text(page()["my_loop.py"] + "# edited\n")
        after = {t["id"] for t in self.run_and_report(scratch)}
        self.assertEqual((len(before), len(after), before & after), (4, 4, set()))
        self.assertEqual(len(journal.results(scratch.journal)), 2 * recorded)

    def test_each_trial_of_one_worker_has_its_own_settings(self) -> None:
        """Without a comparison trials share a worker; losses tell the batch, but are not asked for here."""
        noted = page()["my_loop.py"].replace(
            "numbers =",
            "open(__file__ + '.log', 'a').write(f\"{settings['batch']} {settings.get('width')}\\n\")\nnumbers =",
        )
        model = {"python": "my_loop.py", "args": {"width": 7}}
        axes = {"engine": "numpy@loop", "model": model, "batch": [8, 16, 24]}
        scratch = self.scratch(noted, axes=axes)
        del scratch.sweep["compare"]
        scratch.__post_init__()
        self.run_and_report(scratch)
        lines = (scratch.folder / "my_loop.py.log").read_text().split("\n")
        self.assertLessEqual({"8 7", "16 7", "24 7"}, set(lines))

    def test_an_engine_without_a_program_skips_it(self) -> None:
        axes = {"engine": ["numpy", "numpy@loop"], "model": {"python": "my_loop.py"}}
        scratch = self.scratch(page()["my_loop.py"], axes=axes)
        by_engine = {t["engine"]: t for t in self.run_and_report(scratch)}
        self.assertEqual(by_engine["numpy"]["status"], "skipped")
        self.assertIn("my_loop is a loop of its own", by_engine["numpy"]["reason"])
        self.assertEqual(by_engine["numpy@loop"]["status"], "finished")


if __name__ == "__main__":
    unittest.main()
