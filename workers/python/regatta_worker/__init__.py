"""Regatta's worker for engines in Python: one session and loop, one module for each engine.

Speaks docs/reference/worker-protocol.md. Starting it imports no framework; the first `hello` does.
"""

__version__ = "0.1.0"
