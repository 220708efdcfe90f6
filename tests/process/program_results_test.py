"""Numbers that programs and loops tell, through the real launcher: from what they print to columns and comparisons."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest

from tools.regatta_process import BINARY, SOURCE, Scratch

ONE_RUN = {"slices": 1, "steps": 1}
PACKAGE = SOURCE / "workers" / "python"

REWARD = """import random, sys
gain = float(sys.argv[2]) if sys.argv[1] == "2" else 0
print('{"reward": %g}' % (random.gauss(-0.56, 0.01) + gain))
"""

LOOP = """import sys
sys.path.insert(0, {package!r})
import regatta
settings = regatta.settings(width=1)
for step in regatta.steps():
    regatta.result("seen", step.number)
    regatta.result("width", 2 * settings["width"], unit="m")
    step.half = settings["width"] / 2
"""


def command_sweep(script: str, measure: dict, **more: object) -> dict:
    return {
        "regatta": 1,
        "name": "told",
        "axes": {"engine": "command", "command": "tell", "n": [1, 2]},
        "commands": {"tell": {"argv": ["sh", "-c", script, "tell", "{n}"]}},
        "measure": measure,
        **more,
    }


class ProgramResults(unittest.TestCase):
    def run_sweep(self, sweep: dict, code: int = 0) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run("--ranks", "1"), code, scratch.output())
        return scratch

    def asked(self, scratch: Scratch, *words: str) -> str:
        command = [str(BINARY), *words[:1], str(scratch.results), *words[1:]]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout

    def query(self, scratch: Scratch, columns: str) -> list[dict]:
        return json.loads(self.asked(scratch, "query", "--columns", columns, "--json"))["rows"]

    def test_are_columns_with_units(self) -> None:
        script = 'echo "{\\"twice\\": {\\"value\\": $((2 * $1)), \\"unit\\": \\"K\\"}, \\"n\\": 3}"'
        scratch = self.run_sweep(command_sweep(script, ONE_RUN))
        rows = self.query(scratch, "n,m_twice,results,result_remarks")
        self.assertEqual([(row["n"], row["twice"]) for row in rows], [(1, 2), (2, 4)])
        self.assertEqual(json.loads(rows[0]["results"]), {"twice": {"unit": "K", "values": [2]}})
        self.assertEqual(rows[0]["result_remarks"], "not kept, for their names: n")
        told = scratch.report()["trials"][1]["results"]
        self.assertEqual(told, {"twice": {"value": 4, "unit": "K"}})
        table = self.asked(scratch, "report")
        self.assertRegex(table, r"twice \[K\]")
        self.assertIn("twice", self.asked(scratch, "query", "--format", "csv").split("\n")[0])

    def test_come_from_the_file_too_and_parameters_stand_in_one(self) -> None:
        script = (
            'echo "{\\"a\\": 1}"; cp "$REGATTA_PARAMETERS_FILE" seen.json; '
            'echo "{\\"a\\": $REGATTA_N, \\"b\\": -2.5}" >> "$REGATTA_RESULTS_FILE"'
        )
        scratch = Scratch(command_sweep(script, ONE_RUN))
        self.addCleanup(scratch.remove)
        scratch.sweep["commands"]["tell"]["argv"][2] = f"cd {scratch.folder}; {script}"
        scratch.sweep_file.write_text(json.dumps(scratch.sweep))
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        rows = self.query(scratch, "a,b")
        self.assertEqual([(row["a"], row["b"]) for row in rows], [(1, -2.5), (2, -2.5)])
        self.assertEqual(json.loads((scratch.folder / "seen.json").read_text()), {"n": 2})
        self.assertEqual(list((scratch.run_folder / "logs").glob("*-parameters.json")), [])

    def test_a_program_that_changes_its_folder_finds_both_files(self) -> None:
        seen = 'read line < "$REGATTA_PARAMETERS_FILE"; test "$line" = "{\\"n\\":$1}" || exit 8; '
        told = 'echo "{\\"v\\": $1}" >> "$REGATTA_RESULTS_FILE"'
        for move in ("cd /tmp || exit 9; ", "cd /; ", "mkdir -p deeper; cd deeper; ", ""):
            with self.subTest(move):
                scratch = Scratch(command_sweep(move + seen + told, ONE_RUN))
                self.addCleanup(scratch.remove)
                for out in ("results", "."):
                    command = [BINARY, "run", "sweep.json", "--ranks", "1", "--out", out]
                    ran = subprocess.run(
                        command, cwd=scratch.folder, capture_output=True, text=True, check=False
                    )
                    self.assertEqual(ran.returncode, 0, ran.stderr)
                    told_rows = subprocess.run(
                        [BINARY, "query", f"{out}/told.h5", "--columns", "n,v", "--json"],
                        cwd=scratch.folder,
                        capture_output=True,
                        check=True,
                    )
                    rows = json.loads(told_rows.stdout)["rows"]
                    self.assertEqual([(row["n"], row["v"]) for row in rows], [(1, 1), (2, 2)])

    def in_folders(self, kind: str, script: str, code: int = 0) -> Scratch:
        sweep = command_sweep("", {"slices": 2, "steps": 2})
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        own = scratch.folder / "own.sh"
        own.write_text(script)
        sweep["commands"]["tell"] = {"argv": ["sh", str(own), "{n}"], "folder": kind}
        scratch.sweep_file.write_text(json.dumps(sweep))
        self.assertEqual(scratch.run("--ranks", "2"), code, scratch.output())
        return scratch

    def test_each_run_of_a_trial_begins_in_an_empty_folder_that_is_kept(self) -> None:
        script = (
            'echo "{\\"found\\": $(ls | wc -l)}" >> "$REGATTA_RESULTS_FILE"; echo $1 > seen; '
            'test "$REGATTA_START_FOLDER" != "$PWD" -a -d "$REGATTA_START_FOLDER"'
        )
        scratch = self.in_folders("kept", script)
        rows = self.query(scratch, "n,found,folder")
        self.assertEqual([(row["n"], row["found"]) for row in rows], [(1, 0), (2, 0)])
        for row in rows:
            left = scratch.results.parent / row["folder"] / "seen"
            self.assertEqual(left.read_text(), f"{row['n']}\n")
        self.assertFalse((scratch.folder / "seen").exists())

    def test_or_removed(self) -> None:
        scratch = self.in_folders("removed", "pwd > where; ls -d .. > /dev/null")
        self.assertEqual([row["folder"] for row in self.query(scratch, "folder")], ["", ""])
        self.assertEqual(list((scratch.run_folder / "work").glob("*")), [])
        self.assertEqual(list(scratch.results.parent.glob("*.trials")), [])

    def test_what_is_no_number_or_missing_is_said(self) -> None:
        script = 'echo "{\\"a\\": NaN, \\"b\\": -inf}"'
        scratch = self.run_sweep(command_sweep(script, ONE_RUN))
        row = self.query(scratch, "a,b,result_remarks")[0]
        self.assertIsNone(row["a"])
        self.assertEqual(
            row["result_remarks"], "a is NaN in 1 of 1 runs; b is infinite in 1 of 1 runs"
        )
        self.assertIn("NaN", self.asked(scratch, "report"))

    def test_one_that_has_to_be_told_and_is_not_fails_its_row(self) -> None:
        sweep = command_sweep('[ "$1" = 1 ] || echo "{\\"a\\": 1}"', ONE_RUN)
        sweep["commands"]["tell"]["results"] = ["a"]
        scratch = self.run_sweep(sweep, code=1)
        rows = self.query(scratch, "status,reason,a")
        self.assertEqual([row["status"] for row in rows], ["failed", "finished"])
        self.assertIn(
            "the program reported no number 'a', one of the \"results\" of its command",
            rows[0]["reason"],
        )

    def test_a_time_of_zero_fails_its_row(self) -> None:
        sweep = command_sweep('echo "{\\"s\\": 0}"', ONE_RUN)
        sweep["commands"]["tell"]["metric"] = "json:s"
        scratch = self.run_sweep(sweep, code=1)
        reasons = {row["reason"] for row in self.query(scratch, "reason")}
        self.assertEqual(len(reasons), 1)
        self.assertIn("told 0 under 's', which is no time in seconds above 0", reasons.pop())

    def test_arms_are_compared_by_one(self) -> None:
        compare = {"over": "n", "baseline": {"n": 1}}
        measure = {"metric": {"result": "gain", "goal": "higher", "margin": "5%"}, "slices": 9}
        sweep = command_sweep('echo "{\\"gain\\": $1}"', {**measure, "steps": 1}, compare=compare)
        scratch = self.run_sweep(sweep)
        report = scratch.report()
        contrast = report["contrasts"][0]
        self.assertEqual((contrast["metric"], contrast["ratio"]), ("gain", 2.0))
        self.assertEqual(report["metric"]["better"], "higher")
        if contrast["verdict"] == "higher":
            self.assertRegex(contrast["text"], r"higher.* in gain than .*: better$")

    def test_a_row_without_a_ratio_is_not_compared_and_says_why(self) -> None:
        compare = {"over": "n", "baseline": {"n": 1}}
        measure = {"metric": {"result": "gain"}, "slices": 9, "steps": 1}
        script = 'if [ $1 = 1 ]; then echo "{\\"gain\\": 1}"; else echo "{\\"gain\\": NaN}"; fi'
        scratch = self.run_sweep(command_sweep(script, measure, compare=compare))
        report = scratch.report()
        self.assertEqual(report["contrasts"], [])
        self.assertIn("gain is missing or no finite number", json.dumps(report))

    def rewarded(self, margin: object, gain: float) -> dict:
        """The contrast of a program whose reward is negative and noisy with one that has this much more."""
        sweep = command_sweep(
            "", {"per_contrast": "2s"}, compare={"over": "n", "baseline": {"n": 1}}
        )
        metric = {"result": "reward", "goal": "higher", "margin": margin}
        sweep["measure"]["metric"] = metric
        sweep["commands"]["tell"]["argv"] = ["python3", "-c", REWARD, "{n}", str(gain)]
        self.scratch = self.run_sweep(sweep)
        report = self.scratch.report()
        self.assertEqual(report["no_contrasts"], [])
        [contrast] = report["contrasts"]
        self.assertEqual(contrast["scale"], "difference")
        self.assertEqual((contrast["ratio"], contrast["speedup"]), (None, None))
        return contrast

    def test_rewards_below_zero_are_compared_by_difference(self) -> None:
        contrast = self.rewarded("1%", 0.1)
        self.assertEqual(contrast["verdict"], "higher", contrast)
        self.assertLess(abs(contrast["difference"] - 0.1), 0.03)
        self.assertTrue(0.03 < contrast["low"] < contrast["high"] < 0.17, contrast)
        self.assertRegex(
            contrast["text"],
            r"^n 2 is 0\.\d+ higher \[0\.\d+, 0\.\d+\] in reward than n 1.*: better$",
        )
        self.assertNotRegex(self.asked(self.scratch, "report"), r"\d(x|\.\d+x) ")
        self.assertNotRegex(
            self.scratch.results.with_suffix(".html").read_text(), r"\d\.\d+x higher"
        )
        [row] = json.loads(self.asked(self.scratch, "query", "--table", "contrasts", "--json"))[
            "rows"
        ]
        self.assertEqual((row["scale"], row["ratio"]), ("difference", None))
        self.assertEqual(row["difference"], contrast["difference"])
        self.assertEqual((row["low"], row["high"]), (contrast["low"], contrast["high"]))

    def test_a_margin_may_be_in_the_unit_of_a_result(self) -> None:
        contrast = self.rewarded(0.5, 0.1)
        self.assertEqual((contrast["verdict"], contrast["margin"]), ("same", 0.5), contrast)
        self.assertIn("the same within 0.5", contrast["text"])
        self.assertEqual(self.rewarded(0.01, 0.1)["verdict"], "higher")

    def test_loops_tell_them_by_a_call(self) -> None:
        sweep = {
            "regatta": 1,
            "name": "loop",
            "axes": {
                "engine": "numpy@loop",
                "model": {"python": "loop.py", "args": {"width": 1}},
                "args.width": [3, 4],
            },
            "environments": {"loop": {"engine": "numpy", "program": []}},
            "measure": {"slices": 2, "steps": 5},
        }
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        script = scratch.folder / "loop.py"
        script.write_text(LOOP.format(package=str(PACKAGE)))
        sweep["environments"]["loop"]["program"] = [sys.executable, str(script)]
        scratch.sweep_file.write_text(json.dumps(sweep))
        self.assertEqual(scratch.run("--ranks", "1"), 0, scratch.output())
        rows = self.query(scratch, "args.width,width,half,seen,status")
        self.assertEqual([(row["width"], row["half"]) for row in rows], [(6, 1.5), (8, 2)])
        self.assertTrue(all(row["seen"] >= 10 for row in rows), rows)


if __name__ == "__main__":
    unittest.main()
