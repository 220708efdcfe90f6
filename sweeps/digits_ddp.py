"""A small convolutional network on the shipped digits, under PyTorch's DistributedDataParallel: a script for torchrun,
which knows nothing of Regatta.

    torchrun --nproc_per_node=2 sweeps/digits_ddp.py --epochs 2
"""

import argparse
import json
import os
import time

import torch
from torch import distributed, nn

parser = argparse.ArgumentParser()
parser.add_argument("--data", default="build/share/regatta/datasets/digits")
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--batch", type=int, default=64, help="samples of a step, all ranks together")
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()


def read(name, header):
    with open(os.path.join(options.data, name), "rb") as file:
        return torch.frombuffer(bytearray(file.read()[header:]), dtype=torch.uint8)


distributed.init_process_group("gloo")
rank, ranks = distributed.get_rank(), distributed.get_world_size()

images = read("images-idx3-ubyte", 16).reshape(-1, 1, 8, 8).float() / 16
labels = read("labels-idx1-ubyte", 8).long()
torch.manual_seed(options.seed)
order = torch.randperm(len(labels))
training, validation = order[:1400], order[1400:]

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(32 * 4 * 4, 10),
)
shared = nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(shared.parameters(), lr=options.lr, momentum=0.9)
loss_of = nn.CrossEntropyLoss()
share = options.batch // ranks

begin = time.perf_counter()
for _ in range(options.epochs):
    shuffled = training[torch.randperm(len(training))]
    for at in range(0, len(training) - options.batch + 1, options.batch):
        own = shuffled[at + rank * share : at + (rank + 1) * share]
        optimizer.zero_grad()
        loss = loss_of(shared(images[own]), labels[own])
        loss.backward()
        optimizer.step()
seconds = time.perf_counter() - begin

if rank == 0:
    with torch.no_grad():
        right = (model(images[validation]).argmax(1) == labels[validation]).float().mean().item()
    print(json.dumps({"accuracy": right, "loss": loss.item(), "train_seconds": seconds}))
distributed.destroy_process_group()
