"""Two ranks on two cores sum their gradients: src/exchange beside MPI_Allreduce and PyTorch's Gloo.

    python3 -m bench.allreduce [--rounds 5] [--fresh] [--page-only]

Each round runs every way once for every size, in fresh processes and in a drawn order; a ratio is one of a round. The
record is bench/records/allreduce.json; docs/background/exchange.md is written from it. It wants an otherwise idle machine.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from bench.orchestrators import options_of
from bench.orchestrators_page import IDLE_LOAD, spread_text
from bench.performance_page import table
from bench.rounds import run_rounds
from bench.scaling import PROGRAMS, output_of
from tools import ROOT
from tools.interpreters import interpreter

JSON = dict[str, Any]
RECORD = ROOT / "bench" / "records" / "allreduce.json"
PAGE = ROOT / "docs" / "background" / "exchange.md"
SIZES = (*(4096 * 4**i for i in range(7)), 32 << 20, 64 << 20)  # from 4 KiB on; 32 MiB has a bar
WAYS = ("shared", "stream", "mpi", "gloo")
NAMES = {"stream": "streaming alone", "mpi": "MPI_Allreduce", "gloo": "Gloo"}
BYTES_OF_A_RUN = 1 << 30
LIMITS = (10, 2000)  # repeats

GLOO = """
import datetime, os, sys, time
import torch
import torch.distributed as dist
rank, count, repeats, file = int(sys.argv[1]), int(sys.argv[2]) // 4, int(sys.argv[3]), sys.argv[4]
os.sched_setaffinity(0, {rank})
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method="file://" + file, rank=rank, world_size=2,
                        timeout=datetime.timedelta(seconds=60))
gradients = torch.zeros(count)
for _ in range(3):
    dist.all_reduce(gradients)
dist.barrier()
start = time.perf_counter()
for _ in range(repeats):
    dist.all_reduce(gradients)
print('{"seconds": %.9f}' % ((time.perf_counter() - start) / repeats))
"""


def repeats_of(size: int) -> int:
    return min(max(BYTES_OF_A_RUN // size, LIMITS[0]), LIMITS[1])


def gloo(size: int) -> float:
    """The slower rank's time."""
    with tempfile.TemporaryDirectory() as folder:
        command = [interpreter("torch") or "python3", "-c", GLOO]
        words = [str(size), str(repeats_of(size)), f"{folder}/meet"]
        ranks = [
            subprocess.Popen(
                [*command, str(rank), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            for rank in range(2)
        ]
        told = [json.loads(rank.communicate(timeout=300)[0]) for rank in ranks]
    return max(each["seconds"] for each in told)


def seconds_of(way: str, size: int) -> float:
    if way == "gloo":
        return gloo(size)
    command = [str(PROGRAMS / "bench_allreduce"), way, str(size), str(repeats_of(size))]
    mpirun = ["mpirun", "--quiet", "-n", "2", "--bind-to", "none", "--stdin", "none"]
    return output_of([*mpirun, *command] if way == "mpi" else command)["seconds"]


def one_round() -> JSON:
    runs = [(way, size) for way in WAYS for size in SIZES]
    random.shuffle(runs)
    found: JSON = {way: {} for way in WAYS}
    for way, size in runs:
        found[way][str(size)] = seconds_of(way, size)
    return found


def time_text(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def size_text(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def ratio_text(record: JSON, way: str, size: int) -> str:
    key = str(size)
    ratios = [each[way][key] / each["shared"][key] for each in record["rounds"]]
    return spread_text(ratios, lambda value: f"{value:.3g}x")


def range_text(record: JSON, way: str) -> str:
    """Medians over the sizes, of how many times as long as Regatta this way takes."""
    medians = [
        statistics.median(
            each[way][str(size)] / each["shared"][str(size)] for each in record["rounds"]
        )
        for size in SIZES
    ]
    return f"{min(medians):.2g} to {float(f'{max(medians):.2g}'):,.0f} times as long"


def page_of(record: JSON) -> str:
    rows = []
    for size in SIZES:
        seconds = statistics.median(each["shared"][str(size)] for each in record["rounds"])
        ratios = [ratio_text(record, way, size) for way in WAYS[1:]]
        rows.append([size_text(size), time_text(seconds), f"{size / seconds / 1e9:.3g}", *ratios])
    headings = ["gradients", "Regatta", "GB/s", *(f"{NAMES[way]} / Regatta" for way in WAYS[1:])]
    warning = (
        "**The machine was not idle: believe no figure here.**\n\n"
        if record["load"] > IDLE_LOAD
        else ""
    )
    return f"""# Summing gradients on one host

To sum the gradients of two ranks on one host, MPI_Allreduce takes {range_text(record, "mpi")} as Regatta, and Gloo {range_text(record, "gloo")}, depending on their size. Two processes sum gradients again and again, each on a core of its own; the slower one's time counts. Regatta's two share memory: each sums one half and reads the other in place.

- A ratio compares two ways of the same round. A round runs each way once, in fresh processes and in a drawn order. Shown are medians over {len(record["rounds"])} rounds [lowest, highest].
- "Streaming alone" is what the sums would take if nobody waited and nothing came from another core: each core adds two halves that it wrote itself.
- `bench/allreduce.py` writes this page; no figure is typed by hand. `regatta bench --allreduce` measures Regatta's part anywhere.

{table(headings, rows)}
{warning}Measured {record["utc"]} on {record["machine"]}.

```bash
python3 -m bench.allreduce
```
"""


def main() -> int:
    return run_rounds(options_of(__doc__, 5, RECORD, PAGE), one_round, page_of)


if __name__ == "__main__":
    sys.exit(main())
