"""Programs as trials, as people use them: what they print, which parameters they take, when they are stopped."""

from __future__ import annotations

import json
import subprocess
import time
import unittest

from tools.regatta_process import BINARY, Scratch

ONE_RUN = {"slices": 1, "steps": 1}

TELL = r"""import json, sys
kind = sys.argv[1]
line = json.dumps({"value": 20.5})
if kind == "latin1":
    sys.stdout.buffer.write(b'{"value": 20.5, "unit": "\xb0C"}\n')
elif kind == "early":
    print(line)
    print("a line of the log\n" * 12000)
elif kind == "pretty":
    print(json.dumps({"value": 20.5, "k": 3}, indent=2))
elif kind == "nested":
    print(json.dumps({"scores": {"top": {"value": 20.5}}}))
elif kind == "prefixed":
    print(":::MLLOG " + line)
elif kind == "broken":
    print('{"value": .5}')
elif kind == "text":
    print('{"value": "20.5"}')
else:
    print(line)
"""

NOISY = """yes "Time = 0.001 Courant max 0.5 residual 1e-6 iterations 4" | head -n 400000
echo '{"drag": 0.31}'
"""


def study(argv: list[str], axes: dict | None = None, **keys: object) -> dict:
    command = keys.pop("command", {})
    return {
        "regatta": 1,
        "name": "study",
        "axes": {"engine": "command", "command": "p", **(axes or {})},
        "commands": {"p": {"argv": argv, **command}},
        "measure": ONE_RUN,
        **keys,
    }


class Programs(unittest.TestCase):
    def of(self, sweep: dict, **files: str) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        for name, text in files.items():
            (scratch.folder / name.replace("__", ".")).write_text(text)
        return scratch

    def regatta(self, scratch: Scratch, *words: str, code: int = 0) -> str:
        """In the folder of the sweep, where programs find their files."""
        done = subprocess.run(
            [str(BINARY), *words],
            cwd=scratch.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def run_here(self, scratch: Scratch, *words: str, code: int = 0) -> str:
        return self.regatta(
            scratch, "run", "sweep.json", "--ranks", "1", "--out", "out", *words, code=code
        )

    def rows(self, scratch: Scratch, columns: str) -> list[dict]:
        asked = self.regatta(scratch, "query", "out/study.h5", "--columns", columns, "--json")
        return json.loads(asked)["rows"]


class Output(Programs):
    def logs(self, scratch: Scratch) -> dict[str, str]:
        """The texts of all logs by n and kind, as in 2.err."""
        found = {}
        for row in self.rows(scratch, "trial_hash,n"):
            for kind in ("out", "err"):
                file = scratch.run_folder / "logs" / f"{row['trial_hash']}.{kind}"
                if file.exists():
                    found[f"{row['n']}.{kind}"] = file.read_text()
        return found

    def three(self, **command: str) -> dict[str, str]:
        script = "echo solution of {n}; echo warning of $REGATTA_N >&2; test {n} != 2"
        scratch = self.of(study(["sh", "-c", script], {"n": [1, 2, 3]}, command=command))
        self.run_here(scratch, code=1)
        [failed] = [
            row for row in self.rows(scratch, "status,reason") if row["status"] != "finished"
        ]
        self.assertIn("its last words:\nwarning of 2", failed["reason"])
        return self.logs(scratch)

    def test_of_each_trial_has_files_that_its_hash_names(self) -> None:
        wanted = {f"{n}.out": f"solution of {n}\n" for n in (1, 2, 3)}
        wanted |= {f"{n}.err": f"warning of {n}\n" for n in (1, 2, 3)}
        self.assertEqual(self.three(), wanted)
        self.assertEqual(self.three(output="tail"), wanted)
        self.assertEqual(self.three(output="kept"), wanted)

    def test_of_failed_trials_is_kept_in_any_case(self) -> None:
        self.assertEqual(
            self.three(output="none"), {"2.out": "solution of 2\n", "2.err": "warning of 2\n"}
        )

    def test_of_a_trial_that_lacks_a_result_is_kept_too(self) -> None:
        command = {"output": "none", "results": ["loss"]}
        scratch = self.of(study(["echo", "loss: {n}"], {"n": [5]}, command=command))
        self.run_here(scratch, code=1)
        self.assertEqual(self.logs(scratch), {"5.out": "loss: 5\n"})

    def test_that_is_long_is_cut_and_the_program_runs_to_its_end(self) -> None:
        for kept in ("tail", "kept", "none"):
            with self.subTest(kept):
                scratch = self.of(
                    study(["sh", "solver.sh", "{n}"], {"n": [1]}, command={"output": kept}),
                    solver__sh=NOISY,
                )
                self.run_here(scratch)
                rows = self.rows(scratch, "n,status,drag,attempt")
                self.assertEqual(
                    [(r["status"], r["drag"], r["attempt"]) for r in rows], [("finished", 0.31, 1)]
                )
                text = self.logs(scratch).get("1.out", "")
                if kept == "none":
                    self.assertEqual(text, "")
                    continue
                self.assertTrue(text.endswith('{"drag": 0.31}\n'))
                self.assertIn("left out]" if kept == "kept" else "[of 21.4 MiB the end", text)
                self.assertLess(len(text), (17 << 20) if kept == "kept" else (300 << 10))

    def test_that_never_ends_is_ended_by_the_time_limit(self) -> None:
        sweep = study(["yes"], limits={"trial_timeout": "2s"})
        scratch = self.of(sweep)
        begin = time.monotonic()
        self.run_here(scratch, code=1)
        self.assertLess(time.monotonic() - begin, 30)
        [row] = self.rows(scratch, "reason,cause")
        self.assertEqual(row["cause"], "timed_out")
        self.assertLess(len(row["reason"].splitlines()), 20)


class Results(Programs):
    def test_that_are_not_read_are_named(self) -> None:
        kinds = ["plain", "latin1", "early", "pretty", "nested", "prefixed", "broken", "text"]
        scratch = self.of(study(["python3", "tell.py", "{kind}"], {"kind": kinds}), tell__py=TELL)
        self.run_here(scratch)
        rows = {row["kind"]: row for row in self.rows(scratch, "kind,value,result_remarks")}
        for kind in ("plain", "latin1", "early", "pretty"):
            self.assertEqual((rows[kind]["value"], rows[kind]["result_remarks"]), (20.5, ""), kind)
        remarks = {kind: rows[kind]["result_remarks"] for kind in kinds[4:]}
        self.assertEqual(
            remarks,
            {
                "nested": "not read: scores (an object)",
                "prefixed": "not read: 1 JSON object behind other text",
                "broken": "not read: 1 broken JSON object",
                "text": "not read: value (a text)",
            },
        )
        report = self.regatta(scratch, "report", "out/study.h5", "--details")
        self.assertIn("not read: 1 broken JSON object", " ".join(report.split()))

    def test_that_are_wanted_and_nearly_told_fail_with_the_reason(self) -> None:
        command = {"results": ["a"]}
        scratch = self.of(study(["echo", '{"a": .5}'], command=command))
        self.run_here(scratch, code=1)
        self.assertIn("(not read: 1 broken JSON object)", self.rows(scratch, "reason")[0]["reason"])

    def test_of_a_pattern_a_table_and_a_json_file(self) -> None:
        script = (
            "echo epoch 1 loss=0.75; echo epoch 2 loss=$1; printf 'Time,Cd\\n0,9\\n1,0.3%s\\n' $1 "
            '> forces.csv; echo "{\\"scores\\": {\\"acc\\": $1}}" > scores.json'
        )
        results = {
            "loss": {"pattern": r"loss=(\S+)", "unit": "1"},
            "drag": {"file": "forces.csv", "column": "Cd"},
            "acc": {"file": "scores.json", "key": "scores.acc"},
        }
        for folder in ("kept", "removed"):
            command = {"results": results, "folder": folder}
            scratch = self.of(
                study(["sh", "-c", script, "x", "{n}"], {"n": [1, 2]}, command=command)
            )
            self.run_here(scratch)
            rows = self.rows(scratch, "loss,drag,acc")
            self.assertEqual(
                [(row["loss"], row["drag"], row["acc"]) for row in rows],
                [(1, 0.31, 1), (2, 0.32, 2)],
            )

    def test_of_a_pattern_that_matches_nothing_fail_their_row(self) -> None:
        command = {"results": {"loss": {"pattern": "loss=([0-9.]+)"}}}
        scratch = self.of(study(["echo", "accuracy=1"], command=command))
        self.run_here(scratch, code=1)
        self.assertIn("its pattern matches no line", self.rows(scratch, "reason")[0]["reason"])


class Parameters(Programs):
    def test_may_have_any_name(self) -> None:
        axes = {
            "seed": [-1, 2],
            "learning_rate": [0.1, 0.01],
            "batch": ["auto", 64],
            "model": "resnet",
            "lr-max": 3,
        }
        script = (
            'echo "{\\"sum\\": $1}"; echo "$REGATTA_PARAMETERS"; test "$2$3$REGATTA_LR_MAX" != ""'
        )
        argv = ["sh", "-c", script, "x", "{seed}", "{learning_rate}", "{batch}{model}{lr-max}"]
        scratch = self.of(study(argv, axes, command={"results": ["sum"]}))
        self.run_here(scratch)
        rows = self.rows(scratch, "seed,learning_rate,batch,model,lr-max,sum")
        self.assertEqual(len(rows), 8)
        self.assertEqual(
            rows[0],
            {
                "seed": -1,
                "learning_rate": 0.1,
                "batch": "auto",
                "model": "resnet",
                "lr-max": 3,
                "sum": -1,
            },
        )
        self.assertEqual({row["batch"] for row in rows}, {"auto", "64"})
        again = self.run_here(scratch)
        self.assertIn("measured already", again)
        some = json.loads(
            self.regatta(scratch, "query", "out/study.h5", "seed=2", "batch=64", "--json")
        )
        self.assertEqual(len(some["rows"]), 2)
        self.assertIn("learning_rate", self.regatta(scratch, "report", "out/study.h5"))

    def test_that_are_lists_objects_or_null_are_given_as_json(self) -> None:
        levels = [[10, 20, 30], {"kind": "sgd", "lr": 0.1}, None, "auto", 0.5, True]
        script = 'printf "%s\\n" "$1" >> seen.txt; cat "$REGATTA_PARAMETERS_FILE" >> all.txt'
        scratch = self.of(study(["sh", "-c", script, "x", "{c}"], {"c": levels}))
        self.run_here(scratch)
        seen = (scratch.folder / "seen.txt").read_text().splitlines()
        self.assertEqual(
            seen, ["[10,20,30]", '{"kind":"sgd","lr":0.1}', "null", "auto", "0.5", "true"]
        )
        told = [
            json.loads(line)["c"] for line in (scratch.folder / "all.txt").read_text().splitlines()
        ]
        self.assertEqual(told, levels)
        rows = self.rows(scratch, "c,status")
        self.assertEqual([row["c"] for row in rows], seen)
        self.assertIn("measured already", self.run_here(scratch))
        lone = self.regatta(scratch, "query", "out/study.h5", "--columns", "trial_hash", "--json")
        identity = json.loads(lone)["rows"][1]["trial_hash"][:8]
        self.regatta(scratch, "repro", "out/study.h5", identity)
        self.assertEqual((scratch.folder / "seen.txt").read_text().splitlines()[-1], seen[1])

    def test_of_the_command_line_may_be_lists(self) -> None:
        scratch = self.of(study(["echo", "{c}"], {"c": [[1, 2]]}))
        self.run_here(scratch, "--set", 'c=[3, 4],{"a": [5, 6]},null')
        self.assertEqual(
            [row["c"] for row in self.rows(scratch, "c")], ["[3,4]", '{"a":[5,6]}', "null"]
        )

    def test_of_init_and_duel_may_have_any_name(self) -> None:
        scratch = self.of(study(["true"]))
        self.regatta(
            scratch, "init", "mine", "--command", "echo --seed {seed} --batch {batch} {lr-max}"
        )
        self.assertIn("27 trials", self.regatta(scratch, "plan", "mine.json"))
        done = self.regatta(scratch, "duel", "echo {seed}", "--scan", "seed=1,2", "--for", "2s")
        self.assertIn("seed=2", done)
        for words in (
            ["init", "other", "--command", "x {engine}"],
            ["duel", "echo {repeat}", "--scan", "repeat=1,2"],
        ):
            refused = self.regatta(scratch, *words, code=2)
            self.assertIn("choose another name, such as", refused)


class Origins(Programs):
    def test_a_file_that_a_level_names_is_a_part_of_its_trial(self) -> None:
        read = (
            "import sys\nprint('{\"v\": %s}' % open(sys.argv[1].split('=')[-1]).read().strip())\n"
        )
        for word in ("{config}.txt", "--config={config}.txt"):
            scratch = self.of(
                study(["python3", "read.py", word], {"config": ["a", "b"]}),
                read__py=read,
                a__txt="1",
                b__txt="2",
            )
            self.run_here(scratch)
            self.assertIn("measured already", self.run_here(scratch))
            (scratch.folder / "a.txt").write_text("77")
            said = self.run_here(scratch)
            self.assertIn("the contents of a.txt changed: 1 trial", said)
            self.assertEqual([row["v"] for row in self.rows(scratch, "v")], [77, 2])
            self.run_here(scratch, "--set", "config=a,b,c", code=1)  # c.txt is missing
            self.assertIn(
                "measured already", self.run_here(scratch, "--set", "config=a,b,c", code=1)
            )

    def test_a_file_inside_a_script_is_a_part_of_the_trials(self) -> None:
        tell = "import sys\nprint('{\"v\": %s}' % sys.argv[1])\n"
        script = "python3 tell.py {n} > t.txt; cat t.txt | tail -n 1"
        scratch = self.of(study(["sh", "-c", script], {"n": [1, 2]}), tell__py=tell)
        self.run_here(scratch)
        self.assertIn("measured already", self.run_here(scratch))
        (scratch.folder / "tell.py").write_text(tell.replace("%s}", "%s00}"))
        self.assertIn("the contents of tell.py changed: 2 trials", self.run_here(scratch))
        self.assertEqual([row["v"] for row in self.rows(scratch, "v")], [100, 200])


class Limits(Programs):
    HANG = ["sh", "-c", "while :; do echo alive; sleep 0.2; done"]

    def test_a_program_that_hangs_is_run_once(self) -> None:
        scratch = self.of(study(self.HANG, limits={"trial_timeout": "1s"}))
        self.run_here(scratch, code=1)
        [row] = self.rows(scratch, "reason,attempt")
        self.assertIn("did not end within limits.trial_timeout, 1 s", row["reason"])
        self.assertNotIn("attempts", row["reason"])

    def test_or_as_often_as_attempts_where_that_is_asked_for(self) -> None:
        limits = {"trial_timeout": "1s", "attempts": 2, "retry_timeouts": True}
        scratch = self.of(study(self.HANG, limits=limits))
        self.run_here(scratch, code=1)
        self.assertIn("(2 attempts)", self.rows(scratch, "reason")[0]["reason"])

    def test_a_run_stops_after_so_many_failures(self) -> None:
        sweep = study(
            ["sh", "-c", "sleep 0.2; exit {n}"], {"n": list(range(1, 21))}, limits={"failures": 3}
        )
        scratch = self.of(sweep)
        said = self.run_here(scratch, code=75)
        self.assertIn("failed trials, as limits.failures says", said)
        failed = self.regatta(scratch, "status", "out/study.regatta")
        self.assertRegex(failed, r"\b[345] failed")
        del sweep["limits"]
        scratch.sweep_file.write_text(json.dumps(sweep))
        self.run_here(scratch, code=1)
        self.assertEqual(len(self.rows(scratch, "n")), 20)

    def test_no_program_is_begun_that_would_end_after_the_time(self) -> None:
        scratch = self.of(study(["sleep", "2"], {"n": [1, 2, 3, 4, 5]}, command={"reads": ["n"]}))
        begin = time.monotonic()
        said = self.run_here(scratch, "--for", "5s", code=75)
        self.assertLess(time.monotonic() - begin, 9)
        self.assertIn("not begun; run the same command again to go on", said)
        self.run_here(scratch, "--for", "60s")


class Devices(Programs):
    SEEN = 'echo "$1 [$CUDA_VISIBLE_DEVICES] $REGATTA_DEVICE" >> seen.txt'

    def test_that_are_not_there_skip_the_row(self) -> None:
        scratch = self.of(
            study(["sh", "-c", self.SEEN, "x", "{device}"], {"device": ["cpu", "cuda"]})
        )
        self.run_here(scratch)
        rows = {row["device"]: row for row in self.rows(scratch, "device,status,reason")}
        self.assertEqual(rows["cpu"]["status"], "finished")
        if rows["cuda"]["status"] == "skipped":  # this machine has none
            self.assertIn(
                "needs a cuda device, and no slot of this job has one", rows["cuda"]["reason"]
            )
        self.assertEqual((scratch.folder / "seen.txt").read_text().splitlines()[0], "cpu [] ")


if __name__ == "__main__":
    unittest.main()
