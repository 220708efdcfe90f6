"""The engine `numpy`: dense networks and matrix products in fp32, as one writes them by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arm import Arm
from ...errors import Unsupported
from ...inputs import check_levels, read_tensors, settings_of
from ...layers import Matmul, Model, Network
from .. import Description
from .train import DenseLearner
from .trial import DenseTrial, MatmulTrial, ResidentDenseTrial

MODES = ["eager"]
INPUTS = ("array", "loader")
INPUT_RESIDENT = "input_resident"


def describe() -> Description:
    return Description(np.__version__, MODES, ["cpu"], interventions=[INPUT_RESIDENT])


def prepare(
    model: Model,
    parameters: dict[str, Any],
    weights_path: str,
    batches_path: str,
    intervention: str = "",
) -> Arm:
    settings = settings_of({**parameters, "mode": parameters.get("mode") or "eager"})
    check_levels("numpy", settings, MODES, INPUTS)
    tensors = read_tensors(batches_path)
    if isinstance(model, Matmul):
        return MatmulTrial(tensors)
    if isinstance(model, Network) and not batches_path:
        return DenseLearner(model, settings, read_tensors(weights_path))
    if isinstance(model, Network):
        kind = ResidentDenseTrial if intervention == INPUT_RESIDENT else DenseTrial
        return kind(model, settings, read_tensors(weights_path), tensors, batches_path)
    raise Unsupported(f"the engine numpy has no {model.name} (it has dense networks and matmul)")
