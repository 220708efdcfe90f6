"""Training in the engine `torch`, eager or with the forward pass compiled, as in its trial."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from ...inputs import Settings, Tensors, check_loss
from ...layers import Adam, Dropout, Network
from ...learner import Learner
from ...order import random_number
from ...schedule import Hyper
from ...user_learner import kept
from .model import BatchNorm, build
from .place import device_of, held, moved
from .trial import LOSSES, NetworkTrial, compiled, make_optimizer, refuse_long_loops

SEED_BITS = 63  # bits that torch's generator takes
WAITING = "waiting/"  # before the name of a gradient that waits for its update


def optimizer_of(
    network: Network, weights: list[nn.Parameter], decay: float
) -> torch.optim.Optimizer:
    """Adam decays weights itself, as AdamW; SGD's own decay would go through its momentum."""
    options = network.optimizer
    if not decay or not isinstance(options, Adam):
        return make_optimizer(options, weights)
    return torch.optim.AdamW(
        weights,
        lr=options.learning_rate,
        betas=(options.beta1, options.beta2),
        eps=options.epsilon,
        weight_decay=decay,
    )


def take_gradients(
    optimizer: torch.optim.Optimizer,
    trained: list[Any],
    loss: torch.Tensor,
    hyper: Hyper,
    number: int,
) -> bool:
    """Whether the step makes an update. Its gradients are the mean over the steps since the update before, clipped by
    their common norm, unless that is 0."""
    if hyper.updates(number - 1):
        optimizer.zero_grad()
    loss.backward()
    if not hyper.updates(number):
        return False
    if hyper.accumulate > 1:
        for parameter in trained:
            if parameter.grad is not None:
                parameter.grad /= hyper.accumulate
    if hyper.clip_norm:
        nn.utils.clip_grad_norm_(trained, hyper.clip_norm)
    return True


def waiting_gradients(named: dict[str, Any], hyper: Hyper) -> Tensors:
    """The waiting gradients of a checkpoint: none where each step makes an update."""
    held = {name: parameter.grad for name, parameter in named.items() if hyper.accumulate > 1}
    return {WAITING + name: kept_tensor(g) for name, g in held.items() if g is not None}


def set_waiting_gradients(named: dict[str, Any], state: Tensors) -> None:
    for name, parameter in named.items():
        value = state.get(WAITING + name)
        if value is None:
            parameter.grad = None
        else:  # with the parameter's strides, as backward leaves it: they order the sums of a norm
            parameter.grad = torch.empty_like(parameter).copy_(torch.from_numpy(value.copy()))


def kept_tensor(value: torch.Tensor) -> np.ndarray:
    """A copy in a type that checkpoints hold; NumPy has no bfloat16."""
    value = value.cpu()
    return kept(value.float() if value.dtype == torch.bfloat16 else value)


def decay_weights(trained: list[Any], part: float) -> None:
    """Decoupled (Loshchilov and Hutter 2019): not through the optimizer's moments."""
    if part:
        with torch.no_grad():
            torch._foreach_mul_(trained, 1 - part)


class NetworkLearner(Learner):
    def __init__(self, network: Network, settings: Settings, weights: Tensors) -> None:
        super().__init__(network, settings)
        check_loss(network)
        built = build(network, weights, dropout=True, to_end=True)
        refuse_long_loops(network, built, settings)
        self.device = device_of(settings)
        self.module, self.output = moved(built.module, self.device), built.output
        self.places, self.channels_first = built.places, built.channels_first
        self.trained = [place.parameter for place in self.places]
        self.optimizer = optimizer_of(network, self.trained, self.hyper.weight_decay)
        self.decays = bool(self.hyper.weight_decay) and not isinstance(network.optimizer, Adam)
        self.loss = LOSSES[network.loss]
        self.forward = compiled(self.module, settings)
        self.drops = any(isinstance(layer, Dropout) for layer in network.layers)
        self.norms = [m for m in self.module.modules() if isinstance(m, BatchNorm)]
        self.shares = [1.0 for _ in self.norms]  # each norm's, as it was last told
        self.moments = self.moving_moments()
        self.remember_start()

    def moving_moments(self) -> dict[str, torch.Tensor]:
        """Each batch norm's, which is found by its weight."""
        moments: dict[str, torch.Tensor] = {}
        for place in self.places:
            at = place.name.partition(".")[0]
            for norm in self.norms:
                if norm.weight is place.parameter:
                    moments[f"{at}.moving_mean"] = norm.running_mean
                    moments[f"{at}.moving_variance"] = norm.running_var
        return moments

    def set_shares(self, number: int) -> None:
        """Tells each norm how far this step moves its moments; it soon stays as it is."""
        for i, norm in enumerate(self.norms):
            share = norm.layer.moving_share(number)
            if share != self.shares[i]:
                norm.share.fill_(share)
                self.shares[i] = share

    def tensors(self, x: np.ndarray, y: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        x, y = NetworkTrial.host_batch(x, y, self.channels_first)
        device = self.device
        return moved(torch.from_numpy(x), device), moved(torch.from_numpy(y), device)

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> torch.Tensor:
        """torch draws dropout from one generator, which would go on where the process began: it is seeded anew."""
        if self.drops:
            torch.manual_seed(random_number(self.hyper.seed, number) >> (64 - SEED_BITS))
        self.set_shares(number)
        inputs, targets = self.tensors(x, y)
        value = self.loss(self.forward(inputs), targets)
        if not take_gradients(self.optimizer, self.trained, value, self.hyper, number):
            return value.detach()
        decay = self.hyper.weight_decay if self.decays else 0.0
        decay_weights(self.trained, float(rate) * decay)
        for group in self.optimizer.param_groups:
            group["lr"] = float(rate)
        self.optimizer.step()
        return value.detach()

    def evaluate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Never compiled: it would be once more, for another batch."""
        inputs, targets = self.tensors(x, y)
        self.module.eval()
        with torch.no_grad():
            z = self.module(inputs)
            losses = self.loss(z, targets, reduction="none").reshape(len(x), -1).mean(dim=1)
            outputs = self.output(z)
        self.module.train()
        return held(losses), held(outputs)

    # ---- what a checkpoint holds ------------------------------------------------------------------

    def weights(self) -> Tensors:
        own = {place.name: place.in_file_order(place.parameter) for place in self.places}
        return {**own, **{name: held(moment).copy() for name, moment in self.moments.items()}}

    def set_weights(self, weights: Tensors) -> None:
        with torch.no_grad():
            for place in self.places:
                value = weights[place.name]
                value = value.transpose(place.axes) if place.axes else value
                place.parameter.copy_(torch.from_numpy(np.array(value, order="C")))
            for name, moment in self.moments.items():
                moment.copy_(torch.from_numpy(weights[name]))

    def optimizer_state(self) -> Tensors:
        """`NAME/KEY` for what the optimizer keeps of a parameter; nothing before the first step."""
        state = {
            f"{place.name}/{key}": held(value).copy()
            for place in self.places
            for key, value in self.optimizer.state.get(place.parameter, {}).items()
            if value is not None
        }
        return {**state, **waiting_gradients(self.named(), self.hyper)}

    def named(self) -> dict[str, nn.Parameter]:
        return {place.name: place.parameter for place in self.places}

    def set_optimizer_state(self, state: Tensors) -> None:
        set_waiting_gradients(self.named(), state)
        self.optimizer.state.clear()
        for place in self.places:
            kept = {
                name.partition("/")[2]: t
                for name, t in state.items()
                if name.startswith(f"{place.name}/")
            }
            if kept:
                self.optimizer.state[place.parameter] = {
                    key: self.state_tensor(t) for key, t in kept.items()
                }

    def state_tensor(self, value: np.ndarray) -> torch.Tensor:
        """Where the optimizer keeps it: moments beside their parameter, a count of steps in host memory."""
        state = torch.from_numpy(value.copy())
        return moved(state, self.device) if state.dim() else state
