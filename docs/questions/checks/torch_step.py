# python@torch
import torch
from torch.utils.benchmark import Timer


def ms(net, optimizer, x, y):
    def step():
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()

    timer = Timer("step()", globals={"step": step}, num_threads=torch.get_num_threads())
    return timer.blocked_autorange(min_run_time=1).median * 1e3


for rows in (32, 1000):
    x, y = torch.randn(rows, 10), torch.randn(rows, 1)
    model = torch.nn.Sequential(torch.nn.Linear(10, 50), torch.nn.ReLU(), torch.nn.Linear(50, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    print(f"{rows} rows: torch, eager |", ms(model, optimizer, x, y))
    print(f"{rows} rows: torch.compile of the module |", ms(torch.compile(model), optimizer, x, y))
