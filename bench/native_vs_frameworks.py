"""Writes docs/background/performance.md: the native engine against every installed framework, one thread, fp32.

Each workload is one sweep of Regatta itself, so that arms are interleaved, intervals hold and all of them were shown
to do the same work; bench_engine_steps adds what needs counters (FLOP, overhead of eager per operation, planning).
Runs add up in a file: the page shows the median of those that the last one's machine made with its engine, and how far
apart they lie. Needs an idle machine and scripts/setup-engines.sh. The first run on a machine times every arm, for some 80
minutes (`--quick` 20); later ones leave out what was clearly slower than the fastest framework there: then some 40.

usage: python3 -m bench.native_vs_frameworks [--only ROW]... [--quick] [--build FOLDER] [--runs FILE] [--page FILE] [--fresh] [--first-look]
       python3 -m bench.native_vs_frameworks --page-only        writes the page again from what was recorded
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.performance_page import CLEARLY_SLOWER, page_of
from bench.training_times_page import TIMES_RECORD, training_text
from bench.workloads import PRECISION_ROWS, ROWS, SAVINGS, THREAD_ROWS, Row
from tools import ROOT
from tools.worker_process import WorkerProcess

JSON = dict[str, Any]
RECORD = ROOT / "bench" / "records" / "native_vs_frameworks.json"


GRAPH_ARMS = {
    "engine": ["native", "torch", "tensorflow", "jax", "numpy"],
    "mode": ["graph", "eager", "xla"],
}
NOT_GRAPH = [
    {"engine": "native", "mode": "eager"},
    {"engine": "tensorflow", "mode": "eager"},
    {"engine": "jax", "mode": "eager"},
]
EAGER_ARMS = {"engine": ["native", "torch", "tensorflow", "jax"], "mode": "eager"}


@dataclass
class Bench:
    """Where programs lie, and how long to measure."""

    build: Path
    per_contrast: str
    folder: Path
    sweeps: int = field(default=0)

    def program(self, name: str) -> str:
        return str(self.build / "bin" / name)

    def json_of(self, command: list[str]) -> JSON:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def sweep(self, axes: JSON, over: list[str], baseline: JSON, exclude: list[JSON]) -> JSON:
        """Runs one sweep on one core at a time and returns its report."""
        self.sweeps += 1
        name = f"bench{self.sweeps}"
        file = self.folder / f"{name}.json"
        sweep = {
            "regatta": 1,
            "name": name,
            "axes": axes,
            **({"exclude": exclude} if exclude else {}),
            "compare": {"over": over, "baseline": baseline},
            # Whole runs of this program are what measures again.
            "measure": {"per_contrast": self.per_contrast, "again": False},
            "limits": {"attempts": 1},
        }
        file.write_text(json.dumps(sweep))
        out = self.folder / "out"
        command = [self.program("regatta"), "run", str(file), "--out", str(out), "--ranks", "1"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not (out / f"{name}.h5").exists():
            raise RuntimeError(f"{' '.join(command)} gave no results: {done.stdout}{done.stderr}")
        return self.json_of([self.program("regatta"), "report", str(out / f"{name}.h5"), "--json"])

    def counters(self, row: Row) -> JSON:
        command = [self.program("bench_engine_steps"), "--json", "--case", row.case]
        return self.json_of([*command, "--rounds", str(row.rounds)])["steps"][0]


def label(arm: JSON) -> str:
    engine, mode = arm["engine"], arm.get("mode")
    return engine if mode is None or engine == "numpy" else f"{engine} {mode}"


def arms_of(report: JSON, baseline: str) -> JSON:
    """Time, interval against the baseline and verdict on its work of every arm."""
    contrasts = {label(each["a"]): each for each in report["contrasts"]}
    arms = {}
    for trial in report["trials"]:
        name = label(trial)
        contrast = contrasts.get(name, {})
        arms[name] = {
            "seconds": trial["step_time"],
            "failed": trial["status"] == "failed",
            "verified": trial["verified"],
            "reason": trial["reason"] or trial["verified_detail"],
            "ratio": 1.0 if name == baseline else contrast.get("ratio"),
            "low": contrast.get("low"),
            "high": contrast.get("high"),
            "verdict": contrast.get("verdict"),
        }
    return arms


def native_lacks(bench: Bench, row: Row) -> str | None:
    """Why the native engine skips the workload, if it does: then no framework is timed for nothing."""
    file = bench.folder / "lacks.json"
    axes = {"engine": "native", **row.axes}
    file.write_text(json.dumps({"regatta": 1, "name": "lacks", "axes": axes}))
    plan = bench.json_of([bench.program("regatta"), "plan", str(file), "--json"])
    return plan["skipped"][0]["reason"] if plan["skipped"] else None


def clearly_slower(runs: list[JSON], row: Row, part: str) -> list[JSON]:
    """Arms of the sweep that failed in an earlier run here, or were no candidates for the fastest: as `exclude`."""
    slow = set()
    for run in (each for each in runs if each["machine"] == machine_text()):
        arms = run["rows"].get(row.name, {}).get(part, {})
        slow |= {name for name, arm in arms.items() if arm.get("failed")}
        able = {name: arm["seconds"] for name, arm in arms.items() if arm["seconds"]}
        others = [seconds for name, seconds in able.items() if not name.startswith("native")]
        slow |= {
            name
            for name, seconds in able.items()
            if seconds > CLEARLY_SLOWER * min(others, default=0)
        }
    others_slow = sorted(name for name in slow if not name.startswith("native"))
    return [dict(zip(("engine", "mode"), name.split(), strict=False)) for name in others_slow]


def measure_row(bench: Bench, row: Row, runs: list[JSON]) -> JSON:
    reason = native_lacks(bench, row)
    if reason:
        return {"graph": {"native graph": {"seconds": None, "reason": reason}}}
    found: JSON = {}
    sweeps: list[tuple[str, JSON, list[JSON]]] = [
        ("graph", GRAPH_ARMS, NOT_GRAPH),
        ("eager", EAGER_ARMS, []),
    ]
    for mode, arms, others in sweeps:
        exclude = others + clearly_slower(runs, row, mode)
        baseline = {"engine": "native", "mode": mode}
        report = bench.sweep({**arms, **row.axes}, ["engine", "mode"], baseline, exclude)
        found[mode] = arms_of(report, f"native {mode}")
        if found[mode][f"native {mode}"]["seconds"] is None:
            return found
    return {**found, "counters": bench.counters(row)}


def measure_threads(bench: Bench, name: str, calibration: JSON) -> JSON:
    """How much faster two threads are than one, beside what two cores of FMA loops gain."""
    axes = {
        "engine": ["native", "torch", "tensorflow"],
        "threads": [1, 2],
        **THREAD_ROWS[name],
    }
    report = bench.sweep(axes, ["threads"], {"threads": 1}, [])
    gain = calibration["peak_flops_per_second"] / calibration["core_peak_flops_per_second"]
    speedups = {}
    for each in report["contrasts"]:
        if each["ratio"]:
            speedups[each["a"]["engine"]] = 1 / each["ratio"]
    return {"speedups": speedups, "cores_gain": gain}


def measure_levels(bench: Bench, axes: JSON, axis: str, plain: str, other: str) -> JSON:
    """Times of two levels of an axis of the native engine, and how far apart their results are."""
    report = bench.sweep(
        {"engine": "native", axis: [plain, other], **axes}, [axis], {axis: plain}, []
    )
    trials = {trial.get(axis, plain): trial for trial in report["trials"]}
    contrast: JSON = report["contrasts"][0] if report["contrasts"] else {}
    return {
        "plain": trials[plain]["step_time"],
        "other": trials[other]["step_time"],
        **{key: contrast.get(key) for key in ("ratio", "low", "high")},
        "detail": trials[other]["reason"] or trials[other]["verified_detail"] or "",
    }


def ready_seconds(bench: Bench) -> float:
    """From starting a native worker to its first answer; the median of some."""

    def once() -> float:
        start = time.perf_counter()
        worker = WorkerProcess(bench.build, "native", bench.folder / "worker.log")
        seconds = time.perf_counter() - start
        worker.process.kill()
        worker.process.wait()
        return seconds

    return statistics.median(once() for _ in range(9))


def calibrate(bench: Bench, threads: int) -> JSON:
    """The best of three: a peak is what nobody disturbed."""
    command = [bench.program("regatta-worker"), "calibrate", "--threads", str(threads)]
    found = [bench.json_of(command) for _ in range(3)]
    return {key: max(each[key] for each in found) for key in found[0] if key.endswith("per_second")}


def versions(bench: Bench) -> JSON:
    doctor = bench.json_of([bench.program("regatta"), "doctor", "--json"])
    return {each["name"]: each.get("version") for each in doctor["engines"] if not each["problem"]}


def tile_lines(bench: Bench) -> list[str]:
    """The throughput that the register tile keeps up out of the first-level cache."""
    done = subprocess.run([bench.program("bench_tile")], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def machine_text() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":")[1].strip() for line in lines if "model name" in line), "?")
    return f"{model}, {os.cpu_count()} cores"


def git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def engine_commit() -> str:
    """The last commit of what is measured, marked where files differ from it."""
    # Comparing results runs before anything is timed, and in no worker.
    compares = ":(exclude)workers/python/regatta_worker/same_work.py"
    measured = ["src/engine", "src/model", "workers", compares]
    changed = "+" if git("status", "--porcelain", "--", *measured) else ""
    return git("log", "-1", "--format=%h", "--", *measured) + changed


def new_run(bench: Bench, is_first_look: bool) -> JSON:
    return {
        "utc": datetime.now(UTC).isoformat(timespec="minutes"),
        "load": os.getloadavg()[0],
        "machine": machine_text(),
        "engine": engine_commit(),
        "quick": bench.per_contrast != "5s",
        "first_look": is_first_look,
        "calibration": calibrate(bench, min(2, len(os.sched_getaffinity(0)))),
        "tile": tile_lines(bench),
        "versions": versions(bench),
        "worker": {
            "bytes": Path(bench.program("regatta-worker")).stat().st_size,
            "ready_seconds": ready_seconds(bench),
        },
        "rows": {},
        "threads": {},
        "precision": {},
        "savings": [],
    }


def measure(
    bench: Bench, only: list[str], runs: list[JSON], run: JSON, record: Callable[[], None]
) -> None:
    def wanted(name: str) -> bool:
        return not only or any(each in name for each in only)

    def done(what: str, start: float) -> None:
        print(f"{what}: {time.monotonic() - start:.0f} s", flush=True)
        record()

    for row in ROWS:
        start = time.monotonic()
        if wanted(row.name):
            run["rows"][row.name] = measure_row(bench, row, runs)
            done(row.name, start)
    for name, axes in PRECISION_ROWS.items():
        start = time.monotonic()
        if wanted("bf16"):
            run["precision"][name] = measure_levels(bench, axes, "precision", "fp32", "bf16")
            done(f"{name}, bf16", start)
    for each in SAVINGS:
        start = time.monotonic()
        if wanted("savings"):
            found = measure_levels(bench, each.axes, each.axis, each.plain, each.saving)
            run["savings"].append(
                {"name": each.name, "level": f"{each.axis} {each.saving}", **found}
            )
            done(f"{each.name}, {each.axis} {each.saving}", start)
    for name in THREAD_ROWS:
        start = time.monotonic()
        if len(os.sched_getaffinity(0)) > 1 and wanted("threads"):
            run["threads"][name] = measure_threads(bench, name, run["calibration"])
            done(f"{name}, two threads", start)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", action="append", default=[], help="part of a row's name, threads, bf16 or savings"
    )
    parser.add_argument("--quick", action="store_true", help="wider intervals; recorded as such")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--runs", type=Path, default=RECORD, help="the record of runs")
    parser.add_argument(
        "--page", type=Path, default=ROOT / "docs" / "background" / "performance.md"
    )
    parser.add_argument("--fresh", action="store_true", help="forget the recorded runs")
    parser.add_argument(
        "--first-look", action="store_true", help="only to find arms that are clearly slower"
    )
    parser.add_argument("--page-only", action="store_true")
    options = parser.parse_args()
    file = options.runs
    runs = [] if options.fresh or not file.exists() else json.loads(file.read_text())
    if options.page_only:
        write_page(options.page, runs)
        return
    with tempfile.TemporaryDirectory(prefix="regatta-bench-") as folder:
        per_contrast = "1s" if options.quick or options.first_look else "5s"
        bench = Bench(options.build, per_contrast, Path(folder))
        run = new_run(bench, options.first_look)

        def record() -> None:
            file.write_text(json.dumps([*runs, run]) + "\n")
            write_page(options.page, [*runs, run])

        measure(bench, options.only, runs, run, record)


def write_page(page: Path, runs: list[JSON], trainings: Path = TIMES_RECORD) -> None:
    record = json.loads(trainings.read_text()) if trainings.exists() else None
    page.write_text(page_of(runs, ROWS, training_text(record)))


if __name__ == "__main__":
    main()
