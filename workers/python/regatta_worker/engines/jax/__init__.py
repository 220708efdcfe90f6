"""The engine `jax`. Its variables are set here, before any module of it imports the framework."""

import os
import pkgutil
from importlib.util import find_spec


def has_cuda() -> bool:
    """Whether this installation has JAX's plugin for NVIDIA's GPUs, and a GPU is shown to this process."""
    plugins = find_spec("jax_plugins")
    folders = plugins.submodule_search_locations if plugins else None
    names = [module.name for module in pkgutil.iter_modules(folders)] if folders else []
    shown = os.environ.get("CUDA_VISIBLE_DEVICES") not in ("", "-1")
    return shown and any(name.startswith("xla_cuda") for name in names)


# Read when jax is imported or first computes. Platforms that are named must be there, or nothing computes: with the
# plugin none is named.
if not has_cuda():
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
