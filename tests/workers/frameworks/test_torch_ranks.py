"""Trials of several ranks: two processes share the steps of one."""

from __future__ import annotations

import hashlib
import multiprocessing
import tempfile
import unittest
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from engine_cases import MODELS, STEPS, textbook_of
from regatta_worker.engines.torch import engine
from regatta_worker.layers import parse_model
from tools.safetensors import write_safetensors

RANKS = 2
PATIENCE_SECONDS = 60.0


OWN = """
import numpy as np
from torch import nn
from torch.nn import functional as F
def build():
    return nn.Sequential(nn.Linear(6, 9), nn.Tanh(), nn.Linear(9, 2)), F.mse_loss
def make_batch(n, seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((n, 6)), random.standard_normal((n, 2))
"""


def own_model(folder: Path) -> dict[str, Any]:
    """A user's, in a file that is there for both ranks."""
    return {
        "name": "mine",
        "python": "mine.py:build",
        "batch": "mine.py:make_batch",
        "args": {},
        "sources": {"mine.py": hashlib.sha256(OWN.encode()).hexdigest()},
        "folder": str(folder),
    }


def prepared(name: str, folder: Path, rank: int | None = None, **parameters: Any) -> Any:
    known = {"seed": 0, "work": "train", "mode": "eager", "ranks": RANKS, **parameters}
    if name == "own":
        known.update(batch=8, threads=1, loader_workers=0)
        return engine.prepare(parse_model(own_model(folder)), known, "", "", rank=rank)
    files = [str(folder / part) for part in ("weights", "batches")]
    return engine.prepare(parse_model(MODELS[name]), known, *files, rank=rank)


def told_by(trial: Any) -> dict[str, Any]:
    evidence = trial.examine(STEPS)
    for _ in range(STEPS):
        trial.step()
    return {
        "losses": evidence.losses,
        "gradients": evidence.gradients,
        "weights": {name: value.tolist() for name, value in trial.weights().items()},
    }


def be_rank(rank: int, link: Connection) -> None:
    """One trial after the other, as a worker does it, until there is none."""
    for name, folder, levels in iter(link.recv, None):
        trial = prepared(name, folder, rank, **levels)
        link.send(trial.member)
        trial.join(link.recv(), PATIENCE_SECONDS)
        link.send(told_by(trial))
        link.recv()  # the file in which they meet is rank 0's
        trial.close()
        engine.forget_all()


class TorchRanks(unittest.TestCase):
    def setUp(self) -> None:
        """Both processes serve all trials: to import torch takes them longer than a trial."""
        context = multiprocessing.get_context("spawn")
        self.links: list[Connection] = []
        self.processes = []
        for rank in range(RANKS):
            ours, theirs = context.Pipe()
            process = context.Process(target=be_rank, args=(rank, theirs))
            process.start()
            self.addCleanup(process.kill)
            theirs.close()  # so that the end of a rank is the end of its link
            self.links.append(ours)
            self.processes.append(process)

    def tell_all(self, what: Any) -> None:
        for link in self.links:
            link.send(what)

    def ranks(self, name: str, folder: Path, levels: dict[str, Any]) -> list[dict[str, Any]]:
        self.tell_all((name, folder, levels))
        self.tell_all([link.recv() for link in self.links])
        told = [link.recv() for link in self.links]
        self.tell_all(None)
        return told

    def test_do_the_work_of_one(self) -> None:
        for name, levels in (
            ("dense", {}),
            ("sequence", {}),
            ("dense", {"mode": "graph"}),
            ("dense", {"bucket_bytes": 0}),
            ("dense", {"bucket_bytes": 1000}),
            ("own", {}),
        ):
            with self.subTest(model=name, **levels), tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch)
                if name == "own":
                    (folder / "mine.py").write_text(OWN)
                else:
                    write_safetensors(folder / "weights", textbook_of(name).weights)
                    write_safetensors(folder / "batches", textbook_of(name).batches)
                one = told_by(prepared(name, folder))
                told = self.ranks(name, folder, levels)
                losses = np.concatenate([each["losses"] for each in told], axis=1)
                np.testing.assert_allclose(losses, one["losses"], rtol=1e-4)
                for each in told:
                    for weight, value in one["weights"].items():
                        np.testing.assert_allclose(each["weights"][weight], value, rtol=1e-4)
                    for step, gradients in enumerate(one["gradients"]):
                        for weight, sums in gradients.items():
                            mine = each["gradients"][step][weight]
                            np.testing.assert_allclose(mine, sums, rtol=1e-3, atol=1e-5)
        self.tell_all(None)
        for process in self.processes:
            process.join(PATIENCE_SECONDS)
            self.assertEqual(process.exitcode, 0)


if __name__ == "__main__":
    unittest.main()
