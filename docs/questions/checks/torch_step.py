# python@torch
import numpy as np
import torch
from torch.utils.benchmark import Timer


def ms(net, optimizer, x, y):
    def step():
        optimizer.zero_grad()
        prediction = net(torch.from_numpy(x))
        torch.nn.functional.mse_loss(prediction, torch.from_numpy(y)).backward()
        optimizer.step()

    timer = Timer("step()", globals={"step": step}, num_threads=torch.get_num_threads())
    return timer.blocked_autorange(min_run_time=1).median * 1e3


for rows in (32, 1000):
    x = np.random.default_rng(0).standard_normal((rows, 10)).astype("float32")
    y = np.zeros((rows, 1), "float32")
    model = torch.nn.Sequential(torch.nn.Linear(10, 50), torch.nn.ReLU(), torch.nn.Linear(50, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    print(f"{rows} rows: torch, eager |", ms(model, optimizer, x, y))
    torch._dynamo.reset()
    print(f"{rows} rows: torch.compile of the module |", ms(torch.compile(model), optimizer, x, y))
