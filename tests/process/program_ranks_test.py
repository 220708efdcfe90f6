"""Programs of several ranks as trials: each rank on a slot, one failed row where a rank dies or hangs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import unittest

from tools.regatta_process import BINARY, PATIENCE_SECONDS, Process, Scratch, wait_until

ONE_RUN = {"slices": 1, "steps": 1}

# A rank meets the others at rank 0's port, as libraries do: each says its number, and all are let go at once.
MEET = """
import json, os, socket, struct, sys, time
rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
place = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])


def meet():
    if rank == 0:
        with socket.create_server(place, backlog=ranks) as server:
            others = [server.accept()[0] for _ in range(ranks - 1)]
        met = sorted(struct.unpack("i", other.recv(4, socket.MSG_WAITALL))[0] for other in others)
        for other in others:
            other.sendall(b"!")
        return met
    for _ in range(400):
        try:
            with socket.create_connection(place) as link:
                link.sendall(struct.pack("i", rank))
                if link.recv(1) == b"!":
                    return []
                sys.exit("rank 0 is gone")
        except ConnectionRefusedError:
            time.sleep(0.02)
    sys.exit("nobody listens")
"""

TELL = (
    MEET
    + """
met = meet()
cores = sorted(os.sched_getaffinity(0))
with open(f"cores-{ranks}-{rank}", "w") as file:
    json.dump({"cores": cores, "local": os.environ["LOCAL_RANK"], "own": os.environ["LOCAL_WORLD_SIZE"]}, file)
if rank == 0:
    print(json.dumps({"met": len(met), "sum": sum(met)}))
else:
    print(json.dumps({"met": -1, "sum": -1}))
"""
)

# Rank 1 does what the sweep says, while rank 0 waits for it in a function that a stack shows.
GO_WRONG = (
    MEET
    + """
def waits_for_the_other():
    time.sleep(600)


meet()
if rank == 1:
    print("rank 1 is here", file=sys.stderr, flush=True)
    if sys.argv[1] == "dies":
        os.kill(os.getpid(), 9)
    if sys.argv[1] == "raises":
        raise RuntimeError("no such batch")
    if sys.argv[1] == "hangs":
        waits_for_the_other()
if rank == 0:
    waits_for_the_other()
"""
)


def sweep(argv: list[str], axes: dict, command: dict | None = None, **keys: object) -> dict:
    return {
        "regatta": 1,
        "name": "group",
        "axes": {"engine": "command", "command": "p", **axes},
        "commands": {"p": {"argv": argv, **(command or {})}},
        "measure": ONE_RUN,
        **keys,
    }


class ProgramRanks(unittest.TestCase):
    def of(self, sweep: dict, **files: str) -> Scratch:
        """With these files in its folder, which words name as HERE/NAME.py."""
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        for name, text in files.items():
            (scratch.folder / name.replace("__", ".")).write_text(text)
        scratch.sweep_file.write_text(json.dumps(sweep).replace("HERE", str(scratch.folder)))
        return scratch

    def told(self, scratch: Scratch) -> dict[int, dict[str, float]]:
        """The results of finished rows, by ranks."""
        trials = scratch.report()["trials"]
        self.assertEqual({trial["status"] for trial in trials}, {"finished"}, trials)
        return {t["ranks"]: {name: r["value"] for name, r in t["results"].items()} for t in trials}

    def test_each_rank_is_a_process_on_a_slot_of_its_own_and_rank_0_tells_the_results(self):
        for launch in ("env", "torchrun"):
            with self.subTest(launch):
                command = {"launch": launch, "folder": "kept", "results": ["met", "sum"]}
                argv = ["python3", "HERE/tell.py"]
                scratch = self.of(sweep(argv, {"ranks": [1, 2]}, command), tell__py=TELL)
                self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
                told = self.told(scratch)
                self.assertEqual(told, {1: {"met": 0, "sum": 0}, 2: {"met": 1, "sum": 1}})
                cores = []
                for rank in (0, 1):
                    (found,) = (scratch.folder / "out" / "group.trials").glob(f"*/cores-2-{rank}")
                    place = json.loads(found.read_text())
                    self.assertEqual((place["local"], place["own"]), (str(rank), "2"))
                    self.assertEqual(len(place["cores"]), 1)
                    cores += place["cores"]
                if (os.cpu_count() or 1) > 1:
                    self.assertEqual(len(set(cores)), 2, "two ranks share a core")

    def test_a_program_that_starts_its_ranks_itself_has_the_cores_of_all_its_slots(self):
        code = "import json, os; print(json.dumps({'width': len(os.sched_getaffinity(0)), 'given': int(os.sys.argv[1])}))"
        scratch = self.of(sweep(["python3", "-c", code, "{ranks}"], {"ranks": [1, 2]}))
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        told = self.told(scratch)
        both = min(2, os.cpu_count() or 1)
        self.assertEqual(told, {1: {"width": 1, "given": 1}, 2: {"width": both, "given": 2}})

    def test_more_ranks_than_the_run_has_processes_are_skipped(self):
        scratch = self.of(sweep(["true"], {"ranks": [1, 2]}, {"launch": "env"}))
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        found = {
            trial["ranks"]: (trial["status"], trial["reason"])
            for trial in scratch.report()["trials"]
        }
        self.assertEqual(found[1][0], "finished")
        self.assertEqual(found[2][0], "skipped")
        self.assertIn("start with more ranks", found[2][1])

    def failed(self, how: str, **limits: object) -> tuple[dict, str, str]:
        """The failed row, and what each rank left in its log."""
        what = sweep(["python3", "HERE/wrong.py", how], {"ranks": [2]}, {"launch": "env"})
        what["limits"] = {"attempts": 1, "trial_timeout": "20s", **limits}
        scratch = self.of(what, wrong__py=GO_WRONG)
        self.assertEqual(scratch.run("--ranks", "2"), 1, scratch.output())
        (trial,) = scratch.report()["trials"]
        self.assertEqual(trial["status"], "failed", trial)
        self.assertEqual(scratch.processes(), [])
        return trial, *(self.log(scratch, rank) for rank in (0, 1))

    def log(self, scratch: Scratch, rank: int) -> str:
        """Standard error of a rank of the one trial."""
        asked = [BINARY, "query", scratch.results, "--columns", "trial_hash", "--json"]
        told = subprocess.run(asked, capture_output=True, check=True).stdout
        trial = json.loads(told)["rows"][0]["trial_hash"]
        name = f"{trial}.err" if rank == 0 else f"{trial}-rank-{rank}.err"
        file = scratch.run_folder / "logs" / name
        return file.read_text() if file.exists() else ""

    def test_a_rank_that_is_killed_is_one_failed_row_with_the_stack_of_the_other(self):
        trial, log, other = self.failed("dies")
        self.assertRegex(trial["reason"], r"rank 1 on \S+: killed by signal 9")
        self.assertIn("waits_for_the_other", log)
        self.assertIn("rank 1 is here", other)

    def test_a_rank_that_raises_is_the_cause_and_tells_its_last_words(self):
        trial, log, _ = self.failed("raises")
        self.assertRegex(trial["reason"], r"rank 1 on \S+: exited with status 1")
        self.assertIn("no such batch", trial["reason"])
        self.assertIn("waits_for_the_other", log)

    def test_ranks_that_hang_are_named_and_their_stacks_kept(self):
        trial, log, other = self.failed("hangs", trial_timeout="4s")
        self.assertRegex(
            trial["reason"], r"rank 0 on \S+: did not end within limits.trial_timeout, 4 s"
        )
        self.assertIn("neither did rank 1", trial["reason"])
        self.assertIn("waits_for_the_other", log)
        self.assertIn("waits_for_the_other", other)

    def test_a_rank_that_is_killed_from_outside_leaves_nothing_behind(self):
        what = sweep(["sleep", "300"], {"ranks": [2]}, {"launch": "env"})
        what["limits"] = {"attempts": 1}
        scratch = self.of(what)
        run = scratch.start("--ranks", "2")

        def sleepers() -> list[Process]:
            return [p for p in scratch.processes() if p.name == "sleep"]

        self.assertTrue(
            wait_until(lambda: len(sleepers()) == 2, PATIENCE_SECONDS), scratch.output()
        )
        os.kill(sleepers()[0].pid, 9)
        self.assertEqual(run.wait(PATIENCE_SECONDS), 1, scratch.output())
        self.assertEqual(scratch.processes(), [])

    @unittest.skipUnless(shutil.which("mpicc") and shutil.which("mpirun"), "no MPI compiler here")
    def test_an_mpi_program_runs_with_as_many_ranks_as_its_row_says(self):
        source = """
            #define _GNU_SOURCE
            #include <mpi.h>
            #include <sched.h>
            #include <stdio.h>
            int main(int count, char **words) {
              int rank, size, cores, all;
              MPI_Init(&count, &words);
              MPI_Comm_rank(MPI_COMM_WORLD, &rank);
              MPI_Comm_size(MPI_COMM_WORLD, &size);
              cpu_set_t mask;
              sched_getaffinity(0, sizeof mask, &mask);
              cores = CPU_COUNT(&mask);
              MPI_Allreduce(&cores, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
              if (rank == 0) printf("{\\"world\\": %d, \\"width\\": %d}\\n", size, all);
              MPI_Finalize();
            }"""
        what = sweep(["HERE/size"], {"ranks": [1, 2]}, {"launch": "mpirun"})
        scratch = self.of(what, size__c=source)
        program = str(scratch.folder / "size")
        subprocess.run(["mpicc", "-o", program, program + ".c"], check=True)
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        self.assertEqual(
            self.told(scratch), {1: {"world": 1, "width": 1}, 2: {"world": 2, "width": 2}}
        )


if __name__ == "__main__":
    unittest.main()
