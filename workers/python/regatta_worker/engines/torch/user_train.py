"""Training a user's own module in torch to an end (docs/guide/your-model.md)."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ... import user_model
from ...errors import Unsupported
from ...inputs import Settings, Tensors
from ...layers import UserModel
from ...order import random_number
from ...schedule import hyper_of
from ...user_learner import UserLearner, kept, loss_of_rows, need_loss
from .place import device_of, held, moved
from .train import (
    SEED_BITS,
    WAITING,
    decay_weights,
    kept_tensor,
    set_waiting_gradients,
    take_gradients,
    waiting_gradients,
)
from .trial import compiled
from .user import PARTS, checked_module, checked_optimizer, loss_of_samples, moved_loss

NUMBER = "#"  # behind the name of what an optimizer keeps as a plain number


class UserModuleLearner(UserLearner):
    def __init__(self, model: UserModel, settings: Settings) -> None:
        torch.manual_seed(settings.seed)
        built = user_model.build(model, settings, "torch", PARTS)
        self.device = device_of(settings)
        self.module = moved(checked_module(model, built["model"]), self.device)
        self.loss = moved_loss(built["loss"], self.device)
        need_loss(model, self.loss)
        self.optimizer = checked_optimizer(model, built["optimizer"], self.module)
        user_model.need(
            model, self.optimizer, "weights to train", "none of them requires a gradient"
        )
        self.rates = [float(group["lr"]) for group in self.optimizer.param_groups]
        super().__init__(model, hyper_of(dict(settings.own), self.rates[0]))
        self.make_samples()
        self.trained = [p for group in self.optimizer.param_groups for p in group["params"]]
        self.forward = compiled(self.module, settings)
        self.remember_start()

    def tensors(self, x: np.ndarray, y: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        device = self.device
        return moved(torch.from_numpy(x), device), moved(torch.from_numpy(y), device)

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> torch.Tensor:
        """Draws random numbers from the seed and the step's number, whenever the process began."""
        torch.manual_seed(random_number(self.hyper.seed, number) >> (64 - SEED_BITS))
        inputs, targets = self.tensors(x, y)
        value = self.loss(self.forward(inputs), targets)
        if not take_gradients(self.optimizer, self.trained, value, self.hyper, number):
            return value.detach()
        decay_weights(self.trained, float(rate) * self.hyper.weight_decay)
        for group, own in zip(self.optimizer.param_groups, self.rates):
            group["lr"] = float(rate) * own / self.rates[0] if self.rates[0] else float(rate)
        self.optimizer.step()
        return value.detach()

    def evaluate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
        inputs, targets = self.tensors(x, y)
        self.module.eval()
        with torch.no_grad():
            outputs = self.module(inputs)
            losses = loss_of_samples(self.loss)(outputs, targets)
        self.module.train()
        told = held(outputs.float()) if isinstance(outputs, torch.Tensor) else None
        return loss_of_rows(held(losses.float()), len(x)), told

    # ---- what a checkpoint holds ------------------------------------------------------------------

    def weights(self) -> Tensors:
        """Buffers, too."""
        return {name: kept_tensor(value) for name, value in self.module.state_dict().items()}

    def set_weights(self, weights: Tensors) -> None:
        state = self.module.state_dict()  # shares memory with the module
        with torch.no_grad():
            for name, value in state.items():
                value.copy_(torch.from_numpy(weights[name].copy()))

    def optimizer_state(self) -> Tensors:
        """`INDEX/KEY` for what the optimizer keeps of a parameter."""
        state = waiting_gradients(self.numbered(), self.hyper)
        for index, values in self.optimizer.state_dict()["state"].items():
            for key, value in values.items():
                if isinstance(value, torch.Tensor):
                    state[f"{index}/{key}"] = kept_tensor(value)
                elif isinstance(value, (int, float)):
                    state[f"{index}/{key}{NUMBER}"] = kept(float(value))
                elif value is not None:
                    raise Unsupported(
                        f"{type(self.optimizer).__name__} keeps a {type(value).__name__} of each weight, which no "
                        "checkpoint here holds; use another optimizer, or train in a loop of your own"
                    )
        return state

    def numbered(self) -> dict[str, torch.nn.Parameter]:
        return {str(index): parameter for index, parameter in enumerate(self.trained)}

    def set_optimizer_state(self, state: Tensors) -> None:
        set_waiting_gradients(self.numbered(), state)
        values: dict[int, dict[str, Any]] = {}
        for name, value in state.items():
            if name.startswith(WAITING):
                continue
            index, _, key = name.partition("/")
            if key.endswith(NUMBER):
                key, told = key[: -len(NUMBER)], float(value)
            else:
                told = torch.from_numpy(value.copy())
            values.setdefault(int(index), {})[key] = told
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": values, "param_groups": groups})
