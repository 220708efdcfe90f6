"""A network as torch modules: built from the layers, given the weights of the file.

Sequences and images keep their channels last everywhere in Regatta; torch's convolutions and pools want them first. A
network that begins with one of those is fed channels first, and axes are swapped only where the two kinds meet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ... import layers as spec
from ...errors import Unsupported
from ...inputs import OWN_ACTIVATION, Tensors
from ...padding import same_padding
from .place import held
from .versions import HAS_SAME_PADDING, TAKES_INT32_WORDS, axis_moved

LAYER_NORM_EPSILON = 1e-3

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "sigmoid": nn.Sigmoid,
    "tanh": nn.Tanh,
    "softmax": lambda: nn.Softmax(dim=-1),
}


class SwapAxes(nn.Module):
    """Channels first <-> channels last; `to_last` says which way."""

    def __init__(self, to_last: bool) -> None:
        super().__init__()
        self.source, self.target = (1, -1) if to_last else (-1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return axis_moved(x, self.source, self.target)


class ToInt64(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.long()


class BatchNorm(nn.BatchNorm1d):
    """Moves its moments as all engines do where they train to an end: by a share that falls from step to step, and its
    variance towards that of the batch. torch's own has one share, and moves towards n / (n - 1) times that variance."""

    def __init__(self, channels: int, layer: spec.BatchNorm) -> None:
        super().__init__(channels, eps=layer.epsilon)
        self.layer = layer
        self.register_buffer("share", torch.ones(()))  # no number: compiled steps read it

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training:
            return super().forward(x)
        mean, variance = torch.zeros_like(self.running_mean), torch.zeros_like(self.running_var)
        y = functional.batch_norm(
            x, mean, variance, self.weight, self.bias, training=True, momentum=1.0, eps=self.eps
        )  # with that momentum they become those of the batch
        count = x.numel() // x.shape[1]
        with torch.no_grad():
            self.running_mean.lerp_(mean, self.share)
            self.running_var.lerp_(variance * ((count - 1) / count), self.share)
        return y

    def _check_input_dim(self, x: torch.Tensor) -> None:
        """Sequences and pictures, too."""


class Pad(nn.Module):
    """Zeros that torch's own padding, equal on both sides, cannot give."""

    def __init__(self, sides: tuple[int, ...]) -> None:
        super().__init__()
        self.sides = sides

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.pad(x, self.sides)


class Mean(nn.Module):
    def __init__(self, axes: tuple[int, ...]) -> None:
        super().__init__()
        self.axes = axes

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(dim=self.axes)


class Lstm(nn.Module):
    """torch's own LSTM (tanh only), one or both directions."""

    def __init__(self, module: nn.LSTM, return_sequences: bool) -> None:
        super().__init__()
        self.module = module
        self.return_sequences = return_sequences

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        sequences, (last, _) = self.module(x)
        if self.return_sequences:
            return sequences
        return last.transpose(0, 1).flatten(1)


class LstmLoop(nn.Module):
    """An LSTM with another activation than tanh, which torch has not: a loop over the positions."""

    def __init__(self, weights: list[nn.Parameter], layer: spec.Lstm, backward: bool) -> None:
        super().__init__()
        self.kernel, self.recurrent, self.bias = weights  # (4u, in), (4u, u), (4u)
        self.activation = ACTIVATIONS.get(layer.activation, nn.Identity)()
        self.return_sequences = layer.return_sequences
        self.backward_in_time = backward

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inputs = functional.linear(x, self.kernel, self.bias).unbind(1)
        h = c = x.new_zeros(x.shape[0], self.recurrent.shape[1])
        outputs = []
        for position in reversed(inputs) if self.backward_in_time else inputs:
            gates = position + functional.linear(h, self.recurrent)
            i, f, g, o = gates.chunk(4, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * self.activation(g)
            h = torch.sigmoid(o) * self.activation(c)
            outputs.append(h)
        if not self.return_sequences:
            return h
        return torch.stack(outputs[::-1] if self.backward_in_time else outputs, dim=1)


class BothDirections(nn.Module):
    def __init__(self, forwards: nn.Module, backwards: nn.Module) -> None:
        super().__init__()
        self.forwards, self.backwards = forwards, backwards

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat((self.forwards(x), self.backwards(x)), dim=-1)


@dataclass(frozen=True)
class Place:
    """The tensor of the file that a parameter has, and the order of its axes there."""

    name: str
    parameter: nn.Parameter
    axes: tuple[int, ...]

    def in_file_order(self, value: torch.Tensor | None) -> np.ndarray:
        """Zeros for the gradient of what the loss does not depend on."""
        value = torch.zeros_like(self.parameter) if value is None else value
        array = held(value)
        return np.array(array.transpose(np.argsort(self.axes)) if self.axes else array)


@dataclass
class Builder:
    """Appends the modules of one layer after the other; knows the shape in between, channels last."""

    network: spec.Network
    tensors: Tensors
    dropout: bool
    shape: tuple[int, ...]
    channels_first: bool
    to_end: bool
    modules: list[nn.Module] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)

    # ---- what torch wants where --------------------------------------------------------------

    def need_channels(self, first: bool) -> None:
        if len(self.shape) > 1 and self.channels_first != first:
            self.modules.append(SwapAxes(to_last=not first))
        self.channels_first = first

    def parameter(self, name: str, *axes: int) -> nn.Parameter:
        """The tensor with its axes in this order."""
        value = self.tensors[name].transpose(axes) if axes else self.tensors[name]
        parameter = nn.Parameter(torch.from_numpy(value.copy(order="C")))
        self.places.append(Place(name, parameter, axes))
        return parameter

    def give(self, module: nn.Module, **weights: nn.Parameter) -> None:
        for name, weight in weights.items():
            wanted = tuple(getattr(module, name).shape)
            if wanted != tuple(weight.shape):
                raise ValueError(
                    f"{type(module).__name__}.{name}: {tuple(weight.shape)}, expected {wanted}"
                )
            setattr(module, name, weight)

    def append(self, module: nn.Module, activation: str = "none") -> None:
        self.modules.append(module)
        if activation != "none":
            self.modules.append(ACTIVATIONS[activation]())

    # ---- layers ------------------------------------------------------------------------------

    def dense(self, at: str, layer: spec.Dense, activation: str) -> None:
        self.need_channels(first=False)
        module = nn.Linear(self.shape[-1], layer.units)
        self.give(
            module, weight=self.parameter(f"{at}.kernel", 1, 0), bias=self.parameter(f"{at}.bias")
        )
        self.append(module, activation)
        self.shape = (*self.shape[:-1], layer.units)

    def convolution(self, at: str, layer: spec.Conv1d | spec.Conv2d, activation: str) -> None:
        self.need_channels(first=True)
        axes = len(self.shape) - 1
        padding: Any = 0
        sides = [(0, 0)] * axes
        if layer.padding == "same":
            sides = [same_padding(size, layer.kernel, layer.stride) for size in self.shape[:-1]]
            if layer.stride == 1 and HAS_SAME_PADDING:
                padding = "same"
            elif all(before == after for before, after in sides):
                padding = tuple(before for before, _ in sides)
            else:
                self.append(Pad(tuple(side for pair in reversed(sides) for side in pair)))
        kind = nn.Conv1d if axes == 1 else nn.Conv2d
        module = kind(self.shape[-1], layer.filters, layer.kernel, layer.stride, padding)
        order = (axes + 1, axes, *range(axes))  # (taps..., in, out) -> (out, in, taps...)
        self.give(
            module, weight=self.parameter(f"{at}.kernel", *order), bias=self.parameter(f"{at}.bias")
        )
        self.append(module, activation)
        positions = [
            (size + before + after - layer.kernel) // layer.stride + 1
            for size, (before, after) in zip(self.shape, sides)
        ]
        self.shape = (*positions, layer.filters)

    def pool(self, kinds: tuple[Any, Any], size: int) -> None:
        self.need_channels(first=True)
        self.append(kinds[len(self.shape) - 2](size))
        self.shape = (*(positions // size for positions in self.shape[:-1]), self.shape[-1])

    def global_average(self) -> None:
        first = 2 if self.channels_first else 1
        self.append(Mean(tuple(range(first, first + len(self.shape) - 1))))
        self.shape = self.shape[-1:]

    def flatten(self) -> None:
        self.need_channels(first=False)
        self.append(nn.Flatten())
        self.shape = (int(np.prod(self.shape)),)

    def batch_norm(self, at: str, layer: spec.BatchNorm) -> None:
        self.need_channels(first=True)
        module: nn.Module
        if self.to_end:
            module = BatchNorm(self.shape[-1], layer)
        else:
            own = (nn.BatchNorm1d, nn.BatchNorm1d, nn.BatchNorm2d)[len(self.shape) - 1]
            module = own(self.shape[-1], eps=layer.epsilon, momentum=1 - layer.momentum)
        self.give(module, weight=self.parameter(f"{at}.gamma"), bias=self.parameter(f"{at}.beta"))
        self.append(module)

    def layer_norm(self, at: str) -> None:
        self.need_channels(first=False)
        module = nn.LayerNorm(self.shape[-1], eps=LAYER_NORM_EPSILON)
        self.give(module, weight=self.parameter(f"{at}.gamma"), bias=self.parameter(f"{at}.beta"))
        self.append(module)

    def embedding(self, at: str, layer: spec.Embedding) -> None:
        if not TAKES_INT32_WORDS:
            self.append(ToInt64())
        module = nn.Embedding(layer.vocabulary, layer.units)
        self.give(module, weight=self.parameter(f"{at}.kernel"))
        self.append(module)
        self.shape = (*self.shape, layer.units)

    def lstm(self, layer: spec.Lstm, places: list[str]) -> None:
        """One direction for each place of weights. Gates stand in the order i, f, g, o in both files and torch."""
        self.need_channels(first=False)
        if layer.activation == "tanh":
            self.append(self.own_lstm(layer, places))
        else:
            loops = [self.lstm_loop(layer, at, backward=i == 1) for i, at in enumerate(places)]
            self.append(loops[0] if len(loops) == 1 else BothDirections(*loops))
        width = layer.units * len(places)
        self.shape = (self.shape[0], width) if layer.return_sequences else (width,)

    def own_lstm(self, layer: spec.Lstm, places: list[str]) -> nn.Module:
        module = nn.LSTM(
            self.shape[-1], layer.units, batch_first=True, bidirectional=len(places) == 2
        )
        for at, end in zip(places, ("l0", "l0_reverse")):
            weights = {
                f"weight_ih_{end}": self.parameter(f"{at}.kernel", 1, 0),
                f"weight_hh_{end}": self.parameter(f"{at}.recurrent_kernel", 1, 0),
                f"bias_ih_{end}": self.parameter(f"{at}.bias"),
            }
            self.give(module, **weights)
            # torch adds two biases; training both would double each step of their sum.
            second = getattr(module, f"bias_hh_{end}")
            nn.init.zeros_(second)
            second.requires_grad_(False)
        module.flatten_parameters()
        return Lstm(module, layer.return_sequences)

    def lstm_loop(self, layer: spec.Lstm, at: str, backward: bool) -> nn.Module:
        weights = [
            self.parameter(f"{at}.kernel", 1, 0),
            self.parameter(f"{at}.recurrent_kernel", 1, 0),
            self.parameter(f"{at}.bias"),
        ]
        return LstmLoop(weights, layer, backward)

    def layer(self, index: int, layer: spec.Layer, activation: str) -> None:
        at = str(index)
        if isinstance(layer, spec.Dense):
            self.dense(at, layer, activation)
        elif isinstance(layer, (spec.Conv1d, spec.Conv2d)):
            self.convolution(at, layer, activation)
        elif isinstance(layer, spec.MaxPool):
            self.pool((nn.MaxPool1d, nn.MaxPool2d), layer.size)
        elif isinstance(layer, spec.AveragePool):
            self.pool((nn.AvgPool1d, nn.AvgPool2d), layer.size)
        elif isinstance(layer, spec.GlobalAveragePool):
            self.global_average()
        elif isinstance(layer, spec.Flatten):
            self.flatten()
        elif isinstance(layer, spec.Dropout):
            if self.dropout:
                self.append(nn.Dropout(layer.rate))
        elif isinstance(layer, spec.BatchNorm):
            self.batch_norm(at, layer)
        elif isinstance(layer, spec.LayerNorm):
            self.layer_norm(at)
        elif isinstance(layer, spec.Embedding):
            self.embedding(at, layer)
        elif isinstance(layer, spec.Lstm):
            self.lstm(layer, [at])
        elif isinstance(layer, spec.Bidirectional):
            self.lstm(layer.inner, [f"{at}.forward", f"{at}.backward"])
        else:
            kind = type(layer).__name__
            raise Unsupported(f"{self.network.name}, layer {index}: torch has no layer {kind}")


@dataclass(frozen=True)
class Built:
    """`module` yields what the loss reads; `output` turns that into the network's output."""

    module: nn.Module
    output: nn.Module
    channels_first: bool  # as its input wants them
    has_lstm_loop: bool
    places: list[Place]


def starts_channels_first(network: spec.Network) -> bool:
    kinds = (spec.Conv1d, spec.Conv2d, spec.MaxPool, spec.AveragePool)
    return bool(network.layers) and isinstance(network.layers[0], kinds)


def build(network: spec.Network, tensors: Tensors, dropout: bool, to_end: bool = False) -> Built:
    """`to_end`: it is trained, and then evaluated. Raises Unsupported for a layer that torch lacks."""
    first = starts_channels_first(network)
    builder = Builder(network, tensors, dropout, tuple(network.input), first, to_end)
    own = OWN_ACTIVATION[network.loss]
    last = len(network.layers) - 1
    for index, layer in enumerate(network.layers):
        activation = getattr(layer, "activation", "none")
        builder.layer(index, layer, "none" if index == last and own != "none" else activation)
    module = nn.Sequential(*builder.modules)
    output = ACTIVATIONS[own]() if own != "none" else nn.Identity()
    loops = any(isinstance(part, LstmLoop) for part in module.modules())
    return Built(module, output, first, loops, builder.places)
