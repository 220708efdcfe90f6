"""Experiences of the first hour: mistakes in files, a look before a long run, help that programs can read."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from tools.regatta_process import BINARY, SOURCE

FAILS = """\
import sys
sys.stderr.write("no such solver\\n")
sys.exit(3)
"""


class FirstHour(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def regatta(
        self, *words: str, code: int = 0, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(BINARY), *words],
            env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), **variables},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def sweep(self, name: str = "s", **keys: object) -> str:
        sweep = {
            "regatta": 1,
            "name": name,
            "axes": {"engine": "native", "model": ["mlp-10", "noop"], "batch": [1, 32]},
            "measure": {"per_contrast": "100ms"},
            **keys,
        }
        return self.write(f"{name}.json", json.dumps(sweep))


class Files(FirstHour):
    def test_comments_are_read_and_mistakes_are_told_in_plain_words(self) -> None:
        text = '{"regatta": 1, // the grammar\n "name": "c",\n "axes": {"model": "noop", "batch": [1, 2,],}}'
        self.assertIn(
            "1 trial in 1 block\n", self.regatta("plan", self.write("c.json", text)).stdout
        )
        broken = text.replace('"c",', '"c"')
        said = self.regatta("plan", self.write("b.json", broken), code=2).stderr
        self.assertIn('b.json:2: found no comma behind "c" (column 13), expected one before', said)

    def test_init_writes_sweeps_of_commands_and_loops_that_can_be_planned(self) -> None:
        self.regatta("init", "heat", "--command", "sleep 0.{n}")
        self.assertIn("3 points, 3 trials", self.regatta("plan", "heat.json").stdout)
        self.write("fit.py", "import regatta\nfor step in regatta.steps():\n    pass\n")
        self.regatta("init", "fit", "--loop", "fit.py", "--engine", "numpy")
        self.assertIn("2 points, 2 trials", self.regatta("plan", "fit.json").stdout)

    def test_a_plan_beyond_a_day_warns_in_units_that_people_wait_in(self) -> None:
        axes = {"engine": ["native"], "model": ["mlp-10"], "batch": {"linear": [1, 50000]}}
        done = self.regatta("plan", self.sweep(axes=axes, measure={"per_contrast": "10s"}))
        self.assertIn("at most 5.8 days of measuring on one rank", done.stdout)
        self.assertIn("more than a day; --for 2h", done.stderr)

    def test_a_plan_counts_no_skipped_trials(self) -> None:
        axes = {"engine": ["native", "numpy"], "model": ["noop"]}
        done = self.regatta("plan", self.sweep(axes=axes))
        self.assertIn("2 points, 1 trial in 1 block, 1 skipped\n", done.stdout)

    def test_a_plan_says_what_bounds_a_run_whose_time_nobody_knows(self) -> None:
        commands = {"solve": {"argv": ["sleep", "0.0{n}"]}}
        axes = {"engine": "command", "command": "solve", "n": [1, 2]}
        file = self.sweep(axes=axes, commands=commands, measure={"slices": 1, "steps": 1})
        said = self.regatta("plan", file).stdout
        self.assertIn("(all of the budget: how long the programs take is not known", said)
        self.assertIn("--for 1m bounds it", said)
        self.assertNotIn("bounds it", self.regatta("plan", file, "--for", "9s").stdout)

    def test_a_loop_that_knows_no_batches_has_none(self) -> None:
        shutil.copytree(SOURCE / "workers/python/regatta", self.folder / "regatta")
        self.write("fit.py", "import regatta\nfor step in regatta.steps():\n    sum(range(99))\n")
        file = self.sweep(
            axes={"engine": "numpy@fit", "model": {"python": "fit.py"}},
            environments={"fit": {"engine": "numpy", "program": ["python3", "fit.py"]}},
        )
        self.assertIn(
            "2 points, 1 trial in 1 block", self.regatta("plan", file, "--set", "batch=1,32").stdout
        )
        said = self.regatta("run", file, "--ranks", "1").stdout
        self.assertIn("s: 1 trial in ", said)
        self.assertNotIn("samples/s", said)
        self.assertNotIn("batch", said)

    def test_what_needs_a_device_is_told_alike_by_plan_and_run(self) -> None:
        if Path("/proc/driver/nvidia/gpus").exists():
            self.skipTest("there is one")
        file = self.sweep(
            axes={"engine": "native", "model": "mlp-10", "device": ["cpu", "cuda"]},
            measure={"per_contrast": "50ms"},
        )
        line = "1 x needs a cuda device, and none is seen here: skipped"
        self.assertIn(line, self.regatta("plan", file).stdout)
        self.assertIn(line, self.regatta("run", file, "--ranks", "1").stderr)

    def test_init_says_that_no_shell_reads_its_command(self) -> None:
        said = self.regatta("init", "x", "--command", "ls | wc").stderr
        self.assertIn("no shell reads '|' here", said)
        self.assertIn("sh -c 'ls | wc'", said)

    def test_what_a_script_imports_from_its_folder_is_looked_at_again(self) -> None:
        self.write("solve.py", "import helper\n")
        self.write("helper.py", "x = 1\n")
        file = self.sweep(
            axes={"engine": "command", "command": "solve"},
            commands={"solve": {"argv": ["python3", "solve.py"]}},
            measure={"slices": 1, "steps": 1},
        )
        self.regatta("run", file, "--ranks", "1")
        self.assertIn("measured already", self.regatta("run", file, "--ranks", "1").stderr)
        self.write("helper.py", "x = 2\n")
        self.assertIn(
            "the contents of helper.py changed", self.regatta("run", file, "--ranks", "1").stderr
        )


class Runs(FirstHour):
    def test_who_follows_sees_what_is_new_alone_with_the_time_that_is_left(self) -> None:
        file = self.sweep(
            axes={"engine": "command", "command": "nap", "n": [1, 2, 3, 4]},
            commands={"nap": {"argv": ["sleep", "0.{n}"]}},
            measure={"slices": 2, "steps": 3},
        )
        command = [str(BINARY), "run", file, "--ranks", "1"]
        with subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as run:
            folder = self.folder / "results/s.regatta"
            look = [str(BINARY), "status", str(folder)]
            while subprocess.run(look, capture_output=True).returncode and run.poll() is None:
                time.sleep(0.1)  # its plan is not recorded yet
            said = self.regatta("status", "--follow", str(folder)).stdout
        self.assertRegex(said, "done in this session, .* a minute; [0-9] blocks? left, ")
        counts = [line for line in said.splitlines() if line.startswith("s: ")]
        self.assertIn("4 finished", counts[-1])

    def test_a_program_that_is_missing_is_said_by_plan_and_stops_a_run(self) -> None:
        for argv, said in (
            (["./gone", "{n}"], "/gone'"),
            (["sleep 0.{n}"], '"argv" has one word for each argument'),
        ):
            file = self.sweep(
                axes={"engine": "command", "command": "gone", "n": [1, 2]},
                commands={"gone": {"argv": argv}},
            )
            self.assertIn("will fail: 2 x there is no program", self.regatta("plan", file).stdout)
            self.assertIn(said, self.regatta("run", file, "--ranks", "1", code=2).stderr)

    def test_a_baseline_that_is_missing_stops_a_run_before_it_measures(self) -> None:
        file = self.sweep(
            axes={"engine": ["numpy@gone", "native"], "model": "mlp-10", "mode": "eager"},
            environments={"gone": {"engine": "numpy", "program": ["./gone"]}},
            compare={"over": "engine", "baseline": {"engine": "numpy@gone"}},
        )
        why = "nothing can be compared, because the baseline is missing: "
        self.assertIn(f"regatta run will refuse this: {why}", self.regatta("plan", file).stdout)
        self.assertIn(why, self.regatta("run", file, "--ranks", "1", code=2).stderr)

    def test_options_of_other_programs_and_quoted_commands_are_understood(self) -> None:
        meant = self.regatta("run", "s.json", "--output", "x", code=2).stderr
        self.assertIn("did you mean '--out'?", meant)
        quoted = self.regatta("run s.json", code=2).stderr
        self.assertIn("write the command without quotes", quoted)

    def test_smoke_takes_a_step_of_each_trial_into_a_folder_of_its_own(self) -> None:
        file = self.sweep(compare={"over": "batch", "baseline": {"batch": 1}})
        done = self.regatta("run", file, "--smoke", "--ranks", "1")
        self.assertIn(
            "s: 3 of 3 trials ran a step (--smoke: nothing here is a measurement)", done.stdout
        )
        self.assertTrue((self.folder / "results/smoke/s.h5").exists())
        self.assertFalse((self.folder / "results/s.h5").exists())

    def test_smoke_tells_what_does_not_run_and_tries_it_again(self) -> None:
        script = self.write("solve.py", FAILS)
        file = self.sweep(
            axes={"engine": "command", "command": "solve", "n": [1, 2, 3]},
            commands={"solve": {"argv": ["python3", script, "{n}"]}},
        )
        done = self.regatta("run", file, "--smoke", "--ranks", "1", code=1)
        self.assertIn("s: 0 of 3 trials ran a step", done.stdout)
        self.assertIn("3 x failed: ", done.stdout)
        self.assertIn("no such solver", done.stdout)
        self.assertIn("\n  n 1\n  n 2\n  n 3\n", done.stdout.replace("command ", ""))
        self.write("solve.py", "print(1)\n")
        self.assertIn(
            "3 of 3 trials ran", self.regatta("run", file, "--smoke", "--ranks", "1").stdout
        )

    def test_an_error_that_every_trial_meets_is_told_once_with_its_count(self) -> None:
        script = self.write("loop.py", "import os\nos.kill(os.getpid(), 11)\n")
        file = self.sweep(
            axes={
                "engine": "numpy@loop",
                "model": {"python": script, "reads_batch": True},
                "batch": [1, 2],
            },
            environments={"loop": {"engine": "numpy", "program": ["python3", script]}},
        )
        said = self.regatta("run", file, "--ranks", "1", code=1).stderr
        told = [line for line in said.splitlines() if "killed by signal 11" in line]
        self.assertEqual(len(told), 2, said)
        self.assertIn("block 0, attempt 1: crashed: ", told[0])
        self.assertIn("the same error 5 more times: crashed: ", told[1])

    def test_what_a_stopped_rerun_had_not_come_to_is_open_and_no_old_failure(self) -> None:
        script = "if [ -f slow ]; then sleep 60; fi; exit 3"
        sweep = self.sweep(
            axes={"engine": "command", "command": "t"},
            commands={"t": {"argv": ["sh", "-c", script]}},
            measure={"slices": 1, "steps": 1},
            repeats=3,
        )
        self.regatta("run", sweep, "--ranks", "1", code=1)
        self.write("slow", "")
        command = [str(BINARY), "run", sweep, "--ranks", "1", "--rerun", "failed"]
        process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 75, told)
        self.assertIn("0 finished, 0 failed, 0 skipped, 3 open", told)

    def test_a_gate_that_judges_nothing_says_so(self) -> None:
        sweep = self.sweep(measure={"slices": 1, "steps": 1})
        self.regatta("run", sweep, "--ranks", "1")
        told = self.regatta("report", "results/s.h5", "--fail-on", "slower:3%").stderr
        self.assertIn("--fail-on judged nothing: s compares no two trials", told)
        self.regatta("report", "results/s.h5", "--fail-on", "slower:3%,undecided", code=3)

    def test_quiet_says_nothing_where_all_goes_well(self) -> None:
        done = self.regatta("run", self.sweep(), "--quiet", "--ranks", "1")
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, "")
        self.assertTrue((self.folder / "results/s.h5").exists())


class Help(FirstHour):
    def test_help_and_version_are_commands_too(self) -> None:
        self.assertEqual(self.regatta("help").stdout, self.regatta("--help").stdout)
        self.assertIn("Usage: regatta run [OPTION] SWEEP", self.regatta("help", "run").stdout)
        self.assertIn("did you mean 'run'?", self.regatta("help", "rnu", code=2).stderr)
        self.assertEqual(self.regatta("version").stdout, self.regatta("-V").stdout)
        run = self.regatta("run", "--help").stdout
        self.assertIn("Examples\n  regatta run sweep.json", run)
        self.assertNotIn("Excludes", run)
        self.assertNotIn("Needs", self.regatta("collect", "--help").stdout)

    def test_help_is_as_wide_as_columns_say(self) -> None:
        for words in (["--help"], ["help", "run"], ["run", "--help"]):
            lines = self.regatta(*words, COLUMNS="60").stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), 60, words)

    def test_completion_is_for_the_shell_that_is_used(self) -> None:
        self.assertEqual(
            self.regatta("completion", SHELL="/usr/bin/zsh").stdout,
            self.regatta("completion", "zsh").stdout,
        )
        said = self.regatta("completion", SHELL="/bin/tcsh", code=2).stderr
        self.assertIn("SHELL is tcsh, for which there is none", said)

    def test_bash_completes_commands_options_and_their_words(self) -> None:
        def completed(*words: str) -> set[str]:
            script = (
                'source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _regatta; '
                'printf "%s\\n" "${COMPREPLY[@]}"'
            )
            line = ["bash", "-c", script, str(BINARY), *words]
            return set(
                subprocess.run(line, capture_output=True, text=True, check=True).stdout.split()
            )

        self.assertEqual(completed("regatta", "coll"), {"collect"})
        self.assertEqual(completed("regatta", "run", "--sm"), {"--smoke"})
        self.assertEqual(completed("regatta", "run", "--rerun", "und"), {"undecided"})
        self.assertEqual(completed("regatta", "completion", "z"), {"zsh"})

    def test_scripts_for_other_shells_are_read_by_them(self) -> None:
        for shell, check in (("zsh", ["-n"]), ("fish", ["--no-execute"])):
            if shutil.which(shell) is None:
                continue
            file = self.folder / shell
            file.write_text(self.regatta("completion", shell).stdout)
            subprocess.run([shell, *check, str(file)], check=True)

    def test_the_manual_page_has_every_command_and_troff_takes_it(self) -> None:
        page = self.regatta("man").stdout
        for line in self.regatta("--help").stdout.partition("Commands:\n")[2].splitlines():
            if line.startswith("  "):
                self.assertIn(f".SS regatta {line.split()[0]}\n", page)
        if shutil.which("groff") is not None:
            troff = ["groff", "-man", "-Tascii", "-ww"]
            done = subprocess.run(troff, input=page, capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
