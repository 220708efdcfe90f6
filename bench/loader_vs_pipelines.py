"""The loader, and its batches read from Python (feed), beside torch's DataLoader, tf.data, NumPy's and a plain gather
over the same files, interleaved in one sweep.

usage: python3 -m bench.loader_vs_pipelines [--peers gather torch ...] [--seconds S] [--per-contrast 60s] [--keep FOLDER]

Generates the files: 50,000 rows of CIFAR's shape, a CSV and an NPY file; digits are those that come with Regatta. Each way runs as a
process that times itself; Regatta interleaves them and judges. Then: a step that takes twice as long as loading, with the loader and
with batches that take no time (headspace), on two cores and on one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tools import ROOT

BUILD = ROOT / "build" / "bin"
CIFAR_ROWS = 50_000
TABLE_ROWS, TABLE_COLUMNS = 20_000, 20
ROUNDS = 5
KINDS = ("cifar", "idx", "csv", "npy")


@dataclass(frozen=True)
class Files:
    kind: str
    batch: int
    data: Path
    labels: Path | None = None

    @property
    def paths(self) -> list[str]:
        return [str(path) for path in (self.data, self.labels) if path is not None]

    def load(self, *options: object, seconds: float) -> list[str]:
        words = [BUILD / "regatta-worker", "load", "--data", self.data, "--batch", self.batch]
        words += ["--labels", self.labels] if self.labels else []
        return [str(word) for word in (*words, "--seconds", seconds, *options)]


def make_files(folder: Path) -> list[Files]:
    random = np.random.default_rng(0)
    cifar = random.integers(0, 256, (CIFAR_ROWS, 3073), np.uint8)
    cifar[:, 0] %= 10
    cifar.tofile(folder / "data_batch_1.bin")
    table = random.standard_normal((TABLE_ROWS, TABLE_COLUMNS + 1), np.float32)
    header = ",".join(f"c{i}" for i in range(TABLE_COLUMNS + 1))
    np.savetxt(folder / "table.csv", table, "%.6g", ",", header=header, comments="")
    np.save(folder / "x.npy", random.standard_normal((TABLE_ROWS, 784), np.float32))
    np.save(folder / "y.npy", random.integers(0, 10, TABLE_ROWS))
    digits = ROOT / "datasets" / "digits"
    return [
        Files("cifar", 128, folder / "data_batch_1.bin"),
        Files("idx", 128, digits / "images-idx3-ubyte", digits / "labels-idx1-ubyte"),
        Files("csv", 128, folder / "table.csv"),
        Files("npy", 128, folder / "x.npy", folder / "y.npy"),
    ]


PEERS = ("loader-1", "feed", "gather", "numpy", "torch", "tensorflow")


def sweep_of(files: Files, peers: list[str], seconds: float, per_contrast: str) -> dict:
    pipelines = str(ROOT / "bench" / "pipelines.py")
    words = [files.kind, str(files.batch), str(seconds / 4), *files.paths]
    commands = {
        "loader": files.load("--threads", 2, seconds=seconds),
        "loader-1": files.load("--threads", 1, seconds=seconds),
        "gather": [str(BUILD / "bench_gather"), str(files.batch), str(seconds), *files.paths],
        "feed": ["python@torch", pipelines, "feed", *words],
        "numpy": ["python@torch", pipelines, "numpy", *words],
        "torch": ["python@torch", pipelines, "torch", *words],
        "tensorflow": ["python@tensorflow", pipelines, "tensorflow", *words],
    }
    return {
        "regatta": 1,
        "name": f"loader-{files.kind}-{'-'.join(peers)}",
        "axes": {"engine": "command", "command": ["loader", *peers], "threads": "all"},
        "commands": {
            name: {"argv": argv, "metric": "json:seconds_per_batch"}
            for name, argv in commands.items()
        },
        "compare": {"over": "command", "baseline": {"command": "loader"}},
        "measure": {"margin": "2%", "half_width": "5%", "per_contrast": per_contrast},
    }


def run(files: Files, peers: list[str], folder: Path, seconds: float, per_contrast: str) -> None:
    sweep = sweep_of(files, peers, seconds, per_contrast)
    path = folder / f"{sweep['name']}.json"
    path.write_text(json.dumps(sweep), encoding="utf-8")
    command = [BUILD / "regatta", "run", path, "--ranks", "1", "--out", folder / "results"]
    subprocess.run(
        [str(word) for word in command],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    results = folder / "results" / f"{sweep['name']}.h5"
    said = subprocess.run(
        [BUILD / "regatta", "report", results, "--json"], check=True, capture_output=True, text=True
    )
    report = json.loads(said.stdout)
    print(f"\n{files.kind}, batches of {files.batch}")
    for trial in report["trials"]:
        print(f"  {trial['command']:12} {1e6 * trial['step_time']:10.3f} us a batch")
    for each in report["contrasts"]:
        low, high = (f"{each[end]:.3f}" if each[end] else "?" for end in ("low", "high"))
        print(
            f"  {each['a']['command']:12} {each['ratio']:.3f} [{low}, {high}] of the loader's time: {each['verdict']}"
        )


def timed(command: list[str]) -> float:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["seconds_per_batch"]


def beside_steps(files: Files, seconds: float, cores: str) -> None:
    """Throughput as a share of headspace, where a step takes twice as long as loading does on one thread."""
    pinned = ["taskset", "-c", cores]
    load = timed([*pinned, *files.load("--threads", 1, seconds=seconds)])
    step = ["--step-microseconds", f"{2e6 * load:.3f}"]
    shares = []
    for _ in range(ROUNDS):
        ours = timed([*pinned, *files.load("--threads", 1, *step, seconds=seconds)])
        free = timed(
            [*pinned, *files.load("--threads", 1, *step, "--source", "headspace", seconds=seconds)]
        )
        shares.append(free / ours)
    low, high = min(shares), max(shares)
    print(
        f"  {files.kind:6} cores {cores}: {statistics.median(shares):.4f} of headspace [{low:.4f}, {high:.4f}], step {2e6 * load:.2f} us"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="that each process measures for")
    parser.add_argument("--per-contrast", default="60s")
    parser.add_argument("--keep", type=Path, help="folder for files and results")
    parser.add_argument(
        "--peers", nargs="*", choices=PEERS, default=list(PEERS), help="beside the loader"
    )
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS), help="of files")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = arguments.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        kinds = make_files(folder)
        chosen = [files for files in kinds if files.kind in arguments.kinds]
        for files in chosen if arguments.peers else ():
            run(files, arguments.peers, folder, arguments.seconds, arguments.per_contrast)
        print("\na step that takes twice as long as loading")
        for cores in ("0,1", "0"):
            for files in kinds:
                beside_steps(files, arguments.seconds, cores)


if __name__ == "__main__":
    main()
