"""kill -9 of single ranks under a real Slurm: the job ends soon, is put back into the queue by slurm/sweep.sbatch, and
finishes there.

Each rank is killed when it starts, in the middle and near the end. After each kill: no process of the killed step is
left; what was recorded stays as it was; once the job is through, each trial stands exactly once in the file. With
--drain the batch script gets SIGUSR1 right after the kill, as if the time limit came.

    python3 tests/slurm/killed_ranks.py --nodes 3 --times 10 --seed 7
    python3 tests/slurm/killed_ranks.py --launch mpirun --drain
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from simulated_cluster import SKIPPED, SimulatedCluster, installed

from tools import journal
from tools.regatta_process import BINARY, wait_until

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = 10
INTERRUPTED = 4  # bit of a result (docs/reference/results.md)
SWEEP = {
    "regatta": 1,
    "name": "killed",
    "axes": {"engine": ["native"], "model": ["mlp-10"], "seed": list(range(BLOCKS))},
    "measure": {"per_contrast": "200ms"},
}
LAUNCHES = {"srun": "", "mpirun": "launch=()\n"}  # added to the site.sh that is shipped
PATIENCE_SECONDS = 120  # for what comes soon on a machine that is not busy
ORPHAN_SECONDS = 10
TRIES = 20  # a rank that has ended by itself was not killed
REQUEUED = "back into the queue"


class Failed(Exception):
    pass


def complete_blocks(records: list[journal.Record]) -> list[str]:
    results = [record for record in records if record.kind == "result"]
    return [
        r.hash for r in results if not journal.RESULT_HEAD.unpack_from(r.payload)[0] & INTERRUPTED
    ]


def environment_of(pid: str) -> dict[str, str]:
    try:
        entries = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


def name_of(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def parent_of(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
    except OSError:
        return "0"


@dataclass
class Moment:
    """When a rank is killed: after so many blocks, and some time later."""

    name: str
    blocks: int
    delay_seconds: float


MOMENTS = (
    Moment("start", 0, 0.5),
    Moment("middle", BLOCKS // 3, 0.3),
    Moment("end", BLOCKS - 1, 0.3),
)


@dataclass
class Job:
    """One sweep in one job."""

    cluster: SimulatedCluster
    nodes: int
    launch: str
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="regatta-killed-")))
    number: str = ""

    def submit(self) -> None:
        (self.folder / "slurm").mkdir()
        shutil.copy(ROOT / "slurm/sweep.sbatch", self.folder / "slurm")
        site = (ROOT / "slurm/site.sh").read_text()
        (self.folder / "slurm/site.sh").write_text(
            f"{site}regatta={BINARY}\n{LAUNCHES[self.launch]}"
        )
        (self.folder / "killed.json").write_text(json.dumps(SWEEP))
        size = [f"--nodes={self.nodes}", "--ntasks-per-node=1", "--cpus-per-task=1"]
        self.number = self.cluster.submit(self.folder, *size, "slurm/sweep.sbatch", "killed.json")

    def log(self) -> str:
        file = self.folder / f"regatta-{self.number}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def records(self) -> list[journal.Record]:
        return journal.records(self.folder / "results/killed.regatta/journal")

    def blocks(self) -> list[str]:
        """Blocks recorded to their end. A rank that is told to end keeps what it has of its block."""
        return complete_blocks(self.records())

    def state(self) -> str:
        """RUNNING, PENDING, COMPLETED ..."""
        told = self.cluster.run("scontrol", "-o", "show", "job", self.number).stdout
        return next((w.split("=")[1] for w in told.split() if w.startswith("JobState=")), "GONE")

    def first_processes(self) -> list[str]:
        """Processes of its steps before it was requeued. Its number may be that of a job on another cluster here."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            environment = environment_of(pid)
            if (
                environment.get("SLURM_SUBMIT_DIR") == str(self.folder)
                and "SLURM_RESTART_COUNT" not in environment
                and name_of(pid) not in ("slurm_script", "sweep.sbatch")
            ):
                found.append(pid)
        return found

    def rank(self, number: int) -> str | None:
        for pid in self.first_processes():
            if (
                name_of(pid) == "regatta"
                and environment_of(pid).get("PMIX_RANK") == str(number)
                and name_of(parent_of(pid)) != "regatta"
            ):
                return pid
        return None

    def remove(self) -> None:
        self.cluster.run("scancel", self.number)
        shutil.rmtree(self.folder, ignore_errors=True)


def expect(condition: bool, problem: str, job: Job) -> None:
    if not condition:
        raise Failed(f"{problem}\njob {job.number} is {job.state()}; its log:\n{job.log()}")


def kill(job: Job, rank: int, moment: Moment, delay_seconds: float) -> bool:
    """False if the rank has ended before."""
    found: list[str] = []

    def there() -> bool:
        if moment.blocks > len(job.blocks()):
            return "\nReport  " in job.log()
        pid = job.rank(rank)
        found[:] = [pid] if pid else []
        return bool(found) or "\nReport  " in job.log() or job.state() not in ("PENDING", "RUNNING")

    expect(wait_until(there, PATIENCE_SECONDS), f"no rank {rank}", job)
    time.sleep(delay_seconds)
    if not found or job.rank(rank) != found[0]:
        return False
    os.kill(int(found[0]), signal.SIGKILL)
    return True


def wait_for_end(job: Job) -> float:
    """Seconds from the kill to the end of the job's step."""
    begin = time.monotonic()
    through = wait_until(
        lambda: REQUEUED in job.log() or job.state() not in ("PENDING", "RUNNING", "COMPLETING"),
        PATIENCE_SECONDS,
    )
    seconds = time.monotonic() - begin
    expect(through, f"the job goes on {PATIENCE_SECONDS} s after the end of a rank", job)
    return seconds


def check_no_orphans(job: Job) -> None:
    gone = wait_until(lambda: not job.first_processes(), ORPHAN_SECONDS)
    left = [f"{pid} {name_of(pid)}, child of {parent_of(pid)}" for pid in job.first_processes()]
    expect(gone, f"processes are left: {left}", job)


def check_results(job: Job, kept: list[journal.Record]) -> None:
    through = wait_until(
        lambda: job.state() not in ("PENDING", "RUNNING", "COMPLETING"), PATIENCE_SECONDS, pause=0.2
    )
    expect(through and job.state() == "COMPLETED", "the job does not finish", job)
    expect(job.records()[: len(kept)] == kept, "the journal lost what it had before", job)
    expect(sorted(set(job.blocks())) == sorted(job.blocks()), "a block is recorded twice", job)
    expect(len(job.blocks()) == BLOCKS, "blocks are missing", job)
    file = job.folder / "results/killed.h5"
    report = json.loads(job.cluster.run(str(BINARY), "report", str(file), "--json").stdout)
    trials = [(trial["id"], trial["status"]) for trial in report["trials"]]
    expect(len(set(trials)) == BLOCKS, f"other trials than planned: {trials}", job)
    expect({status for _, status in trials} == {"finished"}, f"not all finished: {trials}", job)


@dataclass
class Cell:
    """A rank, and the moment of its death: one line of the table."""

    rank: int
    moment: Moment
    seconds: list[float] = field(default_factory=list)

    def line(self) -> str:
        return (
            f"rank {self.rank} at the {self.moment.name}: {len(self.seconds)} killed and requeued, "
            f"ended within {max(self.seconds, default=0):.1f} s"
        )


def kill_once(cluster: SimulatedCluster, options, cell: Cell, delay_seconds: float) -> bool:
    """False if the run had come to its end before the kill."""
    job = Job(cluster, options.nodes, options.launch)
    try:
        job.submit()
        if not kill(job, cell.rank, cell.moment, delay_seconds):
            return False
        if options.drain:
            cluster.run("scancel", "--batch", "--signal=USR1", job.number)
        seconds = wait_for_end(job)
        check_no_orphans(job)
        kept = job.records()
        check_results(job, kept)
        blocks = len(complete_blocks(kept))
        print(
            f"{options.launch}, {options.nodes} nodes, rank {cell.rank} at the {cell.moment.name}: "
            f"{blocks} of {BLOCKS} kept, ended within {seconds:.1f} s",
            flush=True,
        )
        if REQUEUED not in job.log():
            expect(blocks == BLOCKS, "not requeued, and it had not finished", job)
            return False
        cell.seconds.append(seconds)
        return True
    finally:
        job.remove()


def kill_in(cluster: SimulatedCluster, options, cell: Cell, chance: random.Random) -> None:
    for tried in range(TRIES):
        delay_seconds = chance.uniform(0, cell.moment.delay_seconds) / (1 + tried)
        if kill_once(cluster, options, cell, delay_seconds):
            return
    raise Failed(f"rank {cell.rank} has ended by itself {TRIES} times")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--launch", choices=LAUNCHES, default="srun")
    parser.add_argument("--drain", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    if not installed():
        print("skipped: Slurm is not installed (apt-get install slurm-wlm openmpi-bin)")
        return SKIPPED
    print(f"seed {options.seed}")
    chance = random.Random(options.seed)
    cluster = SimulatedCluster(nodes=options.nodes)
    cells = [Cell(rank, moment) for rank in range(options.nodes) for moment in MOMENTS]
    try:
        cluster.start()
        for _ in range(options.times):
            for cell in cells:
                kill_in(cluster, options, cell, chance)
    except Failed as failed:
        print(failed, file=sys.stderr)
        return 1
    finally:
        cluster.stop()
        print("\n".join(cell.line() for cell in cells))
    print("nothing acknowledged lost, no orphan, all requeued and finished")
    return 0


if __name__ == "__main__":
    sys.exit(main())
