"""A user's own module in torch (docs/guide/your-model.md), in the steps of trial.py."""

from __future__ import annotations

import copy
import functools
import inspect
from typing import Any, Callable

import numpy as np
import torch
from torch import nn

from ... import user_model
from ...errors import UserModelError
from ...inputs import Settings, Tensors
from ...layers import UserModel
from .place import device_of, held, moved
from .trial import NetworkTrial

PARTS = ("model", "loss", "optimizer")
COARSE_TYPES = ((torch.bfloat16, "bf16"), (torch.float16, "fp16"))


class UserTrial(NetworkTrial):
    output_type = torch.float32

    def __init__(
        self,
        model: UserModel,
        settings: Settings,
        rows: int,
        part: tuple[int, int] = (0, 1),
        dropout: bool = True,
    ) -> None:
        """`part`: the rank, and how many share the rows of a batch."""
        self.arguments = (model, settings, rows, part)
        rank, ranks = part
        self.settings, self.trains, self.rows = settings, settings.trains, rows // ranks
        torch.manual_seed(settings.seed)
        built = user_model.build(model, settings, "torch", PARTS)
        self.device = device_of(settings)
        self.module = moved(checked_module(model, built["model"]), self.device)
        self.loss = moved_loss(built["loss"], self.device)
        if not dropout:
            switch_dropout_off(self.module)
        self.output: nn.Module = nn.Identity()
        self.optimizer = checked_optimizer(model, built["optimizer"], self.module)
        named = self.module.named_parameters()
        self.trained = {name: weight for name, weight in named if weight.requires_grad}
        if self.trains:
            user_model.need(model, self.loss, "loss", "training takes one: loss(output, y)")
            user_model.need(model, self.optimizer, "weights to train", "use work infer")
        own = slice(rank * self.rows, (rank + 1) * self.rows)
        made = user_model.make_batches(model, settings, rows)
        self.batches = [(x[own], y[own]) for x, y in made]
        torch.manual_seed(settings.seed)  # dropout: whatever building drew, modes draw alike
        self.start_feeding()
        self.step = self.training_step() if settings.trains else self.inference_step()

    def losses(self, number: int) -> list[float]:
        x, y = self.tensors_of(self.batches[number % len(self.batches)])
        with torch.no_grad():
            output = self.module(x)
            losses = loss_of_samples(self.loss)(output, y)
        if isinstance(output, torch.Tensor):
            self.output_type = output.dtype
        return user_model.values_of(held(losses.double()), self.rows)

    def gradients(self, number: int) -> Tensors:
        x, y = self.tensors_of(self.batches[number % len(self.batches)])
        self.module.zero_grad()  # also of what the user's optimizer does not hold
        self.loss(self.forward(x), y).backward()
        return {name: array_of(weight.grad, weight) for name, weight in self.trained.items()}

    def weights(self) -> Tensors:
        return {name: array_of(weight, weight) for name, weight in self.trained.items()}

    def exact_losses(self) -> list[float]:
        if isinstance(self.loss, nn.Module):
            self.loss.double()
        return super().exact_losses()

    def number_type(self) -> str | None:
        """The coarsest type of the weights and, once losses were computed, of the output."""
        types = {weight.dtype for weight in self.module.parameters()} | {self.output_type}
        return next((name for dtype, name in COARSE_TYPES if dtype in types), "fp32")

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        """By an optimizer of the same kind and settings; nothing if it cannot be made again."""
        weights = nn.Parameter(moved(torch.zeros(gradients[0].shape), self.device))
        try:
            kind, group = type(self.optimizer), self.optimizer.param_groups[0]
            known = inspect.signature(kind).parameters.keys() - {"params"}
            optimizer = kind([weights], **{name: group[name] for name in known & group.keys()})
        except (TypeError, ValueError, AttributeError):
            return np.zeros(0)
        for gradient in gradients:
            weights.grad = torch.from_numpy(gradient).to(self.device)
            optimizer.step()
        return held(weights)


def array_of(value: torch.Tensor | None, like: torch.Tensor) -> np.ndarray:
    """A copy in float32; zeros for the gradient of what the loss does not depend on."""
    value = torch.zeros_like(like) if value is None else value.detach()
    return np.array(held((value.to_dense() if value.is_sparse else value).float()))


def moved_loss(loss: Any, device: torch.device) -> Any:
    """A loss that is a module may hold weights of classes."""
    return moved(loss, device) if isinstance(loss, nn.Module) else loss


def checked_module(model: UserModel, built: Any) -> nn.Module:
    if isinstance(built, nn.Module):
        return built
    raise UserModelError(
        f"{model.build} gives a {type(built).__name__} as model, expected a torch.nn.Module"
    )


def checked_optimizer(model: UserModel, given: Any, module: nn.Module) -> Any:
    """Plain SGD if the user gives none; None if there is nothing to train."""
    if given is None:
        weights = [parameter for parameter in module.parameters() if parameter.requires_grad]
        return torch.optim.SGD(weights, lr=user_model.DEFAULT_RATE) if weights else None
    if not hasattr(given, "zero_grad") or not hasattr(given, "step"):
        raise UserModelError(
            f"{model.build} gives a {type(given).__name__} as optimizer, expected a torch.optim.Optimizer"
        )
    return given


def switch_dropout_off(module: nn.Module) -> None:
    """In all modules that have it as a setting; a call of functional.dropout stays."""
    for part in module.modules():
        if isinstance(part, nn.modules.dropout._DropoutNd):
            part.p = 0.0
        elif isinstance(part, (nn.MultiheadAttention, nn.RNNBase)):
            part.dropout = 0.0


def loss_of_samples(loss: Callable) -> Callable:
    """The user's loss without its mean, if it is one of torch's or takes `reduction` as they do."""
    if isinstance(loss, nn.Module):
        if not hasattr(loss, "reduction"):
            return loss
        loss = copy.copy(loss)
        loss.reduction = "none"
        return loss
    try:
        has_reduction = "reduction" in inspect.signature(loss).parameters
    except (TypeError, ValueError):
        has_reduction = False
    return functools.partial(loss, reduction="none") if has_reduction else loss
