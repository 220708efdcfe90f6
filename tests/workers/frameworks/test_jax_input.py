from __future__ import annotations

import unittest

import input_cases  # the class by its module: else its tests would be found here, too


class JaxInput(input_cases.InputTest):
    """A step is only started: it may still read its batch when the next one is asked for."""

    engine = "jax"
    kinds = ({"mode": "graph"}, {"mode": "eager"})


if __name__ == "__main__":
    unittest.main()
