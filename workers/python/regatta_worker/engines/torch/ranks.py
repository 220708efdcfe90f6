"""Several processes that share training steps, as users of torch do: DistributedDataParallel over Gloo."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

from torch import nn

from ...errors import Unsupported
from ...inputs import Tensors


def part_of(batches: Tensors, rank: int, ranks: int) -> Tensors:
    """This rank's samples of each batch: (n, batch, ...) becomes (n, batch / ranks, ...)."""
    count = batches["x"].shape[1] // ranks
    own = slice(rank * count, (rank + 1) * count)
    return {
        name: values[:, own].copy() if name in ("x", "y") else values
        for name, values in batches.items()
    }


def leave() -> None:
    """A process is in one group at a time."""
    from torch import distributed  # not where trials of one rank start

    if distributed.is_initialized():
        distributed.destroy_process_group()


class Group:
    """One of several ranks on a host. They meet by a file without a name, which rank 0 holds open."""

    def __init__(self, rank: int, ranks: int, bucket_bytes: int | None) -> None:
        self.rank, self.ranks = rank, ranks
        self.bucket_bytes = bucket_bytes  # None: torch's own choice
        self.meeting = os.memfd_create("regatta-torch-ranks")

    @property
    def member(self) -> str:
        return f"/proc/{os.getpid()}/fd/{self.meeting}"

    def join(self, members: list[str], patience_seconds: float) -> None:
        from torch import distributed

        leave()
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        distributed.init_process_group(
            "gloo",
            init_method=f"file://{members[0]}",
            rank=self.rank,
            world_size=self.ranks,
            timeout=timedelta(seconds=patience_seconds),
        )

    def shared(self, module: nn.Module) -> nn.Module:
        """Its gradients are the means over all ranks."""
        from torch import distributed

        if self.bucket_bytes is None:
            return nn.parallel.DistributedDataParallel(module)
        size = max(self.bucket_bytes, 1)  # each tensor by itself
        first = distributed._DEFAULT_FIRST_BUCKET_BYTES
        distributed._DEFAULT_FIRST_BUCKET_BYTES = min(first, size)  # a larger one is refused
        try:
            return nn.parallel.DistributedDataParallel(module, bucket_cap_mb=size / 2**20)
        finally:
            distributed._DEFAULT_FIRST_BUCKET_BYTES = first

    def close(self) -> None:
        leave()
        os.close(self.meeting)


def group_of(parameters: dict[str, Any], rank: int | None) -> Group | None:
    """Raises Unsupported where ranks cannot meet."""
    if rank is None:
        return None
    if not hasattr(os, "memfd_create"):
        raise Unsupported("ranks of torch need Python 3.8 or newer")
    return Group(rank, parameters["ranks"], parameters.get("bucket_bytes"))
