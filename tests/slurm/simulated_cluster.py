"""A Slurm of several nodes that are all this machine. For tests: anybody here may submit to it."""

from __future__ import annotations

import getpass
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "scancel")
SKIPPED = 77  # exit status of a test for which Slurm is not installed
START_SECONDS = 60
END_SECONDS = 60


def installed() -> bool:
    path = f"{os.environ['PATH']}:/usr/sbin"
    return all(shutil.which(program, path=path) for program in PROGRAMS)


def free_ports(count: int) -> int:
    """The first of so many neighbouring ports that nobody listens on. Not the lowest: another cluster that starts in
    this very moment would take the same, and one of the two would cancel the other's jobs."""
    places = range(20000, 30000, count)
    for first in random.sample(places, len(places)):
        sockets = [socket.socket() for _ in range(count)]
        try:
            for number, each in enumerate(sockets):
                each.bind(("127.0.0.1", first + number))
            return first
        except OSError:
            continue
        finally:
            for each in sockets:
                each.close()
    raise RuntimeError("no free ports from 20000 to 30000")


class SimulatedCluster:
    def __init__(self, nodes: int, task_plugin: str = "task/affinity") -> None:
        """`task_plugin`: "task/affinity" binds tasks to their cores, as nearly all clusters do; "task/none" does not."""
        self.task_plugin = task_plugin
        self.folder = Path(tempfile.mkdtemp(prefix="regatta-slurm-"))
        self.nodes = nodes
        self.daemons: list[subprocess.Popen] = []
        self.environment = {
            **os.environ,
            "PATH": f"{os.environ['PATH']}:/usr/sbin",
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            # The nodes share one /dev/shm, where the segments of their ranks would have the same names.
            "OMPI_MCA_btl": "tcp,self",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }

    def configuration(self) -> str:
        host, user, port = socket.gethostname().split(".")[0], getpass.getuser(), free_ports(8)
        values = {
            "ClusterName": "simulated",
            "SlurmctldHost": f"{host}(127.0.0.1)",
            "SlurmUser": user,
            "SlurmdUser": user,
            "AuthType": "auth/none",
            "AuthInfo": "cred_expire=5",  # a requeued job starts no sooner than its credential ends
            "SchedulerParameters": "sched_interval=1,bf_interval=1",
            "CredType": "cred/none",
            "SlurmctldPort": port,
            "SlurmctldPidFile": self.folder / "controller.pid",
            "SlurmdPidFile": self.folder / "%n.pid",
            "StateSaveLocation": self.folder / "state",
            "SlurmdSpoolDir": self.folder / "spool-%n",
            "TmpFS": self.folder
            / "tmp-%n",  # where the nodes' PMIx servers keep files of the same names
            "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": self.task_plugin,
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_Core",
            "MpiDefault": "pmix",
            "KillWait": 5,
            "ReturnToService": 2,
        }
        lines = [f"{name}={value}" for name, value in values.items()]
        lines.append(
            f"NodeName=n[1-{self.nodes}] NodeHostname={host} NodeAddr=127.0.0.1 "
            f"Port=[{port + 1}-{port + self.nodes}] CPUs={os.cpu_count()} RealMemory=500 State=UNKNOWN"
        )
        lines.append("PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP")
        return "\n".join(lines) + "\n"

    def start(self) -> None:
        (self.folder / "slurm.conf").write_text(self.configuration())
        (self.folder / "state").mkdir()
        self.daemon("slurmctld", "-c", "-D")
        for node in range(1, self.nodes + 1):
            for kind in ("spool", "tmp"):
                (self.folder / f"{kind}-n{node}").mkdir()
            self.daemon("slurmd", "-D", "-N", f"n{node}")
        deadline = time.monotonic() + START_SECONDS
        while self.run("sinfo", "-h", "-t", "idle", "-o", "%D").stdout.strip() != str(self.nodes):
            if time.monotonic() > deadline:
                logs = "".join(log.read_text()[-1000:] for log in self.folder.glob("*.log"))
                raise RuntimeError(f"the nodes are not idle after {START_SECONDS} s\n{logs}")
            time.sleep(0.2)

    def daemon(self, *command: str) -> None:
        with open(self.folder / f"{command[0]}-{command[-1]}.log", "wb") as log:
            self.daemons.append(
                subprocess.Popen(
                    command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )
            )

    def run(self, *command: str, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=120, **options
        )

    def submit(self, folder: Path, *words: str) -> str:
        """The id of the job."""
        done = self.run("sbatch", "--parsable", *words, cwd=folder)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def stop(self) -> None:
        self.run("scancel", "--user", getpass.getuser())
        deadline = time.monotonic() + END_SECONDS
        while self.run("squeue", "-h").stdout.strip() and time.monotonic() < deadline:
            time.sleep(0.2)
        for daemon in self.daemons:
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait(END_SECONDS)
        shutil.rmtree(self.folder, ignore_errors=True)
