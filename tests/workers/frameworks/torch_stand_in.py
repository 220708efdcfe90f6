"""A GPU for torch where there is none: memory of the host that nothing but the "device" may touch.

What is copied there is known by its storage. An operation that reads both memories is refused, as torch refuses it, and
so is NumPy on what is there. Steps are done at once, so a missing wait is told by counting the waits.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import Any, Iterator
from unittest import mock

import torch
from regatta_worker.engines.torch import place
from torch.utils import _pytree as tree
from torch.utils._python_dispatch import TorchDispatchMode

to_plain, numpy_plain = torch.Tensor.to, torch.Tensor.numpy
from_numpy_plain = torch.from_numpy


class Device(TorchDispatchMode):
    """While it is entered there is a GPU."""

    def __init__(self) -> None:
        super().__init__()
        self.there: dict[int, Any] = {}  # storages, which are kept so that no address comes again
        self.here: dict[int, Any] = {}
        self.counts: Counter[str] = Counter()

    def holds(self, tensor: torch.Tensor) -> bool:
        return tensor.untyped_storage().data_ptr() in self.there

    def take(self, tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        self.there[storage.data_ptr()] = storage
        return tensor

    def leave(self, tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        self.here[storage.data_ptr()] = storage
        return tensor

    def __torch_dispatch__(
        self, function: Any, types: Any, arguments: Any = (), options: Any = None
    ) -> Any:
        """Places tensors that torch makes by itself, such as zeros for a first state, where the others are."""
        options = options or {}
        leaves = tree.tree_leaves((arguments, options))
        read = [t for t in leaves if isinstance(t, torch.Tensor) and t.numel()]
        there = any(self.holds(t) for t in read)
        here = any(t.untyped_storage().data_ptr() in self.here and t.dim() for t in read)
        copies = function is torch.ops.aten.copy_.default
        if there and here and not copies:
            raise RuntimeError(f"{function}: expected all tensors to be on the same device")
        results = function(*arguments, **options)
        if copies or not (there or here):
            return results
        self.counts["kernels"] += there
        for result in tree.tree_leaves(results):
            if isinstance(result, torch.Tensor):
                self.take(result) if there else self.leave(result)
        return results

    # ---- what torch's methods do then ------------------------------------------------------------

    def to(self, tensor: torch.Tensor, *arguments: Any, **options: Any) -> torch.Tensor:
        is_move = arguments and isinstance(arguments[0], torch.device)
        if not is_move or arguments[0].type == "cpu":
            return to_plain(tensor, *arguments, **options)
        if self.holds(tensor):
            return tensor
        self.counts["copies"] += 1
        return self.take(from_numpy_plain(tensor.detach().numpy().copy()))

    def cpu(self, tensor: torch.Tensor) -> torch.Tensor:
        if not self.holds(tensor):
            return tensor
        self.counts["copies back"] += 1
        return self.from_numpy(numpy_plain(tensor.detach()).copy())

    def from_numpy(self, array: Any) -> torch.Tensor:
        return self.leave(from_numpy_plain(array))

    def numpy(self, tensor: torch.Tensor, *arguments: Any, **options: Any) -> Any:
        if self.holds(tensor):
            raise TypeError("can't convert a tensor of the device to numpy")
        return numpy_plain(tensor, *arguments, **options)

    def module(self, module: torch.nn.Module, device: torch.device) -> torch.nn.Module:
        for tensor in (*module.parameters(), *module.buffers()):
            tensor.data = self.take(from_numpy_plain(numpy_plain(tensor.data).copy()))
        return module

    def synchronize(self, device: torch.device) -> None:
        self.counts["waits"] += 1


@contextlib.contextmanager
def stand_in() -> Iterator[Device]:
    device = Device()
    replaced = (
        (place, "reaches_gpu", lambda: True),
        (torch.cuda, "synchronize", device.synchronize),
        (torch, "from_numpy", device.from_numpy),
        (torch.Tensor, "to", lambda *a, **o: device.to(*a, **o)),
        (torch.Tensor, "cpu", lambda tensor: device.cpu(tensor)),
        (torch.Tensor, "numpy", lambda *a, **o: device.numpy(*a, **o)),
        (torch.nn.Module, "to", lambda module, where: device.module(module, where)),
    )
    with contextlib.ExitStack() as stack:
        for owner, name, function in replaced:
            stack.enter_context(mock.patch.object(owner, name, function))
        stack.enter_context(device)
        yield device
