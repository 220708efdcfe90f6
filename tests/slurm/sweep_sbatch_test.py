"""slurm/sweep.sbatch run with srun, mpirun's stand-in and scontrol played by small scripts."""

import datetime
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "slurm/sweep.sbatch"
DEADLINE_SECONDS = 30

# Logs its command and USR1 signals, tells that it runs, and ends with the code that a file names; what the run itself
# says of its end stands in another.
LAUNCH = """#!/bin/bash
log() { echo "$*" >> "$FAKE/log"; }
words="${0##*/} $*"
log "${words% --exit-code-to *}"
word=${words##* --exit-code-to }
[[ -e $FAKE/never-begins ]] || echo begun >"$word"
trap 'log USR1; echo 75 > "$FAKE/code"' USR1
trap 'log TERM; echo "${CODE_OF_TERM:-143}" > "$FAKE/code"' TERM
: > "$FAKE/started"
until [[ -s $FAKE/code ]]; do sleep 0.02; [[ -d $FAKE ]] || exit 1; done
sleep 0.2
code=$(cat "$FAKE/code")
said=$code # a rank that is killed says nothing
[[ $code -gt 128 ]] && said=
[[ -e $FAKE/said ]] && said=$(cat "$FAKE/said")
[[ -n $said ]] && echo "$said" >"$word"
exit "$code"
"""


# Requeues unless a file forbids it.
SCONTROL = """#!/bin/bash
[[ $2 == show ]] && { echo "JobId=42 Command=$FAKE/checkout/slurm/sweep.sbatch StdOut=/logs/regatta-42.log Power="; exit; }
echo "scontrol $*" >> "$FAKE/log"
if [[ -e $FAKE/no-requeue ]]; then
  echo "Requested operation is presently disabled" >&2
  exit 1
fi
"""
SBATCH = """#!/bin/bash
[[ -e $FAKE/no-sbatch ]] && exit 1
echo "sbatch $* life ${SLURM_RESTART_COUNT:-none}" >> "$FAKE/log"
echo 43
"""
# The end of the job, and its time limit.
SQUEUE = """#!/bin/bash
[[ $* == *%l* ]] && echo 1:00:00
[[ $* == *%e* ]] && cat "$FAKE/end" 2>/dev/null
exit 0
"""


class SweepSbatch(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        for name in ("bin", "slurm", "build/bin"):
            (self.folder / name).mkdir(parents=True)
        self.program("bin/srun", LAUNCH)
        self.program("build/bin/regatta", LAUNCH)
        self.program("bin/scontrol", SCONTROL)
        self.program("bin/sbatch", SBATCH)
        self.program("bin/squeue", SQUEUE)
        self.site((ROOT / "slurm/site.sh").read_text())

    def program(self, path: str, text: str) -> None:
        (self.folder / path).write_text(text)
        (self.folder / path).chmod(0o755)

    def site(self, text: str) -> None:
        (self.folder / "slurm/site.sh").write_text(text)

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "FAKE": str(self.folder),
            "SLURM_SUBMIT_DIR": str(self.folder),
            "SLURM_JOB_ID": "42",
            "SLURM_NTASKS": "6",
            **variables,
        }
        process = subprocess.Popen(
            ["bash", SCRIPT, *arguments],
            env=environment,
            cwd="/",
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        return process

    def end_with(self, code: int, said: str | None = None) -> None:
        (self.folder / "code").write_text(f"{code}\n")
        if said is not None:
            (self.folder / "said").write_text(said)

    def wait_for_start(self) -> None:
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not (self.folder / "started").exists():
            self.assertLess(time.monotonic(), deadline, "the launch command never started")
            time.sleep(0.01)

    def finish(self, process: subprocess.Popen[str]) -> tuple[int, list[str]]:
        process.wait(DEADLINE_SECONDS)
        return process.returncode, (self.folder / "log").read_text().splitlines()

    def test_runs_one_rank_a_task_and_returns_its_code(self) -> None:
        for code in (0, 1, 74):
            (self.folder / "log").unlink(missing_ok=True)
            self.end_with(code)
            ended = self.finish(self.start("my sweep.json", "--set", "batch=1,2"))
            command = "srun --mpi=pmix --kill-on-bad-exit=1 build/bin/regatta run my sweep.json --set batch=1,2"
            self.assertEqual(ended, (code, [command]))

    def test_from_any_folder_the_site_file_beside_the_submitted_script_counts(self) -> None:
        (self.folder / "checkout").mkdir()
        for name in ("slurm", "build"):
            (self.folder / name).rename(self.folder / "checkout" / name)
        self.end_with(0)
        program = f"{self.folder}/checkout/build/bin/regatta"
        command = f"srun --mpi=pmix --kill-on-bad-exit=1 {program} run s.json"
        self.assertEqual(self.finish(self.start("s.json")), (0, [command]))

    def test_a_missing_site_file_or_program_is_named(self) -> None:
        self.site("regatta=nowhere/regatta\nlaunch=()\n")
        process = self.start("s.json")
        self.assertEqual(process.wait(DEADLINE_SECONDS), 2)
        (self.folder / "slurm/site.sh").unlink()
        process = self.start("s.json")
        self.assertEqual(process.wait(DEADLINE_SECONDS), 2)
        self.assertFalse((self.folder / "log").exists(), "nothing was started")

    def test_without_srun_the_launcher_starts_mpirun_itself(self) -> None:
        self.site("regatta=build/bin/regatta\nlaunch=()\n")
        self.end_with(0)
        self.assertEqual(self.finish(self.start("s.json")), (0, ["regatta run s.json --ranks 6"]))

    def test_usr1_is_passed_on_and_work_left_goes_back_into_the_queue(self) -> None:
        process = self.start("s.json")
        self.wait_for_start()
        process.send_signal(signal.SIGUSR1)
        code, log = self.finish(process)
        self.assertEqual(log[1:], ["USR1", "scontrol requeue 42"])
        self.assertEqual(code, 75)

    def test_term_is_passed_on_and_nothing_is_requeued(self) -> None:
        process = self.start("s.json")
        self.wait_for_start()
        process.send_signal(signal.SIGTERM)
        code, log = self.finish(process)
        self.assertEqual((code, log[1:]), (143, ["TERM"]))

    def test_a_job_that_is_cancelled_does_not_come_back_though_work_is_left(self) -> None:
        process = self.start("s.json", CODE_OF_TERM="75")
        self.wait_for_start()
        process.send_signal(signal.SIGTERM)
        code, log = self.finish(process)
        self.assertEqual((code, log[1:]), (75, ["TERM"]))

    def test_a_run_is_told_how_often_its_job_came_back(self) -> None:
        self.end_with(75)
        variables = {"SLURM_RESTART_COUNT": "2", "REGATTA_LIFE": "1"}
        code, log = self.finish(self.start("s.json", **variables))
        self.assertEqual((code, log[1:]), (75, ["scontrol requeue 42"]))
        self.assertTrue(log[0].endswith("run s.json --life 3"), log)

    def test_where_a_requeue_is_refused_another_job_goes_on(self) -> None:
        (self.folder / "no-requeue").touch()
        self.site("regatta=build/bin/regatta\nlaunch=(srun)\nchain_options=(--constraint=amd)\n")
        self.end_with(75)
        size = {"SLURM_JOB_NUM_NODES": "3", "SLURM_CPUS_PER_TASK": "8", "SLURM_JOB_PARTITION": "p"}
        process = self.start("my sweep.json", "--set", "a=1", SLURM_RESTART_COUNT="2", **size)
        code, log = self.finish(process)
        self.assertEqual((code, log[1]), (75, "scontrol requeue 42"))
        for word in (
            "--dependency=afterany:42",
            "--export=ALL,REGATTA_LIFE=3",
            "--nodes=3",
            "--ntasks=6",
            "--cpus-per-task=8",
            "--partition=p",
            "--time=1:00:00",
            "--output=/logs/regatta-42.log",
            "--constraint=amd",
        ):
            self.assertIn(word, log[2].split())
        self.assertTrue(log[2].endswith("sweep.sbatch my sweep.json --set a=1 life none"), log[2])
        self.assertIn("job 43 goes on", process.stdout.read())

    def test_without_requeue_and_another_job_the_code_is_that_work_is_left(self) -> None:
        (self.folder / "no-requeue").touch()
        (self.folder / "no-sbatch").touch()
        self.end_with(75)
        process = self.start("s.json")
        self.assertEqual(self.finish(process)[0], 75)
        self.assertIn("the same sbatch goes on", process.stdout.read())

    def test_a_launcher_that_starts_no_rank_is_named_and_not_tried_again(self) -> None:
        (self.folder / "never-begins").touch()
        for code in (0, 1, 127, 255):
            (self.folder / "log").unlink(missing_ok=True)
            self.end_with(code, said="")
            process = self.start("s.json")
            ended, log = self.finish(process)
            self.assertEqual((ended, log[1:]), (2, []), code)
            self.assertIn(
                f"no process of the run was started; the lines above say why (status {code}",
                process.stdout.read(),
            )

    def test_a_job_that_was_to_stop_before_a_rank_began_goes_on(self) -> None:
        (self.folder / "never-begins").touch()
        (self.folder / "said").write_text("")
        process = self.start("s.json")
        self.wait_for_start()
        process.send_signal(signal.SIGUSR1)
        self.end_with(0, said="")
        code, log = self.finish(process)
        self.assertEqual((code, log[-1]), (75, "scontrol requeue 42"))

    def test_a_time_limit_within_the_time_for_stopping_is_refused(self) -> None:
        for seconds, refused in ((100, True), (1000, False)):
            with self.subTest(seconds):
                (self.folder / "log").unlink(missing_ok=True)
                end = datetime.datetime.now() + datetime.timedelta(seconds=seconds)
                (self.folder / "end").write_text(end.isoformat(timespec="seconds"))
                self.end_with(0)
                code = self.start("s.json").wait(DEADLINE_SECONDS)
                self.assertEqual(code, 2 if refused else 0)
                self.assertEqual((self.folder / "log").exists(), not refused)
        end = datetime.datetime.now() + datetime.timedelta(seconds=100)
        (self.folder / "end").write_text(end.isoformat(timespec="seconds"))
        later = self.start("s.json", REGATTA_LEAD="30")
        self.assertEqual(later.wait(DEADLINE_SECONDS), 0, "another --signal was given")

    def test_a_killed_rank_sends_the_job_back_into_the_queue(self) -> None:
        for code in (137, 139):
            (self.folder / "log").unlink(missing_ok=True)
            self.end_with(code)
            ended, log = self.finish(self.start("s.json"))
            self.assertEqual((ended, log[1:]), (75, ["scontrol requeue 42"]))

    def test_a_killed_rank_does_not_bring_a_cancelled_job_back(self) -> None:
        process = self.start("s.json", CODE_OF_TERM="137")
        self.wait_for_start()
        process.send_signal(signal.SIGTERM)
        code, log = self.finish(process)
        self.assertEqual((code, log[1:]), (137, ["TERM"]))

    def test_done_counts_only_if_the_run_said_so(self) -> None:
        """srun may return 0 though a rank is gone; its own errors are a 1."""
        for code in (0, 1):
            (self.folder / "log").unlink(missing_ok=True)
            self.end_with(code, said="")
            ended, log = self.finish(self.start("s.json"))
            self.assertEqual((ended, log[1:]), (75, ["scontrol requeue 42"]), code)

    def test_refusals_and_broken_disks_count_without_a_word(self) -> None:
        for code in (2, 70, 74, 127, 255):
            (self.folder / "log").unlink(missing_ok=True)
            self.end_with(code, said="")
            ended, log = self.finish(self.start("s.json"))
            self.assertEqual((ended, log[1:]), (code, []))

    def test_a_rank_that_is_killed_after_the_end_changes_nothing(self) -> None:
        self.end_with(137, said="0")
        code, log = self.finish(self.start("s.json"))
        self.assertEqual((code, log[1:]), (0, []))

    def test_the_word_of_an_earlier_life_does_not_count(self) -> None:
        (self.folder / "regatta-42.end").write_text("0\n")
        self.end_with(0, said="")
        code, log = self.finish(self.start("s.json"))
        self.assertEqual((code, log[1:]), (75, ["scontrol requeue 42"]))
        self.assertFalse((self.folder / "regatta-42.end").exists())

    def test_without_a_sweep_nothing_starts(self) -> None:
        process = self.start()
        self.assertEqual(process.wait(DEADLINE_SECONDS), 2)
        self.assertFalse((self.folder / "log").exists())

    def test_directives(self) -> None:
        found = dict(re.findall(r"^#SBATCH --([\w-]+)=?(\S*)$", SCRIPT.read_text(), re.MULTILINE))
        self.assertEqual(found["signal"], "B:USR1@180")
        self.assertEqual(found["open-mode"], "append")
        self.assertIn("requeue", found)
        before, after = SCRIPT.read_text().split(
            "\nset -u\n"
        )  # Slurm stops reading at the first command
        self.assertEqual(re.findall(r"^[^#]", before, re.MULTILINE), [])
        self.assertNotIn("#SBATCH", after)


if __name__ == "__main__":
    unittest.main()
