"""scripts/gpu_check.sh runs here, whole, on the emulated plugin: so that the script is not what fails on a GPU."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path
from typing import Any

import trials
from bars import bars
from fake_tools import TESTS, make_tools, write_program
from sanitizers import SHARDS
from times import ArmTimes

from tools import ROOT

BUILD = Path(os.environ["REGATTA_BINARY_DIR"])
HAS_LAUNCHER = (BUILD / "bin" / "regatta").exists()
PASS_HERE = {10, 11, 13, 20, 21, 22, 30, 31, 42, *([43] if HAS_LAUNCHER else [])}
NUMBERS = [10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 43, 44]
LIMIT_SECONDS = 300
HOT_DEVICE = """devices 1
free_bytes 1000000000
processes 0
temperature_celsius 91
power_milliwatts 600000
clock_megahertz 900
most_clock_megahertz 1980
throttle_reasons 64
"""


class GpuCheck(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="regatta-gpu-check-"))
        cls.bundle = cls.folder / "bundle"
        command = ["scripts/gpu_bundle.sh", "--emulated", "--no-build", "--build", str(BUILD)]
        subprocess.run(
            [*command, "--out", str(cls.bundle)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
        )

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.folder)

    def check(self, *words: str, bundle: Path | None = None, **variables: str) -> dict[str, Any]:
        """The summary; frameworks are not looked for."""
        out = Path(tempfile.mkdtemp(dir=self.folder))
        environment = {
            **os.environ,
            "REGATTA_GPU_CHECK_PLUGIN": "emulated",
            "XDG_CACHE_HOME": str(self.folder / "no-engines"),
            "GTEST_FILTER": "Session.*",
            **variables,
        }
        command = [
            "scripts/gpu_check.sh",
            "--bundle",
            str(bundle or self.bundle),
            "--out",
            str(out),
        ]
        done = subprocess.run(
            [*command, *words],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        self.code, self.output, self.out = done.returncode, done.stdout + done.stderr, out
        self.assertTrue((out / "summary.json").exists(), self.output)
        summary = json.loads((out / "summary.json").read_text())
        self.results = {each["number"]: each["result"] for each in summary["phases"]}
        return summary

    def test_all_phases_run_and_say_what_is_not_here(self) -> None:
        hot = self.folder / "hot"
        hot.write_text(HOT_DEVICE)
        summary = self.check(REGATTA_FAKE_NVML=str(hot))
        self.assertEqual([each["number"] for each in summary["phases"]], NUMBERS)
        passed = {number for number, result in self.results.items() if result == "passed"}
        absent = {number for number, result in self.results.items() if result == "not here"}
        self.assertLessEqual(PASS_HERE, passed, self.output)
        self.assertEqual(passed | absent, set(NUMBERS), self.output)
        self.assertEqual(self.code, 0)
        self.assertEqual(summary["plugin"], "emulated")
        self.assertIn("no GPU computed any of it", self.output)
        for name in ("log.txt", "same_work.json", "timing.json", "limits.json", "kept.tgz"):
            self.assertGreater((self.out / name).stat().st_size, 0, name)
        self.assertLessEqual(len(list(self.out.iterdir())), 8, "more files than come back")
        with tarfile.open(self.out / "kept.tgz") as packed:
            names = packed.getnames()
        self.assertIn("kept/unit.json", names)
        for cache in ("checks", "timing"):
            self.assertTrue([name for name in names if f"{cache}/regatta/kernels-" in name], names)
        rows = json.loads((self.out / "same_work.json").read_text())["rows"]
        self.assertEqual({row["trial"] for row in rows}, set(trials.EMULATED))
        rounded = [row for row in rows if row["precision"] != "fp32"]
        self.assertFalse([row for row in rounded if row["is_fp32"]], "nothing was rounded")
        if HAS_LAUNCHER:
            self.look_at_sweep()

    def look_at_sweep(self) -> None:
        """Its rows name the device, and what the device says of itself reaches their flags."""
        found = self.swept()
        self.assertEqual(found["wrong"], [])
        self.assertEqual(found["NVML now"]["temperature_celsius"], 91)
        on_device = [row for row in found["sweep-native"] if row["device"] == "cuda"]
        self.assertEqual(len(on_device), 4)
        for row in on_device:
            self.assertIn("GPU-", row["slot"])
            self.assertIn("device throttled", row["flags"])
            self.assertGreater(row["cpu_over_cuda"], 0)

    def test_a_phase_that_fails_is_told_and_stops_no_other(self) -> None:
        self.check("20", "22", "10", REGATTA_EMULATED_CUDA="fail=cudaGraphLaunch:719:2")
        self.assertEqual(self.results, {10: "passed", 20: "failed", 22: "failed"}, self.output)
        self.assertEqual(self.code, 1)
        self.assertIn("cudaErrorLaunchFailure", self.output)

    def test_without_a_driver_it_says_so_at_once(self) -> None:
        self.check("20", REGATTA_EMULATED_CUDA="no_driver")
        self.assertNotEqual(self.results[20], "passed")
        self.assertIn("no NVIDIA driver", self.output)

    def test_phases_that_run_together_are_told_one_after_the_other(self) -> None:
        self.check("--together", "11", "20", "31", "10")
        self.assertEqual(set(self.results.values()), {"passed"}, self.output)
        self.assertEqual(list(self.results), [10, 11, 20, 31])
        log = (self.out / "log.txt").read_text()
        parts = [part.splitlines() for part in log.split("==== ")[1:]]
        self.assertEqual([part[0].split()[0] for part in parts], ["10", "11", "20", "31"])
        for part, word in zip(parts, ("Python", "uuid", "are right", "launch_seconds")):
            self.assertTrue([line for line in part if word in line], part)

    def swept(self) -> dict[str, Any]:
        with tarfile.open(self.out / "kept.tgz") as packed:
            file = packed.extractfile("kept/sweep.json")
            assert file is not None
            return json.load(file)

    @unittest.skipUnless(HAS_LAUNCHER, "this build has no launcher")
    def test_a_sweep_whose_device_fails_is_told(self) -> None:
        self.check("43", REGATTA_EMULATED_CUDA="fail=cudaGraphLaunch:719:2")
        self.assertEqual(self.results[43], "failed", self.output)
        wrong = " ".join(self.swept()["wrong"])
        self.assertIn("native cuda graph mlp-10: cudaGraphLaunch: cudaErrorLaunchFailure", wrong)

    def test_a_bundle_without_a_launcher_has_no_sweep(self) -> None:
        small = self.folder / "small"
        shutil.copytree(self.bundle, small, symlinks=True)
        for name in ("launcher.tgz", "bin/regatta"):
            (small / name).unlink(missing_ok=True)
        self.check("43", bundle=small)
        self.assertEqual(self.results[43], "not here", self.output)

    def test_when_time_is_over_phases_are_left_out(self) -> None:
        self.check("--seconds", "2")
        self.assertEqual(set(self.results.values()), {"no time left"})
        self.assertEqual(self.code, 1)

    def test_a_phase_is_ended_at_its_time(self) -> None:
        slow = self.folder / "slow"
        shutil.copytree(self.bundle, slow, symlinks=True)
        program = slow / "bin" / "test_engine_cuda"
        program.write_text("#!/bin/sh\nsleep 100\n")
        self.check("--seconds", "6", "21", "10", bundle=slow)
        self.assertEqual(self.results[21], "timed out", self.output)

    def with_tools(self) -> dict[str, str]:
        """Variables that show tools of NVIDIA's, which are fakes."""
        tools = self.folder / "tools"
        if not tools.exists():
            make_tools(tools)
        return {"PATH": f"{tools}:{os.environ['PATH']}"}

    def test_what_a_tool_finds_is_kept_apart_from_what_fails_by_itself(self) -> None:
        failing = self.folder / "failing"
        shutil.copytree(self.bundle, failing, symlinks=True)
        write_program(failing / "bin" / "test_engine_cuda", TESTS)
        self.check("23", bundle=failing, **self.with_tools())
        self.assertEqual(self.results[23], "failed", self.output)
        found = json.loads((self.out / "sanitizers.json").read_text())
        self.assertEqual(found["failed_without_a_tool"], ["Session.One"])
        tools = {name: found[name] for name in ("memcheck", "racecheck", "synccheck", "initcheck")}
        self.assertEqual(
            {name: (each["clean"], each["findings"]) for name, each in tools.items()},
            {
                "memcheck": (True, 0),  # a refused call of a library
                "racecheck": (True, 0),
                "synccheck": (True, 0),
                "initcheck": (False, SHARDS),  # a kernel of ours in each, and one of a library
            },
        )
        self.assertEqual(found["memcheck"]["refused_calls"], SHARDS)
        self.assertEqual(found["initcheck"]["in_libraries"], SHARDS)
        self.assertEqual(found["memcheck"]["failed"], ["Session.One"])
        self.assertEqual(found["memcheck"]["failed_only_here"], [])
        self.assertEqual(found["synccheck"]["failed_only_here"], ["Session.Two"])
        log = (self.out / "log.txt").read_text()
        self.assertIn("========= Program hit cudaErrorNotSupported", log)
        self.assertIn("fails by itself: Session.One", log)
        self.assertIn("expected another loss", log)

    def test_counters_show_the_kernels_of_the_last_step(self) -> None:
        self.check("32", **self.with_tools())
        self.assertEqual(self.results[32], "passed", self.output)
        counted = json.loads((self.out / "counters.json").read_text())
        self.assertEqual(list(counted), list(trials.EMULATED)[:1])
        (kernels,) = counted.values()
        self.assertEqual([each["us"] for each in kernels], [1.5] * 3)
        self.assertEqual(kernels[0]["kernel"], "advance_state(StepState *)")
        self.assertEqual(kernels[1]["sm_percent"], 25.0)
        self.assertIn("each_element<Add>(long)  sm 25 %", (self.out / "log.txt").read_text())


class Bars(unittest.TestCase):
    """Native graph and the fastest framework, in microseconds by round."""

    def reached(self, trial: str, ours: list[float], torch: list[float]) -> str:
        times = {
            "native graph": ArmTimes(slices=[us * 1e-6 for us in ours]),
            "native eager": ArmTimes(slices=[1e-6]),
            "torch eager": ArmTimes(slices=[1.0, 1.0, 1.0]),
            "torch compiled": ArmTimes(slices=[us * 1e-6 for us in torch]),
            "jax": ArmTimes(refused="late"),
        }
        kept, told = bars({trial: times})
        self.assertIn("torch compiled", told)
        return f"{kept[0]['ahead']['median']:.1f} {kept[0]['is_reached']}"

    def test_ask_for_more_where_a_step_is_mostly_launches(self) -> None:
        self.assertEqual(self.reached("matmul-1000", [50, 60, 40], [60, 66, 80]), "1.2 True")
        self.assertEqual(self.reached("matmul-1000", [50, 60, 40], [40, 54, 50]), "0.9 False")
        self.assertEqual(self.reached("mlp-10", [50, 50, 50], [140, 145, 160]), "2.9 False")
        self.assertEqual(self.reached("mlp-10", [50, 50, 50], [140, 155, 160]), "3.1 True")
        self.assertEqual(self.reached("conv1d-small, 140", [31, 31], [310, 310]), "10.0 False")

    def test_without_a_framework_there_is_none(self) -> None:
        kept, told = bars({"mlp-10": {"native graph": ArmTimes(slices=[1e-5])}})
        self.assertIn("no framework", kept[0]["without"])
        self.assertIn("0 of 1 bars", told)


class Trials(unittest.TestCase):
    def test_are_what_the_launcher_plans(self) -> None:
        regatta = BUILD / "bin" / "regatta"
        if not regatta.exists():
            self.skipTest("this build has no launcher")
        self.assertEqual(
            trials.FILE.read_text(),
            trials.written(str(regatta)),
            "write it again: python3 tests/gpu/trials.py build/bin/regatta",
        )


if __name__ == "__main__":
    unittest.main()
