"""A user's own model that is trained to an end: what the engines' learners of it share (docs/guide/your-model.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import user_model
from .errors import UserModelError
from .inputs import Tensors
from .layers import UserModel
from .learner import Learner
from .schedule import Hyper

KEPT = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int32), np.dtype(np.int64))


class UserLearner(Learner):
    """Its samples are those of the user's function; weights have the names that the framework gives them."""

    pads = False

    def __init__(self, model: UserModel, hyper: Hyper) -> None:
        self.user, self.hyper = model, hyper
        self.loss_name = ""
        self.initial: tuple[Tensors, Tensors] = ({}, {})

    def samples(self) -> Tensors:
        return self.made

    def make_samples(self) -> Tensors:
        """Made once, when the model is built: some models see their input's shape first here."""
        self.made = user_model.make_samples(self.user)
        return self.made

    def check_samples(self, x: np.ndarray, y: np.ndarray) -> None:
        """Whole numbers beside several outputs are classes: then there is an accuracy."""
        some = min(2, len(x))
        _losses, outputs = self.evaluate(x[:some], y[:some])
        names_classes = y.dtype.kind in "iu" and y.ndim == 1
        if names_classes and outputs is not None and outputs.ndim == 2 and outputs.shape[1] > 1:
            self.loss_name = "sparse_categorical_crossentropy"


def loss_of_rows(losses: Any, rows: int) -> np.ndarray:
    """(rows,) of a loss that may give its mean alone."""
    values = np.asarray(user_model.values_of(np.asarray(losses), rows))
    return np.broadcast_to(values, (rows,))


def kept(value: Any) -> np.ndarray:
    """A copy in a type that checkpoints hold."""
    array = np.array(value)
    if array.dtype in KEPT:
        return array
    return array.astype(np.float32 if array.dtype.kind not in "iub" else np.int64)


def need_loss(model: UserModel, loss: Any) -> None:
    if loss is None:
        raise UserModelError(f"{model.build} gives no loss (training takes one)")
