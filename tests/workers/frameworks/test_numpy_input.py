from __future__ import annotations

import unittest

import input_cases  # the class by its module: else its tests would be found here, too


class NumpyInput(input_cases.InputTest):
    engine = "numpy"
    networks = ("dense",)


if __name__ == "__main__":
    unittest.main()
