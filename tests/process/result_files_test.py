"""`query`, `export`, `merge`, `repro`, `explain` and `salvage` on the results of real runs."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from tools import journal
from tools.regatta_process import BINARY, PATIENCE_SECONDS, Scratch, wait_until

COMMANDS = ("query", "merge", "repro", "status", "collect")


def sweep(batches: list[int]) -> dict:
    return {
        "regatta": 1,
        "name": "small",
        "axes": {
            "engine": ["native"],
            "mode": ["eager", "graph", "xla"],
            "model": ["mlp-10"],
            "batch": batches,
        },
        "compare": {"over": ["mode"], "baseline": {"mode": "graph"}},
        "measure": {"slices": 8, "steps": 50, "again": False},
    }


def regatta(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    command = [str(BINARY), *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, **options
    )


class ResultFiles(unittest.TestCase):
    """One run of four finished trials and two that are skipped, which no test changes."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.scratch = Scratch(sweep([8, 32]))
        cls.addClassCleanup(cls.scratch.remove)
        code = cls.scratch.run("--ranks", "1")
        if code != 0:
            raise RuntimeError(cls.scratch.output())
        cls.file = cls.scratch.results
        cls.trials = cls.scratch.report()["trials"]

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def succeed(self, *arguments: object) -> str:
        done = regatta(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refuse(self, *arguments: object) -> str:
        done = regatta(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("regatta: error: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, "one message")
        return done.stderr.removeprefix("regatta: error: ").rstrip("\n")

    # export

    def test_csv_holds_every_trial_with_its_numbers(self) -> None:
        rows = list(
            csv.DictReader(io.StringIO(self.succeed("query", self.file, "--format", "csv")))
        )
        self.assertEqual([row["trial_hash"] for row in rows], [each["id"] for each in self.trials])
        for row, trial in zip(rows, self.trials):
            self.assertEqual(row["mode"], trial["mode"])
            self.assertEqual(int(row["batch"]), trial["batch"])
            self.assertEqual(row["status"], trial["status"])
            if trial["status"] == "finished":
                self.assertEqual(float(row["step_time"]), trial["step_time"])
                self.assertEqual(float(row["peak_memory"]), trial["peak_memory"])
            else:
                self.assertEqual(row["step_time"], "")
                self.assertEqual(row["reason"], trial["reason"])

    def test_json_lines_of_samples_and_of_comparisons(self) -> None:
        text = self.succeed(
            "query", self.file, "--format", "jsonl", "--table", "samples", "mode=eager"
        )
        samples = [json.loads(line) for line in text.splitlines()]
        self.assertEqual({sample["mode"] for sample in samples}, {"eager"})
        self.assertEqual({sample["batch"] for sample in samples}, {8, 32})
        self.assertGreater(min(sample["wall_s"] for sample in samples), 0)
        text = self.succeed("query", self.file, "--format", "jsonl", "--table", "contrasts")
        contrasts = [json.loads(line) for line in text.splitlines()]
        expected = self.scratch.report()["contrasts"]
        self.assertEqual(
            [each["ratio"] for each in contrasts], [each["ratio"] for each in expected]
        )
        self.assertEqual({each["baseline_mode"] for each in contrasts}, {"graph"})

    def test_a_trace_shows_blocks_that_hold_their_slices(self) -> None:
        out = self.folder / "trace.json"
        self.addCleanup(os.umask, os.umask(0o027))
        self.succeed("query", self.file, "--format", "trace", "-o", out)
        self.assertEqual(stat.S_IMODE(out.stat().st_mode), 0o640)
        self.assertEqual(list(self.folder.iterdir()), [out], "no temporary file")
        events = json.loads(out.read_text())["traceEvents"]
        blocks = [event for event in events if event.get("cat") == "block"]
        slices = [event for event in events if event.get("cat") in ("measure", "warm-up")]
        self.assertEqual(len(blocks), 2)
        self.assertEqual(
            {event["name"] for event in slices if "batch 8" in event["name"]},
            {"eager batch 8", "graph batch 8"},
        )
        for event in slices:
            inside = [
                block
                for block in blocks
                if block["ts"] <= event["ts"]
                and event["ts"] + event["dur"] <= block["ts"] + block["dur"] + 1
                and block["pid"] == event["pid"]
            ]
            self.assertEqual(len(inside), 1, event)

    def test_export_says_what_it_cannot_do(self) -> None:
        self.assertEqual(
            self.refuse("query", self.file, "--format", "trace", "mode=eager"),
            "query: a trace shows all blocks and slices, because part of a timeline would look idle where it "
            "was not. Leave out --table, --columns, --sort and conditions, or choose another --format",
        )
        command = f"exec {BINARY} query {self.file} --format csv > /dev/full"
        done = subprocess.run(
            ["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False
        )
        self.assertEqual(done.returncode, 74)
        self.assertEqual(
            done.stderr,
            "regatta: error: cannot write to standard output (what is there is cut short): "
            "No space left on device\n",
        )

    def test_an_output_never_replaces_what_the_command_reads(self) -> None:
        results = self.folder / "small.h5"
        run_folder = self.folder / "small.regatta"
        shutil.copy(self.file, results)
        shutil.copytree(self.scratch.run_folder, run_folder)
        before = {path: path.read_bytes() for path in (results, run_folder / "journal")}
        for command in (
            ("query", results, "--format", "csv", "-o", results),
            ("query", results, "--format", "csv", "-o", run_folder / "journal"),
            ("query", results, "--format", "tensorboard", "-o", run_folder / "curves"),
            ("report", results, "--html", results),
            ("report", results, "--html", run_folder / "journal"),
            ("merge", "-o", run_folder / "samples", results, self.file),
            ("collect", run_folder, "--salvage", "-o", run_folder),
        ):
            text = self.refuse(*command)
            self.assertRegex(text, "is a file that this command reads|the folder of a run")
        self.assertEqual(before, {path: path.read_bytes() for path in before})

    def test_a_wrong_place_for_an_output_is_the_users_mistake(self) -> None:
        file = self.folder / "file"
        file.write_text("text")
        csv = ("query", self.file, "--format", "csv", "-o")
        merge = ("merge", self.file, self.folder / "other.h5", "-o")
        shutil.copy(self.file, self.folder / "other.h5")
        salvage = ("collect", self.scratch.run_folder, "--salvage", "-o")
        missing = self.folder / "none"
        for command, words in (
            ((*csv, missing / "x.csv"), f"-o: there is no folder '{missing}'; make it first"),
            ((*csv, self.folder), "is a folder (a file is needed)"),
            ((*csv, ""), "-o: the name is empty; name a file"),
            ((*merge, missing / "x.h5"), f"there is no folder '{missing}'"),
            ((*merge, f"{self.folder}/"), "is a folder (a file is needed)"),
            ((*salvage, file), "is no folder"),
            ((*salvage, ""), "-o: the name is empty; name a folder"),
            (("report", self.file, "--html", missing / "x.html"), "--html: there is no folder"),
            (("report", self.file, "--html", ""), "--html: the name is empty"),
        ):
            self.assertIn(words, self.refuse(*command))
        self.assertFalse(missing.exists())

    def test_names_of_files_are_shown_clean_and_their_commands_work(self) -> None:
        for name in ("f\033[31m.h5", "a\u202eb.h5", "-x.h5", "a b.h5"):
            shutil.copy(self.file, self.folder / name)
            done = subprocess.run(
                [BINARY, "report", f"./{name}"],
                cwd=self.folder,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotRegex(done.stdout, "[\033\u202e]")
            more = next(line for line in done.stdout.splitlines() if line.startswith("More"))
            command = more.removeprefix("More").strip().replace("regatta", str(BINARY), 1)
            again = subprocess.run(
                ["bash", "-c", command],
                cwd=self.folder,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            self.assertEqual(again.returncode, 0, f"{command}: {again.stderr}")

    # query

    def test_query_chooses_and_sorts(self) -> None:
        text = self.succeed("query", self.file, "status=finished", "--sort", "-step_time", "--json")
        rows = json.loads(text)["rows"]
        times = [row["step_time"] for row in rows]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertEqual(len(times), 4)
        lines = self.succeed("query", self.file, "mode=eager", "batch=32").splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertTrue(lines[0].startswith("trial_hash"), lines[0])
        self.assertLessEqual(max(map(len, lines)), 80)
        text = self.succeed("query", self.file, "--columns", "batch,status,reason", "mode=xla")
        self.assertIn("skipped", text)
        self.assertNotIn("finished", text)
        text = self.succeed("query", self.file, "--table", "contrasts", "batch=8", "--json")
        self.assertEqual([row["baseline_mode"] for row in json.loads(text)["rows"]], ["graph"])
        none = regatta("query", self.file, "engine=torch")
        self.assertEqual(
            (none.returncode, none.stderr), (0, "regatta: no row fits the conditions\n")
        )

    def test_what_is_no_result_file_is_said_by_every_command(self) -> None:
        text = self.folder / "text.h5"
        text.write_text("not HDF5")
        cut = self.folder / "cut.h5"
        cut.write_bytes(self.file.read_bytes()[:-100])
        missing = self.folder / "none.h5"
        for command in (
            ["query"],
            ["query", "--format", "csv"],
            ["repro"],
            ["report"],
            ["merge", "-o", self.folder / "out.h5", self.file],
        ):
            more = ["00"] if command == ["repro"] else []
            self.assertEqual(
                self.refuse(*command, missing, *more),
                f"there is no file '{missing}' (a result file is needed); name a NAME.h5",
            )
            self.assertEqual(
                self.refuse(*command, self.scratch.run_folder, *more),
                f"'{self.scratch.run_folder}' is a folder (a result file is needed); name a NAME.h5, "
                "or make it with `regatta collect`",
            )
            self.assertEqual(
                self.refuse(*command, text, *more),
                f"'{text}' is no HDF5 file (a result file is one); name a NAME.h5 that regatta wrote",
            )
            self.assertEqual(
                self.refuse(*command, cut, *more),
                f"'{cut}' was damaged or changed since Regatta wrote it, or is no result file. Its "
                "checksum does not match: its numbers cannot be trusted. Rebuild it with `regatta "
                "collect` from the folder NAME.regatta",
            )
        self.assertFalse((self.folder / "out.h5").exists())

    def test_a_column_that_is_not_there(self) -> None:
        for arguments in (
            ["query", self.file, "enginee=native"],
            ["query", self.file, "--sort", "enginee"],
            ["query", self.file, "--format", "csv", "--columns", "enginee"],
        ):
            self.assertEqual(
                self.refuse(*arguments),
                "there is no column 'enginee' in trials; did you mean 'engine'?",
            )

    # repro

    def test_repro_measures_one_row_again_and_leaves_nothing(self) -> None:
        trial = next(each for each in self.trials if each["status"] == "finished")
        environment = {
            **os.environ,
            "TMPDIR": str(self.folder),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
        }
        before = self.file.read_bytes()
        done = regatta("repro", self.file, trial["id"][:10], "--json", env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["id"], trial["id"])
        step = next(each for each in found["metrics"] if each["name"] == "step_time")
        self.assertEqual(step["then"], trial["step_time"])
        self.assertGreater(step["now"], 0)
        self.assertEqual(found["now"]["status"], "finished")
        company = next(each for each in found["differences"] if each["what"] == "measured")
        self.assertRegex(company["then"], r"^in turns with \d others?$")
        self.assertEqual(company["now"], "alone")
        done = regatta("repro", self.file, trial["id"], env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("now is", done.stdout)
        self.assertIn(f"  measured: {company['then']} -> alone", done.stdout)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name != "cache"], [])
        self.assertEqual(self.file.read_bytes(), before)

    def test_repro_runs_under_a_profiler(self) -> None:
        trial = next(each for each in self.trials if each["status"] == "finished")
        tools = self.folder / "tools"
        tools.mkdir()
        perf = tools / "perf"
        perf.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
        perf.chmod(0o700)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        words = ["repro", self.file, trial["id"], "--profile", "perf", "--json"]
        done = regatta(*words, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["now"]["status"], "finished")
        self.assertIn(f"--output repro-{trial['id'][:8]}.perf.data -- ", done.stderr)
        self.assertIn("(then: perf report --comm regatta-worker --input repro-", done.stderr)
        self.assertEqual(
            self.refuse("repro", self.file, trial["id"], "--profile", "vtune"),
            "there is no profiler 'vtune' (its command line is not known); take nsys, ncu or perf",
        )

    def test_repro_says_which_row_it_cannot_run(self) -> None:
        self.assertEqual(
            self.refuse("repro", self.file, "zz"),
            "'zz' is no id of a trial (up to 32 of the digits 0-9 and a-f); `regatta query FILE` lists them",
        )
        ids = [each["id"] for each in self.trials]
        unknown = next(
            f"{i:04x}" for i in range(65536) if not any(id.startswith(f"{i:04x}") for id in ids)
        )
        self.assertEqual(
            self.refuse("repro", self.file, unknown),
            f"no trial has an id that begins with {unknown}; `regatta query FILE` lists them",
        )
        skipped = next(each for each in self.trials if each["status"] == "skipped")
        self.assertEqual(
            self.refuse("repro", self.file, skipped["id"]),
            f"trial {skipped['id']} was skipped: {skipped['reason']} (so there is no value to repeat); "
            "choose another row",
        )

    # merge

    def test_merged_files_are_one_and_say_what_came_from_where(self) -> None:
        other = Scratch(sweep([64]))
        self.addCleanup(other.remove)
        self.assertEqual(other.run("--ranks", "1"), 0, other.output())
        out = self.folder / "all.h5"
        text = self.succeed("merge", "-o", out, self.file, other.results)
        self.assertEqual(
            text.splitlines(),
            [
                f"{out}: 9 trials of 2 files, complete",
                f"      6 from {self.file}",
                f"      3 from {other.results}",
            ],
        )
        report = json.loads(self.succeed("report", out, "--json"))
        self.assertEqual(len(report["contrasts"]), 3)
        rows = json.loads(self.succeed("query", out, "--json", "--columns", "batch,source"))["rows"]
        for row in rows:
            self.assertEqual(row["source"], str(other.results if row["batch"] == 64 else self.file))
        again = self.succeed("merge", "-o", out, out, other.results)
        self.assertIn("3 that an earlier file holds too", again)

    def test_merge_refuses_two_results_of_one_trial(self) -> None:
        other = Scratch(sweep([8, 32]))
        self.addCleanup(other.remove)
        self.assertEqual(other.run("--ranks", "1"), 0, other.output())
        out = self.folder / "all.h5"
        first = next(each for each in self.trials if each["status"] == "finished")
        mean = {
            file: next(
                each
                for each in json.loads(self.succeed("report", file, "--json"))["trials"]
                if each["id"] == first["id"]
            )["step_time_mean"]
            for file in (self.file, other.results)
        }
        self.assertEqual(
            self.refuse("merge", "-o", out, self.file, other.results),
            f"trial {first['id']} (engine native, mode {first['mode']}, model mlp-10, batch {first['batch']}) has "
            f"different results in '{self.file}' (step_time_mean {mean[self.file]:.4g} s) and '{other.results}' "
            f"(step_time_mean {mean[other.results]:.4g} s), and a file holds each trial once. Compare the two with "
            f"`regatta compare {self.file} {other.results}`, or merge files of different trials",
        )
        self.assertFalse(out.exists())
        self.assertEqual(
            self.refuse("merge", "-o", out, self.file, self.file),
            f"merge: '{self.file}' is named twice; name each file once",
        )
        self.assertEqual(
            self.refuse("merge", "-o", out, self.file),
            f"merge: one file, '{self.file}', has nothing to be merged with; name two or more",
        )

    # explain

    def test_explain_tells_why_a_trial_waits(self) -> None:
        nap = {
            "regatta": 1,
            "name": "long",
            "axes": {"engine": ["command"], "command": ["nap"]},
            "commands": {"nap": {"argv": ["sleep", "0.05"]}},
            "repeats": 60,
            "measure": {"slices": 4, "steps": 1},
        }
        scratch = Scratch(nap)
        self.addCleanup(scratch.remove)
        process = scratch.start("--ranks", "1")
        self.assertTrue(
            wait_until(
                lambda: scratch.journal.exists() and b" result " in scratch.journal.read_bytes(),
                PATIENCE_SECONDS,
            )
        )
        found = json.loads(self.succeed("status", scratch.run_folder, "--why", "--json"))
        self.assertTrue(found["running"])
        self.assertEqual(found["owner"], f"process {process.pid} on {os.uname().nodename}")
        slot = found["slots"][0]
        self.assertEqual(found["trials"][0]["reason"], f"runs now on {slot}")
        self.assertEqual(found["trials"][1]["reason"], f"is next on {slot}")
        status = json.loads(self.succeed("status", scratch.run_folder, "--json"))
        self.assertEqual(status["running"], 1)
        self.assertRegex(
            found["trials"][-1]["reason"],
            r"^waits its turn on 1 slot, behind \d+ blocks; about .* at the pace of this session$",
        )
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 75, scratch.output())
        text = self.succeed("status", scratch.run_folder, "--why")
        self.assertIn("Nothing runs it now: the last session ended in order with work left.", text)
        self.assertIn("the run was asked to stop before its turn came", text)
        self.assertIn(f"run {scratch.sweep_file}", text)

    def test_explain_tells_what_became_of_a_trial_that_does_not_wait(self) -> None:
        text = self.succeed("status", self.scratch.run_folder, "--why")
        self.assertEqual(
            text.splitlines(), ["small: 0 of 6 trials have no result yet.", "Nothing is open."]
        )
        skipped = next(each for each in self.trials if each["status"] == "skipped")
        text = self.succeed("status", self.scratch.run_folder, skipped["id"])
        self.assertIn("1 trial: it does not wait; skipped: ", text)
        self.assertEqual(
            self.refuse("status", self.folder, "--why"),
            f"'{self.folder}' holds no journal (status reads a folder NAME.regatta); name the folder that "
            "`regatta run` printed",
        )

    # salvage

    def test_salvage_saves_what_is_whole_and_a_run_goes_on_with_it(self) -> None:
        damaged = self.folder / "small.regatta"
        shutil.copytree(self.scratch.run_folder, damaged)
        file = damaged / "journal"
        lines = file.read_bytes().split(b"\n")
        result = next(i for i, line in enumerate(lines) if b" result " in line)
        lines[result] = lines[result].replace(b"result", b"resulT")
        file.write_bytes(b"\n".join(lines))
        self.assertIn(
            f"save what is whole with `regatta collect {damaged} --salvage -o salvaged`",
            self.refuse("collect", damaged),
        )
        saved = self.folder / "saved"
        text = self.succeed("collect", damaged, "--salvage", "-o", saved)
        self.assertIn("1 of them results", text)
        self.assertRegex(
            text, r"lost: record \d+ at byte \d+ \(a record whose checksum does not match\)"
        )
        self.assertRegex(text, r"perhaps of block [0-9a-f]{32}: native")
        done = regatta("run", self.scratch.sweep_file, "--ranks", "1", "--out", saved)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(self.succeed("report", saved / "small.h5", "--json"))["trials"]
        self.assertEqual([row["status"] for row in rows], [each["status"] for each in self.trials])
        self.assertEqual(
            self.refuse("collect", damaged, "--salvage", "-o", saved),
            f"'{saved}/small.regatta' is there already (its results would mix with these); choose another folder",
        )
        self.assertEqual(
            self.refuse("collect", self.folder, "--salvage", "-o", saved),
            f"'{self.folder}' holds no journal (--salvage saves what is whole of a folder NAME.regatta); name "
            "the folder that `regatta run` printed",
        )

    def without_newlines(self) -> Iterator[tuple[str, Path]]:
        """Folders whose last result lacks the newline behind it: lost, or another byte, or with all else behind it."""
        good = self.scratch.journal.read_bytes()
        end = journal.results(self.scratch.journal)[-1].end
        for what, bytes_left in (
            ("lost", good[:end]),
            ("flipped", good[:end] + b"\v"),
            ("flipped in the middle", good[:end] + b"\v" + good[end + 1 :]),
        ):
            folder = self.folder / what.replace(" ", "-") / "small.regatta"
            shutil.copytree(self.scratch.run_folder, folder)
            (folder / "journal").write_bytes(bytes_left)
            yield what, folder

    def test_acknowledged_result_counts_without_its_newline_for_status(self) -> None:
        for what, folder in self.without_newlines():
            counts = json.loads(self.succeed("status", folder, "--json"))
            self.assertEqual((counts["finished"], counts["open"]), (4, 0), what)

    def test_acknowledged_result_counts_without_its_newline_for_collect(self) -> None:
        for what, folder in self.without_newlines():
            self.succeed("collect", folder)
            file = folder.with_suffix(".h5")
            rows = json.loads(self.succeed("report", file, "--json"))["trials"]
            self.assertEqual([row["step_time"] for row in rows], self.step_times(), what)

    def test_acknowledged_result_counts_without_its_newline_for_a_run(self) -> None:
        for what, folder in self.without_newlines():
            before = journal.results(self.scratch.journal)
            self.succeed("run", self.scratch.sweep_file, "--ranks", "1", "--out", folder.parent)
            end = before[-1].end
            kept = (folder / "journal").read_bytes()[:end]
            self.assertEqual(
                kept, self.scratch.journal.read_bytes()[:end], f"{what}: nothing is lost"
            )
            results = len(journal.results(folder / "journal"))
            self.assertLessEqual(results, len(before), f"{what}: nothing is measured again")

    def test_acknowledged_result_counts_without_its_newline_for_salvage(self) -> None:
        for what, folder in self.without_newlines():
            text = self.succeed("collect", folder, "--salvage", "-o", folder.parent / "saved")
            self.assertIn("2 of them results", text, what)
            self.assertIn("nothing is lost", text, what)

    def step_times(self) -> list[float | None]:
        return [each["step_time"] for each in self.trials]

    def test_each_command_explains_itself(self) -> None:
        for command in COMMANDS:
            page = self.succeed(command, "--help")
            self.assertGreater(len(page.splitlines()), 8, command)
            self.assertLessEqual(max(map(len, page.splitlines())), 80, command)


if __name__ == "__main__":
    unittest.main()
