"""Sweeps with `device: cuda` where there are no GPUs, one, or more: emulated ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import unittest

from tests.process.emulated_device import FAKE_NVML, FAKE_NVTX, make_tree, remove_tree
from tools.regatta_process import PATIENCE_SECONDS, Scratch, wait_until


def sweep(**axes: list) -> dict:
    return {
        "regatta": 1,
        "name": "devices",
        "axes": {"device": ["cpu", "cuda"], "model": ["mlp-10"], **axes},
        "compare": {"over": ["device"], "baseline": {"device": "cpu"}},
        "measure": {"slices": 3, "steps": 20, "again": False},
    }


class TrialsOnDevices(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = make_tree()
        self.addCleanup(remove_tree, self.tree)

    def scratch(self, *options: str, axes: dict | None = None, **variables: str) -> Scratch:
        scratch = Scratch(sweep(**(axes or {})))
        self.addCleanup(scratch.remove)
        code = scratch.start(*options, **variables).wait(600)
        self.assertEqual(code, 0, scratch.output())
        self.assertTrue(wait_until(lambda: not scratch.processes(), PATIENCE_SECONDS))
        return scratch

    def statuses(self, scratch: Scratch) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for trial in scratch.report()["trials"]:
            found.setdefault(trial["device"], set()).add(trial["status"])
        return found

    def watched(self, facts: str) -> Scratch:
        """With a device of which NVML tells these facts."""
        file = self.tree / "nvml"
        file.write_text(facts)
        return self.scratch(
            "--ranks",
            "1",
            REGATTA_EMULATED_CUDA="devices=1",
            LD_LIBRARY_PATH=str(FAKE_NVML),
            REGATTA_FAKE_NVML=str(file),
        )

    def first_block_of(self, scratch: Scratch) -> dict:
        command = [str(self.tree / "bin" / "regatta"), "query", str(scratch.results)]
        trace = subprocess.run([*command, "--format", "trace"], capture_output=True, check=True)
        events = json.loads(trace.stdout)["traceEvents"]
        blocks = [event for event in events if event.get("cat") == "block"]
        return min(blocks, key=lambda block: block["ts"])

    def worker(self, *words: str, **variables: str) -> dict:
        command = [str(self.tree / "bin" / "regatta-worker"), "devices", *words]
        answer = subprocess.run(
            command, capture_output=True, check=True, env={**os.environ, **variables}
        )
        return json.loads(answer.stdout)

    def test_a_worker_names_its_devices(self) -> None:
        found = self.worker(REGATTA_EMULATED_CUDA="devices=2")["cuda"]
        self.assertEqual(found["problem"], "")
        self.assertEqual([device["index"] for device in found["devices"]], [0, 1])
        self.assertEqual(len({device["uuid"] for device in found["devices"]}), 2)
        self.assertIn("driver", found["versions"])

    def test_a_worker_without_a_driver_says_so_in_one_line(self) -> None:
        found = self.worker(REGATTA_EMULATED_CUDA="no_driver")["cuda"]
        self.assertIn("no NVIDIA driver", found["problem"])
        self.assertNotIn("\n", found["problem"])
        self.assertIn("no driver", found["versions"])
        self.assertEqual(found["devices"], [])
        old = self.worker(REGATTA_EMULATED_CUDA="old_driver")["cuda"]
        self.assertIn("too old", old["problem"])

    def test_a_check_tells_rates_and_what_is_wrong(self) -> None:
        well = self.worker("--check", "0", REGATTA_EMULATED_CUDA="devices=1")
        self.assertGreater(well["write_bytes_per_second"], 0)
        self.assertGreater(well["product_flops_per_second"], 0)
        self.assertIn("problem", self.worker("--check", "1", REGATTA_EMULATED_CUDA="devices=1"))
        broken = self.worker(
            "--check", "0", REGATTA_EMULATED_CUDA="devices=1,fail=cudaStreamSynchronize:700"
        )
        self.assertIn("problem", broken)

    def test_the_state_of_a_device_is_what_nvml_says(self) -> None:
        uuid = self.worker(REGATTA_EMULATED_CUDA="devices=1")["cuda"]["devices"][0]["uuid"]
        self.assertEqual(set(self.worker("--state", uuid).values()), {None})
        facts = self.tree / "nvml"
        facts.write_text(
            "free_bytes 1000\ntemperature_celsius 61\nprocesses 2\nused_bytes 24\nwatts 70\n"
            "memory_clock_megahertz 2619\nheat_percent 5\npower_percent 0\n"
        )
        state = self.worker(
            "--state", uuid, LD_LIBRARY_PATH=str(FAKE_NVML), REGATTA_FAKE_NVML=str(facts)
        )
        self.assertEqual(state["free_bytes"], 1000)
        self.assertEqual(state["temperature_celsius"], 61)
        self.assertEqual(state["processes"], 2)
        self.assertIsNone(state["power_milliwatts"])
        self.assertEqual(state["used_bytes"], 24)
        self.assertEqual(state["memory_clock_megahertz"], 2619)
        self.assertGreater(state["energy_millijoules"], 0)
        self.assertGreater(state["heat_nanoseconds"], 0)
        self.assertEqual(state["power_nanoseconds"], 0)

    def test_without_a_plugin_devices_are_those_that_nvml_knows(self) -> None:
        (self.tree / "bin" / "libregatta_cuda.so").unlink()
        facts = self.tree / "nvml"
        facts.write_text("devices 2\nfree_bytes 1000\n")
        nvml = {"LD_LIBRARY_PATH": str(FAKE_NVML), "REGATTA_FAKE_NVML": str(facts)}
        found = self.worker(**nvml)["cuda"]
        self.assertIn("built without CUDA", found["problem"])
        self.assertEqual(len(found["devices"]), 2)
        shown = self.worker(CUDA_VISIBLE_DEVICES="GPU-1", **nvml)["cuda"]["devices"]
        self.assertEqual([device["uuid"] for device in shown], ["GPU-11111111-b"])
        self.assertEqual(self.worker(CUDA_VISIBLE_DEVICES="7,0", **nvml)["cuda"]["devices"], [])
        self.assertEqual(self.worker("--check", "0", **nvml)["state"]["free_bytes"], 1000)
        self.assertIn("problem", self.worker("--check", "2", **nvml))

    def test_one_device_measures_both_halves(self) -> None:
        scratch = self.scratch("--ranks", "1", REGATTA_EMULATED_CUDA="devices=1")
        self.assertEqual(self.statuses(scratch), {"cpu": {"finished"}, "cuda": {"finished"}})

    def programs(self, devices: str | list[str], cuda: str) -> tuple[Scratch, set[str]]:
        """Programs on two ranks, and the devices that they saw, all in words of their own."""
        seen = self.tree / "seen"
        seen.unlink(missing_ok=True)
        script = f'sleep 0.5; echo "$1:$CUDA_VISIBLE_DEVICES:${{REGATTA_DEVICE:+own}}" >> {seen}'
        content = {
            "regatta": 1,
            "name": "devices",
            "axes": {
                "engine": "command",
                "command": "p",
                "device": devices,
                "n": [1, 2, 3, 4],
            },
            "commands": {"p": {"argv": ["sh", "-c", script, "p", "{device}"], "reads": ["n"]}},
            "measure": {"slices": 1, "steps": 1},
        }
        scratch = Scratch(content)
        self.addCleanup(scratch.remove)
        variables = {"REGATTA_EMULATED_CUDA": cuda, "CUDA_VISIBLE_DEVICES": "0,1"}
        self.assertEqual(scratch.start("--ranks", "2", **variables).wait(600), 0, scratch.output())
        return scratch, set(seen.read_text().split()) if seen.exists() else set()

    def test_a_program_sees_the_device_of_its_slot_alone(self) -> None:
        scratch, seen = self.programs("cuda", "devices=2")
        self.assertEqual(self.statuses(scratch), {"cuda": {"finished"}})
        self.assertEqual(seen, {"cuda:0:own", "cuda:1:own"})
        scratch, seen = self.programs(["cpu", "cuda"], "devices=2")
        self.assertIn("cpu::", seen)
        on_devices = seen - {"cpu::"}
        self.assertTrue(on_devices)
        self.assertLessEqual(on_devices, {"cuda:0:own", "cuda:1:own"})

    def test_a_program_without_its_device_is_a_skipped_row(self) -> None:
        scratch, seen = self.programs("cuda", "no_driver")
        self.assertEqual((self.statuses(scratch), seen), ({"cuda": {"skipped"}}, set()))
        reasons = {trial["reason"] for trial in scratch.report()["trials"]}
        self.assertEqual(len(reasons), 1)
        self.assertIn("needs a cuda device, and no slot of this job has one", reasons.pop())

    def test_the_result_file_has_what_nvml_told_before_and_after_a_block(self) -> None:
        scratch = self.watched(
            "free_bytes 1000\nclock_megahertz 1980\npower_milliwatts 65500\nthrottle_reasons 4\n"
            "watts 70\nheat_percent 0\n"
        )
        block = self.first_block_of(scratch)
        told = block["args"]["device"]
        self.assertEqual(told["device_clock_before"], 1980)
        self.assertEqual(told["device_clock_after"], 1980)
        self.assertEqual(told["device_power_after"], 65.5)
        self.assertEqual(told["device_throttle_after"], 4)
        seconds = block["dur"] / 1e6
        self.assertGreaterEqual(told["device_energy"], 70 * (seconds - 0.01))
        self.assertLess(told["device_energy"], 70 * (seconds + 10))
        self.assertEqual(told["device_heat_time"], 0)
        self.assertNotIn("device_power_time", told)
        self.assertEqual(block["args"]["flags"], "")

    def test_a_block_is_flagged_while_which_heat_held_the_device_down(self) -> None:
        scratch = self.watched("free_bytes 1000\nthrottle_reasons 0\nheat_percent 5\n")
        self.assertIn("device throttled", self.first_block_of(scratch)["args"]["flags"])
        self.assertIn("blocks on a throttled device", scratch.details())

    def test_nobody_asks_nvml_while_a_slice_runs(self) -> None:
        facts, calls = self.tree / "nvml", self.tree / "calls"
        facts.write_text("free_bytes 1000\n")
        content = sweep(batch=[1, 2])
        del content["compare"]
        content["measure"] = {"slices": 3, "steps": 100}
        scratch = Scratch(content)
        self.addCleanup(scratch.remove)
        nvml = {"LD_LIBRARY_PATH": str(FAKE_NVML), "REGATTA_FAKE_NVML": str(facts)}
        process = scratch.start(
            "--ranks",
            "1",
            REGATTA_EMULATED_CUDA="devices=1",
            REGATTA_FAKE_NVML_CALLS=str(calls),
            **nvml,
        )
        self.assertEqual(process.wait(600), 0, scratch.output())
        command = [str(self.tree / "bin" / "regatta"), "query", str(scratch.results)]
        lines = subprocess.run(
            [*command, "--format", "jsonl", "--table", "samples"], capture_output=True, check=True
        ).stdout.splitlines()
        samples = [json.loads(line) for line in lines]
        slices = [(s["t_start"], s["t_start"] + s["wall_s"]) for s in samples if s["steps"] > 0]
        times = [int(line) / 1e9 for line in calls.read_text().split()]
        asked = list(zip(times[::2], times[1::2], strict=True))
        self.assertGreaterEqual(len(asked), 4, "before and after each block on the device")
        for begin, end in asked:
            during = [s for s in slices if s[0] < end and begin < s[1]]
            self.assertEqual(during, [], (begin, end))

    def test_the_time_in_which_graphs_are_made_stands_apart_from_plan_and_first_step(self) -> None:
        scratch = self.scratch(
            "--ranks", "1", axes={"mode": ["eager", "graph"]}, REGATTA_EMULATED_CUDA="devices=1"
        )
        for trial in scratch.report()["trials"]:
            if (trial["device"], trial["mode"]) == ("cuda", "graph"):
                self.assertGreater(trial["graph_time"], 0)
                self.assertLess(trial["graph_time"], trial["first_step"])
                self.assertGreater(trial["plan_time"], 0)
            else:
                self.assertIsNone(trial["graph_time"], trial["label"])

    @unittest.skipUnless(FAKE_NVTX.exists(), "the plugin was built without NVTX's headers")
    def test_a_profiler_sees_trials_slices_and_the_operations_of_eager_steps(self) -> None:
        ranges = self.tree / "ranges"
        self.scratch(
            "--ranks",
            "1",
            axes={"mode": ["eager", "graph"]},
            REGATTA_EMULATED_CUDA="devices=1",
            NVTX_INJECTION64_PATH=str(FAKE_NVTX),
            REGATTA_FAKE_NVTX=str(ranges),
        )
        lines = ranges.read_text().splitlines()
        within: dict[str, set[str]] = {}
        trial = ""
        for line in lines:
            if line.startswith("    "):
                within[trial].add("operation")
            elif line.startswith("  "):
                within[trial].add(line.split()[0])
            else:
                trial = line
                within.setdefault(trial, set())
        within.pop("matmul")  # the check of the device, before any trial
        self.assertEqual(
            within,
            {
                "trial mlp-10 eager batch 32": {"prepare", "check", "slice", "operation"},
                "trial mlp-10 graph batch 32": {"prepare", "check", "slice"},
            },
        )
        self.assertIn("    matmul", lines)
        self.assertTrue(any(line.endswith(" steady") for line in lines))

    def test_each_rank_has_a_device_of_its_own(self) -> None:
        scratch = self.scratch(
            "--ranks", "2", axes={"seed": list(range(4))}, REGATTA_EMULATED_CUDA="devices=2"
        )
        self.assertEqual(self.statuses(scratch), {"cpu": {"finished"}, "cuda": {"finished"}})
        names = set(re.findall(r"\((GPU-[0-9a-f]{8})\)", scratch.details()))
        self.assertEqual(len(names), 2, scratch.output())

    def test_ranks_without_a_device_measure_on_their_cores(self) -> None:
        scratch = self.scratch(
            "--ranks", "2", axes={"seed": list(range(4))}, REGATTA_EMULATED_CUDA="devices=1"
        )
        self.assertEqual(self.statuses(scratch), {"cpu": {"finished"}, "cuda": {"finished"}})

    def check_not_answerable(self, scratch: Scratch) -> None:
        self.assertEqual(self.statuses(scratch), {"cpu": {"finished"}, "cuda": {"skipped"}})
        output = " ".join(scratch.output().split())
        self.assertIn("Not answerable on this machine", output)
        self.assertIn("needs a cuda device, and no slot of this job has one", output)
        self.assertIn("--rerun failed", output)

    def test_without_a_device_only_the_cores_are_measured(self) -> None:
        scratch = self.scratch("--ranks", "1", REGATTA_EMULATED_CUDA="no_driver")
        self.check_not_answerable(scratch)
        self.assertIn("no NVIDIA driver", scratch.output())
        # The same folder where there is one: what was skipped is measured.
        code = scratch.start("--rerun", "failed", REGATTA_EMULATED_CUDA="devices=1").wait(600)
        self.assertEqual(code, 0, scratch.output())
        self.assertEqual(self.statuses(scratch), {"cpu": {"finished"}, "cuda": {"finished"}})

    def test_without_a_plugin_only_the_cores_are_measured(self) -> None:
        (self.tree / "bin" / "libregatta_cuda.so").unlink()
        self.check_not_answerable(self.scratch("--ranks", "1"))

    def test_a_batch_system_that_shows_no_device_is_respected(self) -> None:
        scratch = self.scratch(
            "--ranks", "1", REGATTA_EMULATED_CUDA="devices=2", CUDA_VISIBLE_DEVICES=""
        )
        self.check_not_answerable(scratch)


if __name__ == "__main__":
    unittest.main()
