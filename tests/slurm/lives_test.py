"""slurm/sweep.sbatch on a real Slurm of two simulated nodes: lives of a job, trials that harm it, suspended jobs."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

from simulated_cluster import SKIPPED, SimulatedCluster, installed

from tools import journal

ROOT = Path(__file__).resolve().parents[2]
REGATTA = Path(os.environ.get("REGATTA_BINARY_DIR", ROOT / "build")) / "bin/regatta"
PATIENCE_SECONDS = 240
MEASURE = {"slices": 1, "steps": 1}
# The rank is the parent of the keeper, whose child starts programs.
POISON = (
    "rank=$PPID; for _ in keeper rank; do rank=$(cut -d' ' -f4 /proc/$rank/stat); done; "
    "kill -KILL $rank; sleep 60"
)
SUSPENDED_SECONDS = 6
NAP_SECONDS = 3


def programs(count: int, argv: list[str], **more: object) -> dict:
    return {
        "axes": {"engine": ["command"], "command": ["one"]},
        "commands": {"one": {"argv": argv}},
        "repeats": count,
        "measure": MEASURE,
        **more,
    }


def sleepers(words: list[str]) -> int:
    """Living processes with exactly these words; srun makes the path of the program whole."""
    line = b"\0".join(word.encode() for word in words) + b"\0"
    count = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            words_of = Path(f"/proc/{process}/cmdline").read_bytes()
            count += words_of == line or (
                words_of.startswith(b"/") and words_of.endswith(b"/" + line)
            )
        except OSError:
            continue
    return count


class LivesOnSlurm(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = SimulatedCluster(nodes=2)
        self.addCleanup(self.cluster.stop)
        self.cluster.start()
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-lives-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "slurm").mkdir()
        shutil.copy(ROOT / "slurm/sweep.sbatch", self.folder / "slurm")
        self.site("")

    def site(self, more: str) -> None:
        text = (ROOT / "slurm/site.sh").read_text()
        (self.folder / "slurm/site.sh").write_text(f"{text}\nregatta={REGATTA}\n{more}")

    def submit(self, name: str, sweep: dict, *options: str) -> str:
        (self.folder / f"{name}.json").write_text(json.dumps({"regatta": 1, "name": name, **sweep}))
        size = ["--cpus-per-task=1", "--ntasks-per-node=1", *options]
        return self.cluster.submit(self.folder, *size, "slurm/sweep.sbatch", f"{name}.json")

    def log(self) -> str:
        return "\n".join(file.read_text(errors="replace") for file in self.folder.glob("*.log"))

    def wait(self, what: str, condition) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                queue = self.cluster.run("squeue").stdout
                self.fail(f"not within {PATIENCE_SECONDS} s: {what}\n{self.log()}\n{queue}")
            time.sleep(0.2)

    def wait_until_all_left(self) -> None:
        self.wait("all jobs leave", lambda: not self.cluster.run("squeue", "-h").stdout.strip())

    def state(self, job: str) -> str:
        told = self.cluster.run("scontrol", "-o", "show", "job", job).stdout
        words = dict(word.split("=", 1) for word in told.split() if "=" in word)
        return f"{words.get('JobState')} {words.get('ExitCode')}"

    def trials(self, name: str) -> list[dict]:
        file = self.folder / f"results/{name}.h5"
        report = self.cluster.run(str(REGATTA), "report", str(file), "--json")
        self.assertEqual(report.returncode, 0, report.stderr + self.log())
        return json.loads(report.stdout)["trials"]

    def records(self, name: str) -> list[journal.Record]:
        return journal.records(self.folder / f"results/{name}.regatta/journal")

    def measures(self, name: str) -> bool:
        return any(record.kind == "granted" for record in self.records(name))

    def test_a_trial_that_kills_its_rank_fails_and_the_others_finish(self) -> None:
        names = [f"good{i}" for i in range(5)] + ["poison"]
        sweep = {
            "axes": {"engine": ["command"], "command": names},
            "commands": {
                name: {"argv": ["sh", "-c", POISON if name == "poison" else "sleep 0.2"]}
                for name in names
            },
            "measure": MEASURE,
            "limits": {"attempts": 2},
        }
        job = self.submit("poison", sweep, "--nodes=2")
        self.wait("the report", lambda: "\nReport  " in self.log())
        self.wait_until_all_left()
        self.assertEqual(self.state(job), "FAILED 1:0", self.log())
        trials = self.trials("poison")
        status = [trial["status"] for trial in trials]
        self.assertEqual((status.count("finished"), status.count("failed")), (5, 1), self.log())
        self.assertRegex(str(trials), r"took its rank down \([^)]+\), 2 times")
        self.assertLessEqual(self.log().count("back into the queue"), 3, self.log())

    def test_a_job_that_may_not_be_requeued_is_continued_by_another_one(self) -> None:
        job = self.submit("chained", programs(5, ["sleep", "2"]), "--no-requeue", "--nodes=1")
        self.wait("it measures", lambda: self.measures("chained"))
        self.cluster.run("scancel", "--batch", "--signal=USR1", job)
        self.wait("it goes on", lambda: "goes on when it has ended" in self.log())
        self.wait("the report", lambda: "\nReport  " in self.log())
        self.wait_until_all_left()
        self.assertEqual(self.state(job), "FAILED 75:0", self.log())
        self.assertEqual([trial["status"] for trial in self.trials("chained")], ["finished"] * 5)
        done = [record.hash for record in self.records("chained") if record.kind == "result"]
        self.assertEqual(len(set(done)), 5)

    def test_a_launcher_that_starts_no_rank_ends_the_job_with_its_words(self) -> None:
        self.site("launch=(sh -c 'echo no such plugin >&2; exit 1' --)\n")
        job = self.submit("never", programs(1, ["true"]))
        self.wait_until_all_left()
        self.assertEqual(self.state(job), "FAILED 2:0", self.log())
        self.assertIn("no such plugin", self.log())
        self.assertNotIn("back into the queue", self.log())

    def test_a_time_limit_within_the_time_for_stopping_is_refused(self) -> None:
        job = self.submit("short", programs(1, ["true"]), "--time=2")
        self.wait_until_all_left()
        self.assertEqual(self.state(job), "FAILED 2:0", self.log())
        self.assertIn("--time is not longer than the 180 s", self.log())

    def test_the_steps_of_a_trial_are_gone_before_the_next_one(self) -> None:
        self.site("launch=(srun --mpi=pmix --nodes=1 --ntasks=1 --kill-on-bad-exit=1)\n")
        words = ["sleep", "3457"]
        argv = ["srun", "--mpi=none", "--overlap", "--nodes=2", "--ntasks=2", *words]
        limits = {"trial_timeout": "6s", "attempts": 1}
        self.submit("steps", programs(3, argv, limits=limits), "--nodes=2")
        most = 0

        def is_over() -> bool:
            nonlocal most
            most = max(most, sleepers(words))
            return "\nReport  " in self.log()

        self.wait("the report", is_over)
        self.assertEqual(most, 2, f"two tasks of one trial\n{self.log()}")
        self.wait_until_all_left()
        self.assertEqual(sleepers(words), 0)
        self.assertEqual([trial["status"] for trial in self.trials("steps")], ["failed"] * 3)

    def test_a_run_that_was_suspended_is_repeated(self) -> None:
        job = self.submit("nap", programs(2, ["sleep", str(NAP_SECONDS)]))
        self.wait("it measures", lambda: self.measures("nap"))
        time.sleep(1)  # into the run
        self.cluster.run("scontrol", "suspend", job)
        time.sleep(SUSPENDED_SECONDS)
        self.cluster.run("scontrol", "resume", job)
        self.wait("the report", lambda: "\nReport  " in self.log())
        self.assertIn("in a run of sleep; it is run again", self.log())
        for trial in self.trials("nap"):
            self.assertEqual(trial["status"], "finished")
            self.assertLess(trial["step_time"], SUSPENDED_SECONDS, trial)


if __name__ == "__main__":
    if not installed():
        print("skipped: Slurm is not installed (apt-get install slurm-wlm openmpi-bin)")
        sys.exit(SKIPPED)
    unittest.main()
