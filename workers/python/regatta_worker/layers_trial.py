"""The arm of a network of layers: what all engines that build one from the layers share."""

from __future__ import annotations

import dataclasses
from typing import Any

from .fed import Fed
from .inputs import Batches, Settings, Tensors, batches_of, check_loss
from .layers import Network
from .same_work import SameWork


class LayersTrial(Fed, SameWork):
    """`set_up` is the engine's own. `arguments` make the arm again, for its twin."""

    arguments: tuple[Any, ...]
    scale: float | None = None  # samples that are held as bytes have one

    def __init__(
        self,
        network: Network,
        settings: Settings,
        tensors: Tensors,
        batches: Tensors,
        batches_path: str,
        dropout: bool = True,
    ) -> None:
        check_loss(network)
        self.arguments = (network, settings, tensors, batches, batches_path)
        self.network, self.settings, self.trains = network, settings, settings.trains
        held = batches_of(batches, settings, batches_path)
        self.scale = held.scale
        self.set_up(tensors, held, dropout)

    def set_up(self, tensors: Tensors, batches: Batches, dropout: bool) -> None:
        """From weights and batches to `step`. Raises Unsupported for what the engine lacks."""
        raise NotImplementedError

    def twin(self, compiled: bool = True) -> Any:
        """Its calls are steps: losses are looked at before each."""
        model, settings, *others = self.arguments
        settings = dataclasses.replace(settings, steps_per_call=1)
        if not compiled:
            settings = dataclasses.replace(settings, mode="eager")
        return type(self)(model, settings, *others, dropout=False)
