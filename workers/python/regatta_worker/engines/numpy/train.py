"""Training in the engine `numpy`: the steps of its trial, with the clipping and the decay of a run."""

from __future__ import annotations

import math

import numpy as np

from ...inputs import Settings, Tensors
from ...layers import Network
from ...learner import Learner
from .model import ACTIVATIONS
from .trial import AdamState, DenseTrial

CLIP_EPSILON = 1e-6  # torch's: no gradient is divided by 0


class DenseLearner(Learner):
    def __init__(self, network: Network, settings: Settings, weights: Tensors) -> None:
        super().__init__(network, settings)
        none = np.empty(0, dtype=np.float32)
        self.trial = DenseTrial(network, Settings(), weights, {"x": none, "y": none})
        waits = self.hyper.accumulate > 1
        self.sums = [np.zeros_like(w) for w in self.trial.weight_arrays] if waits else []
        self.remember_start()

    def step(self, number: int, x: np.ndarray, y: np.ndarray, rate: np.float32) -> float:
        trial, hyper = self.trial, self.hyper
        loss, gradients = trial.loss_and_gradients(x, y)
        for waiting, g in zip(self.sums, gradients):
            waiting += g
        if not hyper.updates(number):
            return loss
        if self.sums:
            gradients = [waiting / hyper.accumulate for waiting in self.sums]
            for waiting in self.sums:
                waiting[...] = 0
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

    def kept(self) -> Tensors:
        """Moments, and the gradients that wait for their update."""
        optimizer = self.trial.optimizer
        kinds = {"sum": self.sums}
        if isinstance(optimizer, AdamState):
            kinds.update(first=optimizer.first, second=optimizer.second)
        else:
            kinds.update(velocity=optimizer.velocities)
        return {f"{kind}.{i}": t for kind, ts in kinds.items() for i, t in enumerate(ts)}

    def optimizer_state(self) -> Tensors:
        steps = getattr(self.trial.optimizer, "steps", 0)
        copies = {name: tensor.copy() for name, tensor in self.kept().items()}
        return {"steps": np.array([steps]), **copies}

    def set_optimizer_state(self, state: Tensors) -> None:
        for name, tensor in self.kept().items():
            tensor[...] = state[name]
        if isinstance(self.trial.optimizer, AdamState):
            self.trial.optimizer.steps = int(state["steps"][0])
