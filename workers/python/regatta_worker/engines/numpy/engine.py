"""The engine `numpy`: dense networks and matrix products in fp32, as one writes them by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import safetensors
from ...errors import Unsupported
from ...layers import Matmul, Model, Network
from .. import Description, PreparedArm
from .train import DenseLearner
from .trial import DenseTrial, MatmulTrial, ResidentDenseTrial

INPUT_RESIDENT = "input_resident"


def describe() -> Description:
    return Description(np.__version__, ["eager"], ["cpu"], interventions=[INPUT_RESIDENT])


def prepare(
    model: Model,
    parameters: dict[str, Any],
    weights_path: str,
    batches_path: str,
    intervention: str = "",
) -> PreparedArm:
    if parameters.get("mode") not in (None, "eager"):
        raise Unsupported(f"the engine numpy has no mode {parameters['mode']} (it has eager)")
    if isinstance(model, Matmul):
        return MatmulTrial(safetensors.read(batches_path))
    if isinstance(model, Network) and not batches_path:
        return DenseLearner(model, parameters, safetensors.read(weights_path))
    if isinstance(model, Network):
        kind = ResidentDenseTrial if intervention == INPUT_RESIDENT else DenseTrial
        return kind(
            model, parameters, safetensors.read(weights_path), safetensors.read(batches_path)
        )
    raise Unsupported(f"the engine numpy has no {model.name} (it has dense networks and matmul)")
