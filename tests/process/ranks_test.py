"""Trials of several ranks: the same work as one rank, one failed row where a rank dies, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from tools import instruction_sets
from tools.exported_tables import rows
from tools.normed import NORMED
from tools.regatta_process import (
    BINARY,
    PATIENCE_SECONDS,
    SOURCE,
    Process,
    Scratch,
    wait_until,
)

LAST = {"dense": 10, "activation": "softmax"}
OUT_OF_REACH = 5


def compared() -> dict:
    return {
        "regatta": 1,
        "name": "ranks",
        "axes": {
            "model": ["mlp-784", "conv1d-small", NORMED],
            "mode": ["graph", "eager"],
            "ranks": [1, 2],
        },
        "compare": {"over": ["ranks"], "baseline": {"ranks": 1}},
        "measure": {"slices": 4, "steps": 10, "again": False},
    }


def long_one(seeds: int) -> dict:
    return {
        "regatta": 1,
        "name": "long",
        "axes": {"model": ["mlp-784"], "ranks": [2], "seed": list(range(seeds))},
        "measure": {"slices": 3, "steps": 800},
        "limits": {"attempts": 1, "trial_timeout": "20s"},
    }


def training(ranks: list[int], epochs: int) -> dict:
    return {
        "regatta": 1,
        "name": "learns",
        "task": "train",
        "axes": {
            "model": [{**NORMED, "input": [64], "layers": [*NORMED["layers"][:3], LAST]}],
            "dataset": "digits",
            "accumulate": [1, 2],
            "ranks": ranks,
        },
        "train": {"epochs": epochs, "evaluations": 6, "seeds": 3},
        "objective": {"metric": "validation_accuracy"},
    }


class Ranks(unittest.TestCase):
    def scratch(self, sweep: dict) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        return scratch

    def statuses(self, scratch: Scratch) -> dict[int, str]:
        return {trial["ranks"]: trial["status"] for trial in scratch.report()["trials"]}

    def expect_nothing_left(self, scratch: Scratch) -> None:
        self.assertEqual(scratch.processes(), [])
        self.assertEqual(scratch.temporary_files(), [])

    def test_do_the_same_work_as_one_rank(self) -> None:
        scratch = self.scratch(compared())
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        trials = scratch.report()["trials"]
        self.assertEqual(len(trials), 12)
        for trial in trials:
            self.assertEqual((trial["status"], trial["verified"]), ("finished", "yes"), trial)
            self.assertEqual(trial["shards"], 8)
        self.expect_nothing_left(scratch)

    def test_update_their_parts_of_the_weights_to_the_same_end(self) -> None:
        sweep = compared()
        sweep["axes"]["optimizer_state"] = ["replicated", "sharded"]
        sweep["compare"]["over"] = ["ranks", "optimizer_state"]
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        trials = scratch.report()["trials"]
        kept: dict[str | None, int] = {}
        for trial in trials:
            self.assertEqual((trial["status"], trial["verified"]), ("finished", "yes"), trial)
            kept[trial["optimizer_state"]] = kept.get(trial["optimizer_state"], 0) + 1
        self.assertEqual(kept, {None: 6, "replicated": 6, "sharded": 6})  # one rank has all
        self.expect_nothing_left(scratch)

    def test_of_more_threads_than_a_slot_has_cores_are_skipped_alone(self) -> None:
        sweep = {
            "regatta": 1,
            "name": "threads",
            "axes": {"model": "mlp-10", "threads": [1, 4096], "ranks": [1, 2]},
            "compare": {"over": ["ranks", "threads"], "baseline": {"ranks": 1, "threads": 1}},
            "measure": {"slices": 2, "steps": 3},
        }
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        for trial in scratch.report()["trials"]:
            is_large = trial["threads"] == 4096
            self.assertEqual(trial["status"], "skipped" if is_large else "finished", trial)
            if is_large:
                self.assertRegex(
                    trial["reason"],
                    "needs 4096 cores on one slot; the largest slot of this job has ",
                )
        self.expect_nothing_left(scratch)

    def test_are_skipped_where_there_are_too_few_agents(self) -> None:
        """The part of a comparison that fewer ranks can do is measured."""
        scratch = self.scratch(compared())
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        by_ranks = {(trial["ranks"], trial["status"]) for trial in scratch.report()["trials"]}
        self.assertEqual(by_ranks, {(1, "finished"), (2, "skipped")})
        reasons = {trial["reason"] for trial in scratch.report()["trials"] if trial["ranks"] == 2}
        [reason] = reasons
        self.assertRegex(reason, "not answerable on this machine: needs 2 ranks of 1 core at once")
        self.assertEqual(scratch.run("--ranks", "2", "--rerun", "failed"), 0, scratch.output())
        trials = scratch.report()["trials"]
        self.assertEqual({trial["status"] for trial in trials}, {"finished"})

    def test_go_on_with_as_many_as_a_comparison_began_with(self) -> None:
        """And nobody who runs it again with fewer takes out what more had measured."""
        sweep = compared()
        sweep["axes"] = {"model": "mlp-784", "ranks": [1, 2, 4]}
        sweep["measure"] = {"per_contrast": "2s", "again": False}
        scratch = self.scratch(sweep)
        events = scratch.folder / "events"
        run = scratch.start("--ranks", "2", "--json-events-to", str(events))
        begun = re.compile('"squares":([2-9]|[0-9]{2})')
        has_begun = lambda: events.exists() and begun.search(events.read_text())  # noqa: E731
        self.assertTrue(wait_until(has_begun, PATIENCE_SECONDS), scratch.output())
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(PATIENCE_SECONDS), 75, scratch.output())
        self.assertEqual(scratch.run("--ranks", "1"), OUT_OF_REACH, scratch.output())
        self.assertIn("needs 2 ranks of 1 core at once", scratch.output())
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        ended = {1: "finished", 2: "finished", 4: "skipped"}
        self.assertEqual(self.statuses(scratch), ended)
        self.assertEqual(scratch.run("--ranks", "1", "--rerun", "failed"), 0, scratch.output())
        self.assertEqual(self.statuses(scratch), ended)
        self.expect_nothing_left(scratch)

    def test_of_arithmetic_that_cannot_agree_are_skipped(self) -> None:
        scratch = self.scratch(compared())
        under = instruction_sets.mpirun(["", "baseline"])
        self.assertEqual(scratch.run(under=under), 0, scratch.output())
        by_ranks = {(trial["ranks"], trial["status"]) for trial in scratch.report()["trials"]}
        self.assertEqual(by_ranks, {(1, "finished"), (2, "skipped")})
        reasons = {trial["reason"] for trial in scratch.report()["trials"] if trial["ranks"] == 2}
        [reason] = reasons
        self.assertRegex(
            reason, "ranks 0 and 1 compute in different arithmetic, fused and separate"
        )
        self.expect_nothing_left(scratch)

    def test_one_row_is_measured_again_with_as_many_ranks(self) -> None:
        scratch = self.scratch(long_one(1))
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        [trial] = scratch.report()["trials"]
        command = [str(BINARY), "repro", str(scratch.results), trial["id"], "--for", "2s", "--json"]
        again = subprocess.run(command, capture_output=True, timeout=PATIENCE_SECONDS, check=False)
        self.assertEqual(again.returncode, 0, again.stderr)
        found = json.loads(again.stdout)
        self.assertEqual((found["id"], found["now"]["status"]), (trial["id"], "finished"))
        self.expect_nothing_left(scratch)

    def workers(self, scratch: Scratch) -> list[Process]:
        return [process for process in scratch.processes() if process.role == "worker"]

    def test_one_that_is_killed_is_one_failed_row(self) -> None:
        scratch = self.scratch(long_one(3))
        run = scratch.start("--ranks", "2")
        wait_until(lambda: len(self.workers(scratch)) == 2, PATIENCE_SECONDS)
        time.sleep(0.5)  # into its steps
        os.kill(self.workers(scratch)[-1].pid, signal.SIGKILL)
        run.wait(PATIENCE_SECONDS)
        trials = scratch.collect()["trials"]
        failed = [trial for trial in trials if trial["status"] == "failed"]
        self.assertEqual(len(failed), 1, scratch.output())
        self.assertRegex(failed[0]["reason"], "rank [01]: .*killed by signal 9")
        self.assertEqual(sum(trial["status"] == "finished" for trial in trials), 2)
        self.expect_nothing_left(scratch)

    def test_memory_that_was_written_over_before_they_join_is_one_failed_row(self) -> None:
        sweep = long_one(2)
        fake = str(SOURCE / "tests" / "support" / "fake_worker.py")
        sweep["axes"]["engine"] = ["native", "native@odd"]
        program = [sys.executable, fake, "--shares-zeros"]
        sweep["environments"] = {"odd": {"engine": "native", "program": program}}
        sweep["measure"]["steps"] = 10
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run("--ranks", "2"), 1, scratch.output())
        trials = scratch.collect()["trials"]
        status = sorted((trial["engine"], trial["status"]) for trial in trials)
        self.assertEqual(status[:2], [("native", "finished")] * 2, scratch.output())
        self.assertEqual(status[2:], [("native@odd", "failed")] * 2)
        reasons = [trial["reason"] for trial in trials if trial["status"] == "failed"]
        for reason in reasons:
            self.assertRegex(reason, "rank 0: what it shares with the others was written over")
        self.expect_nothing_left(scratch)

    def curves(self, scratch: Scratch) -> dict[str, list]:
        """By number of ranks: what does not tell the trial, or the time."""
        found: dict[str, list] = {}
        for row in rows(scratch.results, "curves"):
            del row["trial_hash"]
            if row["purpose"] == "plain":  # one run is there again
                found.setdefault(row.pop("ranks", "the same"), []).append(row)
        return found

    def test_learn_the_same_as_one_rank(self) -> None:
        """Blocks are short and of mixed sizes: agents are in the next gang before they know that the last is over."""
        scratch = self.scratch(training([1, 2, 4], 2))
        self.assertEqual(scratch.run("--ranks", "4"), 0, scratch.output())
        one, *others = self.curves(scratch).values()
        self.assertEqual((len(one), len(others)), (2 * 3 * 6, 2))
        for other in others:
            self.assertEqual(other, one)
        self.expect_nothing_left(scratch)

    def test_learn_the_same_where_each_updates_its_part(self) -> None:
        sweep = training([1, 2], 2)
        sweep["axes"]["optimizer_state"] = ["replicated", "sharded"]
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        found: dict[tuple, list] = {}
        for row in rows(scratch.results, "curves"):
            del row["trial_hash"]
            if row["purpose"] == "plain":
                kept = (row.pop("ranks"), row.pop("optimizer_state"))
                found.setdefault(kept, []).append(row)
        self.assertEqual(len(found), 3, list(found))
        one, *others = found.values()
        self.assertEqual((len(one), others), (2 * 3 * 6, [one, one]))
        self.expect_nothing_left(scratch)

    def test_trainings_wait_for_enough_agents(self) -> None:
        scratch = self.scratch(training([1, 2], 2))
        self.assertEqual(scratch.run("--ranks", "1"), OUT_OF_REACH, scratch.output())
        self.assertNotIn("run the same command again to go on", scratch.output())
        self.assertIn("needs 2 ranks of 1 core at once; this job has 1 slot", scratch.output())
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        one, two = self.curves(scratch).values()
        self.assertEqual(one, two)

    def test_trainings_go_on_where_they_were_killed(self) -> None:
        whole = self.scratch(training([2], 250))
        self.assertEqual(whole.run("--ranks", "2"), 0, whole.output())
        killed = self.scratch(training([2], 250))
        run = killed.start("--ranks", "2")
        wait_until(lambda: len(self.workers(killed)) == 2, PATIENCE_SECONDS)
        time.sleep(0.5)
        os.kill(self.workers(killed)[-1].pid, signal.SIGKILL)  # one rank: the leg is tried again
        time.sleep(0.5)
        killed.kill_all()
        run.wait(PATIENCE_SECONDS)
        self.assertEqual(killed.run("--ranks", "2"), 0, killed.output())
        self.assertEqual(self.curves(killed), self.curves(whole))
        self.expect_nothing_left(killed)

    def test_drain_while_they_run(self) -> None:
        scratch = self.scratch(long_one(4))
        run = scratch.start("--ranks", "2")
        wait_until(lambda: len(self.workers(scratch)) == 2, PATIENCE_SECONDS)
        time.sleep(0.5)
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(PATIENCE_SECONDS), 75, scratch.output())
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        self.assertEqual(
            [trial["status"] for trial in scratch.report()["trials"]], ["finished"] * 4
        )
        self.expect_nothing_left(scratch)


if __name__ == "__main__":
    unittest.main()
