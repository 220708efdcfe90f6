"""A small residual network as a user writes one: convolutions, batch normalization, skips."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

SIDE = 16
CLASSES = 10


class Block(nn.Module):
    """Two convolutions beside a skip; the skip has one of its own where shapes differ."""

    def __init__(self, narrow: int, wide: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(narrow, wide, 3, stride, padding=1, bias=False)
        self.second = nn.Conv2d(wide, wide, 3, padding=1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(wide), nn.BatchNorm2d(wide)])
        is_same = narrow == wide and stride == 1
        self.skip = nn.Identity() if is_same else nn.Conv2d(narrow, wide, 1, stride, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = functional.relu(self.norms[0](self.first(x)))
        return functional.relu(self.norms[1](self.second(y)) + self.skip(x))


def build(stages: int = 2, blocks: int = 2, width: int = 8) -> tuple[nn.Module, nn.Module, object]:
    """`stages` of `blocks` each, every stage half as large and twice as wide: 10 convolutions as it comes."""
    layers: list[nn.Module] = [
        nn.Conv2d(3, width, 3, padding=1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(),
    ]
    narrow = width
    for stage in range(stages):
        wide = width * 2**stage
        for block in range(blocks):
            layers.append(Block(narrow, wide, 2 if stage > 0 and block == 0 else 1))
            narrow = wide
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(narrow, CLASSES)]
    model = nn.Sequential(*layers)
    return model, nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)


def make_batch(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.standard_normal((n, 3, SIDE, SIDE)), random.integers(0, CLASSES, n)
