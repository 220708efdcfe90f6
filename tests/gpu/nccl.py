"""Phases 40 and 41: NCCL with one rank, and an attempt with two ranks on one GPU, by torch.distributed.

NCCL before 2.30 refuses two ranks on one GPU; the second phase tells what this one says. It has a deadline of its own.

usage: nccl.py RANKS
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from phase import Clock, absent

# RANKS RANK FILE
RANK = """
import sys, torch, torch.distributed as dist
ranks, rank, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
torch.cuda.set_device(0)
dist.init_process_group("nccl", init_method="file://" + file, world_size=ranks, rank=rank)
for count in (1, 1 << 10, 1 << 24):
    x = torch.full((count,), float(rank + 1), device="cuda")
    dist.all_reduce(x)
    torch.cuda.synchronize()
    expected = ranks * (ranks + 1) / 2
    assert bool((x == expected).all()), (count, x[0].item(), expected)
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
begin.record()
for _ in range(20):
    dist.all_reduce(x)
end.record()
torch.cuda.synchronize()
print(f"rank {rank} of {ranks}: NCCL {torch.cuda.nccl.version()}, 64 MiB in {begin.elapsed_time(end) / 20:.3f} ms")
dist.destroy_process_group()
"""


def has_gpu() -> bool:
    question = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    return subprocess.run([sys.executable, "-c", question], check=False).returncode == 0


def main() -> int:
    ranks = int(sys.argv[1])
    if importlib.util.find_spec("torch") is None:
        absent("torch")
    if not has_gpu():
        absent("a GPU that torch reaches")
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        processes = []
        for rank in range(ranks):
            variables = {**os.environ, "NCCL_DEBUG": "WARN"}
            if (
                ranks > 1
            ):  # 2.30 and later; for older ones each rank says that it is on a host of its own
                variables |= {"NCCL_MULTI_RANK_GPU_ENABLE": "1", "NCCL_HOSTID": f"rank-{rank}"}
            words = [str(ranks), str(rank), str(Path(folder) / "rendezvous")]
            command = [sys.executable, "-c", RANK, *words]
            processes.append(subprocess.Popen(command, env=variables))
        try:
            codes = [process.wait(max(1.0, clock.left)) for process in processes]
        except subprocess.TimeoutExpired:
            print("no end in time: killed")
            codes = [1]
        finally:
            for process in processes:
                process.kill()
    return 0 if codes == [0] * ranks else 1


if __name__ == "__main__":
    sys.exit(main())
