# python@torch
import torch
from torch.utils.benchmark import Timer

x, y = torch.randn(32, 10), torch.randn(32, 1)
model = torch.nn.Sequential(torch.nn.Linear(10, 50), torch.nn.ReLU(), torch.nn.Linear(50, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def step():
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()


timer = Timer("step()", globals={"step": step}, num_threads=torch.get_num_threads())
print("torch, eager |", timer.blocked_autorange(min_run_time=1).median * 1e3)
