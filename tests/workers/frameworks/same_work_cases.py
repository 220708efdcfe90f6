"""Bar B5: variants of a user's own model that do the same work, and faults that do not, with the answer that each owes.

    python3 -m same_work_cases [--models res,deep] [--batches 1,32,256] [--graph]      prints the table of all figures

runs where `run_tests.py torch` would find the engine (PYTHONPATH: this folder, the repository, its Python package).
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from pathlib import Path
from typing import Any

from regatta_worker import engines
from regatta_worker.layers import parse_model
from tools.same_work_judge import Answer, judged

STEPS = 3
SIZES = {"res": (1, 1, 1), "deep": (4, 4, 4)}  # blocks of two convolutions in each of three stages
SAME = ("yes", "close")  # a ratio stands; only "yes" is verified

# Differences of an arm, and the answers that it may get at batches 32 and 256.
VARIANTS: dict[str, dict[str, Any]] = {
    "channels_last": {"layout": "channels_last"},
    "without oneDNN": {"onednn": False},
}
FAULTS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "bf16": ({"digits": 8}, ("no",)),
    "tf32": ({"digits": 11}, ("no",)),
    "epsilon 1e-3": ({"epsilon": 1e-3}, ("no",)),
    "epsilon 1e-4": ({"epsilon": 1e-4}, ("no",)),
    "label smoothing 0.01": ({"smoothing": 0.01}, ("no",)),
    "gradients x 1.01": ({"scale": 1.01}, ("close", "no")),
    "bias not trained": ({"frozen": "head.bias"}, ("no",)),
    "weight decay 1e-4": ({"decay": 1e-4}, ("close", "no")),
}

MODEL = '''
import numpy as np
import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride, epsilon):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs, eps=epsilon)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs, eps=epsilon)
        self.way = nn.Identity()
        if stride != 1 or inputs != outputs:
            way = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.way = nn.Sequential(way, nn.BatchNorm2d(outputs, eps=epsilon))

    def forward(self, x):
        y = functional.relu(self.first_norm(self.first(x)))
        return functional.relu(self.second_norm(self.second(y)) + self.way(x))


class Net(nn.Module):
    def __init__(self, stages, epsilon, layout, onednn):
        super().__init__()
        width, parts = 16, [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16, eps=epsilon), nn.ReLU()]
        for stage, blocks in enumerate(stages):
            for block in range(blocks):
                parts.append(Block(width, 16 * 2**stage, 2 if stage and not block else 1, epsilon))
                width = 16 * 2**stage
        self.body, self.head = nn.Sequential(*parts), nn.Linear(width, 10)
        self.layout, self.onednn = layout, onednn

    def forward(self, x):
        if self.layout == "channels_last":
            x = x.contiguous(memory_format=torch.channels_last)
        if self.onednn:
            return self.head(self.body(x).mean((2, 3)))
        with torch.backends.mkldnn.flags(enabled=False):
            return self.head(self.body(x).mean((2, 3)))


def rounded(digits):
    """Rounds outputs to so many binary digits, and lets gradients pass."""

    def hook(module, inputs, output):
        mantissa, exponent = torch.frexp(output.detach())
        kept = torch.ldexp(torch.round(mantissa * 2.0**digits) / 2.0**digits, exponent)
        return output + (kept - output.detach())

    return hook


def build(stages, epsilon=1e-5, layout="", onednn=True, digits=0, smoothing=0.0, scale=1.0, frozen="", decay=0.0):
    model = Net(stages, epsilon, layout, onednn)
    if layout == "channels_last":
        model = model.to(memory_format=torch.channels_last)
    for part in model.modules():
        if digits and isinstance(part, (nn.Conv2d, nn.Linear)):
            part.register_forward_hook(rounded(digits))
    for weight in model.parameters() if scale != 1.0 else ():
        weight.register_hook(lambda gradient: gradient * scale)
    trained = [weight for name, weight in model.named_parameters() if name != frozen]
    loss = nn.CrossEntropyLoss(label_smoothing=smoothing)
    return model, loss, torch.optim.SGD(trained, lr=0.01, weight_decay=decay)


def make_batch(n, seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((n, 3, 16, 16)).astype("float32"), random.integers(0, 10, n)
'''


def trial(folder: Path, batch: int, text: str, args: dict[str, Any], mode: str = "eager") -> Any:
    """An arm of the model that a user's file of this text builds."""
    (folder / "mine.py").write_text(text)
    described = {
        "name": "mine",
        "python": "mine.py:build",
        "batch": "mine.py:make_batch",
        "args": args,
        "sources": {"mine.py": hashlib.sha256(text.encode()).hexdigest()},
        "folder": str(folder),
    }
    parameters = {"engine": "torch", "mode": mode, "threads": 1, "seed": 0, "batch": batch}
    return engines.load("torch").prepare(parse_model(described), parameters, "", "")


def residual(folder: Path, size: str, batch: int, mode: str = "eager", **arguments: Any) -> Any:
    """An arm of the residual network with this in it."""
    return trial(folder, batch, MODEL, {"stages": SIZES[size], **arguments}, mode)


def answer(folder: Path, size: str, batch: int, mode: str = "eager", **arguments: Any) -> Answer:
    """The answer to an arm with these arguments beside the plain eager one."""
    return judged(
        residual(folder, size, batch), residual(folder, size, batch, mode, **arguments), STEPS
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", default="res,deep")
    parser.add_argument("--batches", default="1,8,32,64,128,256")
    parser.add_argument("--graph", action="store_true", help="torch.compile as well")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for model in given.models.split(","):
            for batch in map(int, given.batches.split(",")):
                rows = [(text, "eager", arguments, SAME) for text, arguments in VARIANTS.items()]
                rows += [("graph", "graph", {}, SAME)] * given.graph
                if batch in (32, 256):
                    rows += [(text, "eager", *fault) for text, fault in FAULTS.items()]
                for text, mode, arguments, owed in rows:
                    begin = time.monotonic()
                    found = answer(Path(name), model, batch, mode, **arguments)
                    verdict = "" if found.verified in owed else f"OWED {' or '.join(owed)}"
                    figures = f"loss {found.loss:.1e} gradient {found.gradient:.1e}"
                    seconds = f"{time.monotonic() - begin:.1f} s"
                    print(
                        f"{model:5} {batch:4} {text:22} {found.verified:6} {figures} {seconds} {verdict} {found.text}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
