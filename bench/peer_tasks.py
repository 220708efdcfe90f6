"""Tasks that do nothing through other orchestrators, each as its documentation has it and as fast as it goes.

usage: python bench/peer_tasks.py PEER KIND     in the environment of scripts/setup-orchestrators.sh
       mpirun -n 3 python -m mpi4py.futures bench/peer_tasks.py mpi4py KIND
KIND is one, all or chunks (two tasks in flight; all at once; all in chunks), start, or of record keepers add, ask, tune.
Prints {"per_second": R, "tasks": N} of a pool that is warm, or {"first_wall": T}, when the first of four tasks began.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any

WORKERS = 2
CHUNK = 1000
WARM_SECONDS, LOOK_SECONDS, MEASURE_SECONDS = 1.0, 0.3, 1.5
LISTED = ("dask", "distributed", "hyperqueue", "mpi4py", "optuna", "ray")

JSON = dict[str, Any]
Run = Callable[[int], Any]  # so many tasks


def noop(number: int) -> int:
    return number


def began(_: int) -> float:
    return time.time()


def seconds_of(run: Run, count: int) -> float:
    start = time.perf_counter()
    run(count)
    return time.perf_counter() - start


def steady(run: Run, first: int = 50) -> JSON:
    """Tasks a second of a run of about MEASURE_SECONDS, after some that warm up and looks that show how many that takes."""
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_SECONDS:
        run(first)
    count = first
    while (taken := seconds_of(run, count)) < LOOK_SECONDS:
        count *= 3
    count = max(first, round(count * MEASURE_SECONDS / taken))
    return {"per_second": count / seconds_of(run, count), "tasks": count}


@dataclass(frozen=True)
class Pool:
    one: Run  # two tasks in flight, the next when one ends
    all: Run  # each a task of its own, all handed over at once
    chunks: Run  # CHUNK calls in a task
    four: Callable[[], list[float]]  # when each of four tasks began


def two_in_flight(pool: Executor, count: int) -> None:
    ended: SimpleQueue[Any] = SimpleQueue()
    for number in range(WORKERS):
        pool.submit(noop, number).add_done_callback(ended.put)
    for number in range(count):
        ended.get().result()
        if number + WORKERS < count:
            pool.submit(noop, number).add_done_callback(ended.put)


@contextmanager
def futures_pool(executor: AbstractContextManager[Executor]) -> Iterator[Pool]:
    with executor as pool:
        yield Pool(
            one=lambda count: two_in_flight(pool, count),
            all=lambda count: list(pool.map(noop, range(count))),
            chunks=lambda count: list(pool.map(noop, range(count), chunksize=CHUNK)),
            four=lambda: list(pool.map(began, range(4))),
        )


def concurrent_pool() -> AbstractContextManager[Pool]:
    return futures_pool(ProcessPoolExecutor(WORKERS))


def mpi4py_pool() -> AbstractContextManager[Pool]:
    from mpi4py.futures import MPIPoolExecutor

    return futures_pool(MPIPoolExecutor())


def ray_one(task: Any, count: int) -> None:
    import ray

    pending = [task.remote(number) for number in range(WORKERS)]
    sent = len(pending)
    while pending:
        ended, pending = ray.wait(pending, num_returns=1)
        ray.get(ended)
        if sent < count:
            pending.append(task.remote(sent))
            sent += 1


def start_ray() -> None:
    import ray

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="ERROR")


@contextmanager
def ray_pool() -> Iterator[Pool]:
    import ray
    from ray.util.multiprocessing import Pool as Actors

    start_ray()
    task, begin = ray.remote(noop), ray.remote(began)
    actors = cache(lambda: Actors(WORKERS))  # started by the run that warms up, if at all
    yield Pool(
        one=lambda count: ray_one(task, count),
        all=lambda count: ray.get([task.remote(number) for number in range(count)]),
        chunks=lambda count: actors().map(noop, range(count), chunksize=CHUNK),
        four=lambda: ray.get([begin.remote(number) for number in range(4)]),
    )
    ray.shutdown()


def dask_one(client: Any, count: int) -> None:
    from distributed import as_completed

    ended = as_completed([client.submit(noop, number, pure=False) for number in range(WORKERS)])
    sent = WORKERS
    for future in ended:
        future.result()
        if sent < count:
            ended.add(client.submit(noop, sent, pure=False))
            sent += 1


@contextmanager
def dask_pool() -> Iterator[Pool]:
    from dask import bag
    from distributed import Client, LocalCluster

    workers = {"n_workers": WORKERS, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**workers, dashboard_address=None) as cluster, Client(cluster) as client:

        def mapped(task: Callable[[int], Any], count: int) -> list[Any]:
            return client.gather(client.map(task, range(count), pure=False))

        yield Pool(
            one=lambda count: dask_one(client, count),
            all=lambda count: mapped(noop, count),
            chunks=lambda count: (
                bag.from_sequence(range(count), partition_size=CHUNK).map(noop).compute()
            ),
            four=lambda: mapped(began, 4),
        )


POOLS: dict[str, Callable[[], AbstractContextManager[Pool]]] = {
    "concurrent": concurrent_pool,
    "dask": dask_pool,
    "mpi4py": mpi4py_pool,
    "ray": ray_pool,
}


def pool_figures(peer: str, kind: str) -> JSON:
    with POOLS[peer]() as pool:
        if kind == "start":
            return {"first_wall": min(pool.four())}
        runs = {"one": pool.one, "all": pool.all, "chunks": pool.chunks}
        return steady(runs[kind], WORKERS * CHUNK if kind == "chunks" else 50)


# ---- processes, and records ------------------------------------------------------------------------------


def hyperqueue_commands() -> JSON:
    """Processes of /bin/true. The client is told once a second how many have ended: from its first word to the last one
    before the end, so that neither start nor end count."""
    from hyperqueue import Job, LocalCluster
    from hyperqueue.cluster import WorkerConfig

    worker = WorkerConfig(cores=WORKERS)
    with tempfile.TemporaryDirectory() as folder, LocalCluster(folder, worker) as cluster:
        client = cluster.client()
        count, told = 2000, []
        while len(told) < 3:
            count *= 2
            job = Job()
            for _ in range(count):
                job.program(["/bin/true"], stdout=None, stderr=None)
            words: list[tuple[float, int]] = []

            def hear(jobs: JSON, words: list[tuple[float, int]] = words) -> None:
                finished = sum(each["finished"] for each in jobs.values())
                words.append((time.perf_counter(), finished))

            client.connection.wait_for_jobs([client.submit(job).id], hear)
            told = [word for word in words if 0 < word[1] < count]
    (begin, before), (end, after) = told[0], told[-1]
    return {"per_second": (after - before) / (end - begin), "tasks": after - before}


def optuna_records(kind: str) -> JSON:
    """Trials that are recorded, and run nowhere: `add` one write each, `ask` and `tell` as an optimizer does."""
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    trial = optuna.trial.create_trial(value=1.0)
    with tempfile.TemporaryDirectory() as folder:
        journal = JournalStorage(JournalFileBackend(str(Path(folder) / "journal")))
        study = optuna.create_study(storage=journal)

        def run(count: int) -> None:
            for _ in range(count):
                if kind == "add":
                    study.add_trial(trial)
                else:
                    study.tell(study.ask(), 1.0)

        return steady(run)


def tune_trials() -> JSON:
    """Trials of one report each, two at a time, through actors that are taken again."""
    from ray import tune

    class Nothing(tune.Trainable):
        def step(self) -> JSON:
            return {"value": 1.0, "done": True}

        def save_checkpoint(self, checkpoint_dir: str) -> None:
            pass

        def load_checkpoint(self, checkpoint: Any) -> None:
            pass

        def reset_config(self, new_config: JSON) -> bool:
            return True

    def run(count: int) -> None:
        axes = {"number": tune.grid_search(list(range(count)))}
        tuning = tune.TuneConfig(reuse_actors=True, max_concurrent_trials=WORKERS)
        with tempfile.TemporaryDirectory() as folder:
            kept = tune.RunConfig(storage_path=folder, verbose=0)
            found = tune.Tuner(Nothing, param_space=axes, tune_config=tuning, run_config=kept).fit()
            if found.num_errors:
                raise RuntimeError(found.errors[0])

    start_ray()
    run(WORKERS)
    count = 8  # some tenths of a second each
    return {"per_second": count / seconds_of(run, count), "tasks": count}


def versions() -> JSON:
    from importlib.metadata import version

    return {name: version(name) for name in LISTED}


def figures(peer: str, kind: str) -> JSON:
    if peer in POOLS:
        return pool_figures(peer, kind)
    return {
        "hyperqueue": lambda _: hyperqueue_commands(),
        "optuna": optuna_records,
        "ray-tune": lambda _: tune_trials(),
        "versions": lambda _: versions(),
    }[peer](kind)


if __name__ == "__main__":
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    print(json.dumps(figures(sys.argv[1], sys.argv[2])), flush=True)
