"""Scripts of Lightning and of Transformers' Trainer, written for torchrun, as trials of one rank and of two.

REGATTA_TRAINERS names a Python that has lightning, transformers and accelerate; without these the tests are skipped.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import unittest

from tools.regatta_process import PATIENCE_SECONDS, Process, Scratch, wait_until

PYTHON = os.environ.get("REGATTA_TRAINERS", sys.executable)

LIGHTNING = """
import json, os, sys
import lightning
import torch
from torch import nn

torch.manual_seed(0)
points = torch.randn(512, 8)
labels = (points.sum(1) > 0).long()


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))

    def training_step(self, batch, number):
        x, y = batch
        return nn.functional.cross_entropy(self.layers(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(points, labels), batch_size=32)
trainer = lightning.Trainer(
    accelerator="cpu",
    devices=int(os.environ["LOCAL_WORLD_SIZE"]),
    num_nodes=int(os.environ["NNODES"]),
    strategy="ddp",
    max_epochs=int(sys.argv[1]),
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
)
model = Classifier()
trainer.fit(model, data)
if trainer.global_rank == 0:
    right = (model.layers(points).argmax(1) == labels).float().mean().item()
    print(json.dumps({"world": trainer.world_size, "accuracy": right, "steps_taken": trainer.global_step}))
"""

TRANSFORMERS = """
import json, sys
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

torch.manual_seed(0)


class Words(torch.utils.data.Dataset):
    def __init__(self):
        self.words = torch.randint(2, 50, (256, 12))

    def __len__(self):
        return len(self.words)

    def __getitem__(self, at):
        return {"input_ids": self.words[at], "labels": (self.words[at][0] > 25).long()}


config = BertConfig(
    vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
)
arguments = TrainingArguments(
    "trained",
    per_device_train_batch_size=16,
    num_train_epochs=float(sys.argv[1]),
    use_cpu=True,
    save_strategy="no",
    report_to=[],
    disable_tqdm=True,
    ddp_backend="gloo",
)
trainer = Trainer(BertForSequenceClassification(config), arguments, train_dataset=Words())
told = trainer.train()
if arguments.process_index == 0:
    print(json.dumps({"world": arguments.world_size, "loss": told.training_loss, "steps_taken": told.global_step}))
"""


def can_import(*modules: str) -> bool:
    code = "import importlib.util as u, sys; sys.exit(any(u.find_spec(m) is None for m in sys.argv[1:]))"
    return subprocess.run([PYTHON, "-c", code, *modules], check=False).returncode == 0


class TrainerScripts(unittest.TestCase):
    def of(self, script: str, ranks: list[int], epochs: int, **limits: object) -> Scratch:
        scratch = Scratch({"name": "trainers"})
        self.addCleanup(scratch.remove)
        (scratch.folder / "train.py").write_text(script)
        scratch.sweep = {
            "regatta": 1,
            "name": "trainers",
            "axes": {"engine": "command", "command": "train", "ranks": ranks},
            "commands": {
                "train": {
                    "argv": [PYTHON, str(scratch.folder / "train.py"), str(epochs)],
                    "launch": "torchrun",
                    "folder": "removed",
                }
            },
            "measure": {"slices": 1, "steps": 1},
            "limits": {"attempts": 1, **limits},
        }
        scratch.sweep_file.write_text(json.dumps(scratch.sweep))
        return scratch

    def check_both_numbers_of_ranks(self, script: str) -> dict[int, dict]:
        scratch = self.of(script, [1, 2], 2)
        self.assertEqual(scratch.run("--ranks", "2"), 0, scratch.output())
        trials = scratch.report()["trials"]
        told = {
            trial["ranks"]: {name: result["value"] for name, result in trial["results"].items()}
            for trial in trials
        }
        self.assertEqual({n: t["world"] for n, t in told.items()}, {1: 1, 2: 2})
        self.assertEqual(told[1]["steps_taken"], 2 * told[2]["steps_taken"])
        return told

    def check_killed_rank(self, script: str) -> None:
        """One of the ranks, in the middle of its training."""
        scratch = self.of(script, [2], 100000)
        run = scratch.start("--ranks", "2")

        def trainers() -> list[Process]:
            return [
                p for p in scratch.processes() if any(a.endswith("train.py") for a in p.arguments)
            ]

        def compute() -> bool:
            found = trainers()
            return len(found) == 2 and all(threads(p.pid) >= 4 for p in found)

        self.assertTrue(wait_until(compute, PATIENCE_SECONDS, 0.2), scratch.output())
        victim = trainers()[1]
        os.kill(victim.pid, signal.SIGKILL)
        self.assertEqual(run.wait(PATIENCE_SECONDS), 1, scratch.output())
        (trial,) = scratch.report()["trials"]
        self.assertRegex(trial["reason"], r"rank \d on \S+: killed by signal 9")
        self.assertEqual(scratch.processes(), [])

    @unittest.skipUnless(can_import("lightning", "torch"), "no lightning here")
    def test_lightning(self) -> None:
        told = self.check_both_numbers_of_ranks(LIGHTNING)
        self.assertGreater(min(each["accuracy"] for each in told.values()), 0.7)

    @unittest.skipUnless(can_import("lightning", "torch"), "no lightning here")
    def test_lightning_with_a_killed_rank(self) -> None:
        self.check_killed_rank(LIGHTNING)

    @unittest.skipUnless(can_import("transformers", "accelerate", "torch"), "no transformers here")
    def test_transformers(self) -> None:
        self.check_both_numbers_of_ranks(TRANSFORMERS)

    @unittest.skipUnless(can_import("transformers", "accelerate", "torch"), "no transformers here")
    def test_transformers_with_a_killed_rank(self) -> None:
        self.check_killed_rank(TRANSFORMERS)


def threads(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0


if __name__ == "__main__":
    unittest.main()
