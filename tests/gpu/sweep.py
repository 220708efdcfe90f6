"""Phases 43 and 44: sweeps that the launcher runs on the device: its slot, its check, its rows, the result file, the
report. The processor is the baseline.

usage: sweep.py ENGINE...     one sweep of each; those that are not here, or have no time left, are told
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arms import gpu_memory_used
from faults import settled_memory
from phase import Clock, absent, bundle, is_emulated, keep, kept
from summary import TIMED_OUT

JSON = dict[str, Any]
FRAMEWORK_SECONDS = 25.0  # less is not tried: each of its processes imports it, and some compile
DRAIN_SECONDS = 10.0  # a launcher that is told to end is gone by then
KEPT_BYTES = 8_000_000
TOLD = re.compile(r"^ +(ok|degraded|missing) +(native on cuda|GPU \d+) ", re.MULTILINE)
MODE_OF = {"jax": "graph"}  # in its sweep; other frameworks: eager
NVML_COLUMNS = re.compile(r"^device_")
ALWAYS_TOLD = re.compile(r"device_(clock|throttle|temperature|power)_(before|after)$")
# The figures of the emulated device's NVML.
FAKE_NVML = {
    "devices": 1,
    "free_bytes": 1_000_000_000,
    "processes": 0,
    "temperature_celsius": 41,
    "power_milliwatts": 250_000,
    "clock_megahertz": 1500,
    "most_clock_megahertz": 1980,
    "throttle_reasons": 0,
}


def sweep_of(engine: str, modes: list[str]) -> JSON:
    models = ["mlp-10", "conv1d-small"] if is_emulated() else ["mlp-784", "conv1d-small"]
    return {
        "regatta": 1,
        "name": f"sweep-{engine}",
        "axes": {
            "engine": engine,
            "device": ["cpu", "cuda"],
            "mode": modes,
            "model": models if engine == "native" else models[:1],
            "length": 12 if is_emulated() else 140,
            "batch": 2 if is_emulated() else 32,
        },
        "compare": {"over": "device", "baseline": {"device": "cpu"}},
        "measure": {"per_contrast": "2s", "total": "6s" if is_emulated() else "10s"},
        "limits": {"attempts": 1, "trial_timeout": "30s"},
    }


@dataclass
class Found:
    """The results to keep, and all problems."""

    kept: JSON = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    name: str = "sweep"

    def expect(self, is_so: bool, what: str) -> bool:
        if not is_so:
            print(f"WRONG: {what}", flush=True)
            self.wrong.append(what)
        self.keep()
        return is_so

    def keep(self) -> None:
        keep(self.name, {**self.kept, "wrong": self.wrong}, kept())


def regatta(*words: str, seconds: float = 30) -> subprocess.CompletedProcess[str]:
    command = [str(bundle() / "bin/regatta"), *words]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(
            command, TIMED_OUT[0], "", f"no end within {seconds} s\n"
        )


def json_of(*words: str) -> JSON:
    return json.loads(regatta(*words).stdout)


# ---- before anything is measured -----------------------------------------------------------------------


def worker_says(*words: str) -> JSON:
    command = [str(bundle() / "bin/regatta-worker"), "devices", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return json.loads(done.stdout)


def ask_nvml(found: Found, uuids: list[str]) -> None:
    """Checks the answer to the launcher's own question about a device: flags rest on it."""
    state = worker_says("--state", uuids[0])
    print(f"NVML: {state}")
    found.kept["NVML now"] = state
    missing = [name for name in FAKE_NVML if name != "devices" and state.get(name) is None]
    found.expect(not missing, f"NVML does not tell {missing}")


def ask_doctor(found: Found) -> None:
    done = regatta("doctor", seconds=40)
    print(f"$ regatta doctor\n{done.stdout}{done.stderr}", flush=True)
    found.expect(done.returncode == 0, f"regatta doctor ended with {done.returncode}")
    states = {what: state for state, what in TOLD.findall(done.stdout)}
    found.kept["doctor"] = states
    well = states.get("native on cuda") == states.get("GPU 0") == "ok"
    found.expect(well, f"the doctor finds no GPU that is well: {states}")


# ---- the sweep -----------------------------------------------------------------------------------------


def drained(process: subprocess.Popen[str]) -> str:
    """Time is over: what is measured is recorded, and all ends."""
    process.send_signal(signal.SIGTERM)
    try:
        return process.communicate(timeout=DRAIN_SECONDS)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()[0]


def run_sweep(document: JSON, folder: Path, seconds: float) -> tuple[int | None, str]:
    """Exit code, none if its time was over, and what it said."""
    file = folder / f"{document['name']}.json"
    file.write_text(json.dumps(document, indent=1) + "\n")
    process = subprocess.Popen(
        [str(bundle() / "bin/regatta"), "run", str(file), "--out", str(folder), "--ranks", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    try:
        output, code = process.communicate(timeout=max(1.0, seconds))[0], process.returncode
    except subprocess.TimeoutExpired:
        output, code = drained(process), None
    print(f"$ regatta run {file.name}\n{output}", flush=True)
    return code, output


def rows_of(folder: Path, name: str) -> list[JSON]:
    """The columns of /trials for each trial, and how many times as long the same trial takes on the processor."""
    columns = "engine,device,mode,model,status,reason,verified,verified_detail,step_time,device_memory,slot,flags"
    rows = json_of("query", str(folder / f"{name}.h5"), "--columns", columns, "--json")["rows"]
    on_cpu = {(row["model"], row["mode"]): row for row in rows if row["device"] == "cpu"}
    for row in rows:
        base = on_cpu.get((row["model"], row["mode"]), {}).get("step_time")
        if row["device"] == "cuda" and row["step_time"] and base:
            row["cpu_over_cuda"] = base / row["step_time"]
    return rows


def check_row(found: Found, name: str, row: JSON, uuids: list[str]) -> None:
    found.expect((row["step_time"] or 0) > 0, f"{name}: no time of a step")
    found.expect(row["verified"] == "yes", f"{name}: not verified, {row['verified_detail']}")
    if row["device"] == "cuda":
        is_named = any(uuid[:12] in row["slot"] for uuid in uuids)
        found.expect(is_named, f"{name}: its slot {row['slot']!r} names none of {uuids}")
        is_held = row["engine"] != "native" or (row["device_memory"] or 0) > 0
        found.expect(is_held, f"{name}: held no memory of the device")


def check_rows(found: Found, rows: list[JSON], document: JSON, uuids: list[str]) -> None:
    axes = document["axes"]
    planned = len(axes["device"]) * len(axes["mode"]) * len(axes["model"])
    found.expect(len(rows) == planned, f"{len(rows)} rows of {planned}")
    for row in rows:
        name = " ".join(str(row[key]) for key in ("engine", "device", "mode", "model"))
        ratio = f", cpu / cuda {row['cpu_over_cuda']:.3g}" if "cpu_over_cuda" in row else ""
        told = row["reason"] or f"{row['step_time']} s{ratio}, {row['slot']}, flags: {row['flags']}"
        print(f"  {name}: {row['status']}, {told}")
        is_left_out = row["status"] == "skipped" and row["reason"] and axes["engine"] != "native"
        if not is_left_out and found.expect(row["status"] == "finished", f"{name}: {told}"):
            check_row(found, name, row, uuids)


def check_verdicts(found: Found, folder: Path, name: str) -> None:
    words = (
        "--table",
        "contrasts",
        "--columns",
        "model,mode,ratio,low,high,verdict,flags",
        "--json",
    )
    contrasts = json_of("query", str(folder / f"{name}.h5"), *words)["rows"]
    found.kept[f"{name} contrasts"] = contrasts
    judged = [each for each in contrasts if each["ratio"] and math.isfinite(each["ratio"])]
    found.expect(bool(contrasts) and judged == contrasts, f"a contrast has no ratio: {contrasts}")


def check_page(found: Found, folder: Path, name: str, uuids: list[str]) -> None:
    page = folder / f"{name}.html"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    found.expect(text.lower().startswith("<!doctype html"), f"{page.name} is no page")
    is_named = any(uuid[:12] in text for uuid in uuids)
    found.expect(is_named, f"{page.name} names no GPU of {uuids}")


# ---- the result file -----------------------------------------------------------------------------------


def check_file(found: Found, folder: Path, name: str, uuids: list[str]) -> None:
    """Checks the GPU's row in /devices and NVML's figures, where the file has them."""
    if importlib.util.find_spec("h5py") is None:
        print("not looked at: the result file by itself (no h5py here)")
        return
    import h5py

    with h5py.File(folder / f"{name}.h5") as file:
        devices = [
            {key: plain(file["devices"][key][i]) for key in ("kind", "name", "flags", "uuid")}
            for i in range(len(file["devices/kind"]))
        ]
        nvml = {
            f"{group}/{column}": [plain(value) for value in data[()].ravel()[:64]]
            for group, columns in file.items()
            if isinstance(columns, h5py.Group)
            for column, data in columns.items()
            if NVML_COLUMNS.search(column) and isinstance(data, h5py.Dataset)
        }
    found.kept[f"{name} devices"], found.kept[f"{name} NVML"] = devices, nvml
    with_gpu = [device for device in devices if device["kind"] == "cuda"]
    found.expect(len(with_gpu) == 1, f"/devices has no slot with a GPU, or several: {devices}")
    for device in with_gpu:
        found.expect(device["uuid"] in uuids, f"/devices has the UUID {device['uuid']!r}")
    found.expect(bool(nvml), "/blocks has no column of what NVML said")
    for column, values in nvml.items():
        print(f"  {column}: {values}")
        told = [value for value in values if value not in (-1, "") and not is_missing(value)]
        is_due = (
            ALWAYS_TOLD.search(column) is not None
        )  # not each device counts its energy and held clocks
        found.expect(bool(told) or not is_due, f"{column} is empty, though NVML answers")


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if hasattr(value, "item") else str(value)


def is_missing(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def keep_files(folder: Path, name: str) -> None:
    (kept() / "sweep").mkdir(exist_ok=True)
    for ending in ("json", "html", "h5"):
        file = folder / f"{name}.{ending}"
        if file.exists() and file.stat().st_size <= KEPT_BYTES:
            shutil.copy(file, kept() / "sweep")


def measure(found: Found, document: JSON, uuids: list[str], seconds: float) -> None:
    name, folder = document["name"], Path(os.environ["TEST_TMPDIR"])
    code, output = run_sweep(document, folder, seconds)
    keep_files(folder, name)
    if code is None and document["axes"]["engine"] != "native":
        print(f"no time left for: {document['axes']['engine']}")
        return
    ended = "had not ended in time" if code is None else f"ended with {code}"
    found.expect(code == 0, f"regatta run {name} {ended}")
    if not (folder / f"{name}.h5").exists():
        return
    found.expect("was set aside" not in output, "a device was set aside")
    rows = rows_of(folder, name)
    found.kept[name] = rows
    check_rows(found, rows, document, uuids)
    if all(row["status"] == "finished" for row in rows):
        check_verdicts(found, folder, name)
    check_page(found, folder, name, uuids)
    check_file(found, folder, name, uuids)


def set_variables() -> None:
    os.environ["REGATTA_PYTHON"] = sys.executable  # the launcher's python3 (scripts/gpu_launch.sh)
    if is_emulated() and "REGATTA_FAKE_NVML" not in os.environ:
        facts = Path(os.environ["TEST_TMPDIR"]) / "nvml"
        facts.write_text("".join(f"{name} {number}\n" for name, number in FAKE_NVML.items()))
        os.environ["REGATTA_FAKE_NVML"] = str(facts)


def measure_all(found: Found, engines: list[str], uuids: list[str], clock: Clock) -> int:
    """How many were asked for their sweep."""
    begun = 0
    for engine in engines:
        is_native = engine == "native"
        if not is_native and (is_emulated() or importlib.util.find_spec(engine) is None):
            print(f"not here: {engine}")
        elif not is_native and clock.left < FRAMEWORK_SECONDS + DRAIN_SECONDS:
            print(f"no time left for: {engine}")
        else:
            modes = ["eager", "graph"] if is_native else [MODE_OF.get(engine, "eager")]
            measure(found, sweep_of(engine, modes), uuids, clock.left - DRAIN_SECONDS)
            begun += 1
    return begun


def main() -> int:
    engines = sys.argv[1:]
    clock = Clock()
    found = Found(name="sweep" if engines == ["native"] else "sweep_of_frameworks")
    if not (bundle() / "bin/regatta").exists():
        absent(f"regatta in {bundle()}")
    set_variables()
    before = gpu_memory_used()
    uuids = [device["uuid"] for device in worker_says()["cuda"]["devices"]]
    if not found.expect(bool(uuids), "the worker sees no device"):
        return 1
    ask_nvml(found, uuids)
    ask_doctor(found)
    if measure_all(found, engines, uuids, clock) == 0:
        absent(", ".join(engines))
    held = settled_memory(before)
    found.expect(not held, held)
    print(f"{len(found.wrong)} wrong")
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
