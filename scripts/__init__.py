"""Scripts in Python that use tools: python3 -m scripts.NAME."""

import tools  # noqa: F401  (the worker's package can then be found)
