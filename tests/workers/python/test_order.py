from __future__ import annotations

import unittest

import numpy as np
from regatta_worker.order import tested_rows


class TestedRows(unittest.TestCase):
    def test_they_are_those_of_the_native_engine(self) -> None:
        """The numbers are those of tests/data/batches/row_parts_test.cpp."""
        classes = np.repeat([0, 1, 2, 7], [6, 4, 3, 1])
        for rows, labels, share, expected in (
            (14, classes, 0.2, [4, 8]),
            (14, classes, 0.5, [0, 2, 4, 6, 8, 10, 11]),
            (10, None, 0.2, [7, 9]),
            (6, np.arange(6), 0.2, [5]),
        ):
            tested = np.flatnonzero(tested_rows(rows, labels, share))
            self.assertEqual(tested.tolist(), expected)

    def test_each_class_has_its_share(self) -> None:
        classes = np.repeat([0, 1, 2], 50)
        tested = tested_rows(150, classes)
        self.assertEqual(np.bincount(classes[tested]).tolist(), [10, 10, 10])


if __name__ == "__main__":
    unittest.main()
