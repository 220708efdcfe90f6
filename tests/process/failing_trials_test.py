"""A trial that crashes, hangs, floods, lies or eats memory is one failed row; the others are untouched."""

from __future__ import annotations

import os
import sys
import unittest

from tools.regatta_process import PATIENCE_SECONDS, SOURCE, Scratch, wait_until

FAKE = str(SOURCE / "tests" / "support" / "fake_worker.py")
IS_SANITIZED = bool(os.environ.get("REGATTA_SANITIZE"))  # then workers reserve terabytes
BEHAVIOURS = {
    "segv": ("crashed", ["--behave", "segv", "--on", "slice"]),
    "hang": ("timed_out", ["--behave", "hang", "--on", "slice"]),
    "flood-log": ("flooded", ["--behave", "flood-log", "--on", "slice"]),
    "flood-link": ("protocol", ["--behave", "flood-link", "--on", "slice"]),
    "garbage": ("protocol", ["--behave", "garbage", "--on", "slice"]),
    "lie": ("protocol", ["--behave", "lie", "--on", "slice"]),
    "oom": ("out_of_memory", ["--behave", "oom", "--on", "prepare"]),
    "exit": ("crashed", ["--behave", "exit", "--on", "prepare"]),
    "error": ("reported", ["--behave", "error", "--on", "prepare"]),
    "kill-parent": ("crashed", ["--behave", "kill-parent", "--on", "slice"]),
    "stop-parent": ("crashed", ["--behave", "stop-parent", "--on", "slice"]),
    "orphan": (
        None,
        ["--behave", "spawn-orphan", "--on", "slice"],
    ),  # does its work, leaves a daemon
}


def sweep(names: list[str]) -> dict:
    environments = {
        name: {"engine": "native", "program": [sys.executable, FAKE, *BEHAVIOURS[name][1]]}
        for name in names
    }
    return {
        "regatta": 1,
        "name": "failing",
        "axes": {
            "engine": ["native", *[f"native@{name}" for name in names]],
            "model": ["mlp-10"],
            "seed": [0, 1],
        },
        "environments": environments,
        "compare": {"over": ["engine"], "baseline": {"engine": "native"}},
        "measure": {"slices": 3, "steps": 20, "again": False},
        # Only a hang must be waited for; on a busy machine starting takes a second, and filling memory many.
        "limits": {
            "trial_timeout": "3s" if "hang" in names else "60s",
            "attempts": 2,
            "memory": "64TiB" if IS_SANITIZED else "512MiB",
        },
    }


class FailingTrials(unittest.TestCase):
    def check(self, names: list[str]) -> None:
        scratch = Scratch(sweep(names))
        self.addCleanup(scratch.remove)
        told = scratch.folder / "code"
        code = scratch.run("--exit-code-to", str(told), "--ranks", "1")
        output = scratch.output()
        self.assertEqual(told.read_text(), f"{code}\n")
        fails = any(BEHAVIOURS[name][0] for name in names)
        self.assertEqual(code, int(fails), output)
        for trial in scratch.report()["trials"]:
            name = trial["engine"].partition("@")[2]
            if not name or BEHAVIOURS[name][0] is None:
                self.assertEqual(trial["status"], "finished", output)
                self.assertGreater(trial["step_time"], 0)
            else:
                self.assertEqual(trial["status"], "failed", f"{name}: {output}")
                self.assertTrue(trial["reason"].startswith(BEHAVIOURS[name][0]), trial["reason"])
        self.assertTrue(
            wait_until(lambda: not scratch.processes(), PATIENCE_SECONDS), scratch.processes()
        )
        self.assertEqual(scratch.temporary_files(), [])
        page = scratch.results.with_suffix(".html").read_text()
        self.assertIn("--ranks 1", page)
        self.assertNotIn("--exit-code-to", page)


class MemoryOfArms(unittest.TestCase):  # not where memory is without a limit: see the end
    def test_arms_that_do_not_fit_together_say_so_and_the_others_are_compared(self) -> None:
        large = {"engine": "native", "program": [sys.executable, FAKE, "--peak-mib", "200"]}
        description = sweep(["segv"])  # its limit: 512 MiB
        description["environments"] = dict.fromkeys(("a", "b", "c"), large)
        description["axes"]["engine"] = ["native@a", "native@b", "native@c", "native"]
        description["axes"]["seed"] = [0]
        description["compare"]["baseline"] = {"engine": "native@a"}
        scratch = Scratch(description)
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "1"), 1, scratch.output())
        rows = {trial["engine"]: trial for trial in scratch.report()["trials"]}
        states = {name: row["status"] for name, row in rows.items()}
        self.assertEqual(states.pop("native@c"), "failed")
        self.assertEqual(set(states.values()), {"finished"})
        self.assertEqual(
            rows["native@c"]["reason"],
            "out_of_memory: 200.0 MiB beside the 400.0 MiB of the arms that it is compared with, together more than "
            "limits.memory, 512.0 MiB; raise the limit, or compare fewer at once",
        )


def add_case(names: list[str]) -> None:
    title = "test_" + "_and_".join(names).replace("-", "_")
    setattr(FailingTrials, title, lambda self: self.check(names))


if IS_SANITIZED:
    del MemoryOfArms, BEHAVIOURS["oom"]
for behaviour in BEHAVIOURS:
    add_case([behaviour])
add_case(["segv", "error", "exit"])

if __name__ == "__main__":
    unittest.main()
