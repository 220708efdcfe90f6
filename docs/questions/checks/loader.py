# python@torch
import itertools

import torch
from torch.utils.benchmark import Timer
from torch.utils.data import DataLoader, TensorDataset

x, y = torch.randn(1024, 784), torch.randint(0, 10, (1024,))
model = torch.nn.Sequential(torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def step(batch):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(batch[0]), batch[1]).backward()
    optimizer.step()


def ms(batches):
    timer = Timer(
        "step(next(batches))",
        globals={"step": step, "batches": batches},
        num_threads=torch.get_num_threads(),
    )
    return timer.blocked_autorange(min_run_time=1).median * 1e3


print("one batch again and again |", ms(itertools.repeat((x[:128], y[:128]))))
for workers in (0, 1, 2):
    loader = DataLoader(
        TensorDataset(x, y), 128, num_workers=workers, persistent_workers=workers > 0
    )
    endless = itertools.chain.from_iterable(itertools.repeat(loader))
    print(f"DataLoader, {workers} workers |", ms(endless))
