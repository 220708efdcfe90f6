"""The engine `torch`: eager, or compiled with torch.compile (mode graph; reduce-overhead: replaying CUDA graphs)."""

from __future__ import annotations

from typing import Any

import torch

from ...arm import Arm
from ...errors import Unsupported
from ...inputs import check_levels, read_tensors, settings_of, trains_to_an_end
from ...layers import Matmul, Model, Network, Noop, ScalarGradient, UserModel
from .. import Description
from .place import DEVICES, devices_here, take_device
from .ranks import group_of, part_of
from .train import NetworkLearner
from .trial import GradientTrial, MatmulTrial, NetworkTrial, NoopTrial
from .user import UserTrial
from .user_train import UserModuleLearner
from .versions import MODES, check_mode, check_version, forget_compiled, instruction_set, modes_here

INPUTS = ("array", "pipeline", "resident", "loader")


def describe() -> Description:
    details = {"threads": str(torch.get_num_threads())}
    isa = instruction_set()
    if isa:
        details["isa"] = isa
    if torch.version.cuda:
        details["cuda"] = torch.version.cuda
    return Description(torch.__version__, modes_here(), devices_here(), details)


def prepare(
    model: Model,
    parameters: dict[str, Any],
    weights_path: str,
    batches_path: str,
    rank: int | None = None,
) -> Arm:
    settings = settings_of(parameters)
    check_version()
    check_levels("torch", settings, MODES, INPUTS, DEVICES)
    check_mode(settings.mode)
    take_device(settings)
    set_threads(settings.threads)
    torch.manual_seed(settings.seed)
    if isinstance(model, Network) and not batches_path:
        return NetworkLearner(model, settings, read_tensors(weights_path))
    if isinstance(model, Network):
        weights, batches = read_tensors(weights_path), read_tensors(batches_path)
        group = group_of(parameters, rank)
        if group is not None:
            batches = part_of(batches, group.rank, group.ranks)
        trial = NetworkTrial(model, settings, weights, batches, batches_path)
        trial.group = group
        return trial
    if isinstance(model, UserModel) and trains_to_an_end(parameters):
        return UserModuleLearner(model, settings)
    if isinstance(model, UserModel):
        group = group_of(parameters, rank)
        part = (group.rank, group.ranks) if group is not None else (0, 1)
        user_trial = UserTrial(model, settings, parameters["batch"], part)
        user_trial.group = group
        return user_trial
    if isinstance(model, Matmul):
        return MatmulTrial(settings, read_tensors(batches_path))
    if isinstance(model, ScalarGradient):
        return GradientTrial(settings, read_tensors(batches_path))
    if isinstance(model, Noop):
        return NoopTrial()
    raise Unsupported(f"the engine torch has no {model.name}")


def forget_all() -> None:
    forget_compiled()


def set_threads(threads: int) -> None:
    """Raises RuntimeError if torch does not keep to it."""
    torch.set_num_threads(threads)
    if torch.get_num_threads() != threads:
        raise RuntimeError(
            f"torch runs {torch.get_num_threads()} threads, not the {threads} asked for: its time "
            "would not be that of the trial; correct this installation"
        )
