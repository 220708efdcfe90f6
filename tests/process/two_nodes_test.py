"""Trials of several ranks on two nodes: the same work as one rank; one failed row where a rank dies, hangs or is cut
off; nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import unittest

from tools.exported_tables import rows
from tools.normed import NORMED
from tools.regatta_process import BINARY, PATIENCE_SECONDS, Process, Scratch, wait_until
from tools.two_nodes import SKIPPED, TwoNodes, can_be_made

TRIAL_SECONDS = 6  # limits.trial_timeout of those that are to be waited for
SILENCE_SECONDS = TRIAL_SECONDS + 30  # after which an agent is taken for cut off
QUICK_KEEPALIVES = (
    *("--mca", "oob_tcp_keepalive_time", "4"),
    *("--mca", "oob_tcp_keepalive_intvl", "1", "--mca", "oob_tcp_keepalive_probes", "3"),
)
LARGE = {  # parts of more than a chunk: 12 MB of weights
    "name": "large",
    "input": [1000],
    "layers": [{"dense": 3000, "activation": "relu"}, {"dense": 5, "activation": "softmax"}],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"sgd": {"learning_rate": 0.01}},
}


def compared() -> dict:
    return {
        "regatta": 1,
        "name": "nodes",
        "axes": {
            "model": ["mlp-784", "conv1d-small", NORMED, LARGE],
            "mode": ["graph", "eager"],
            "ranks": [1, 2, 4],
        },
        "compare": {"over": ["ranks"], "baseline": {"ranks": 1}},
        "measure": {"slices": 2, "steps": 5},
    }


def long_one(trial_seconds: int = TRIAL_SECONDS) -> dict:
    """In slices so short that a busy machine takes none of them for a hang."""
    return {
        "regatta": 1,
        "name": "long",
        "axes": {"model": ["mlp-784"], "ranks": [4], "seed": [0, 1, 2]},
        "measure": {"slices": 100, "steps": 5},
        "limits": {"attempts": 1, "trial_timeout": f"{trial_seconds}s"},
    }


def training(ranks: list[int]) -> dict:
    return {
        "regatta": 1,
        "name": "learns",
        "task": "train",
        "axes": {"model": ["digits-mlp"], "dataset": "digits", "ranks": ranks},
        "train": {"epochs": 1, "evaluations": 3, "seeds": 1},
        "objective": {"metric": "validation_accuracy"},
    }


def searched() -> dict:
    """One of two goes on where its first part ended."""
    sweep = training([4])
    sweep["axes"]["learning_rate"] = [0.001, 0.01]
    sweep["search"] = {"kind": "halving", "rungs": 2, "factor": 2, "at_most": 1}
    return sweep


class TwoNodesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.nodes = TwoNodes()
        self.addCleanup(self.nodes.remove)

    def scratch(self, sweep: dict) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        return scratch

    def expect_nothing_left(self, scratch: Scratch) -> None:
        gone = wait_until(lambda: not scratch.processes(), 10)
        self.assertTrue(gone, scratch.processes())
        self.assertEqual(scratch.temporary_files(), [])

    def workers(self, scratch: Scratch, node: str) -> list[Process]:
        return [
            process
            for process in scratch.processes()
            if process.role == "worker" and self.nodes.node_of(process.pid) == node
        ]

    def in_its_steps(self, scratch: Scratch, *options: str):
        run = scratch.start(under=self.nodes.mpirun(2, *options))
        started = wait_until(lambda: len(self.workers(scratch, "b")) == 2, PATIENCE_SECONDS)
        self.assertTrue(started, scratch.output())
        time.sleep(1)
        return run

    def reasons(self, scratch: Scratch) -> list[str]:
        """Why rows failed; all others are finished."""
        trials = scratch.collect()["trials"]
        failed = [trial for trial in trials if trial["status"] == "failed"]
        finished = sum(trial["status"] == "finished" for trial in trials)
        self.assertEqual(len(failed) + finished, len(trials), trials)
        return [trial["reason"] for trial in failed]

    def test_do_the_same_work_as_one_rank(self) -> None:
        scratch = self.scratch(compared())
        self.assertEqual(scratch.run(under=self.nodes.mpirun(2)), 0, scratch.output())
        trials = scratch.report()["trials"]
        self.assertEqual(len(trials), 24)
        for trial in trials:
            with self.subTest(trial=trial["label"]):
                self.assertEqual((trial["status"], trial["verified"]), ("finished", "yes"), trial)
                self.assertEqual(trial["nodes"], 2 if trial["ranks"] == 4 else None, trial)
        self.expect_nothing_left(scratch)

    def test_read_the_weights_that_ranks_elsewhere_update(self) -> None:
        sweep = compared()
        axes = {"model": [NORMED, LARGE], "mode": ["graph"], "ranks": [1, 4]}
        sweep["axes"] = {**axes, "optimizer_state": ["replicated", "sharded"]}
        sweep["compare"]["over"] = ["ranks", "optimizer_state"]
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run(under=self.nodes.mpirun(2)), 0, scratch.output())
        trials = scratch.report()["trials"]
        kept = sorted(trial["optimizer_state"] or "" for trial in trials)
        self.assertEqual(kept, ["", "", "replicated", "replicated", "sharded", "sharded"])
        for trial in trials:
            with self.subTest(trial=trial["label"]):
                self.assertEqual((trial["status"], trial["verified"]), ("finished", "yes"), trial)

    def test_normalize_by_the_whole_batch(self) -> None:
        sweep = compared()
        axes = {"model": [NORMED], "mode": ["graph", "eager"], "ranks": [1, 4]}
        sweep["axes"] = {**axes, "batch_statistics": ["batch", "shard"]}
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run(under=self.nodes.mpirun(2)), 0, scratch.output())
        hashes: dict[str, set[str]] = {}
        for trial in scratch.report()["trials"]:
            self.assertEqual((trial["status"], trial["verified"]), ("finished", "yes"), trial)
            self.assertEqual(trial["nodes"], 2 if trial["ranks"] == 4 else None, trial)
            hashes.setdefault(trial["batch_statistics"], set()).add(trial["parameter_hash"])
        self.assertEqual(
            {level: len(found) for level, found in hashes.items()}, {"batch": 1, "shard": 1}
        )
        self.assertNotEqual(hashes["batch"], hashes["shard"])
        self.expect_nothing_left(scratch)

    def test_bench_tells_what_passes_between_them(self) -> None:
        for ranks_of_a_node in (1, 2):
            command = [*self.nodes.mpirun(ranks_of_a_node), str(BINARY), "bench", "--nodes"]
            done = subprocess.run(
                [*command, "--quick", "--json"], capture_output=True, timeout=PATIENCE_SECONDS
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            hosts = [(node["rank"], node["host"]) for node in found["nodes"]]
            self.assertEqual(hosts, [(0, "nodea"), (ranks_of_a_node, "nodeb")])
            [link] = found["links"]
            self.assertGreater(link["there"]["low"], 0)
            self.assertGreater(link["back"]["low"], 0)
            # Both are of this kernel: what is measured has to hold nothing.
            self.assertTrue(link["one_clock"])
            self.assertLessEqual(abs(link["clock_offset"]), link["clock_error"])

    def test_learn_what_one_rank_learns(self) -> None:
        scratch = self.scratch(training([1, 4]))
        self.assertEqual(scratch.run(under=self.nodes.mpirun(2)), 0, scratch.output())
        found: dict[str, list] = {}
        for row in rows(scratch.results, "curves"):
            del row["trial_hash"]
            if row["purpose"] == "plain":  # one run is there again
                found.setdefault(row.pop("ranks"), []).append(row)
        self.assertEqual(list(found), ["1", "4"])
        self.assertEqual(len(found["1"]), 3)
        self.assertEqual(found["1"], found["4"])
        legs = rows(scratch.results, "legs")
        self.assertEqual({(leg["ranks"], leg["nodes"]) for leg in legs}, {("1", ""), ("4", "2")})
        self.expect_nothing_left(scratch)

    def test_trainings_go_on_from_a_checkpoint_that_both_nodes_see(self) -> None:
        scratch = self.scratch(searched())
        self.assertEqual(scratch.run(under=self.nodes.mpirun(2)), 0, scratch.output())
        legs = [leg for leg in rows(scratch.results, "legs") if leg["status"] == "finished"]
        self.assertTrue([leg for leg in legs if leg["rung"] == "1"], legs)
        self.expect_nothing_left(scratch)

    def test_a_checkpoint_that_one_node_does_not_see_is_a_failed_training(self) -> None:
        scratch = self.scratch(searched())
        folder = scratch.run_folder / "checkpoints"
        folder.mkdir(parents=True)
        for each in (scratch.run_folder, folder):
            each.chmod(0o700)
        self.nodes.hide(folder)
        # Configurations that fail are part of a search: the run as such is done.
        self.assertEqual(scratch.run(under=self.nodes.mpirun(2)), 0, scratch.output())
        self.assertRegex(
            " ".join(scratch.output().split()),
            "rank [23]: the node of rank [23] does not see the checkpoint",
        )
        self.expect_nothing_left(scratch)

    def test_one_rank_on_each_node(self) -> None:
        sweep = compared()
        sweep["axes"] |= {"ranks": [1, 2], "model": ["mlp-784"]}
        scratch = self.scratch(sweep)
        self.assertEqual(scratch.run(under=self.nodes.mpirun(1)), 0, scratch.output())
        for trial in scratch.report()["trials"]:
            self.assertEqual((trial["status"], trial["verified"]), ("finished", "yes"), trial)
            self.assertEqual(trial["nodes"], 2 if trial["ranks"] == 2 else None, trial)

    def test_one_that_is_killed_is_one_failed_row(self) -> None:
        for node, ranks in (("b", "[23]"), ("a", "[01]")):
            with self.subTest(node=node):
                scratch = self.scratch(long_one(trial_seconds=40))
                run = self.in_its_steps(scratch)
                os.kill(self.workers(scratch, node)[-1].pid, signal.SIGKILL)
                # The others are told: nobody's patience, 32 s, has to end.
                told = wait_until(lambda: "killed by signal 9" in scratch.output(), 16)
                self.assertTrue(told, scratch.output())
                run.wait(PATIENCE_SECONDS)
                reasons = self.reasons(scratch)
                self.assertEqual(len(reasons), 1, scratch.output())
                self.assertRegex(reasons[0], f"rank {ranks}: .*killed by signal 9")
                self.expect_nothing_left(scratch)

    def test_one_that_hangs_is_one_failed_row(self) -> None:
        scratch = self.scratch(long_one())
        run = self.in_its_steps(scratch)
        os.kill(self.workers(scratch, "b")[-1].pid, signal.SIGSTOP)
        run.wait(PATIENCE_SECONDS)
        reasons = self.reasons(scratch)
        self.assertEqual(len(reasons), 1, scratch.output())
        self.assertRegex(reasons[0], "rank [23] has not|rank [23]: no answer|of ranks? .*[23]")
        self.expect_nothing_left(scratch)

    def test_drain_while_they_run(self) -> None:
        scratch = self.scratch(long_one())
        run = self.in_its_steps(scratch)
        run.send_signal(signal.SIGUSR1)
        self.assertEqual(run.wait(PATIENCE_SECONDS), 75, scratch.output())
        self.assertEqual(scratch.run(under=self.nodes.mpirun(2)), 0, scratch.output())
        self.assertEqual(self.reasons(scratch), [])
        self.expect_nothing_left(scratch)

    def test_short_cut_is_waited_for(self) -> None:
        scratch = self.scratch(long_one())
        run = self.in_its_steps(scratch)
        self.nodes.cut()
        time.sleep(1)
        self.nodes.mend()
        run.wait(PATIENCE_SECONDS)
        self.assertEqual(self.reasons(scratch), [], scratch.output())
        self.expect_nothing_left(scratch)

    def test_cut_is_one_failed_row_and_the_job_ends(self) -> None:
        scratch = self.scratch(long_one())
        run = self.in_its_steps(scratch)
        self.nodes.cut()
        start = time.monotonic()
        told = wait_until(lambda: "this job ends" in scratch.output(), 2 * SILENCE_SECONDS)
        self.assertTrue(told, scratch.output())
        self.assertLess(time.monotonic() - start, SILENCE_SECONDS + TRIAL_SECONDS)
        # All that is Regatta's goes by itself; mpirun waits for the other node as long as its keepalives let it.
        ours = ("launcher", "rank", "keeper", "spawner", "worker")
        gone = wait_until(
            lambda: not [each for each in scratch.processes() if each.role in ours],
            20,
        )
        self.assertTrue(gone, scratch.processes())
        self.nodes.mend()
        self.assertEqual(run.wait(PATIENCE_SECONDS), 75, scratch.output())
        [reason] = self.reasons_of_failed(scratch)
        self.assertRegex(reason, "no answer of ranks 2, 3 for .*network between the nodes is cut")
        self.assertEqual(scratch.run(under=self.nodes.mpirun(2)), 1, scratch.output())
        self.assertEqual(len(self.reasons(scratch)), 1, self.reasons(scratch))
        self.expect_nothing_left(scratch)

    def reasons_of_failed(self, scratch: Scratch) -> list[str]:
        trials = scratch.collect()["trials"]
        return [trial["reason"] for trial in trials if trial["status"] == "failed"]

    def test_cut_that_mpirun_sees_first_ends_the_job(self) -> None:
        scratch = self.scratch(long_one())
        run = self.in_its_steps(scratch, *QUICK_KEEPALIVES)
        self.nodes.cut()
        self.assertNotEqual(run.wait(PATIENCE_SECONDS), 0, scratch.output())
        self.expect_nothing_left(scratch)
        self.nodes.mend()
        self.assertEqual(scratch.run(under=self.nodes.mpirun(2)), 0, scratch.output())
        self.assertEqual(self.reasons(scratch), [])


if __name__ == "__main__":
    if not can_be_made():
        print(
            "skipped: needs root, and ip, unshare and mpirun (apt-get install iproute2 openmpi-bin)"
        )
        sys.exit(SKIPPED)
    unittest.main()
