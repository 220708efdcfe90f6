"""Programs that measure what the docs quote: python3 -m bench.NAME."""

import tools  # noqa: F401  (the worker's package can then be found)
