"""The engine `jax`. Its variables are set here, before any module of it imports the framework."""

import os

# Read when jax is imported or first computes.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
