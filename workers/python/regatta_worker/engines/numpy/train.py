"""Training in the engine `numpy`: the steps of its trial, with the clipping and the decay of a run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...inputs import Tensors
from ...layers import Network
from ...learner import Learner
from ...schedule import hyper_of
from .model import ACTIVATIONS
from .trial import AdamState, DenseTrial

CLIP_EPSILON = 1e-6  # torch's: no gradient is divided by 0


class DenseLearner(Learner):
    def __init__(self, network: Network, parameters: dict[str, Any], weights: Tensors) -> None:
        super().__init__(network, hyper_of(parameters, network.optimizer.learning_rate))
        none = np.empty(0, dtype=np.float32)
        self.trial = DenseTrial(network, {}, weights, {"x": none, "y": none})
        self.remember_start()

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> float:
        trial, hyper = self.trial, self.hyper
        loss, gradients = trial.loss_and_gradients(x, y)
        if hyper.clip_norm:
            norm = math.sqrt(sum(float(np.vdot(g, g)) for g in gradients))
            scale = hyper.clip_norm / (norm + CLIP_EPSILON)
            if scale < 1:
                gradients = [g * scale for g in gradients]
        if hyper.weight_decay:
            for w in trial.weight_arrays:
                w *= 1 - float(rate) * hyper.weight_decay
        trial.optimizer.rate = float(rate)
        trial.optimizer.update(trial.weight_arrays, gradients)
        return loss

    def evaluate(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        trial = self.trial
        z = trial.forward(x, trial.from_logits)[-1]
        return trial.loss.of_samples(z, y), ACTIVATIONS[trial.loss.own_activation or "none"](z)

    def weights(self) -> Tensors:
        return self.trial.weights()

    def set_weights(self, weights: Tensors) -> None:
        for name, array in self.trial.named(self.trial.weight_arrays).items():
            array[...] = weights[name]

    # ---- the optimizer ----------------------------------------------------------------------------

    def moments(self) -> Tensors:
        optimizer = self.trial.optimizer
        if not isinstance(optimizer, AdamState):
            return {f"velocity.{i}": v for i, v in enumerate(optimizer.velocities)}
        kinds = {"first": optimizer.first, "second": optimizer.second}
        return {f"{kind}.{i}": m for kind, ms in kinds.items() for i, m in enumerate(ms)}

    def optimizer_state(self) -> Tensors:
        steps = getattr(self.trial.optimizer, "steps", 0)
        copies = {name: moment.copy() for name, moment in self.moments().items()}
        return {"steps": np.array([steps]), **copies}

    def set_optimizer_state(self, state: Tensors) -> None:
        for name, moment in self.moments().items():
            moment[...] = state[name]
        if isinstance(self.trial.optimizer, AdamState):
            self.trial.optimizer.steps = int(state["steps"][0])
