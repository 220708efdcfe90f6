"""Trials of the engine `torch`: a network of layers, a product, a derivative, nothing."""

from __future__ import annotations

import itertools
from typing import Any, Callable

import numpy as np
import torch
from torch.nn import functional

from ...arm import Arm
from ...errors import Unsupported
from ...inputs import Batches, Settings, Tensors, casts_in_step, needs_cast
from ...layers import Adam, Network, Sgd
from ...layers_trial import LayersTrial
from ...same_work import row_sums
from .input import Loader, as_float32, rows_of
from .model import Built, build
from .place import device_of, held, moved, wait_for
from .ranks import Group
from .versions import axis_moved, without_gradients


def compiled(function: Callable, settings: Settings) -> Callable:
    if settings.mode == "eager":
        return function
    if settings.mode == "graph":
        return torch.compile(function)
    replayed, begin_step = torch.compile(function, mode=settings.mode), mark_step_begin

    def run(*arguments: Any) -> Any:
        """Marks a step's begin first: the next replay writes over the results of this one, and no step reads them."""
        begin_step()
        return replayed(*arguments)

    return run


def mark_step_begin() -> None:
    torch.compiler.cudagraph_mark_step_begin()


LOSSES: dict[str, Callable[..., torch.Tensor]] = {
    "mse": functional.mse_loss,
    "binary_crossentropy": functional.binary_cross_entropy_with_logits,
    "sparse_categorical_crossentropy": functional.cross_entropy,
}


def refuse_long_loops(network: Network, built: Built, settings: Settings) -> None:
    if built.has_lstm_loop and settings.mode != "eager" and network.input[0] > 64:
        raise Unsupported(
            f"{network.name}: torch.compile unrolls an LSTM with another activation than tanh, position by "
            f"position ({network.input[0]} of them): compiling takes longer than a trial; use mode eager"
        )


def make_optimizer(options: Sgd | Adam, weights: list[torch.nn.Parameter]) -> torch.optim.Optimizer:
    if isinstance(options, Sgd):
        return torch.optim.SGD(weights, lr=options.learning_rate, momentum=options.momentum)
    betas = (options.beta1, options.beta2)
    return torch.optim.Adam(weights, lr=options.learning_rate, betas=betas, eps=options.epsilon)


class NetworkTrial(LayersTrial):
    group: Group | None = None  # where it is one of several ranks
    is_double = False  # a twin's, which shows what the steps round

    def set_up(self, tensors: Tensors, batches: Batches, dropout: bool) -> None:
        network, settings = self.network, self.settings
        self.optimizer_options = network.optimizer
        built = build(network, tensors, dropout)
        refuse_long_loops(network, built, settings)
        self.device = device_of(settings)
        self.module, self.output = moved(built.module, self.device), built.output
        self.places = built.places
        self.channels_first, self.held = built.channels_first, batches
        self.batches = [
            self.host_batch(x, y, built.channels_first) for x, y in zip(batches.xs, batches.ys)
        ]
        self.start_feeding()
        self.loss = LOSSES[network.loss]
        trained = [place.parameter for place in self.places]
        self.optimizer = make_optimizer(network.optimizer, trained)
        self.step = self.training_step() if settings.trains else self.inference_step()

    # ---- batches -----------------------------------------------------------------------------

    @staticmethod
    def host_batch(
        x: np.ndarray, y: np.ndarray, channels_first: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """As a user of torch holds them: channels first, classes as int64."""
        if channels_first:
            x = np.ascontiguousarray(np.moveaxis(x, -1, 1))
        return x, y.astype(np.int64) if y.dtype == np.int32 else y

    def start_feeding(self) -> None:
        settings = self.settings
        self.loader: Loader | None = None
        self.needs_cast = needs_cast(self.batches[0][0], self.scale)
        self.casts = self.needs_cast and casts_in_step(settings, piped="step")
        if settings.input == "pipeline":
            rows = rows_of(self.batches, self.scale, self.needs_cast and not self.casts)
            self.next_batch = self.loader = Loader(
                rows, len(self.batches[0][0]), settings.loader_workers
            )
        elif settings.input == "loader":
            self.next_batch = self.from_places()
        else:
            self.next_batch = itertools.cycle(self.host_or_resident()).__next__

    def host_or_resident(self) -> list[tuple[Any, Any]]:
        if self.settings.input == "array":
            return self.batches
        return [self.tensors_of(batch) for batch in self.batches]

    def from_places(self) -> Callable[[], tuple[torch.Tensor, torch.Tensor]]:
        """The loader has rows as the file has them: a step puts channels first and widens classes itself."""
        first, classes = self.channels_first, self.batches[0][1].dtype == np.int64

        def tensors(x: np.ndarray, y: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
            inputs = torch.from_numpy(x)
            return axis_moved(inputs, -1, 1) if first else inputs, torch.from_numpy(y)

        following = self.start_feed(self.settings, self.held, tensors)
        if not first and not classes:
            return following

        def ordered() -> tuple[torch.Tensor, torch.Tensor]:
            x, y = following()
            return x.contiguous(), y.long() if classes else y

        return ordered

    def tensors_of(self, batch: tuple[np.ndarray, np.ndarray]) -> tuple[torch.Tensor, torch.Tensor]:
        x, y = (torch.from_numpy(array).to(self.device) for array in batch)
        x = as_float32(x, self.scale)
        if self.is_double:
            x, y = (tensor.double() if tensor.is_floating_point() else tensor for tensor in (x, y))
        return x, y

    def feed(self) -> Callable[[], tuple[torch.Tensor, torch.Tensor]]:
        """The next batch where the step computes: a batch of the host is copied there inside the step."""
        following, settings = self.host_feed(), self.settings
        if self.device.type == "cpu" or settings.input == "resident":
            return self.cast_feed(following)
        device = self.device

        def copied() -> tuple[torch.Tensor, torch.Tensor]:
            x, y = following()
            return x.to(device), y.to(device)

        return self.cast_feed(copied)

    def host_feed(self) -> Callable[[], tuple[torch.Tensor, torch.Tensor]]:
        """The next batch as tensors; an array is wrapped inside the step."""
        following, wrap = self.next_batch, torch.from_numpy
        if self.settings.input != "array":
            return following

        def wrapped() -> tuple[torch.Tensor, torch.Tensor]:
            x, y = following()
            return wrap(x), wrap(y)

        return wrapped

    def cast_feed(
        self, following: Callable[[], tuple[torch.Tensor, torch.Tensor]]
    ) -> Callable[[], tuple[torch.Tensor, torch.Tensor]]:
        """The next batch in the model's type, which it is given inside the step where the trial says so."""
        if not self.casts:
            return following
        scale = self.scale

        def cast() -> tuple[torch.Tensor, torch.Tensor]:
            x, y = following()
            return as_float32(x, scale), y

        return cast

    # ---- steps -------------------------------------------------------------------------------

    def training_step(self) -> Callable[[], torch.Tensor]:
        forward = self.forward = compiled(self.module, self.settings)
        loss = self.loss
        feed, zero_gradients, update = self.feed(), self.optimizer.zero_grad, self.optimizer.step

        def step() -> torch.Tensor:
            x, y = feed()
            value = loss(forward(x), y)
            zero_gradients()
            value.backward()
            update()
            return value

        return step

    def inference_step(self) -> Callable[[], torch.Tensor]:
        module = torch.nn.Sequential(self.module, self.output).eval()
        forward, feed = compiled(module, self.settings), self.feed()

        @without_gradients()
        def step() -> torch.Tensor:
            return forward(feed()[0])

        return step

    def wait(self) -> None:
        """A CPU's step is done when it returns, a GPU's is only started."""
        wait_for(self.device)

    def close(self) -> None:
        super().close()
        if self.loader is not None:
            self.loader.close()
        if self.group is not None:
            self.group.close()

    # ---- several ranks -----------------------------------------------------------------------

    @property
    def member(self) -> str:
        return self.group.member if self.group is not None else ""

    def join(self, members: list[str], patience_seconds: float) -> None:
        """Steps share their gradients with those of the other ranks from the next one on."""
        if self.group is None:
            raise ValueError("a trial of one rank joins nobody")
        self.group.join(members, patience_seconds)
        self.share_steps(self.group)

    def share_steps(self, group: Group) -> None:
        self.module = group.shared(self.module)
        self.step = self.training_step()

    def twin(self, compiled: bool = True) -> Any:
        twin = super().twin(compiled)
        if self.group is not None:
            twin.share_steps(self.group)
        return twin

    # ---- same work ---------------------------------------------------------------------------

    def losses(self, number: int) -> list[float]:
        x, y = self.tensors_of(self.batches[number % len(self.batches)])
        with torch.no_grad():
            losses = self.loss(self.module(x), y, reduction="none")
        return losses.reshape(len(losses), -1).mean(dim=1).tolist()

    def gradients(self, number: int) -> Tensors:
        x, y = self.tensors_of(self.batches[number % len(self.batches)])
        self.optimizer.zero_grad()
        self.loss(self.forward(x), y).backward()
        return {place.name: place.in_file_order(place.parameter.grad) for place in self.places}

    def weights(self) -> Tensors:
        return {place.name: place.in_file_order(place.parameter) for place in self.places}

    def replace_weights(self, change: Callable[[np.ndarray], np.ndarray]) -> None:
        with torch.no_grad():
            for weight in self.module.parameters():
                if weight.is_floating_point():
                    weight.copy_(torch.from_numpy(change(held(weight.detach().float()))))

    def exact_losses(self) -> list[float]:
        if self.group is not None:
            raise Unsupported("ranks share gradients in float32")
        self.is_double = True
        self.module.double()
        if self.trains:
            return self.losses(0)
        x, _ = self.tensors_of(self.batches[0])
        with torch.no_grad():
            return row_sums(held(torch.nn.Sequential(self.module, self.output).eval()(x)))

    def in_host_memory(self, output: torch.Tensor) -> np.ndarray:
        return held(output)

    def probe(self, gradients: list[np.ndarray]) -> np.ndarray:
        weights = torch.nn.Parameter(moved(torch.zeros(gradients[0].shape), self.device))
        optimizer = make_optimizer(self.optimizer_options, [weights])
        for gradient in gradients:
            weights.grad = torch.from_numpy(gradient).to(self.device)
            optimizer.step()
        return held(weights)


class MatmulTrial(Arm):
    def __init__(self, settings: Settings, batches: Tensors) -> None:
        self.device = device_of(settings)
        a, b = batches["x"][0], batches["y"][0]
        left, right = self.copied(a), self.copied(b)
        product = compiled(torch.matmul, settings)
        self.step = lambda: product(left, right)
        if settings.operands == "fed":  # each step copies both from host memory
            copy = torch.tensor if settings.device == "cpu" else self.copied
            self.step = lambda: product(copy(a), copy(b))
        elif settings.operands == "constant":  # a graph may compute it once and for all
            self.step = compiled(lambda: torch.matmul(left, right), settings)

    def copied(self, array: np.ndarray) -> torch.Tensor:
        return moved(torch.from_numpy(array), self.device)

    def wait(self) -> None:
        """A CPU's step is done when it returns, a GPU's is only started."""
        wait_for(self.device)

    def check(self, steps: int) -> list[list[float]]:
        return [row_sums(held(self.step())) for _ in range(steps)]


class GradientTrial(Arm):
    """d(x^2)/dx."""

    def __init__(self, settings: Settings, batches: Tensors) -> None:
        self.device = device_of(settings)
        fed = torch.from_numpy(batches["x"].reshape(-1)[:1]).reshape(()).to(self.device)
        if settings.mode != "eager":
            derivative = compiled(torch.func.grad(lambda x: x * x), settings)
            self.step = lambda: derivative(fed)
            return

        def step() -> torch.Tensor:
            x = fed.detach().requires_grad_()
            return torch.autograd.grad(x * x, x)[0]

        self.step = step

    def wait(self) -> None:
        """A CPU's step is done when it returns, a GPU's is only started."""
        wait_for(self.device)

    def check(self, steps: int) -> list[list[float]]:
        return [row_sums(held(self.step()).reshape(1, 1)) for _ in range(steps)]


class NoopTrial(Arm):
    def step(self) -> None:
        """Nothing."""

    def wait(self) -> None:
        """Nothing runs on after a step."""

    def check(self, steps: int) -> list[list[float]]:
        return [[] for _ in range(steps)]
