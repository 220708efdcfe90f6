"""The script for torchrun in sweeps/, unchanged, as trials of one rank and of two."""

from __future__ import annotations

import json
import os
import signal
import unittest

from tools.regatta_process import PATIENCE_SECONDS, SOURCE, Process, Scratch, wait_until

SCRIPT = "sweeps/digits_ddp.py"


class DdpScript(unittest.TestCase):
    def of(self, ranks: list[int], epochs: int, **more: object) -> Scratch:
        """The shipped sweep, of fewer points."""
        sweep = json.loads((SOURCE / "sweeps" / "digits-ddp.json").read_text())
        argv = sweep["commands"]["ddp"]["argv"]
        self.assertEqual(argv[1], SCRIPT)
        argv[1] = str(SOURCE / SCRIPT)
        argv[-1] = f"--epochs={epochs}"
        argv.append(f"--data={SOURCE / 'datasets' / 'digits'}")
        sweep["axes"] |= {"ranks": ranks, "batch": [64]}
        sweep |= more
        scratch = Scratch({key: value for key, value in sweep.items() if value is not None})
        self.addCleanup(scratch.remove)
        return scratch

    def test_a_second_rank_learns_the_same(self) -> None:
        measure = {"slices": 2, "steps": 1, "again": False}
        scratch = self.of([1, 2], 4, measure=measure)
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        trials = {trial["ranks"]: trial for trial in scratch.report()["trials"]}
        self.assertEqual(
            {n: t["status"] for n, t in trials.items()}, {1: "finished", 2: "finished"}
        )
        accuracy = {n: t["results"]["accuracy"]["value"] for n, t in trials.items()}
        self.assertGreater(accuracy[1], 0.8)
        self.assertAlmostEqual(accuracy[1], accuracy[2], delta=0.03)
        self.assertEqual(scratch.processes(), [])

    def test_a_killed_rank_is_one_failed_row_that_names_it(self) -> None:
        measure = {"slices": 1, "steps": 1}
        scratch = self.of([2], 100000, measure=measure, compare=None, limits={"attempts": 1})
        run = scratch.start("--ranks", "2")

        def trainers() -> list[Process]:
            return [p for p in scratch.processes() if any(a.endswith(SCRIPT) for a in p.arguments)]

        def meet() -> bool:
            """A rank has connections once it has met the other."""
            found = trainers()
            return len(found) == 2 and all(sockets(p.pid) >= 3 for p in found)

        self.assertTrue(wait_until(meet, PATIENCE_SECONDS, 0.2), scratch.output())
        os.kill(trainers()[1].pid, signal.SIGKILL)
        self.assertEqual(run.wait(PATIENCE_SECONDS), 1, scratch.output())
        (trial,) = scratch.report()["trials"]
        self.assertEqual(trial["status"], "failed")
        self.assertRegex(trial["reason"], r"rank \d on \S+: killed by signal 9")
        self.assertEqual(scratch.processes(), [])


def sockets(pid: int) -> int:
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return 0
    return sum(link.startswith("socket:") for link in links)


if __name__ == "__main__":
    unittest.main()
