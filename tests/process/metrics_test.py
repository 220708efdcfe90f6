"""Every metric through the real program: what a sweep asks for is measured, judged, and named with its unit."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import unittest

from tools.regatta_process import BINARY, SOURCE, Scratch

TABLE = (
    (SOURCE / "docs" / "reference" / "sweep-file.md")
    .read_text(encoding="utf-8")
    .partition("### Metrics")[2]
)
METRICS = dict(re.findall(r"^\| `(\w+)` \| (\w+) \| [\d.]+ % \|", TABLE, re.MULTILINE))


def sweep_by(metric: str, **changes: object) -> dict:
    return {
        "regatta": 1,
        "name": "metric",
        "axes": {"mode": ["eager", "graph"], "model": ["mlp-10"], "batch": [32]},
        "compare": {"over": ["mode"], "baseline": {"mode": "eager"}},
        "measure": {"metric": metric, "per_contrast": "500ms", "again": False, **changes},
    }


class Metrics(unittest.TestCase):
    def measured(self, sweep: dict) -> Scratch:
        scratch = Scratch(sweep)
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run(), 0, scratch.output())
        return scratch

    def asked(self, scratch: Scratch, *words: str) -> str:
        command = [str(BINARY), *words[:1], str(scratch.results), *words[1:]]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout

    def expect_named(self, scratch: Scratch, metric: str, contrast: dict) -> None:
        """Report, query and export give name and unit, the report to people what its columns hold."""
        unit = METRICS[metric]
        self.assertEqual((contrast["metric"], contrast["unit"]), (metric, unit))
        columns = ("--table", "contrasts", "--columns", "metric,metric_unit", "--json")
        [row] = json.loads(self.asked(scratch, "query", *columns))["rows"]
        self.assertEqual((row["metric"], row["metric_unit"]), (metric, unit))
        exported = self.asked(scratch, "query", "--table", "contrasts", "--format", "csv")
        [row] = csv.DictReader(io.StringIO(exported))
        self.assertEqual((row["metric"], row["metric_unit"]), (metric, unit))

    def test_the_page_lists_what_the_sweep_file_takes(self) -> None:
        self.assertGreaterEqual(
            METRICS.keys(), {"time_per_sample", "time_per_step", "latency_p95", "peak_memory"}
        )

    def test_time_is_compared_by_the_step_or_the_sample(self) -> None:
        by_batch = {
            "axes": {"batch": [1, 32], "model": ["mlp-10"]},
            "compare": {"over": ["batch"], "baseline": {"batch": 1}},
        }
        for metric, verdict in (("time_per_sample", "faster"), ("time_per_step", "slower")):
            scratch = self.measured({**sweep_by(metric), **by_batch})
            [contrast] = scratch.report()["contrasts"]
            self.expect_named(scratch, metric, contrast)
            self.assertIn(contrast["verdict"], (verdict, "undecided"), contrast)
            self.assertEqual(contrast["ratio"] < 1, verdict == "faster", contrast)

    def test_latency_is_that_of_single_calls_with_an_interval(self) -> None:
        for metric in ("latency_p50", "latency_p95", "latency_p99"):
            # Not by time, in which a busy machine has few slices: rare calls need 20.
            scratch = self.measured(sweep_by(metric, slices=30))
            report = scratch.report()
            self.assertEqual(report["metric"]["name"], metric)
            [contrast] = report["contrasts"]
            self.expect_named(scratch, metric, contrast)
            for trial in report["trials"]:
                self.assertGreater(
                    trial["calls"], 1000, "calls of microseconds are stamped one by one"
                )
                value, low, high = (trial[metric + end] for end in ("", "_low", "_high"))
                if value is None:  # a few disturbed slices may hold all slow calls
                    self.assertIn("clumps", trial["no_" + metric])
                    continue
                self.assertTrue(low <= value <= high, trial)
            self.assertIn(f"({metric}, s)", scratch.details())
            self.assertIn("closed loop, service time", scratch.details())

    def test_quantiles_are_not_given_of_groups_of_steps(self) -> None:
        trials: list[dict] = []
        for _ in range(
            3
        ):  # a machine that stalls while steps are first looked at makes them look long
            trials = self.measured(sweep_by("time_per_step", slices=16)).report()["trials"]
            if all(trial["latency_p95"] is None for trial in trials):
                break
        for trial in trials:
            self.assertIsNone(trial["latency_p95"], "steps of microseconds are stamped in groups")
            self.assertIn('"metric": "latency_p95"', trial["no_latency_p95"])

    def test_peak_memory_is_judged_over_processes(self) -> None:
        sweep = sweep_by("peak_memory")
        sweep["axes"] |= {"batch": [1, 16384]}
        sweep["compare"] = {"over": ["batch"], "baseline": {"batch": 1}}
        sweep["axes"]["mode"] = ["graph"]
        scratch = self.measured(sweep)
        report = scratch.report()
        [contrast] = report["contrasts"]
        self.expect_named(scratch, "peak_memory", contrast)
        self.assertEqual(contrast["verdict"], "larger", contrast)
        self.assertGreaterEqual(contrast["processes"], 4)
        self.assertRegex(contrast["text"], r"in peak memory than .* \(after \d+ (and \d+ )?steps\)")
        for trial in report["trials"]:
            peaks = [int(each) for each in trial["peak_memory_of_processes"].split()]
            self.assertEqual(
                len(peaks), contrast["processes"] // 2, "one value for each fresh process"
            )
            self.assertGreaterEqual(trial["peak_memory"], max(peaks))

    def test_a_verdict_from_few_processes_is_an_early_one(self) -> None:
        scratch = self.measured(sweep_by("peak_memory", slices=8, steps=1))
        [contrast] = scratch.report()["contrasts"]
        self.assertLess(contrast["processes"], 14, contrast)
        self.assertFalse(contrast["confirmed"], contrast)

    def test_a_program_gives_one_value_each_time_it_runs(self) -> None:
        def program(megabytes: int) -> dict:
            return {"argv": ["python3", "-c", f"x = b'1' * ({megabytes} << 20)"]}

        sweep = sweep_by("peak_memory", per_contrast="5s")
        sweep["axes"] = {"engine": ["command"], "command": ["small", "large"]}
        sweep["commands"] = {"small": program(1), "large": program(40)}
        sweep["compare"] = {"over": ["command"], "baseline": {"command": "small"}}
        [contrast] = self.measured(sweep).report()["contrasts"]
        self.assertEqual(contrast["verdict"], "larger", contrast)
        self.assertGreater(contrast["ratio"], 2)

    def test_a_program_may_use_as_many_cores_as_its_threads(self) -> None:
        tell = "import os; print('{\"cores\": %d}' % len(os.sched_getaffinity(0)))"
        sweep = sweep_by("time_per_step", slices=1, steps=1)
        sweep["axes"] = {"engine": ["command"], "command": ["tell"], "threads": [1, 2]}
        sweep["commands"] = {"tell": {"argv": ["python3", "-c", tell], "metric": "json:cores"}}
        sweep["compare"] = {"over": ["threads"], "baseline": {"threads": 1}}
        trials = self.measured(sweep).report()["trials"]
        cores = {trial["threads"]: trial["step_time"] for trial in trials}
        self.assertEqual(cores, {1: 1, 2: 2}, trials)

    def test_an_unknown_metric_is_one_error_that_lists_those_that_exist(self) -> None:
        scratch = Scratch(sweep_by("latency"))
        self.addCleanup(scratch.remove)
        self.assertEqual(scratch.run(), 2)
        [line] = scratch.output().splitlines()
        for metric in METRICS.keys() - {"result"}:  # the metric result goes with a name
            self.assertIn(f'"{metric}"', line)
        self.assertIn('/measure/metric: found "latency"', line)

    def test_two_sessions_are_compared_by_the_metric_of_their_sweep(self) -> None:
        sessions = [self.measured(sweep_by("latency_p50")) for _ in range(2)]
        files = [str(session.results) for session in sessions]
        done = subprocess.run(
            [str(BINARY), "compare", *files, "--json"], capture_output=True, text=True
        )
        document = json.loads(done.stdout)
        self.assertEqual(
            (document["metric"]["name"], document["metric"]["unit"]), ("latency_p50", "s")
        )
        for cell in document["cells"]:
            self.assertIn("p50 call time: ", cell["text"])


if __name__ == "__main__":
    unittest.main()
